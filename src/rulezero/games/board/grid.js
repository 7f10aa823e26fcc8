// Where squares are: their names, rows and columns, and corners in the drawing.

import { S } from "./look.js";

export class Grid {
  constructor(game, flipped) {
    const { rows, columns, files } = game;
    Object.assign(this, { rows, columns, files, flipped });
  }

  place(square) {
    const column = this.files.indexOf(square.replace(/\d+$/, ""));
    const row = Number(/\d+$/.exec(square)) - 1; // from the bottom
    return [column, row];
  }

  corner(square) {
    const [column, row] = this.place(square);
    const { rows, columns } = this;
    return [(this.flipped ? columns - 1 - column : column) * S, (this.flipped ? row : rows - 1 - row) * S];
  }

  at(position, square) {
    const [column, row] = this.place(square);
    return position?.cells[this.rows - 1 - row]?.[column] ?? ["", -1, ""];
  }

  /** The square at a point of the drawing, or null. */
  squareAt({ x, y }) {
    const { rows, columns, files } = this;
    let [column, row] = [Math.floor(x / S), Math.floor(y / S)];
    if (column < 0 || row < 0 || column >= columns || row >= rows) return null;
    if (this.flipped) [column, row] = [columns - 1 - column, rows - 1 - row];
    return `${files[column]}${rows - row}`;
  }

  /** All squares from the top row down, as seat 0 sees them. */
  squares() {
    const { rows, files } = this;
    const found = [];
    for (let row = rows; row >= 1; row--) for (const file of files) found.push(`${file}${row}`);
    return found;
  }
}
