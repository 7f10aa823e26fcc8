// An expected line of an analysis, played through on the board.

import { el, fill } from "./dom.js";

/** @typedef {import("./game.js").GameView} GameView */

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const STEP = 800; // milliseconds for each choice

/** Shows the positions of a line one after another; the game itself stays where it is. */
export async function playLine(view, move) {
  if (view.looking !== null || !move.actions?.length) return;
  const line = { said: [], isOver: false };
  view.line = line;
  const { text, ply } = view.position;
  const { game, pieces } = view.order;
  for (let at = 1; at <= move.actions.length; at++) {
    let position;
    try {
      position = await view.context.api("/api/try", { body: { game, pieces: pieces ?? null, start: text, actions: move.actions.slice(0, at) } });
    } catch (error) {
      if (view.line === line) view.fail(error.message);
      break;
    }
    if (view.line !== line || view.isClosed) return;
    line.said.push(move.line[at - 1]);
    view.board.interactive = false;
    view.board.arrows = [];
    view.board.position = { ...position, ply: ply + at, moves: [] };
    drawLine(view);
    await wait(STEP);
    if (view.line !== line || view.isClosed) return;
  }
  line.isOver = true;
  drawLine(view);
}

/** Back to the position of the game. */
export function endLine(view) {
  if (!view.line) return;
  view.line = null;
  view.past.hidden = true;
  view.tray.hidden = false;
  view.board.interactive = true;
  view.board.position = view.position;
  view.thoughts.rest();
}

function drawLine(view) {
  view.past.hidden = false;
  view.tray.hidden = true;
  fill(view.past, el("span", `${view.line.isOver ? "Expected" : "Playing through"}: ${view.line.said.join(" ")}`),
    el("button.small.main", { onclick: () => endLine(view) }, "Back to the game"));
}
