// Draws where a piece goes, as the server says.

import { RzBoard } from "/board.js";
import { el } from "./dom.js";

const S = 20; // side of a square, in units of the drawing
const WORDS = { both: "moves and captures", move: "only moves", capture: "only captures", first: "only from its start rank", hurdle: "a man to hop over" };

const draw = (tag, given, ...inside) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};

/** The sign of a kind of squares, around (x, y). */
function sign(kind, x, y) {
  if (kind === "capture") return draw("path", { class: kind, d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8` });
  if (kind === "hurdle") return draw("rect", { class: kind, x: x - 6, y: y - 6, width: 12, height: 12, rx: 2.5 });
  if (kind === "first") return draw("path", { class: kind, d: `M${x - 4.5} ${y + 3}l4.5-6 4.5 6` });
  return draw("circle", { class: kind, cx: x, cy: y, r: kind === "both" ? 5 : 4.2 });
}

const kindOf = ([, , what, isFirst]) => (isFirst ? "first" : what);

/** A board with the piece in its middle. `game` has the pictures. */
export function diagram(found, piece, game) {
  const { radius, targets, hurdles } = found;
  const side = (2 * radius + 1) * S;
  const middle = ([right, forward]) => [(radius + right) * S + S / 2, (radius - forward) * S + S / 2];
  const words = targets.length ? `${piece.name} reaches ${targets.length} squares${hurdles.length ? " over hurdles" : ""}` : `${piece.name} reaches no square`;
  const image = draw("svg", { viewBox: `0 0 ${side} ${side}`, class: "diagram", role: "img", "aria-label": words });
  for (let row = 0; row <= 2 * radius; row++) {
    for (let column = 0; column <= 2 * radius; column++) {
      image.append(draw("rect", { class: (row + column) % 2 ? "odd" : "even", x: column * S, y: row * S, width: S + 0.2, height: S + 0.2 }));
    }
  }
  for (const square of hurdles) image.append(sign("hurdle", ...middle(square)));
  for (const target of targets) image.append(sign(kindOf(target), ...middle(target)));
  const man = RzBoard.man(game, piece.symbol, 0);
  const scale = Math.max(1, radius / 5);
  const size = S * scale * 1.1;
  for (const [name, value] of Object.entries({ x: side / 2 - size / 2, y: side / 2 - size / 2, width: size, height: size })) man.setAttribute(name, value);
  image.append(man);
  return image;
}

/** What the signs of these pieces mean. */
export function legend(pieces) {
  const used = new Set(pieces.flatMap((piece) => piece.diagrams.flatMap(({ targets, hurdles }) => [...targets.map(kindOf), ...(hurdles.length ? ["hurdle"] : [])])));
  return el("ul.legend", { "aria-label": "Legend" }, Object.entries(WORDS).filter(([kind]) => used.has(kind)).map(([kind, words]) =>
    el("li", draw("svg", { viewBox: "0 0 20 20", class: "diagram", "aria-hidden": "true" }, sign(kind, 10, 10)), words)));
}
