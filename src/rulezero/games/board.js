// <rz-board>: the board of any game of rulezero, as one custom element without dependencies.
//
// It knows no rules. It draws a position, offers the moves that the position lists, and reports
// what a person chose:
//
//   board.game = meta;          // rows, columns, files, seats, pictures
//   board.position = position;  // cells, changed, moves, ...
//   board.addEventListener("rz-move", (event) => send(event.detail.action));
//
// Properties: game, position, flipped, interactive, arrows [[from, to, weight?, colour?], ...] and
// marks [[square, colour?], ...]. Attributes: `flipped`, `still` (an image without coordinates).
// Events: rz-move {action, move}; rz-partial {steps, candidates, done} while a move is half made;
// rz-square {square} when a square is clicked that means no move.

/** @typedef {{action: number, say: string, text: string, kind: string, touches: string[][]}} Move */

const S = 100; // side of a square, in units of the drawing

const style = `
:host { display: block; position: relative; user-select: none; -webkit-user-select: none;
  --light: var(--rz-light, #f0e5d0); --dark: var(--rz-dark, #bd9c77); --last: var(--rz-last, #e8c53a);
  --accent: var(--rz-accent, #2563c9); --name: #6b5a44; --bar: #1d1a17; }
@media (prefers-color-scheme: dark) { :host { --light: var(--rz-light, #c8b99f); --dark: var(--rz-dark, #8c7558);
  --last: var(--rz-last, #dfb52c); --name: #40362a; } }
svg { display: block; width: 100%; height: 100%; overflow: visible; }
.floor { clip-path: inset(0 round 10px); }
.floor rect { shape-rendering: crispEdges; }
.live { touch-action: none; }
.light { fill: var(--light); } .dark { fill: var(--dark); }
.falls .light, .falls .dark { fill: #35649f; } .hole { fill: #1f4272; }
.falls .last { fill: none; stroke: var(--last); stroke-width: 6; opacity: 1; }
.last { fill: var(--last); opacity: .42; }
.chosen { fill: var(--accent); opacity: .34; }
.mark { opacity: .45; }
.over { fill: none; stroke: #fff; stroke-opacity: .8; stroke-width: 6; }
.name { font: 600 17px system-ui, sans-serif; fill: var(--name); opacity: .85; }
.falls .name { fill: #d6e4f7; } .falls .name:not(.file) { display: none; }
.man { pointer-events: none; }
.man * { stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
.seat0 * { fill: #fdfaf3; stroke: #2b2622; }
.seat1 * { fill: #3a3430; stroke: #12100e; }
.nobody * { fill: #9aa0a6; stroke: #55595e; }
.man .cut { fill: none; }
.seat1 .cut { stroke: #cfc5b6; }
.seat0 .dot { fill: #2b2622; stroke: none; } .seat1 .dot { fill: #cfc5b6; stroke: none; }
.man .ball, .flight { fill: #e8662a; stroke: #7a2f10; }
.man .seam { fill: none; stroke: #7a2f10; stroke-width: 2.4; }
.man .bar { fill: none; stroke: #b3261e; stroke-width: 6; }
.man text { font: bold 44px system-ui, sans-serif; text-anchor: middle; stroke: none; }
.seat0 text { fill: #2b2622; } .seat1 text { fill: #fdfaf3; }
.falls .seat0 * { fill: #ffd34d; stroke: #c8961c; } .falls .seat1 * { fill: #e5533d; stroke: #9c2c1b; }
.falls .man .cut { fill: none; }
.held { filter: drop-shadow(0 5px 5px rgb(0 0 0 / .4)); }
.ghost { opacity: .5; }
.note { pointer-events: none; }
.note .back { fill: var(--bar); opacity: .62; }
:host([still]) .number { display: none; }
.note .number { font: 700 22px system-ui, sans-serif; text-anchor: end; fill: #fff; stroke: #1d1a17; stroke-width: 5;
  paint-order: stroke; stroke-linejoin: round; font-variant-numeric: tabular-nums; }
.note .badge { fill: #fffdf8; stroke: #7a7167; }
.note .words { font: 600 18px system-ui, sans-serif; text-anchor: middle; fill: #2b2622; }
.target { pointer-events: none; stroke: #fff; stroke-opacity: .55; stroke-width: 2.5; }
.target.ring { fill: none; stroke-opacity: .9; }
.done { fill: none; stroke: #fff; stroke-width: 7; stroke-linecap: round; stroke-linejoin: round; pointer-events: none; }
.arrow { pointer-events: none; stroke: #fff; stroke-opacity: .35; stroke-width: 2; stroke-linejoin: round; }
.float { font: 800 36px system-ui, sans-serif; text-anchor: middle; stroke: #fff; stroke-width: 7; paint-order: stroke;
  stroke-linejoin: round; pointer-events: none; }
.cell { outline: none; } .cell rect { fill: transparent; }
.starts { cursor: grab; } .aims { cursor: pointer; }
.cell .focus { stroke: none; fill: none; pointer-events: none; }
.cell:focus-visible .focus { stroke: var(--accent); stroke-width: 7; }
.cell:focus-visible .inner { stroke: #fff; stroke-width: 2.5; }
.picker { position: absolute; z-index: 3; display: flex; gap: 4px; padding: 5px; border-radius: 10px; background: #fffdf9;
  box-shadow: 0 6px 24px rgb(0 0 0 / .35), 0 0 0 1px rgb(0 0 0 / .12); transform: translate(-50%, 0); max-width: 100%; flex-wrap: wrap;
  justify-content: center; box-sizing: border-box; }
.picker.up { transform: translate(-50%, -100%); }
.picker button { all: unset; box-sizing: border-box; cursor: pointer; min-width: 44px; height: 44px; padding: 0 8px; border-radius: 7px;
  font: 600 15px system-ui, sans-serif; color: #2b2622; display: grid; place-items: center; }
.picker button.pictured { padding: 0; width: clamp(44px, 9cqw, 68px); height: clamp(44px, 9cqw, 68px); }
.picker button:hover { background: #ead9b4; }
.picker button:focus-visible { box-shadow: inset 0 0 0 3px var(--accent); }
`;

