// The squares of an empty board, their names, and the cells that keys and screen readers reach.

import { S, make } from "./look.js";

/** Fills the layers `ground` and `cells`; returns the cell of each square. */
export function layFloor({ ground, cells }, grid, { falls, isStill }) {
  const { rows, columns, files } = grid;
  const found = new Map();
  const order = grid.squares();
  if (grid.flipped) order.reverse();
  let line = null;
  order.forEach((square, index) => {
    const [x, y] = grid.corner(square);
    const [column, row] = grid.place(square);
    const shade = (row + column) % 2 ? "light" : "dark";
    ground.append(make("rect", { class: shade, x, y, width: S + 0.5, height: S + 0.5 }));
    if (falls) ground.append(make("circle", { class: "hole", cx: x + 50, cy: y + 50, r: 41 }));
    if (isStill) return;
    if (x === 0) ground.append(make("text", { class: "name", x: 5, y: y + 19 }, String(row + 1)));
    if (y === (rows - 1) * S) {
      ground.append(make("text", { class: "name file", x: x + 95, y: y + 94, "text-anchor": "end" }, files[column]));
    }
    if (index % columns === 0) cells.append((line = make("g", { role: "row" })));
    const cell = make("g", { class: "cell", role: "gridcell", tabindex: -1, "data-square": square });
    cell.append(make("rect", { x, y, width: S, height: S }));
    cell.append(make("rect", { class: "focus", x: x + 5, y: y + 5, width: 90, height: 90, rx: 8 }));
    cell.append(make("rect", { class: "focus inner", x: x + 10, y: y + 10, width: 80, height: 80, rx: 5 }));
    cell.append(make("title"));
    found.set(square, cell);
    line.append(cell);
  });
  return found;
}
