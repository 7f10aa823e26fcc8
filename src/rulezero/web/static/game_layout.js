// The elements of a game's page, as they are before a position is drawn.

import { el, fill, kept, percent } from "./dom.js";
import { drawTray } from "./game_drawing.js";
import { playLine } from "./game_line.js";
import { aboutMan } from "./game_men.js";
import { icon } from "./signs.js";
import { Thoughts } from "./thoughts.js";

/** @typedef {import("./game.js").GameView} GameView */

/** Makes the elements of the game's page: the board, and what is around it. */
export function layOut(view, meta) {
  view.meta = meta;
  if (!meta) return fill(view.place, view.lost, view.error, el("p.quiet", "Setting up the board…"));
  view.pace = kept.read("rz.pace") ?? 0.8;
  const board = el("rz-board", { "aria-label": meta.title });
  board.game = meta;
  board.addEventListener("rz-move", (event) => view.choose(event.detail.move));
  board.addEventListener("rz-partial", (event) => {
    view.partial = event.detail;
    view.told = aboutMan(view, event.detail.steps.length === 1 ? event.detail.steps[0] : null);
    drawTray(view);
  });
  board.addEventListener("rz-square", (event) => { view.told = aboutMan(view, event.detail.square); drawTray(view); });
  view.board = board;
  view.partial = { steps: [], candidates: [], done: [] };
  view.dice = el("div.dice", { hidden: true, "aria-hidden": "true" });
  view.strips = [el("div.strip"), el("div.strip")];
  view.tray = el("div.tray");
  view.acts = el("div.acts", view.past = el("div.past", { hidden: true }), view.tray);
  view.status = el("div.status");
  view.end = el("section.panel.end", { hidden: true });
  view.moves = el("div.moves", { tabindex: -1 });
  view.info = el("div.info");
  view.men = el("section.panel.men", { hidden: true });
  view.thoughts = new Thoughts({
    board, seats: meta.seats, send: (message) => view.send(message),
    arrows: (arrows) => { if (view.looking === null && !view.line && view.thoughts.found?.ply === view.plies.length) board.arrows = arrows; },
    value: (value) => drawScale(view, value),
    play: (move) => playLine(view, move),
    rest: (arrows) => { if (view.looking === null && !view.line) board.arrows = arrows ?? view.hinted; },
    plies: () => view.plies,
    asked: () => view.isHuman(view.position?.mover),
    words: (ply) => (ply === view.plies.length ? "" : `before ${view.plies[ply]?.say ?? "the last move"}, `),
  });
  const button = (name, words, action, title) => {
    const made = el("button.tool", { onclick: () => action(made), title: title ?? words }, icon(name), el("span", words));
    return made;
  };
  view.tools = {
    undo: button("undo", "Undo", () => view.send({ do: "undo", unit: "ply" }), "Take back your last choice (U)"),
    undoTurn: button("undoTurn", "Undo turn", () => view.send({ do: "undo", unit: "turn" }), "Take back your whole last turn"),
    pause: button("pause", "Pause", () => view.send({ do: "pause", on: !view.paused })),
    hint: button("hint", "Hint", () => view.hint(), "Show a good move (H)"),
    now: button("now", "Move now", () => view.send({ do: "go" }), "The program stops thinking and moves"),
    flip: button("flip", "Flip", () => view.flip(), meta.falls ? "Men fall down this board: it is not turned" : "Turn the board (F)"),
    swap: button("swap", "Swap sides", () => view.swap(), "You go on with the other side; the program moves for the side that was yours"),
    copy: button("copy", "Copy", () => view.copy(), "Copy the position as text"),
    resign: button("resign", "Resign", () => view.resign()),
    anew: button("anew", "New game", () => view.ways.setup({ ...view.order, meta })),
  };
  view.sure = el("div.sure", { hidden: true, role: "group", "aria-label": "Resign?" }, el("span", "Resign?"),
    el("button.small", { onclick: () => view.resign(true) }, "Yes"), el("button.small", { onclick: () => view.resign(false) }, "No"));
  view.paceLine = el("label.pace", { hidden: true }, "Pace", el("input", {
    type: "range", min: 0, max: 3, step: 0.1, value: String(view.pace), "aria-label": "Seconds between moves",
    oninput: (event) => { view.pace = Number(event.target.value); kept.write("rz.pace", view.pace); view.send({ do: "pace", seconds: view.pace }); },
  }));
  view.stage = el("div.stage");
  const tools = Object.values(view.tools);
  tools.splice(tools.indexOf(view.tools.resign) + 1, 0, view.sure);
  view.toolbox = el("div.tools", { role: "group", "aria-label": "Game" }, tools);
  const side = el("div.side", view.end, view.status, view.toolbox, view.paceLine,
    el("section.panel.record", el("header", el("h2", "Moves"),
      el("button.icon", { "aria-label": "Earlier position", title: "Earlier (←)", onclick: () => view.step(-1) }, "‹"),
      el("button.icon", { "aria-label": "Later position", title: "Later (→)", onclick: () => view.step(1) }, "›")), view.moves),
    view.thoughts.element, view.men, view.info);
  const table = el("div.table", view.stage, side);
  table.style.setProperty("--ratio", String(meta.columns / meta.rows));
  view.crumbs = el("p.crumbs", el("a", { href: "#play" }, "All games"), "/", el("strong", meta.title), el("a", { href: `#rules/${encodeURIComponent(meta.name)}` }, "Rules"));
  fill(view.place, view.lost, view.error, table);
  view.scale = el("div.scale", { hidden: true, role: "img" }, el("i"));
  view.frame = el("div.frame", board, view.scale, view.dice);
  orient(view);
}

/** The value of an analysis as a bar at the board's edge; null: there is none. The lower seat's part is below. */
function drawScale(view, value) {
  if (!view.scale) return;
  view.scale.hidden = value === null;
  if (value === null) return;
  const share = (1 + value) / 2;
  view.scale.classList.toggle("turned", view.board.flipped);
  view.scale.firstChild.style.height = `${100 * share}%`;
  view.scale.title = `${view.meta.seats[0]} ${percent(share)}`;
  view.scale.setAttribute("aria-label", `Expected score of ${view.meta.seats[0]}: ${percent(share)}`);
}

/** The seat at the bottom of the board has its strip there; buttons for moves are beside the board, or below it. */
export function orient(view) {
  const [first, second] = view.strips;
  const [low, high] = view.board.flipped ? [second, first] : [first, second];
  view.scale?.classList.toggle("turned", view.board.flipped);
  const held = view.acts.contains(document.activeElement) ? document.activeElement : null;
  fill(view.stage, view.crumbs, high, view.frame, view.wide.matches ? null : view.acts, low);
  if (view.wide.matches) view.status.after(view.acts);
  held?.focus();
}
