"use strict";

const read = (id) => JSON.parse(document.getElementById(id).textContent);

// --- figures: colours are names of CSS variables, so that they follow light and dark ---

const resolve = (value, style) => {
  if (typeof value === "string" && value.startsWith("--")) return style.getPropertyValue(value).trim();
  if (Array.isArray(value)) return value.map((each) => resolve(each, style));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each, style)]));
};

const axis = { gridcolor: "--rule", zeroline: false, linecolor: "--rule", automargin: true };

const draw = (figure) => {
  const style = getComputedStyle(document.documentElement);
  const given = figure.layout;
  const layout = {
    ...given,
    margin: { l: 44, r: 8, t: 10, b: 34 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: "--dim" },
    hovermode: "x unified",
    hoverlabel: { bgcolor: "--sheet", bordercolor: "--rule", font: { color: "--text" } },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 11 } },
    xaxis: { ...axis, ...given.xaxis, showgrid: false },
    yaxis: { ...axis, ...given.yaxis },
  };
  const options = { displayModeBar: false, responsive: true };
  Plotly.react(`plot-${figure.id}`, resolve(figure.data, style), resolve(layout, style), options);
};

const figures = read("figures");
const drawAll = () => figures.forEach(draw);
if (figures.length) {
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}

// --- the game: every position was drawn by rulezero; nothing here knows the rules ---

const game = read("sample");

const made = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

const percent = (share) => `${Math.round(100 * share)} %`;

// What never changes in the game, as <rz-board> takes it.
const described = () => ({
  name: game.game, title: game.game, seats: game.names, rows: game.ranks.length,
  columns: game.files.length, files: game.files, pictures: game.pictures,
});

const drawBoard = (page, ply) => {
  const names = (at, column) => `${game.files[column]}${game.ranks[at]}`;
  const changed = [];
  page.board.forEach((row, at) => row.forEach((square, column) => {
    if (square[3]) changed.push(names(at, column));
  }));
  const cells = page.board.map((row) => row.map(([man, seat, note]) => [man, seat, note]));
  document.getElementById("board").position = { text: page.position, ply, cells, changed, moves: [] };
};

const drawMind = (mind) => {
  const parts = [];
  if (mind && mind.value !== null) {
    const value0 = Math.round(100 * mind.value) / 100 || 0;  // no -0
    const words = `${value0 >= 0 ? "+" : ""}${value0.toFixed(2)} for ${game.names[0]}`;
    const value = made("div", "value", `value ${words}, ${mind.sims} simulations`);
    const track = made("div", "track");
    for (const [name, share] of [["wins", mind.wdl[0]], ["draws", mind.wdl[1]]]) {
      const part = made("i", name);
      part.style.width = `${100 * share}%`;
      track.append(part);
    }
    value.append(track);
    parts.push(value);
  }
  for (const [words, share, isChosen] of mind ? mind.moves : []) {
    const move = made("div", isChosen ? "move chosen" : "move");
    const bar = made("span", "bar");
    const part = made("i");
    part.style.width = `${100 * share}%`;
    bar.append(part);
    move.append(made("span", "", words), bar, made("span", "", percent(share)));
    parts.push(move);
  }
  document.getElementById("thought").replaceChildren(...parts);
};

if (game) {
  const last = game.pages.length - 1;
  const element = (id) => document.getElementById(id);
  const viewer = document.querySelector(".viewer");
  let at = 0;
  const show = (wanted) => {
    at = Math.max(0, Math.min(last, wanted));
    const page = game.pages[at];
    const focused = document.activeElement;
    drawBoard(page, at);
    drawMind(page.mind);
    element("came").textContent = page.came_by;
    element("caption").textContent = page.caption;
    element("position").textContent = page.position;
    element("at").textContent = `${at} of ${last}`;
    element("slider").value = at;
    element("first").disabled = element("back").disabled = at === 0;
    element("last").disabled = element("forward").disabled = at === last;
    if (focused.disabled) viewer.focus({ preventScroll: true });  // so that keys still work
  };
  const steps = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => last };
  for (const [id, wanted] of Object.entries(steps)) {
    element(id).addEventListener("click", () => show(wanted()));
  }
  element("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  viewer.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || ["slider", "board"].includes(event.target.id)) return;
    event.preventDefault();
    show(steps[keys[event.key]]());
  });
  const asked = /^#ply=(\d+)$/.exec(location.hash);
  customElements.whenDefined("rz-board").then(() => {
    element("board").game = described();
    show(asked ? Number(asked[1]) : game.pages.findIndex((page) => page.mind));  // past the opening
  });
}
