// Pieces that orthodox chess does not have: their names, and how they move.

import { RzBoard } from "/board.js";
import { diagram, legend } from "./diagram.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./game.js").GameView} GameView */

const wordsOf = ({ name, description }) => (description ? `${name}: ${description}` : name);

/** Shows the unusual pieces of the position in a panel, and lets the board name them. */
export async function describeMen(view) {
  const { game, pieces } = view.order;
  const found = await view.context.api("/api/men", { body: { game, pieces: pieces ?? null } }).catch(() => ({ pieces: [] }));
  if (view.isClosed || !view.position) return;
  const there = new Set(view.position.cells.flat().map(([man]) => man.toUpperCase()));
  const named = found.pieces.filter(({ symbol }) => there.has(symbol.toUpperCase()));
  view.meta.names = Object.fromEntries(found.pieces.map(({ symbol, name }) => [symbol, name]));
  view.meta.abouts = Object.fromEntries(found.pieces.map((piece) => [symbolOf(piece), wordsOf(piece)]));
  view.men.hidden = !named.length;
  const face = (piece) => {
    const image = RzBoard.man(view.meta, piece.symbol, 0);
    image.classList.add("diagram");
    return el("span.face", image);
  };
  fill(view.men, el("header", el("h2", "Unusual pieces")), named.map((piece) => el("details.about",
    el("summary", face(piece), el("span", el("strong", piece.name), el("span.dim", piece.description))),
    el("div.boards", piece.diagrams.map((each) => diagram(each, piece, view.meta))), legend([piece]))));
  if (view.looking === null && !view.partial.steps.length) view.board.position = view.position;
}

const symbolOf = ({ symbol }) => symbol.toUpperCase();

/** What stands on a square, if it is an unusual piece. */
export function aboutMan(view, square) {
  if (!square || !view.meta.abouts || !view.board.position) return "";
  const row = view.meta.rows - Number(/\d+$/.exec(square)[0]);
  const [man] = view.board.position.cells[row]?.[view.meta.files.indexOf(square.replace(/\d+$/, ""))] ?? [""];
  return view.meta.abouts[man.toUpperCase()] ?? "";
}
