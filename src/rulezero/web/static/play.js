// The play view: choosing a game and how to begin it. game.js is the game itself.

import "/board.js";
import { el, fill, kept } from "./dom.js";
import { GameView, keyOf } from "./game.js";

const starts = new Map(); // the start position of each game, for small boards

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mount(place, context) {
  const [name] = context.path;
  const given = context.passed ?? fromQuery(context.query);
  const meta = context.games.find((game) => game.text === (given?.game ?? name)) ?? context.games.find((game) => game.name === (given?.game ?? name));
  if (name && !meta && !given?.game) {
    fill(place, el("section.sorry", el("h1", `There is no game “${name}” here`), el("p", "Choose one of the games of this server."), el("a.button.main", { href: "#play" }, "All games")));
    return () => {};
  }
  if (!meta && !given?.game) return chooser(place, context);
  let view = null;
  const open = (order) => {
    view?.close();
    history.replaceState(null, "", `#play/${encodeURIComponent(order.game)}`);
    document.title = `${meta?.title ?? "Game"} · rulezero`;
    view = new GameView(place, context, order, {
      again: open,
      setup: (last) => setup(context, meta ?? last.meta, last, open),
    });
  };
  const saved = given ? null : kept.read(keyOf(name));
  open(saved ?? { ...usual(meta ?? { text: given.game, name: given.game, human: 0, levels: [] }), ...given });
  return () => view?.close();
}

/** ?start=...&actions=1,2,3&players=human|level:club&seed=1 */
function fromQuery(query) {
  const found = {};
  if (query.get("start")) found.start = query.get("start");
  if (query.get("actions")) found.actions = query.get("actions").split(",").map(Number).filter(Number.isInteger);
  if (query.get("players")) found.players = query.get("players").split("|");
  if (query.get("seed")) found.seed = Number(query.get("seed"));
  return Object.keys(found).length ? found : null;
}

const middle = (levels) => levels[Math.min(levels.length - 1, Math.floor((levels.length - 1) / 2))];

/** A new game as this person began it last: their side and level. */
function usual(meta) {
  const last = kept.read(`rz.usual.${meta.name}`) ?? {};
  const level = meta.levels.find(({ name }) => name === last.level) ?? middle(meta.levels);
  const side = last.side === 0 || last.side === 1 ? last.side : meta.human;
  const players = ["human", "human"];
  players[1 - side] = level ? `level:${level.name}` : "puct:sims=200";
  return { game: meta.text, players, start: null, actions: [], seed: null, pieces: null };
}

// --- all games ---

function chooser(place, context) {
  const cards = context.games.map((meta) => {
    const board = el("rz-board", { still: true, "aria-hidden": "true" });
    board.game = meta;
    board.flipped = meta.human === 1;
    startOf(context, meta).then((position) => { board.position = position; }, () => {});
    const saved = kept.read(keyOf(meta.text));
    const goes = saved && !saved.over && saved.actions?.length > 0;
    const players = usual(meta).players;
    const level = players.find((text) => text.startsWith("level:"))?.slice(6);
    const link = el("a.over", { href: `#play/${encodeURIComponent(meta.text)}`, "aria-label": `${goes ? "Continue" : "Play"} ${meta.title}` });
    const anew = el("button.small", { onclick: () => setup(context, meta, null, (order) => context.go(`#play/${encodeURIComponent(order.game)}`, order)) }, goes ? "New game" : "Options");
    const side = meta.seats[players.indexOf("human")] ?? meta.seats[0];
    return el("article.card", link, thumb(board), el("div.words", el("h2", meta.title), el("p", meta.about)),
      el("div.foot", el(goes ? "span.chip.on" : "span.chip", goes ? `Continue, ply ${saved.actions.length}` : `You are ${side}`),
        goes ? null : level ? el("span.chip", `against ${level}`) : null, anew));
  });
  fill(place, el("section.hero", el("h1", "Play a game with unusual rules"), el("p", "Choose a board and the game begins. Undo as often as you like, and ask what the computer thinks.")),
    context.notice ? el("p.warning", context.notice) : null,
    cards.length ? el("div.cards", cards) : el("p.quiet", "This server offers no games."));
  return () => {};
}

/** A small board in a square place. */
function thumb(board) {
  const box = el("div.thumb", board);
  box.style.setProperty("--ratio", String(board.game.columns / board.game.rows));
  return box;
}

function startOf(context, meta) {
  if (!starts.has(meta.text)) {
    const asked = context.api("/api/position", { body: { game: meta.text, start: null, seed: 3 } });
    asked.catch(() => starts.delete(meta.text));
    starts.set(meta.text, asked);
  }
  return starts.get(meta.text);
}

// --- a new game with options ---

const choice = (group, value, isOn, ...words) =>
  el("label.choice", el("input", { type: "radio", name: group, value: String(value), checked: isOn }), el("span.face", ...words));

