// What lies on the squares: marks and arrows, and the targets of a half-made move.

import { S, colour, isNumber, make } from "./look.js";

const names = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const signs = { hp: "hit points" };

/** Colours squares: [[square, class, colour?], ...]. */
export function drawMarks(layer, grid, marks, falls) {
  layer.replaceChildren();
  for (const [square, name, fill] of marks) {
    const [x, y] = grid.corner(square);
    if (falls && name === "last") layer.append(make("circle", { class: name, cx: x + 50, cy: y + 50, r: 44 }));
    else layer.append(make("rect", { class: name, x, y, width: S, height: S, fill: fill ?? null }));
  }
}

/** Arrows [[from, to, weight?, colour?], ...]; from a square to itself it is a disc. */
export function drawArrows(layer, grid, arrows) {
  layer.replaceChildren();
  for (const [from, to, weight = 1, fill = "#1f7a3f"] of arrows) {
    const [[x, y], [tx, ty]] = [grid.corner(from).map((v) => v + 50), grid.corner(to ?? from).map((v) => v + 50)];
    const look = { class: "arrow", fill, "fill-opacity": 0.4 + 0.45 * Math.min(1, weight) };
    const long = Math.hypot(tx - x, ty - y);
    if (!long) {
      layer.append(make("circle", { ...look, cx: x, cy: y, r: 22 + 14 * weight }));
      continue;
    }
    const half = 5 + 6 * Math.min(1, weight), head = half + 13, neck = long - head * 1.5 - 6;
    const points = [[14, half], [neck, half], [neck, head], [long - 6, 0], [neck, -head], [neck, -half], [14, -half]];
    const turn = `translate(${x} ${y}) rotate(${(Math.atan2(ty - y, tx - x) * 180) / Math.PI})`;
    layer.append(make("polygon", { ...look, points: points.map((p) => p.map((v) => v.toFixed(1)).join()).join(" "), transform: turn }));
  }
}

/** What can be chosen next: kinds of moves by target, and the squares where moves start. */
export function aimsOf(candidates, steps, hover) {
  const aims = new Map(), starts = new Set();
  for (const { touches, kind } of candidates) {
    if (touches.length <= steps) continue;
    if (!steps) touches[0].forEach((square) => starts.add(square));
    if (!steps && !(touches.length === 1 && touches[0].includes(hover))) continue;
    const kinds = aims.get(touches[steps][0]) ?? aims.set(touches[steps][0], []).get(touches[steps][0]);
    if (!kinds.includes(kind)) touches.length === steps + 1 ? kinds.unshift(kind) : kinds.push(kind);
  }
  return { aims, starts };
}

/** Dots and rings on the targets; a tick on the square `done`, where the move may end. */
export function drawAims(layer, grid, aims, position, falls, done) {
  layer.replaceChildren();
  for (const [square, kinds] of aims) {
    const [x, y] = grid.corner(square);
    const fill = colour(kinds[0]);
    const full = grid.at(position, square)[0];
    if (full) {
      layer.append(make("circle", { class: "target ring", cx: x + 50, cy: y + 50, r: 43, "stroke-width": 11, opacity: 0.55 }));
      layer.append(make("circle", { class: "target ring", cx: x + 50, cy: y + 50, r: 43, style: `stroke:${fill};stroke-width:7` }));
    } else if (falls) layer.append(make("g", { class: `man ghost seat${position.mover}` }, make("circle", { cx: x + 50, cy: y + 50, r: 38 })));
    else layer.append(make("circle", { class: "target", cx: x + 50, cy: y + 50, r: 16, fill, "fill-opacity": 0.88 }));
    kinds.slice(1).forEach((kind, at) => {
      layer.append(make("circle", { class: "target", cx: x + 50 + (full ? 34 : 24), cy: y + (full ? 82 : 70) - 20 * at, r: 9, fill: colour(kind) }));
    });
  }
  if (done) {
    const [x, y] = grid.corner(done);
    layer.append(make("circle", { class: "target", cx: x + 82, cy: y + 18, r: 15, fill: "#1f7a3f" }));
    layer.append(make("path", { class: "done", d: `M${x + 75} ${y + 19}l5 5 9-11`, "stroke-width": 4, style: "stroke-width:4" }));
  }
}

/** What screen readers and the pointer say of each square. */
export function labelCells(cells, game, grid, position, { aims, starts, done, path }) {
  const facts = new Map(position?.info ?? []);
  for (const [square, cell] of cells) {
    const kinds = aims.get(square);
    cell.setAttribute("class", `cell${kinds || square === done ? " aims" : starts.has(square) ? " starts" : ""}`);
    cell.setAttribute("aria-selected", String(path.includes(square)));
    const words = [wordsOf(game, square, grid.at(position, square))];
    if (kinds && path.length) words.push(`target: ${kinds.map((kind) => (kind === "moves" ? "move" : kind)).join(" or ")}`);
    cell.setAttribute("aria-label", words.join(", "));
    const title = cell.querySelector("title");
    const [man] = grid.at(position, square);
    const about = game.abouts?.[man] ?? game.abouts?.[man.toUpperCase()];
    const tip = kinds && path.length && kinds.some((kind) => kind !== "moves") ? kinds.join(" or ") : [about, facts.get(square)].filter(Boolean).join("; ");
    if (title.textContent !== tip) title.textContent = tip;
  }
}

/** "e4, white pawn, 7 hit points" */
function wordsOf(game, square, [man, seat, note]) {
  if (!man) return `${square}, empty`;
  const { seats, pictures } = game;
  const drawn = pictures?.[man] ?? pictures?.[man.toUpperCase()] ?? "";
  const own = game.names?.[man] ?? game.names?.[man.toUpperCase()];
  const guess = drawn.includes('"ball"') ? "man with the ball" : drawn.includes('"bar"') ? "man that cannot receive" : names[man.toUpperCase()] ?? man;
  const words = [square, `${(seats?.[seat] ?? "").toLowerCase()} ${own ?? guess}`.trim()];
  if (note) words.push(isNumber(note) ? `${note} ${signs.hp}` : note);
  return words.join(", ");
}
