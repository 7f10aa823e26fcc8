// The widget of notebooks: what playing and looking share. Python has all rules; see board.py.

/** An element: el("button.small", {onclick}, "words", child, [children]). */
function el(form, given = {}, ...inside) {
  const [tag, ...classes] = form.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  const attributes = given && typeof given === "object" && !Array.isArray(given) && !(given instanceof Node) ? given : {};
  if (attributes !== given) inside.unshift(given);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...inside.flat(9).filter((part) => part !== null && part !== undefined && part !== ""));
  return element;
}

const percent = (share) => `${Math.round(100 * share)} %`;
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** The steps of a move as arrows for the board. */
function arrowsOf(touches, weight = 1) {
  const squares = touches.map(([first]) => first);
  if (squares.length === 1) return [[squares[0], squares[0], weight]];
  return squares.slice(1).map((square, at) => [squares[at], square, weight]);
}

/** A bar of win, draw and loss, with words below it. */
function valueBar({ value, wdl, sims }, seats) {
  const [win, draw, loss] = wdl;
  const words = `${seats[0]} wins ${percent(win)}, draw ${percent(draw)}, ${seats[1]} wins ${percent(loss)}`;
  const parts = [["win", win], ["draw", draw], ["loss", loss]].map(([name, share]) => {
    const part = el(`i.${name}`);
    part.style.flexGrow = String(Math.max(share, 0));
    return part;
  });
  const more = `value ${signed(value)} for ${seats[0]}${sims ? `, ${sims} simulations` : ""}`;
  return [el("div.rzn-wdl", { role: "img", "aria-label": words }, parts), el("div.rzn-small", words), el("div.rzn-small.rzn-dim", more)];
}

/** Moves with their shares as bars; pointing at one shows it on the board, where `rest` is shown else. */
function shareBars(moves, board, arrows, rest = []) {
  const show = (move) => () => { board.arrows = arrows(move); };
  const hide = () => { board.arrows = rest; };
  return el("ol.rzn-shares", moves.map((move) => {
    const bar = el("span.rzn-bar", el("i"));
    bar.firstChild.style.width = `${100 * move.share}%`;
    const line = el(`button.rzn-line${move.chosen ? ".rzn-chosen" : ""}`, { type: "button", onmouseenter: show(move), onmouseleave: hide, onfocus: show(move), onblur: hide, onclick: show(move) },
      el("strong", move.say), bar, el("span", percent(move.share)), el("span.rzn-dim", move.chosen ? "played" : ""));
    return el("li", line);
  }));
}

/** Turns of both seats in rows. `cell` draws a ply: (ply, its number) -> element. */
function moveRows(plies, cell) {
  const turns = [];
  plies.forEach((ply, at) => {
    const last = turns.at(-1);
    if (last && (ply.mover === -1 || last.mover === ply.mover)) last.plies.push([at, ply]);
    else turns.push({ mover: ply.mover, plies: [[at, ply]] });
  });
  const rows = [];
  const numberOf = (turn) => turn?.plies.find(([, { number }]) => number)?.[1].number?.replace(/\.+$/, "");
  for (let index = 0; index < turns.length; ) {
    const first = turns[index].mover !== 1 ? turns[index++] : null;
    const second = turns[index]?.mover === 1 ? turns[index++] : null;
    const cells = [first, second].map((turn) => el("td", turn?.plies.map(([at, ply]) => cell(ply, at)) ?? []));
    rows.push(el("tr", el("th", { scope: "row" }, numberOf(first) ?? numberOf(second) ?? String(rows.length + 1)), cells));
  }
  return rows;
}

/** A table of moves with the seats' names above it. */
function moveTable(seats) {
  const body = el("tbody");
  const box = el("div.rzn-moves", { tabindex: 0, role: "region", "aria-label": "Moves" },
    el("table", el("thead", el("tr", el("th"), seats.map((name) => el("th", { scope: "col" }, name)))), body));
  return { box, body };
}

/** The position as text, and what the game says about it. */
function infoBox() {
  const text = el("code.rzn-text"), rows = el("dl.rzn-facts");
  return {
    box: el("details", { open: true }, el("summary", "About this position"), text, rows),
    show(position) {
      text.textContent = position.text;
      rows.replaceChildren(...position.info.flatMap(([label, said]) => [el("dt", label), el("dd", said)]));
    },
  };
}

const words = ({ say, mover }) => (mover === -1 ? `(${say})` : say);

/** A button with words, and a hint in its title. */
const key = (name, title, onclick) => el("button", { type: "button", title, onclick }, name);

/** Whether the board can be turned: where men fall down, it cannot. */
function canFlip(board) {
  const { flipped } = board;
  board.flipped = !flipped;
  const can = board.flipped !== flipped;
  board.flipped = flipped;
  return can;
}

/** Sends orders to Python; each has a number, so that the same order can be given twice. */
function orders(model) {
  let number = Date.now();
  return (order) => {
    model.set("order", { ...order, number: ++number });
    model.save_changes();
  };
}

/** Listens to a trait, and returns how to end that. */
function listen(model, name, listener) {
  model.on(`change:${name}`, listener);
  return () => model.off(`change:${name}`, listener);
}

function render({ model, el: place }) {
  const root = el("div.rzn", { "data-lm-suppress-shortcuts": "true", "data-jp-suppress-context-menu": "true" });
  place.append(root);
  const ends = model.get("kind") === "view" ? renderView(model, root) : renderPlay(model, root);
  return () => ends.forEach((end) => end());
}

export default { render };