const palette = ["#e07b1f", "#8b55d0", "#2f7fd0", "#c23b8a", "#12908c"];
const known = new Map(); // colours of kinds of moves, in the order in which they were seen
const most = new Map(); // the greatest number ever noted at a man of a game, for bars
const names = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const signs = { hp: "hit points" };

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** An SVG element. */
const make = (tag, given = {}, ...inside) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) if (value !== null) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};

/** Inner SVG markup as nodes. */
const read = new Map();
const parsed = (markup) => {
  if (!read.has(markup)) {
    const text = `<svg xmlns="http://www.w3.org/2000/svg">${markup}</svg>`;
    read.set(markup, new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
  }
  return [...document.importNode(read.get(markup), true).childNodes];
};

const isNumber = (note) => /^\d+(\.\d+)?$/.test(note ?? "");

export class RzBoard extends HTMLElement {
  /** The colour of a kind of moves, the same on every board. */
  static colour(kind) {
    if (!kind || kind === "moves") return "#2f7d4f";
    if (!known.has(kind)) {
      if (/heal|consecr|mend/i.test(kind)) known.set(kind, "#1fa35c");
      else if (/strik|attack|captur|hit/i.test(kind)) known.set(kind, "#d23a2a");
      else known.set(kind, palette[known.size % palette.length]);
    }
    return known.get(kind);
  }

  /** Takes note of the greatest numbers at men, such as full hit points, for their bars. */
  static learn(game, position) {
    const count = most.get(game.name) ?? most.set(game.name, { ...game.most }).get(game.name);
    for (const [man, , note] of position.cells.flat()) {
      if (isNumber(note)) count[man.toUpperCase()] = Math.max(count[man.toUpperCase()] ?? 0, Number(note));
    }
  }

  /** A man's drawing as a small SVG of its own. */
  static man(game, man, seat) {
    const image = make("svg", { viewBox: "0 0 100 100", class: `man seat${seat}`, "aria-hidden": "true" });
    image.append(...drawing(game, man));
    return image;
  }

  #game = null;
  #position = null;
  #flipped = false;
  #interactive = false;
  #arrows = [];
  #marks = [];
  #path = []; // the steps of a half-made move
  #waits = 0; // the timer of a reported move
  #sent = false; // a move was reported, and the next position is awaited
  #focus = null; // the square that Tab reaches
  #hover = null;
  #hold = null; // the pointer that is down
  #dropped = null; // where a dragged man was let go
  #falls = false; // men fall down a column, as in Connect Four
  #layers = {};
  #cells = new Map(); // the focusable cell of each square
  #men = new Map(); // the drawn man of each square
  #svg = make("svg");
  #built = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    root.append(this.#svg);
    const on = (type, listener) => this.#svg.addEventListener(type, listener);
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#drag(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", () => this.#letGo());
    on("pointerleave", () => this.#hoverAt(null));
    on("keydown", (event) => this.#key(event));
    on("focusin", (event) => this.#hoverAt(event.target.dataset?.square ?? null));
  }

  get game() { return this.#game; }
  set game(game) {
    this.#game = game;
    this.#path = [];
    this.#position = null;
    this.#falls = Boolean(game?.falls);
    if (this.#falls) this.#flipped = false;
    this.#build();
  }

  get position() { return this.#position; }
  set position(position) {
    const before = this.#position;
    this.#position = position;
    this.#path = [];
    this.#sent = false;
    this.#closePicker();
    if (!this.#game) return;
    if (!this.#built) this.#build();
    this.#draw(before);
    this.#partial();
  }

  get flipped() { return this.#flipped; }
  set flipped(flipped) {
    const wanted = Boolean(flipped) && !this.#falls; // men do not fall upwards
    if (this.#flipped === wanted) return;
    this.#flipped = wanted;
    if (this.#game) this.#build();
  }

  get interactive() { return this.#interactive; }
  set interactive(interactive) {
    this.#interactive = Boolean(interactive);
    this.#svg.classList.toggle("live", this.#interactive);
    if (!interactive) this.cancel();
  }

  get arrows() { return this.#arrows; }
  set arrows(arrows) { this.#arrows = arrows ?? []; this.#drawArrows(); }

  get marks() { return this.#marks; }
  set marks(marks) { this.#marks = marks ?? []; this.#drawMarks(); }

  /** Ends a half-made move. */
  cancel() {
    this.#closePicker();
    if (!this.#path.length) return;
    this.#path = [];
    this.#step();
  }

  static observedAttributes = ["flipped"];
  attributeChangedCallback(name, _, value) { this[name] = value !== null; }

  // --- where squares are ---

  #place(square) {
    const column = this.#game.files.indexOf(square.replace(/\d+$/, ""));
    const row = Number(/\d+$/.exec(square)) - 1; // from the bottom
    return [column, row];
  }

  #corner(square) {
    const [column, row] = this.#place(square);
    const { rows, columns } = this.#game;
    return [(this.#flipped ? columns - 1 - column : column) * S, (this.#flipped ? row : rows - 1 - row) * S];
  }

  #at(position, square) {
    const [column, row] = this.#place(square);
    return position?.cells[this.#game.rows - 1 - row]?.[column] ?? ["", -1, ""];
  }

  #squareAt(x, y) {
    const point = new DOMPoint(x, y).matrixTransform(this.#svg.getScreenCTM().inverse());
    const { rows, columns, files } = this.#game;
    let [column, row] = [Math.floor(point.x / S), Math.floor(point.y / S)];
    if (column < 0 || row < 0 || column >= columns || row >= rows) return null;
    if (this.#flipped) [column, row] = [columns - 1 - column, rows - 1 - row];
    return `${files[column]}${rows - row}`;
  }

  #squares() {
    const { rows, files } = this.#game;
    const found = [];
    for (let row = rows; row >= 1; row--) for (const file of files) found.push(`${file}${row}`);
    return found;
  }

  // --- drawing ---

  #build() {
    if (!this.#game) return;
    this.#built = true;
    const { rows, columns, files, title } = this.#game;
    const still = this.hasAttribute("still");
    this.style.aspectRatio = `${columns} / ${rows}`;
    this.#svg.setAttribute("viewBox", `0 0 ${columns * S} ${rows * S}`);
    this.#svg.setAttribute("class", this.#interactive ? "live" : "");
    this.#svg.setAttribute("role", still ? "img" : "grid");
    this.#svg.setAttribute("aria-label", `${title ?? "Game"} board`);
    this.#svg.classList.toggle("falls", this.#falls);
    const had = this.#svg.contains(this.shadowRoot.activeElement) ? this.#focus : null;
    this.#layers = Object.fromEntries(
      ["ground", "marks", "men", "notes", "aims", "arrows", "floats", "cells"].map((name) => [name, make("g", still || name !== "cells" ? { "aria-hidden": "true" } : {})]),
    );
    const { ground, marks, ...above } = this.#layers;
    this.#svg.replaceChildren(make("g", { class: "floor", "aria-hidden": "true" }, ground, marks), ...Object.values(above));
    this.#cells.clear();
    const order = this.#squares();
    if (this.#flipped) order.reverse();
    let line = null;
    order.forEach((square, index) => {
      const [x, y] = this.#corner(square);
      const [column, row] = this.#place(square);
      const shade = (row + column) % 2 ? "light" : "dark";
      this.#layers.ground.append(make("rect", { class: shade, x, y, width: S + 0.5, height: S + 0.5 }));
      if (this.#falls) this.#layers.ground.append(make("circle", { class: "hole", cx: x + 50, cy: y + 50, r: 41 }));
      if (still) return;
      if (x === 0) this.#layers.ground.append(make("text", { class: "name", x: 5, y: y + 19 }, String(row + 1)));
      if (y === (rows - 1) * S) {
        this.#layers.ground.append(make("text", { class: "name file", x: x + 95, y: y + 94, "text-anchor": "end" }, files[column]));
      }
      if (index % columns === 0) this.#layers.cells.append((line = make("g", { role: "row" })));
      const cell = make("g", { class: "cell", role: "gridcell", tabindex: -1, "data-square": square });
      cell.append(make("rect", { x, y, width: S, height: S }));
      cell.append(make("rect", { class: "focus", x: x + 5, y: y + 5, width: 90, height: 90, rx: 8 }));
      cell.append(make("rect", { class: "focus inner", x: x + 10, y: y + 10, width: 80, height: 80, rx: 5 }));
      cell.append(make("title"));
      this.#cells.set(square, cell);
      line.append(cell);
    });
    this.#focus = had ?? order[order.length - columns]; // lower left
    this.#cells.get(this.#focus)?.setAttribute("tabindex", 0);
    if (had) this.#cells.get(had)?.focus();
    if (this.#position) this.#draw(null);
  }

  #draw(before) {
    const now = this.#position;
    if (!now) return;
    RzBoard.learn(this.#game, now);
    const near = before && Math.abs((now.ply ?? 0) - (before.ply ?? 0)) <= 2 && now.ply !== before.ply;
    const { slides, flights, lost } = near ? this.#changes(before, now) : { slides: new Map(), flights: [], lost: [] };
    const hasBars = now.cells.flat().some(([, , note]) => isNumber(note));
    for (const file of this.#layers.ground.querySelectorAll(".file")) file.setAttribute("y", this.#game.rows * S - (hasBars ? 81 : 6));
    this.#men.clear();
    this.#layers.men.replaceChildren();
    this.#layers.notes.replaceChildren();
    this.#layers.floats.replaceChildren();
    const moving = [];
    for (const square of this.#squares()) {
      const [man, seat, note] = this.#at(now, square);
      if (!man) continue;
      const [x, y] = this.#corner(square);
      const figure = this.#figure(man, seat, note, x, y);
      this.#men.set(square, figure);
      const from = slides.get(square);
      if (from || this.#dropped?.square === square) moving.push(figure.man);
      else this.#layers.men.append(figure.man);
      if (figure.note) this.#layers.notes.append(figure.note);
      const begin = this.#dropped && this.#dropped.square === (from ?? square) ? [this.#dropped.x, this.#dropped.y] : from ? this.#corner(from) : null;
      if (begin) this.#slide(figure, begin[0] - x, begin[1] - y);
      else if (near && !calm() && this.#falls && !this.#at(before, square)[0]) this.#slide(figure, 0, -y - S, 320, "cubic-bezier(.5,0,.8,.6)");
    }
    this.#layers.men.append(...moving); // above the others
    this.#dropped = null;
    if (!calm()) {
      for (const square of lost) this.#fade(before, square);
      for (const [from, to] of flights) this.#fly(from, to);
    }
    if (near && (now.ply ?? 0) > (before.ply ?? 0)) this.#floatNotes(before, now, slides);
    this.#drawMarks();
    this.#drawArrows();
    this.#step();
  }

  #figure(man, seat, note, x, y) {
    const bar = isNumber(note);
    const group = make("g", { class: `man ${seat === 0 || seat === 1 ? `seat${seat}` : "nobody"}` });
    const place = bar ? `translate(${x + 8} ${y + 2}) scale(.84)` : `translate(${x + 4} ${y + 3}) scale(.92)`;
    group.append(make("g", { transform: this.#falls ? `translate(${x} ${y})` : place }, ...drawing(this.#game, man)));
    if (!note) return { man: group, note: null };
    const sign = make("g", { class: "note" });
    if (bar) {
      const share = Math.min(1, Number(note) / (most.get(this.#game.name)[man.toUpperCase()] || 1));
      const colour = share > 0.6 ? "#3fbf6a" : share > 0.3 ? "#f0b429" : "#ef4a3a";
      if (this.hasAttribute("still")) x += 17; // no number beside it
      sign.append(make("rect", { class: "back", x: x + 6, y: y + 83, width: 54, height: 12, rx: 6 }));
      sign.append(make("rect", { x: x + 8, y: y + 85, width: Math.max(6, 50 * share), height: 8, rx: 4, fill: colour }));
      sign.append(make("text", { class: "number", x: x + 96, y: y + 96 }, note));
    } else {
      const width = 16 + 11 * note.length;
      sign.append(make("rect", { class: "badge", x: x + 50 - width / 2, y: y + 72, width, height: 25, rx: 9 }));
      sign.append(make("text", { class: "words", x: x + 50, y: y + 91 }, note));
    }
    return { man: group, note: sign };
  }

  /** Which men went where between two positions: as far as it shows on the squares. */
  #changes(before, now) {
    const gone = [], come = [], slides = new Map(), flights = [];
    for (const square of this.#squares()) {
      const [old, next] = [this.#at(before, square), this.#at(now, square)];
      if (old[0] === next[0] && old[1] === next[1]) continue;
      const stays = Boolean(old[0] && next[0] && old[1] === next[1]); // another man of the same seat
      if (old[0]) gone.push({ square, man: old[0], seat: old[1], stays, to: null });
      if (next[0]) come.push({ square, man: next[0], seat: next[1], stays, from: null });
    }
    const far = (a, b) => {
      const [p, q] = [this.#place(a), this.#place(b)];
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

  #slide(figure, x, y, duration = 190, easing = "cubic-bezier(.3,.7,.3,1)") {
    if (calm() || (!x && !y)) return;
    const frames = [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }];
    for (const part of [figure.man, figure.note]) part?.animate(frames, { duration, easing });
  }

  #fade(before, square) {
    const [man, seat, note] = this.#at(before, square);
    const [x, y] = this.#corner(square);
    const { man: ghost } = this.#figure(man, seat, note, x, y);
    this.#layers.men.prepend(ghost);
    this.#brief(ghost, [{ opacity: 1 }, { opacity: 0 }], 260);
  }

  #fly(from, to) {
    const [x, y] = this.#corner(to);
    const [ox, oy] = this.#corner(from);
    const ball = make("circle", { class: "flight", cx: x + 68, cy: y + 27, r: 15, "stroke-width": 3 });
    this.#layers.floats.append(ball);
    this.#brief(ball, [{ transform: `translate(${ox - x}px, ${oy - y}px)` }, { transform: "none" }], 260);
  }

  #floatNotes(before, now, slides) {
    for (const square of this.#squares()) {
      const from = slides.get(square) ?? square;
      const [old, next] = [this.#at(before, from), this.#at(now, square)];
      const same = old[0] && old[1] === next[1] && (old[0] === next[0] || slides.has(square));
      const isLost = old[0] && isNumber(old[2]) && !next[0] && ![...slides.values()].includes(square);
      if (!isNumber(old[2]) || !(isLost || (same && isNumber(next[2])))) continue;
      const change = isLost ? -Number(old[2]) : Number(next[2]) - Number(old[2]);
      if (!change) continue;
      const [x, y] = this.#corner(square);
      const text = make("text", { class: "float", x: x + 50, y: y + 58, fill: change < 0 ? "#c62f1f" : "#148043" }, `${change > 0 ? "+" : "−"}${Math.abs(change)}`);
      this.#layers.floats.append(text);
      const up = calm() ? [] : [{ transform: "translateY(-22px)", opacity: 1, offset: 0.6 }];
      this.#brief(text, [{ transform: "none", opacity: 1 }, ...up, { transform: calm() ? "none" : "translateY(-34px)", opacity: 0 }], 1500);
    }
  }

  #brief(element, frames, duration) {
    element.animate(frames, { duration, easing: "ease-out", fill: "forwards" }).finished.then(() => element.remove(), () => element.remove());
  }

  #drawMarks() {
    const layer = this.#layers.marks;
    if (!layer) return;
    layer.replaceChildren();
    const cover = (square, name, colour) => {
      const [x, y] = this.#corner(square);
      if (this.#falls && name === "last") layer.append(make("circle", { class: name, cx: x + 50, cy: y + 50, r: 44 }));
      else layer.append(make("rect", { class: name, x, y, width: S, height: S, fill: colour ?? null }));
    };
    for (const square of this.#position?.changed ?? []) cover(square, "last");
    for (const [square, colour] of this.#marks) cover(square, "mark", colour ?? "#3a7bd5");
    for (const square of this.#path) cover(square, "chosen");
  }

  #drawArrows() {
    const layer = this.#layers.arrows;
    if (!layer) return;
    layer.replaceChildren();
    for (const [from, to, weight = 1, colour = "#1f7a3f"] of this.#arrows) {
      const [[x, y], [tx, ty]] = [this.#corner(from).map((v) => v + 50), this.#corner(to ?? from).map((v) => v + 50)];
      const look = { class: "arrow", fill: colour, "fill-opacity": 0.4 + 0.45 * Math.min(1, weight) };
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

  // --- choosing a move ---

  /** The moves that go on from the steps made so far. */
  #candidates(path = this.#path) {
    if (!this.#interactive || this.#sent) return [];
    return (this.#position?.moves ?? []).filter(
      ({ touches }) => touches.length && touches.length >= path.length && path.every((square, at) => touches[at].includes(square)),
    );
  }

  #goesOn(square) {
    return this.#candidates().filter(({ touches }) => touches.length > this.#path.length && touches[this.#path.length].includes(square));
  }

  /** A person has chosen a square. */
  #choose(square) {
    this.#closePicker();
    const steps = this.#path.length;
    const found = this.#goesOn(square);
    if (found.length) {
      this.#path = [...this.#path, square];
      const whole = found.filter(({ touches }) => touches.length === steps + 1);
      if (whole.length === found.length) return whole.length === 1 ? this.#play(whole[0]) : this.#offer(whole, square);
      if (found.length === 1 && steps > 0) return this.#play(found[0]); // no other way to go on
      return this.#step();
    }
    if (steps && square === this.#path.at(-1)) {
      const whole = this.#candidates().filter(({ touches }) => touches.length === steps);
      if (whole.length) return whole.length === 1 ? this.#play(whole[0]) : this.#offer(whole, square);
      this.#path = this.#path.slice(0, -1);
      return this.#step();
    }
    const had = steps > 0;
    this.#path = [];
    if (had && this.#goesOn(square).length) return this.#choose(square);
    if (had) this.#step();
    if (!had) this.#tell("rz-square", { square });
  }

  #play(move) {
    this.#sent = true;
    this.#aims();
    this.#tell("rz-move", { action: move.action, move });
    clearTimeout(this.#waits);
    this.#waits = setTimeout(() => { // the server refused it, or is away
      if (!this.#sent) return;
      this.#sent = false;
      this.#path = [];
      this.#letGo();
      this.#step();
    }, 4000);
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true })); }

  #step() {
    this.#drawMarks();
    this.#preview();
    this.#aims();
    this.#partial();
  }

  #partial() {
    const steps = [...this.#path];
    const candidates = steps.length ? this.#candidates() : [];
    this.#tell("rz-partial", { steps, candidates, done: candidates.filter(({ touches }) => touches.length === steps.length) });
  }

  /** Shows a man that has gone half of its way on the empty square that it goes through. */
  #preview() {
    for (const [square, figure] of this.#men) {
      const [first, next] = this.#path;
      const goes = square === first && next && !this.#at(this.#position, next)[0];
      const [x, y] = this.#corner(square), [tx, ty] = goes ? this.#corner(next) : [x, y];
      for (const part of [figure.man, figure.note]) {
        if (part) part.style.transform = goes ? `translate(${tx - x}px, ${ty - y}px)` : "";
      }
      figure.man.classList.toggle("held", Boolean(goes));
    }
  }

  /** Dots and rings on the squares that can be chosen next, and what screen readers say. */
  #aims() {
    const layer = this.#layers.aims;
    if (!layer) return;
    layer.replaceChildren();
    const steps = this.#path.length;
    const candidates = this.#candidates();
    const aims = new Map(), starts = new Set();
    for (const { touches, kind } of candidates) {
      if (touches.length <= steps) continue;
      if (!steps) touches[0].forEach((square) => starts.add(square));
      if (!steps && !(touches.length === 1 && touches[0].includes(this.#hover))) continue;
      const kinds = aims.get(touches[steps][0]) ?? aims.set(touches[steps][0], []).get(touches[steps][0]);
      if (!kinds.includes(kind)) touches.length === steps + 1 ? kinds.unshift(kind) : kinds.push(kind);
    }
    for (const [square, kinds] of aims) {
      const [x, y] = this.#corner(square);
      const fill = RzBoard.colour(kinds[0]);
      const full = this.#at(this.#position, square)[0];
      if (full) {
        layer.append(make("circle", { class: "target ring", cx: x + 50, cy: y + 50, r: 43, "stroke-width": 11, opacity: 0.55 }));
        layer.append(make("circle", { class: "target ring", cx: x + 50, cy: y + 50, r: 43, style: `stroke:${fill};stroke-width:7` }));
      } else if (this.#falls) layer.append(make("g", { class: `man ghost seat${this.#position.mover}` }, make("circle", { cx: x + 50, cy: y + 50, r: 38 })));
      else layer.append(make("circle", { class: "target", cx: x + 50, cy: y + 50, r: 16, fill, "fill-opacity": 0.88 }));
      kinds.slice(1).forEach((kind, at) => {
        layer.append(make("circle", { class: "target", cx: x + 50 + (full ? 34 : 24), cy: y + (full ? 82 : 70) - 20 * at, r: 9, fill: RzBoard.colour(kind) }));
      });
    }
    const isDone = steps > 0 && candidates.some(({ touches }) => touches.length === steps) && aims.size > 0;
    if (isDone) {
      const [x, y] = this.#corner(this.#path.at(-1));
      layer.append(make("circle", { class: "target", cx: x + 82, cy: y + 18, r: 15, fill: "#1f7a3f" }));
      layer.append(make("path", { class: "done", d: `M${x + 75} ${y + 19}l5 5 9-11`, "stroke-width": 4, style: "stroke-width:4" }));
    }
    const facts = new Map((this.#position?.info ?? []).map(([label, words]) => [label, words]));
    for (const [square, cell] of this.#cells) {
      const kinds = aims.get(square);
      cell.setAttribute("class", `cell${kinds || (isDone && square === this.#path.at(-1)) ? " aims" : starts.has(square) ? " starts" : ""}`);
      cell.setAttribute("aria-selected", String(this.#path.includes(square)));
      const words = [this.#words(square)];
      if (kinds && steps) words.push(`target: ${kinds.map((kind) => (kind === "moves" ? "move" : kind)).join(" or ")}`);
      cell.setAttribute("aria-label", words.join(", "));
      const title = cell.querySelector("title");
      const tip = kinds && steps && kinds.some((kind) => kind !== "moves") ? kinds.join(" or ") : facts.get(square) ?? "";
      if (title.textContent !== tip) title.textContent = tip;
    }
  }

  /** "e4, white pawn, 7 hit points" */
  #words(square) {
    const [man, seat, note] = this.#at(this.#position, square);
    if (!man) return `${square}, empty`;
    const { seats, pictures } = this.#game;
    const drawn = pictures?.[man] ?? pictures?.[man.toUpperCase()] ?? "";
    const own = this.#game.names?.[man] ?? this.#game.names?.[man.toUpperCase()];
    const guess = drawn.includes('"ball"') ? "man with the ball" : drawn.includes('"bar"') ? "man that cannot receive" : names[man.toUpperCase()] ?? man;
    const words = [square, `${(seats?.[seat] ?? "").toLowerCase()} ${own ?? guess}`.trim()];
    if (note) words.push(isNumber(note) ? `${note} ${signs.hp}` : note);
    return words.join(", ");
  }

  // --- several moves with the same squares, such as promotions ---

  #offer(moves, square) {
    this.#step();
    const { rows, columns, pictures } = this.#game;
    const [x, y] = this.#corner(square);
    const picker = document.createElement("div");
    const up = y >= (rows * S) / 2;
    picker.className = up ? "picker up" : "picker";
    picker.setAttribute("role", "menu");
    picker.setAttribute("aria-label", "Choose one");
    for (const move of moves) {
      const button = document.createElement("button");
      const rest = move.text.replace(/[a-z]\d+/g, "").replace(/[{}=]/g, "");
      const man = [rest, rest.toUpperCase()].find((name) => name && pictures?.[name]);
      if (man) button.append(RzBoard.man(this.#game, man, this.#position.mover));
      else button.textContent = move.say;
      button.className = man ? "pictured" : "";
      button.setAttribute("role", "menuitem");
      button.setAttribute("aria-label", move.say);
      button.title = move.say;
      button.addEventListener("click", () => { this.#closePicker(true); this.#play(move); });
      picker.append(button);
    }
    picker.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const all = [...picker.children];
      if (step) all[(all.indexOf(this.shadowRoot.activeElement) + step + all.length) % all.length].focus();
      else if (event.key === "Escape") { this.#closePicker(true); this.cancel(); }
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.shadowRoot.append(picker);
    const box = this.#svg.getBoundingClientRect(), scale = box.width / (columns * S);
    const half = picker.offsetWidth / 2;
    picker.style.left = `${Math.min(Math.max((x + 50) * scale, half), Math.max(half, box.width - half))}px`;
    picker.style.top = `${(up ? y - 4 : y + S + 4) * scale}px`;
    picker.firstChild.focus({ preventScroll: true });
  }

  #closePicker(back = false) {
    const picker = this.shadowRoot.querySelector(".picker");
    if (!picker) return;
    picker.remove();
    if (back) this.#cells.get(this.#focus)?.focus({ preventScroll: true });
  }

  // --- pointers and keys ---

  #down(event) {
    if (event.button !== 0 || this.hasAttribute("still") || !this.#game) return;
    const square = this.#squareAt(event.clientX, event.clientY);
    if (!square) return;
    if (this.shadowRoot.querySelector(".picker")) this.cancel();
    this.#setFocus(square, false);
    this.#hold = { square, id: event.pointerId, x: event.clientX, y: event.clientY, isDragged: false, isNew: false };
    const steps = this.#path.length;
    if (steps && (square === this.#path.at(-1) || this.#goesOn(square).length)) return;
    const starts = (this.#position?.moves ?? []).some(({ touches }) => touches.length > 1 && touches[0].includes(square));
    if (!starts || !this.#interactive || this.#sent) return;
    this.#path = [square];
    this.#hold.isNew = true;
    this.#step();
  }

  #drag(event) {
    const hold = this.#hold;
    const square = this.#game ? this.#squareAt(event.clientX, event.clientY) : null;
    if (!hold || hold.id !== event.pointerId) return event.pointerType === "mouse" ? this.#hoverAt(square) : undefined;
    const figure = this.#path.length && hold.square === this.#path.at(-1) && this.#men.get(this.#path[0]);
    if (!figure) return;
    if (!hold.isDragged) {
      if (Math.hypot(event.clientX - hold.x, event.clientY - hold.y) < 5) return;
      hold.isDragged = true;
      this.#svg.setPointerCapture(event.pointerId);
      figure.man.classList.add("held");
      this.#layers.men.append(figure.man);
    }
    const scale = this.#svg.getScreenCTM().a;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
    const [x, y] = this.#corner(this.#path[0]);
    hold.at = [point.x - 50, point.y - (event.pointerType === "touch" ? 50 + 24 / scale : 50)];
    for (const part of [figure.man, figure.note]) {
      if (part) part.style.transform = `translate(${hold.at[0] - x}px, ${hold.at[1] - y}px)`;
    }
    this.#layers.floats.querySelector(".over")?.remove();
    if (square && this.#goesOn(square).length) {
      const [sx, sy] = this.#corner(square);
      this.#layers.floats.append(make("rect", { class: "over", x: sx + 3, y: sy + 3, width: S - 6, height: S - 6, rx: 8 }));
    }
  }

  #up(event) {
    const hold = this.#hold;
    if (!hold || hold.id !== event.pointerId) return;
    this.#hold = null;
    this.#layers.floats.querySelector(".over")?.remove();
    const square = this.#squareAt(event.clientX, event.clientY);
    if (hold.isDragged) {
      if (square && square !== hold.square && this.#goesOn(square).length) {
        this.#dropped = { square: this.#path[0], x: hold.at[0], y: hold.at[1] };
        this.#choose(square);
        if (!this.#sent) this.#dropped = null;
      } else this.#preview();
      return;
    }
    if (!square || square !== hold.square || hold.isNew) return;
    this.#choose(square);
  }

  #letGo() {
    this.#hold = null;
    this.#dropped = null;
    this.#layers.floats?.querySelector(".over")?.remove();
    if (this.#game) this.#preview();
  }

  #hoverAt(square) {
    if (square === this.#hover) return;
    this.#hover = square;
    if (this.#interactive && !this.#path.length && !this.#sent) this.#aims();
  }

  #setFocus(square, now = true) {
    this.#cells.get(this.#focus)?.setAttribute("tabindex", -1);
    this.#focus = square;
    const cell = this.#cells.get(square);
    cell?.setAttribute("tabindex", 0);
    if (now) cell?.focus();
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#focus) return;
    const { rows, columns, files } = this.#game;
    const turn = this.#flipped ? -1 : 1;
    const steps = { ArrowLeft: [-turn, 0], ArrowRight: [turn, 0], ArrowUp: [0, turn], ArrowDown: [0, -turn], Home: [-columns, 0], End: [columns, 0] };
    if (event.key in steps) {
      const [column, row] = this.#place(this.#focus);
      const [across, up] = steps[event.key];
      const clamp = (value, end) => Math.max(0, Math.min(end, value));
      this.#setFocus(`${files[clamp(column + across, columns - 1)]}${clamp(row + up, rows - 1) + 1}`);
    } else if (event.key === "Enter" || event.key === " ") this.#choose(this.#focus);
    else if (event.key === "Escape" && this.#path.length) this.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The drawing of a man in a box of 100 x 100; a man without a picture is a disc with its symbol. */
function drawing(game, man) {
  const markup = game.pictures?.[man] ?? game.pictures?.[man.toUpperCase()];
  if (markup) return parsed(markup);
  return [make("circle", { cx: 50, cy: 50, r: 38 }), make("text", { x: 50, y: 66 }, man.toUpperCase())];
}

if (!customElements.get("rz-board")) customElements.define("rz-board", RzBoard);
