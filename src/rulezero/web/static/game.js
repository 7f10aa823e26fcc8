// A game at a table of the server: the board, who is to move, the moves, and what can be done.

import { RzBoard } from "/board.js";
import { el, fill, kept, session } from "./dom.js";
import { drawAll, drawStrips, drawTray } from "./game_drawing.js";
import { layOut, orient } from "./game_layout.js";
import { drawEnd, drawMoves } from "./record.js";
import { die } from "./signs.js";
import { Socket } from "./socket.js";
import { arrowsOf } from "./thoughts.js";

export const keyOf = (game) => `rz.table.${game}`;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class GameView {
  /**
   * @param {HTMLElement} place
   * @param {import("./main.js").Context} context
   * @param {object} order game, players, start, actions, seed, pieces; table: one that may still be there
   * @param {{again: (order: object) => void, setup: (last: object) => void}} ways
   */
  constructor(place, context, order, ways) {
    Object.assign(this, { place, context, order, ways });
    this.plies = [];
    this.players = [];
    this.positions = new Map(); // those seen so far, by number of plies; the server knows the others
    this.kinds = new Set(); // of moves that were offered
    this.values = new Map(); // what players thought, by ply
    this.looking = null; // an earlier position: its number of plies
    this.wanted = null; // one that the server was asked for
    this.queue = [];
    this.isClosed = false;
    this.order.fixed ??= Boolean(order.start) || Number.isInteger(order.seed);
    this.lost = el("p.lost", { hidden: true, role: "status" }, "No connection to the server. Trying again…");
    this.error = el("p.warning", { hidden: true, role: "alert" });
    this.buttons = [];
    layOut(this, context.games.find((game) => game.text === order.game) ?? context.games.find((game) => game.name === order.game));
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.socket = new Socket("/ws/play", {
      open: () => this.greet(),
      message: (message) => this.hear(message),
      state: (isOpen, why) => {
        this.lost.hidden = isOpen;
        if (why) this.lost.textContent = why;
        if (!isOpen) this.say(why ?? "The connection was lost. Trying again.");
      },
    });
  }

  close() {
    this.isClosed = true;
    removeEventListener("keydown", this.keys);
    clearTimeout(this.errorTimer);
    this.socket.close();
  }

  send(message) { return this.socket.send(message); }
  say(text) { this.context.announce(text); }

  /** After every connection: the table if the server still has it, otherwise the game anew. */
  greet() {
    if (this.order.table) this.send({ do: "resume", table: this.order.table });
    else this.begin();
  }

  begin() {
    const { game, players, start, actions, seed, pieces, opening } = this.order;
    const message = { do: "new", game, players, start: start ?? null, actions: actions ?? [], seed: seed ?? null, pieces: pieces ?? null };
    if (Number.isInteger(opening)) message.opening = opening;
    this.send(message);
  }

  /** Keeps what is needed to show or to repeat this game after a reload. */
  keep() {
    Object.assign(this.order, {
      players: this.players.map((player) => (player.kind === "human" ? "human" : player.kind === "level" ? `level:${player.name}` : player.text)),
      actions: this.plies.map(({ action }) => action),
      opening: this.plies.filter(({ opening }) => opening).length,
      over: this.position.over,
    });
    kept.write(keyOf(this.order.game), this.order);
    session.write("rz.seen", { table: this.order.table, values: [...this.values], kinds: [...this.kinds] });
  }

  // --- messages ---

  hear(message) {
    if (this.isClosed) return;
    const { event } = message;
    if (event === "table") this.sit(message);
    else if (event === "position") { this.queue.push(message); this.pump(); }
    else if (event === "past") this.heardPast(message);
    else if (event === "thinking") { this.thinking = message; drawStrips(this); }
    else if (event === "thought") this.heardThought(message);
    else if (event === "analysis") this.heardAnalysis(message);
    else if (event === "review") this.heardReview(message);
    else if (event === "saved") { this.isSaved = true; drawEnd(this); this.say("The game is saved."); }
    else if (event === "error") this.heardError(message);
  }

  heardError({ words, code }) {
    if (code === "gone" && this.order.table) {
      delete this.order.table;
      this.begin();
      return;
    }
    if (!this.position) {
      kept.write(keyOf(this.order.game), null);
      fill(this.place, el("section.sorry", el("h1", "This game did not begin"), el("p", words), el("a.button.main", { href: "#play" }, "All games")));
      return;
    }
    if (this.reviewing && code === "busy") { this.reviewing = null; drawEnd(this); }
    this.fail(words);
    if (this.looking === null) this.board.position = this.position; // the move was not made
  }

  fail(words) {
    this.error.textContent = words;
    this.error.hidden = false;
    this.say(words);
    clearTimeout(this.errorTimer);
    this.errorTimer = setTimeout(() => { this.error.hidden = true; }, 7000);
  }

  sit(message) {
    const isNew = this.order.table !== message.table;
    const { table, game, players, position, plies } = message;
    Object.assign(this.order, { table, start: message.start, seed: message.seed, pieces: message.pieces ?? this.order.pieces ?? null });
    if (!this.meta || this.meta.text !== game.text) layOut(this, game);
    Object.assign(this, { players, plies, paused: message.paused, isSaved: message.saved, thinking: null, queue: [] });
    if (isNew || !this.position) {
      const held = session.read("rz.seen");
      this.positions = new Map();
      this.kinds = new Set(held?.table === table ? held.kinds : []);
      this.values = new Map(held?.table === table ? held.values : []);
      this.review = null;
      this.board.flipped = players[1].kind === "human" && players[0].kind !== "human";
      orient(this);
    }
    this.looking = null;
    this.thoughts.begin();
    this.show(position);
    this.learn();
    if (players.every(({ kind }) => kind !== "human")) this.send({ do: "pace", seconds: this.pace });
  }

  /** Full bars are those of the game's start. */
  async learn() {
    if (!this.position.cells.flat().some(([, , note]) => note)) return;
    const start = await this.context.api("/api/position", { body: { game: this.meta.text, start: null, seed: null } }).catch(() => null);
    if (!start || this.isClosed) return;
    RzBoard.learn(this.meta, start);
    if (this.looking === null && !this.partial.steps.length) this.board.position = this.position;
  }

  /** Shows positions one after another, each as long as its die or its moving man needs. */
  async pump() {
    if (this.isPumping) return;
    this.isPumping = true;
    while (this.queue.length && !this.isClosed) {
      const message = this.queue.shift();
      const fast = this.queue.length > 3;
      const rolled = message.plies.find(({ mover }) => mover === -1);
      if (rolled && !fast && message.plies.length <= 2) await this.roll(rolled.say);
      if (this.isClosed) break;
      const before = this.plies.length;
      this.plies = [...this.plies.slice(0, message.from), ...message.plies];
      this.players = message.players ?? this.players;
      if (message.paused !== undefined) this.paused = message.paused;
      if (this.plies.length < before || message.from < before) this.forget(message.from);
      this.show(message.position, message.plies);
      if (this.queue.length && !fast && !calm()) await wait(rolled ? 550 : 330);
    }
    this.isPumping = false;
  }

  /** Positions and values after a choice that was taken back. */
  forget(ply) {
    for (const each of this.positions.keys()) if (each > ply) this.positions.delete(each);
    for (const each of this.values.keys()) if (each >= ply) this.values.delete(each);
    this.review = null;
    this.reviewing = null;
    this.wanted = null;
    if (this.looking !== null && this.looking > ply) this.looking = null;
  }

  async roll(face) {
    const box = this.dice;
    box.hidden = false;
    if (!calm()) {
      fill(box, die(1 + Math.floor(Math.random() * 6)));
      box.firstChild.classList.add("tumbles");
      const spin = setInterval(() => { const next = die(1 + Math.floor(Math.random() * 6)); next.classList.add("tumbles"); fill(box, next); }, 90);
      await wait(360);
      clearInterval(spin);
    }
    fill(box, die(face));
    this.say(`The die shows ${face}.`);
    await wait(420);
    this.lastFace = face;
    box.hidden = true;
  }

  show(position, made = []) {
    this.position = position;
    this.positions.set(this.plies.length, position);
    this.hinting = null;
    this.board.marks = [];
    if (this.looking === null) {
      this.board.arrows = [];
      this.board.interactive = true;
      this.board.position = position;
    }
    const last = [...this.plies].reverse().find(({ mover }) => mover >= 0);
    const mine = Boolean(made.length && last && this.isHuman(last.mover));
    if (made.length) this.sayPlies(made);
    this.keep();
    drawAll(this);
    if (position.mover !== -1 || position.over) this.thoughts.moved(mine, this.isHuman(position.mover), position.over);
  }

  sayPlies(made) {
    const words = made.filter(({ mover }) => mover >= 0 && !this.isHuman(mover)).map(({ mover, say }) => `${this.meta.seats[mover]} plays ${say}.`);
    if (this.position.over || this.position.moves.length) words.push(`${this.position.caption}.`);
    if (words.length) this.say(words.join(" "));
  }

  isHuman(seat) { return this.players[seat]?.kind === "human"; }
  get isWatched() { return this.players.length > 0 && !this.isHuman(0) && !this.isHuman(1); }

  heardThought(found) {
    if (typeof found.value === "number") this.values.set(found.ply, found);
    this.thoughts.thought(found);
    if (this.position?.over) drawEnd(this);
  }

  heardAnalysis(found) {
    if (found.ply === this.plies.length) this.thoughts.analysis(found);
    if (this.hinting === found.ply && found.moves.length && (found.final || found.sims >= 100)) {
      const best = found.moves.find(({ action }) => action === found.best) ?? found.moves[0];
      this.board.arrows = best.touches.length ? arrowsOf(best.touches, 1) : [];
      this.note(`Hint: ${best.say}`);
      if (found.final) this.hinting = null;
    }
  }

  heardReview(found) {
    this.review = found;
    this.reviewing = found.sides ? null : found;
    drawEnd(this);
    drawMoves(this);
    if (found.sides) this.say("The analysis of the game is ready.");
  }

  /** A line under the board. */
  note(words) {
    this.words = words;
    drawTray(this);
    this.say(words);
  }

  // --- what a person does ---

  look(ply) {
    if (!this.position) return;
    const end = this.plies.length;
    const to = Math.max(0, Math.min(end, ply));
    this.wanted = null;
    if (to === end) {
      this.looking = null;
      this.board.interactive = true;
      this.board.position = this.position;
    } else {
      const found = this.positions.get(to);
      if (!found) {
        this.wanted = to;
        if (!this.send({ do: "look", ply: to })) this.fail("No connection to the server: it has this position.");
        return;
      }
      this.looking = to;
      this.board.arrows = [];
      this.board.interactive = false;
      this.board.position = { ...found, moves: [] };
    }
    drawAll(this);
  }

  heardPast({ ply, position }) {
    if (ply >= this.plies.length) return; // choices were taken back meanwhile
    this.positions.set(ply, position);
    if (this.wanted === ply) this.look(ply);
  }

  /** The next position in a direction in which no die is pending. */
  step(by) {
    const at = this.wanted ?? this.looking ?? this.plies.length;
    for (let to = at + by; to >= 0 && to <= this.plies.length; to += by) {
      if (this.plies[to]?.mover !== -1) return this.look(to);
    }
  }

  hint() {
    if (!this.position?.moves.length || this.looking !== null) return;
    this.hinting = this.plies.length;
    this.note("Looking for a good move…");
    this.send({ do: "analyse", mode: this.thoughts.mode === "live" ? "live" : "once", sims: null });
  }

  swap() { this.send({ do: "players", players: [...this.order.players].reverse() }); this.flip(this.isHuman(0) && !this.isHuman(1)); }

  flip(flipped = !this.board.flipped) {
    this.board.flipped = flipped;
    orient(this);
  }

  resign(button) {
    if (button.dataset.sure) {
      this.send({ do: "resign" });
      delete button.dataset.sure;
      button.querySelector("span").textContent = "Resign";
      return;
    }
    button.dataset.sure = "yes";
    button.querySelector("span").textContent = "Really?";
    setTimeout(() => { delete button.dataset.sure; button.querySelector("span").textContent = "Resign"; }, 3000);
  }

  async copy() {
    const shown = this.looking === null ? this.position : this.positions.get(this.looking);
    try {
      await navigator.clipboard.writeText(shown.text);
    } catch { // without https
      const area = el("textarea.unseen", { readonly: true });
      area.value = shown.text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    this.note("The position is copied as text.");
  }

  /** A new game that goes on from an earlier position of this one. */
  tryFrom(ply) {
    const { game, players, start, actions, seed, pieces } = this.order;
    this.ways.again({ game, players, start, actions: actions.slice(0, ply), seed, pieces });
  }

  rematch(isSwapped) {
    const { game, pieces, players } = this.order;
    const start = this.order.fixed || !this.meta.randomStart ? this.order.start : null;
    this.ways.again({ game, players: isSwapped ? [...players].reverse() : players, start, actions: [], seed: null, pieces });
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const on = event.target;
    if (on.closest?.("input, textarea, select") || event.defaultPrevented) return;
    const free = this.buttons.find(({ key }) => key === event.key.toLowerCase());
    if (free && this.looking === null) this.choose(free.move);
    else if (event.key === "ArrowLeft") this.step(-1);
    else if (event.key === "ArrowRight") this.step(1);
    else if (event.key === "f") this.flip();
    else if (event.key === "u") this.send({ do: "undo", unit: "ply" });
    else if (event.key === "h") this.hint();
    else if (event.key === "Escape" && this.looking !== null) this.look(this.plies.length);
    else return;
    event.preventDefault();
  }

  choose(move) {
    this.board.arrows = [];
    this.words = "";
    if (this.send({ do: "move", action: move.action })) return;
    this.fail("No connection to the server: your move was not made.");
    this.board.position = this.position;
  }

  /** The position after a ply and the die that decided it. */
  settled(ply) {
    let to = ply;
    while (this.plies[to]?.mover === -1) to++;
    return to;
  }
}