/** A dialog; `last` is the game that is open now, and `open` begins another. */
function setup(context, meta, last, open) {
  const order = { ...usual(meta), ...(last ? { players: last.players } : {}) };
  const humans = order.players.filter((text) => text === "human").length;
  const side = humans === 2 ? "both" : humans === 0 ? "nobody" : String(order.players.indexOf("human"));
  const foe = order.players.find((text) => text !== "human") ?? `level:${middle(meta.levels)?.name}`;
  const isText = !foe.startsWith("level:");
  const sides = [["0", meta.seats[0]], ["1", meta.seats[1]], ["random", "Random"], ["both", "Both"], ["nobody", "Nobody"]];
  const levels = meta.levels.map((level, at) =>
    choice("level", level.name, foe === `level:${level.name}`,
      el("span.steps", { "aria-hidden": "true" }, meta.levels.map((_, each) => el(each <= at ? "i.on" : "i"))),
      el("strong", level.name), el("span.dim", level.words)));
  const text = el("input", { type: "text", name: "player", value: isText ? foe : "", placeholder: "puct:sims=200", spellcheck: "false", autocomplete: "off", "aria-label": "A player's text" });
  const ways = [["normal", meta.randomStart ? "New random army" : "Normal"], ...(meta.randomStart ? [["seed", "Army by number"]] : []), ["text", "Position as text"]];
  const position = el("textarea", { name: "start", rows: 2, spellcheck: "false", placeholder: "Paste a position", "aria-label": "Position as text" });
  const seed = el("input", { type: "number", name: "seed", min: 0, value: "1", "aria-label": "Number of the army" });
  const board = el("rz-board", { still: true });
  board.game = meta;
  const own = el("input", { type: "checkbox", name: "own", checked: true });
  const pieces = () => (last?.pieces && own.checked ? last.pieces : null);
  const wrong = el("p.wrong", { role: "alert" });
  const other = el("select", { name: "other", "aria-label": `${meta.seats[1]}'s player` }, meta.levels.map(({ name }) => el("option", { value: name, selected: order.players[1] === `level:${name}` }, name)));
  const otherRow = el("p.row", `${meta.seats[1]} is played by `, other, el("span.dim", ` and ${meta.seats[0]} by the one above.`));
  const extra = el("details", { open: isText }, el("summary", "Another player (advanced)"),
    el("p.dim", "A player's text in place of the level, as in `rulezero play --opponent`."), text);
  const begin = el("button.main", { type: "submit" }, "Start");
  const form = el("form", { method: "dialog" },
    el("header", el("h2", meta.title), el("button.icon", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "✕")),
    el("fieldset", el("legend", "You play"), el("div.choices", sides.map(([value, words]) => choice("side", value, value === side, words)))),
    el("fieldset", el("legend", "Opponent", meta.levels.some(({ interval }) => interval) ? el("span.dim", "Elo above random play, and its interval of 95 %") : null), el("div.levels", levels), otherRow, extra),
    el("fieldset", el("legend", "Start"), el("div.choices", ways.map(([value, words], at) => choice("way", value, at === 0, words))), seed, position, last?.pieces ? el("label.row", own, "With your own pieces") : null, thumb(board), wrong),
    el("footer", begin));
  const dialog = el("dialog.setup", { "aria-label": `New game: ${meta.title}` }, form);
  const value = (name) => form.elements[name]?.value;
  let asked = 0;
  const check = async () => {
    const mine = ++asked;
    const way = value("way");
    position.hidden = way !== "text";
    seed.hidden = way !== "seed";
    otherRow.hidden = value("side") !== "nobody";
    form.querySelector(".levels").classList.toggle("unused", value("side") === "both" || text.value.trim() !== "");
    const shows = way === "seed" || (way === "text" && position.value.trim());
    board.parentElement.hidden = !shows;
    wrong.textContent = "";
    begin.disabled = way === "text" && !position.value.trim();
    if (!shows) return;
    try {
      const body = { game: meta.text, start: way === "text" ? position.value.trim() : null, seed: way === "seed" ? Number(seed.value) : null, pieces: pieces() };
      const found = await context.api("/api/position", { body });
      if (mine !== asked) return;
      board.game = pieces() ? last.meta : meta; // with the drawings of own pieces
      board.position = found;
    } catch (error) {
      if (mine !== asked) return;
      wrong.textContent = error.message;
      begin.disabled = true;
      board.parentElement.hidden = true;
    }
  };
  form.addEventListener("input", check);
  form.addEventListener("submit", () => {
    const chosen = value("side") === "random" ? String(Math.floor(Math.random() * 2)) : value("side");
    const opponent = text.value.trim() || `level:${value("level") || middle(meta.levels)?.name}`;
    const players = { both: ["human", "human"], nobody: [opponent, `level:${value("other")}`], 0: ["human", opponent], 1: [opponent, "human"] }[chosen];
    kept.write(`rz.usual.${meta.name}`, { side: chosen === "0" || chosen === "1" ? Number(chosen) : null, level: value("level") });
    const way = value("way");
    const start = way === "text" ? position.value.trim() : null;
    open({ game: meta.text, players, start, actions: [], seed: way === "seed" ? Number(seed.value) : null, pieces: pieces() });
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  check();
  dialog.showModal();
}
