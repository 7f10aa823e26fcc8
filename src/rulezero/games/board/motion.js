// Which men went where between two positions, and how they move there.

import { S, calm, isNumber, make } from "./look.js";

/** Slides of men, flights of balls, and the squares of men that are gone. */
export function changesBetween(grid, before, now) {
  const gone = [], come = [], slides = new Map(), flights = [];
  for (const square of grid.squares()) {
    const [old, next] = [grid.at(before, square), grid.at(now, square)];
    if (old[0] === next[0] && old[1] === next[1]) continue;
    const stays = Boolean(old[0] && next[0] && old[1] === next[1]); // another man of the same seat
    if (old[0]) gone.push({ square, man: old[0], seat: old[1], stays, to: null });
    if (next[0]) come.push({ square, man: next[0], seat: next[1], stays, from: null });
  }
  const far = (a, b) => {
    const [p, q] = [grid.place(a), grid.place(b)];
    return Math.hypot(p[0] - q[0], p[1] - q[1]);
  };
  const pair = (fits) => {
    for (const target of come.filter((each) => !each.from)) {
      const found = gone.filter((each) => !each.to && each.square !== target.square && each.seat === target.seat && fits(each, target));
      found.sort((a, b) => far(a.square, target.square) - far(b.square, target.square));
      if (!found.length) continue;
      target.from = found[0];
      found[0].to = target;
    }
  };
  pair((a, b) => a.man === b.man && !a.stays && !b.stays);
  pair((a, b) => a.man === b.man);
  pair((a, b) => !a.stays && !b.stays); // a promotion
  for (const target of come) {
    if (!target.from) continue;
    const rest = come.find((each) => each.square === target.from.square);
    if (target.stays && rest && !rest.from) flights.push([target.from.square, target.square]); // the ball, not the man
    else slides.set(target.square, target.from.square);
  }
  const lost = gone.filter((each) => !each.to && !each.stays).map((each) => each.square);
  return { slides, flights, lost };
}

/**
 * Draws the men of a position, each from where it comes: {man, note} by square.
 * `dropped` is where a dragged man was let go; `fallen` is the position before men have fallen.
 */
export function placeMen(layers, grid, now, { slides, dropped, fallen, draw }) {
  const found = new Map();
  layers.men.replaceChildren();
  layers.notes.replaceChildren();
  const moving = [];
  for (const square of grid.squares()) {
    if (!grid.at(now, square)[0]) continue;
    const [x, y] = grid.corner(square);
    const drawn = draw(square);
    found.set(square, drawn);
    const from = slides.get(square);
    if (from || dropped?.square === square) moving.push(drawn.man);
    else layers.men.append(drawn.man);
    if (drawn.note) layers.notes.append(drawn.note);
    const begin = dropped && dropped.square === (from ?? square) ? [dropped.x, dropped.y] : from ? grid.corner(from) : null;
    if (begin) slide(drawn, begin[0] - x, begin[1] - y);
    else if (fallen && !grid.at(fallen, square)[0]) slide(drawn, 0, -y - S, 320, "cubic-bezier(.5,0,.8,.6)");
  }
  layers.men.append(...moving); // above the others
  return found;
}

/** Shows a man that has gone half of its way on the empty square that it goes through. */
export function preview(men, grid, position, [first, next]) {
  for (const [square, drawn] of men) {
    const goes = square === first && next && !grid.at(position, next)[0];
    const [x, y] = grid.corner(square), [tx, ty] = goes ? grid.corner(next) : [x, y];
    for (const part of [drawn.man, drawn.note]) {
      if (part) part.style.transform = goes ? `translate(${tx - x}px, ${ty - y}px)` : "";
    }
    drawn.man.classList.toggle("held", Boolean(goes));
  }
}

/** A man comes from a place that is so far from where he stands. */
function slide({ man, note }, x, y, duration = 190, easing = "cubic-bezier(.3,.7,.3,1)") {
  if (calm() || (!x && !y)) return;
  const frames = [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }];
  for (const part of [man, note]) part?.animate(frames, { duration, easing });
}

/** A man that is gone fades. */
export function fade(layer, { man }) {
  layer.prepend(man);
  brief(man, [{ opacity: 1 }, { opacity: 0 }], 260);
}

/** A ball flies from one corner of a square to another. */
export function fly(layer, [ox, oy], [x, y]) {
  const ball = make("circle", { class: "flight", cx: x + 68, cy: y + 27, r: 15, "stroke-width": 3 });
  layer.append(ball);
  brief(ball, [{ transform: `translate(${ox - x}px, ${oy - y}px)` }, { transform: "none" }], 260);
}

/** Differences of numbers at men rise from their squares. */
export function floatNotes(layer, grid, before, now, slides) {
  for (const square of grid.squares()) {
    const from = slides.get(square) ?? square;
    const [old, next] = [grid.at(before, from), grid.at(now, square)];
    const same = old[0] && old[1] === next[1] && (old[0] === next[0] || slides.has(square));
    const isLost = old[0] && isNumber(old[2]) && !next[0] && ![...slides.values()].includes(square);
    if (!isNumber(old[2]) || !(isLost || (same && isNumber(next[2])))) continue;
    const change = isLost ? -Number(old[2]) : Number(next[2]) - Number(old[2]);
    if (!change) continue;
    const [x, y] = grid.corner(square);
    const text = make("text", { class: "float", x: x + 50, y: y + 58, fill: change < 0 ? "#c62f1f" : "#148043" }, `${change > 0 ? "+" : "−"}${Math.abs(change)}`);
    layer.append(text);
    const up = calm() ? [] : [{ transform: "translateY(-22px)", opacity: 1, offset: 0.6 }];
    brief(text, [{ transform: "none", opacity: 1 }, ...up, { transform: calm() ? "none" : "translateY(-34px)", opacity: 0 }], 1500);
  }
}

function brief(element, frames, duration) {
  element.animate(frames, { duration, easing: "ease-out", fill: "forwards" }).finished.then(() => element.remove(), () => element.remove());
}
