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

import { aimsOf, drawAims, drawArrows, drawMarks, labelCells } from "./aims.js";
import { layFloor } from "./floor.js";
import { Grid } from "./grid.js";
import { S, calm, colour, figure, isNumber, learn, make, portrait } from "./look.js";
import { changesBetween, fade, floatNotes, fly, placeMen, preview } from "./motion.js";
import { pick } from "./picker.js";
import { style } from "./style.js";

export class RzBoard extends HTMLElement {
  static colour = colour; // of a kind of moves
  static learn = learn; // the greatest numbers at men
  static man = portrait; // a man's drawing

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
  #grid = null; // where squares are
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
    root.addEventListener("focusin", (event) => this.#hoverAt(event.target.dataset?.square ?? null)); // on the drawing it would make that a stop of Tab
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

  // --- drawing ---

  #build() {
    if (!this.#game) return;
    this.#built = true;
    const { rows, columns, title } = this.#game;
    const still = this.hasAttribute("still");
    this.style.aspectRatio = `${columns} / ${rows}`;
    this.#svg.setAttribute("viewBox", `0 0 ${columns * S} ${rows * S}`);
    this.#svg.setAttribute("class", [this.#interactive && "live", this.#falls && "falls"].filter(Boolean).join(" "));
    this.#svg.setAttribute("role", still ? "img" : "grid");
    const had = this.#svg.contains(this.shadowRoot.activeElement) ? this.#focus : null;
    this.#grid = new Grid(this.#game, this.#flipped);
    this.#layers = Object.fromEntries(
      ["ground", "marks", "men", "notes", "aims", "arrows", "floats", "cells"].map((name) => [name, make("g", still || name !== "cells" ? { "aria-hidden": "true" } : {})]),
    );
    const { ground, marks, ...above } = this.#layers;
    this.#svg.replaceChildren(make("g", { class: "floor", "aria-hidden": "true" }, ground, marks), ...Object.values(above));
    this.#cells = layFloor(this.#layers, this.#grid, this.#looks);
    this.#focus = had ?? [...this.#cells.keys()].at(-columns) ?? null; // lower left
    this.#cells.get(this.#focus)?.setAttribute("tabindex", 0);
    if (had) this.#cells.get(had)?.focus();
    if (this.#position) this.#draw(null);
  }

  #draw(before) {
    const now = this.#position;
    if (!now) return;
    learn(this.#game, now);
    const near = before && Math.abs((now.ply ?? 0) - (before.ply ?? 0)) <= 2 && now.ply !== before.ply;
    const { slides, flights, lost } = near ? changesBetween(this.#grid, before, now) : { slides: new Map(), flights: [], lost: [] };
    const hasBars = now.cells.flat().some(([, , note]) => isNumber(note));
    for (const file of this.#layers.ground.querySelectorAll(".file")) file.setAttribute("y", this.#game.rows * S - (hasBars ? 81 : 6));
    this.#layers.floats.replaceChildren();
    this.#men = placeMen(this.#layers, this.#grid, now, {
      slides, dropped: this.#dropped, fallen: near && this.#falls ? before : null, draw: (square) => this.#figure(now, square),
    });
    this.#dropped = null;
    if (!calm()) {
      for (const square of lost) fade(this.#layers.men, this.#figure(before, square));
      for (const [from, to] of flights) fly(this.#layers.floats, this.#grid.corner(from), this.#grid.corner(to));
    }
    if (near && (now.ply ?? 0) > (before.ply ?? 0)) floatNotes(this.#layers.floats, this.#grid, before, now, slides);
    this.#drawMarks();
    this.#drawArrows();
    this.#step();
  }

  get #looks() { return { falls: this.#falls, isStill: this.hasAttribute("still") }; }

  #figure(position, square) {
    return figure(this.#game, this.#grid.at(position, square), this.#grid.corner(square), this.#looks);
  }

  #drawMarks() {
    if (!this.#grid) return;
    const changed = (this.#position?.changed ?? []).map((square) => [square, "last"]);
    const marked = this.#marks.map(([square, fill]) => [square, "mark", fill ?? "#3a7bd5"]);
    const chosen = this.#path.map((square) => [square, "chosen"]);
    drawMarks(this.#layers.marks, this.#grid, [...changed, ...marked, ...chosen], this.#falls);
  }

  #drawArrows() {
    if (this.#grid) drawArrows(this.#layers.arrows, this.#grid, this.#arrows);
  }

  #pointOf({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
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

  #preview() { preview(this.#men, this.#grid, this.#position, this.#path); }

  /** Dots and rings on the squares that can be chosen next, and what screen readers say. */
  #aims() {
    if (!this.#grid) return;
    const steps = this.#path.length;
    const candidates = this.#candidates();
    const { aims, starts } = aimsOf(candidates, steps, this.#hover);
    const isDone = steps > 0 && candidates.some(({ touches }) => touches.length === steps) && aims.size > 0;
    const done = isDone ? this.#path.at(-1) : null;
    drawAims(this.#layers.aims, this.#grid, aims, this.#position, this.#falls, done);
    labelCells(this.#cells, this.#game, this.#grid, this.#position, { aims, starts, done, path: this.#path });
  }

  #offer(moves, square) {
    this.#step();
    pick(this.#svg, this.#grid, this.#game, this.#position.mover, square, moves, (move) => {
      this.#closePicker(true);
      if (move) this.#play(move);
      else this.cancel();
    });
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
    const square = this.#grid.squareAt(this.#pointOf(event));
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
    const square = this.#game ? this.#grid.squareAt(this.#pointOf(event)) : null;
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
    const point = this.#pointOf(event);
    const [x, y] = this.#grid.corner(this.#path[0]);
    hold.at = [point.x - 50, point.y - (event.pointerType === "touch" ? 50 + 24 / scale : 50)];
    for (const part of [figure.man, figure.note]) {
      if (part) part.style.transform = `translate(${hold.at[0] - x}px, ${hold.at[1] - y}px)`;
    }
    this.#layers.floats.querySelector(".over")?.remove();
    if (square && this.#goesOn(square).length) {
      const [sx, sy] = this.#grid.corner(square);
      this.#layers.floats.append(make("rect", { class: "over", x: sx + 3, y: sy + 3, width: S - 6, height: S - 6, rx: 8 }));
    }
  }

  #up(event) {
    const hold = this.#hold;
    if (!hold || hold.id !== event.pointerId) return;
    this.#hold = null;
    this.#layers.floats.querySelector(".over")?.remove();
    const square = this.#grid.squareAt(this.#pointOf(event));
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
      const [column, row] = this.#grid.place(this.#focus);
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

if (!customElements.get("rz-board")) customElements.define("rz-board", RzBoard);
