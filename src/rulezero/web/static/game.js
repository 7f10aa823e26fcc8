// A game at a table of the server: the board, who is to move, the moves, and what can be done.

import { RzBoard } from "/board.js";
import { el, fill, kept, sentence, session } from "./dom.js";
import { drawEnd, drawMoves } from "./record.js";
import { FACES, die, icon } from "./signs.js";
import { Socket } from "./socket.js";
import { Thoughts, arrowsOf } from "./thoughts.js";

export const keyOf = (game) => `rz.table.${game}`;

/** "strikes" as one: "strike". */
const one = (kind) => (/^[a-z]+s$/.test(kind) ? kind.slice(0, -1) : kind);
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
    this.positions = new Map(); // as they were received, by number of plies
    this.kinds = new Set(); // of moves that were offered
    this.values = new Map(); // what players thought, by ply
    this.looking = null; // an earlier position: its number of plies
    this.queue = [];
    this.isClosed = false;
    this.order.fixed ??= Boolean(order.start) || Number.isInteger(order.seed);
    this.lost = el("p.lost", { hidden: true, role: "status" }, "No connection to the server. Trying again…");
    this.error = el("p.warning", { hidden: true, role: "alert" });
    this.buttons = [];
    this.build(context.games.find((game) => game.text === order.game) ?? context.games.find((game) => game.name === order.game));
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.socket = new Socket("/ws/play", {
      open: () => this.greet(),
      message: (message) => this.hear(message),
      state: (isOpen) => { this.lost.hidden = isOpen; if (!isOpen) this.say("The connection was lost. Trying again."); },
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
    session.write("rz.positions", { table: this.order.table, positions: [...this.positions].slice(-400).map(([ply, { moves, ...rest }]) => [ply, { ...rest, moves: [] }]), values: [...this.values], kinds: [...this.kinds] });
  }

  // --- messages ---

  hear(message) {
    if (this.isClosed) return;
    const { event } = message;
    if (event === "table") this.sit(message);
    else if (event === "position") { this.queue.push(message); this.pump(); }
    else if (event === "thinking") { this.thinking = message; this.drawStrips(); }
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
      fill(this.place, el("section.sorry", el("h1", "This game did not begin"), el("p", sentence(words)), el("a.button.main", { href: "#play" }, "All games")));
      return;
    }
    if (this.reviewing && code === "busy") { this.reviewing = null; drawEnd(this); }
    this.fail(words);
    if (this.looking === null) this.board.position = this.position; // the move was not made
  }

  fail(words) {
    this.error.textContent = sentence(words);
    this.error.hidden = false;
    this.say(words);
    clearTimeout(this.errorTimer);
    this.errorTimer = setTimeout(() => { this.error.hidden = true; }, 7000);
  }

  sit(message) {
    const isNew = this.order.table !== message.table;
    const { table, game, players, position, plies } = message;
    Object.assign(this.order, { table, start: message.start, seed: message.seed, pieces: message.pieces ?? this.order.pieces ?? null });
    if (!this.meta || this.meta.text !== game.text) this.build(game);
    Object.assign(this, { players, plies, paused: message.paused, isSaved: message.saved, thinking: null, queue: [] });
    if (isNew || !this.position) {
      const held = session.read("rz.positions");
      this.positions = new Map(held?.table === table ? held.positions : []);
      this.kinds = new Set(held?.table === table ? held.kinds : []);
      this.values = new Map(held?.table === table ? held.values : []);
      this.review = null;
      this.board.flipped = players[1].kind === "human" && players[0].kind !== "human";
      this.orient();
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
    this.drawAll();
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
    this.drawTray();
    this.say(words);
  }

  // --- what a person does ---

  look(ply) {
    if (!this.position) return;
    const end = this.plies.length;
    const to = Math.max(0, Math.min(end, ply));
    if (to === end) {
      this.looking = null;
      this.board.interactive = true;
      this.board.position = this.position;
    } else {
      const found = this.positions.get(to);
      if (!found) return this.fail("This position is no longer here: the page keeps those that it has shown.");
      this.looking = to;
      this.board.arrows = [];
      this.board.interactive = false;
      this.board.position = { ...found, moves: [] };
    }
    this.drawAll();
  }

  /** The next position in a direction that the page has. */
  step(by) {
    const at = this.looking ?? this.plies.length;
    for (let to = at + by; to >= 0 && to <= this.plies.length; to += by) {
      if (this.positions.has(to) && this.positions.get(to).mover !== -1) return this.look(to);
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
    this.orient();
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

  // --- drawing ---

  build(meta) {
    this.meta = meta;
    if (!meta) return fill(this.place, this.lost, this.error, el("p.quiet", "Setting up the board…"));
    this.pace = kept.read("rz.pace") ?? 0.8;
    const board = el("rz-board", { "aria-label": meta.title });
    board.game = meta;
    board.addEventListener("rz-move", (event) => this.choose(event.detail.move));
    board.addEventListener("rz-partial", (event) => { this.partial = event.detail; this.drawTray(); });
    this.board = board;
    this.partial = { steps: [], candidates: [], done: [] };
    this.dice = el("div.dice", { hidden: true, "aria-hidden": "true" });
    this.strips = [el("div.strip"), el("div.strip")];
    this.tray = el("div.tray");
    this.status = el("div.status");
    this.past = el("div.past", { hidden: true });
    this.end = el("section.panel.end", { hidden: true });
    this.moves = el("div.moves", { tabindex: -1 });
    this.info = el("div.info");
    this.thoughts = new Thoughts({
      board, seats: meta.seats, send: (message) => this.send(message),
      arrows: (arrows) => { if (this.looking === null && this.thoughts.found?.ply === this.plies.length) board.arrows = arrows; },
      plies: () => this.plies,
      asked: () => this.isHuman(this.position?.mover),
      words: (ply) => (ply === this.plies.length ? "" : `before ${this.plies[ply]?.say ?? "the last move"}, `),
    });
    const button = (name, words, action, title) => {
      const made = el("button.tool", { onclick: () => action(made), title: title ?? words }, icon(name), el("span", words));
      return made;
    };
    this.tools = {
      undo: button("undo", "Undo", () => this.send({ do: "undo", unit: "ply" }), "Take back your last choice (U)"),
      undoTurn: button("undoTurn", "Undo turn", () => this.send({ do: "undo", unit: "turn" }), "Take back your whole last turn"),
      hint: button("hint", "Hint", () => this.hint(), "Show a good move (H)"),
      now: button("now", "Move now", () => this.send({ do: "go" }), "The computer moves now"),
      pause: button("pause", "Pause", () => this.send({ do: "pause", on: !this.paused })),
      flip: button("flip", "Flip", () => this.flip(), "Turn the board (F)"),
      swap: button("swap", "Swap sides", () => this.swap()),
      copy: button("copy", "Copy", () => this.copy(), "Copy the position as text"),
      resign: button("resign", "Resign", (made) => this.resign(made)),
      anew: button("anew", "New game", () => this.ways.setup({ ...this.order, meta })),
    };
    this.paceLine = el("label.pace", { hidden: true }, "Pace", el("input", {
      type: "range", min: 0, max: 3, step: 0.1, value: String(this.pace), "aria-label": "Seconds between moves",
      oninput: (event) => { this.pace = Number(event.target.value); kept.write("rz.pace", this.pace); this.send({ do: "pace", seconds: this.pace }); },
    }));
    this.stage = el("div.stage");
    const side = el("div.side", this.end, this.status, el("div.tools", { role: "group", "aria-label": "Game" }, Object.values(this.tools)), this.paceLine,
      el("section.panel.record", el("header", el("h2", "Moves"),
        el("button.icon", { "aria-label": "Earlier position", title: "Earlier (←)", onclick: () => this.step(-1) }, "‹"),
        el("button.icon", { "aria-label": "Later position", title: "Later (→)", onclick: () => this.step(1) }, "›")), this.moves),
      this.thoughts.element, this.info);
    const table = el("div.table", this.stage, side);
    table.style.setProperty("--ratio", String(meta.columns / meta.rows));
    this.crumbs = el("p.crumbs", el("a", { href: "#play" }, "All games"), "/", el("strong", meta.title), el("a", { href: `#rules/${encodeURIComponent(meta.name)}` }, "Rules"));
    fill(this.place, this.lost, this.error, table);
    this.frame = el("div.frame", board, this.dice);
    this.orient();
  }

  /** The seat at the bottom of the board has its strip there. */
  orient() {
    const [first, second] = this.strips;
    const [low, high] = this.board.flipped ? [second, first] : [first, second];
    fill(this.stage, this.crumbs, high, this.frame, low, this.past, this.tray);
  }

  drawAll() {
    this.words = "";
    this.drawStrips();
    this.drawStatus();
    this.drawTray();
    drawMoves(this);
    this.drawInfo();
    drawEnd(this);
    const { tools, position } = this;
    const yours = this.players.some(({ kind }) => kind === "human");
    const chosen = this.plies.some(({ mover, opening }) => mover >= 0 && this.isHuman(mover) && !opening);
    const doubles = this.plies.some(({ mover }, at) => at > 0 && mover >= 0 && this.plies[at - 1].mover === mover);
    tools.undo.hidden = tools.undoTurn.hidden = !yours;
    tools.undoTurn.hidden ||= !doubles;
    tools.undo.disabled = tools.undoTurn.disabled = !chosen && !position.over;
    tools.flip.hidden = this.meta.falls;
    tools.hint.hidden = !yours;
    tools.hint.disabled = !position.moves.length || this.looking !== null;
    tools.now.hidden = !yours || this.isHuman(0) && this.isHuman(1);
    tools.now.disabled = position.over || position.mover < 0 || this.isHuman(position.mover);
    tools.swap.hidden = !yours || (this.isHuman(0) && this.isHuman(1));
    tools.swap.disabled = tools.pause.disabled = position.over;
    tools.resign.hidden = !yours;
    tools.resign.disabled = position.over || !position.moves.length;
    tools.pause.hidden = this.paceLine.hidden = !this.isWatched;
    tools.pause.replaceChildren(icon(this.paused ? "go" : "pause"), el("span", this.paused ? "Continue" : "Pause"));
  }

  drawStrips() {
    if (!this.position) return;
    this.strips.forEach((strip, seat) => {
      const player = this.players[seat];
      const human = player?.kind === "human";
      const both = human && this.isHuman(1 - seat);
      const moves = !this.position.over && this.position.mover === seat;
      const thinks = this.thinking?.seat === seat && moves;
      const won = this.position.over && this.position.outcome !== null && (seat === 0 ? this.position.outcome > 0 : this.position.outcome < 0);
      const level = this.meta.levels.find(({ name }) => name === player?.name && player.kind === "level");
      const name = human ? (both ? this.meta.seats[seat] : "You") : player?.kind === "level" ? player.name : player?.text ?? "";
      const words = won ? "won" : thinks ? (this.thinking.waiting ? `${this.thinking.waiting} ${this.thinking.waiting === 1 ? "search is" : "searches are"} before it` : "thinking") : moves ? (human ? (both ? "to move" : "your turn") : "to move") : "";
      strip.className = `strip${moves ? " next" : ""}${won ? " won" : ""}`;
      const man = Object.keys(this.meta.pictures).find((each) => /^k$/i.test(each)) ?? Object.keys(this.meta.pictures)[0];
      fill(strip, el(`span.seat.s${seat}${this.meta.falls ? ".falls" : ""}`, { "aria-hidden": "true" }), el("strong", sentence(name)),
        el("span.dim", both ? "" : this.meta.seats[seat] + (level?.elo ? ` · ${level.elo} Elo` : "")),
        words ? el(thinks ? "span.now.thinks" : "span.now", words) : null);
    });
  }

  drawStatus() {
    const { position, plies } = this;
    this.status.hidden = position.over;
    const turn = [];
    if (!position.over) for (let at = plies.length - 1; at >= 0 && plies[at].mover === position.mover; at--) turn.unshift(plies[at]);
    const seat = this.meta.seats[position.mover];
    const title = position.over ? position.caption : position.mover === -1 ? "The die rolls" : this.isHuman(position.mover) && !this.isHuman(1 - position.mover) ? `Your turn, ${seat}` : `${seat} to move`;
    fill(this.status, el("h1", sentence(title)),
      turn.length ? el("p.turn", el("span.dim", "This turn so far"), turn.map(({ say }) => el("span.chip.on", say)), el("span.chip.next", "…")) : null);
    document.title = `${position.moves.length && !position.over ? "Your turn" : title} · ${this.meta.title}`;
  }

  /** Under the board: what each kind of target does, and moves that have no square. */
  drawTray() {
    const { steps, candidates, done } = this.partial;
    const parts = [];
    const taken = new Set(["f", "u", "h"]);
    this.buttons = [];
    if (this.position && this.looking === null) {
      if (steps.length) {
        const kinds = [...new Set(candidates.filter((move) => move.touches.length > steps.length).map(({ kind }) => kind))];
        if (done.length > 1 && done.length === candidates.length) parts.push(el("span.kind", "Choose one on the board"));
        else {
          for (const move of done) parts.push(el("button.main.small", { onclick: () => this.choose(move) }, `Play ${move.say}`));
        }
        if (kinds.length > 1 || (kinds[0] && kinds[0] !== "moves")) {
          for (const kind of kinds) {
            const dot = el("i.dot");
            dot.style.background = RzBoard.colour(kind);
            parts.push(el("span.kind", dot, one(kind)));
          }
        }
        if (steps.length > 1 || done.length) parts.push(el("button.small", { onclick: () => this.board.cancel() }, "Cancel"));
      } else {
        for (const move of this.position.moves.filter(({ touches }) => !touches.length)) {
          const words = move.kind === "moves" ? (move.say === "end" ? "End turn" : move.say) : move.kind;
          const key = [...`${move.say}${words}`.toLowerCase()].find((letter) => /[a-z]/.test(letter) && !taken.has(letter));
          taken.add(key);
          this.buttons.push({ key, move });
          parts.push(el("button.main.small", { onclick: () => this.choose(move) }, sentence(words), key ? el("kbd", key.toUpperCase()) : null));
        }
        if (!parts.length && this.lastFace && this.plies.at(-1)?.mover === -1) parts.push(el("span.kind", die(this.plies.at(-1).say), "was rolled"));
      }
    }
    if (this.words) parts.push(el("span.hintline", this.words));
    fill(this.tray, parts);
    if (parts.length) this.tray.classList.add("used"); // keeps its height from now on
    const away = this.looking !== null;
    this.past.hidden = !away;
    this.tray.hidden = away;
    if (away) {
      const made = this.plies.slice(0, this.looking);
      const last = made.findLast(({ mover }) => mover >= 0);
      fill(this.past, el("span", last ? `After ${last.say}${made.at(-1).mover === -1 ? ` ${FACES[made.at(-1).say] ?? ""}` : ""}` : "The start"),
        el("button.small.main", { onclick: () => this.look(this.plies.length) }, this.position.over ? "To the end" : "Back to the game"),
        el("button.small", { onclick: () => this.tryFrom(this.looking) }, "Play from here"));
    }
  }

  /** The position after a ply and the die that decided it. */
  settled(ply) {
    let to = ply;
    while (this.plies[to]?.mover === -1) to++;
    return this.positions.has(to) ? to : ply;
  }

  drawInfo() {
    const shown = this.looking === null ? this.position : this.positions.get(this.looking);
    const rows = shown?.info ?? [];
    const isSquare = ([label]) => /^[a-z]\d+$/.test(label);
    for (const { kind } of shown?.moves ?? []) this.kinds.add(kind); // the board shows them
    const old = new Map(this.lastInfo ?? []);
    const row = ([label, words]) => el(old.size && old.get(label) !== words ? "div.changed" : "div", el("dt", label), el("dd", words));
    const general = rows.filter((each) => !isSquare(each) && !this.kinds.has(each[0]));
    const men = rows.filter(isSquare);
    const isOpen = this.info.querySelector("details")?.open ?? false;
    this.lastInfo = rows;
    this.info.hidden = !rows.length;
    fill(this.info, el("section.panel", general.length ? el("dl.facts", general.map(row)) : null,
      men.length ? el("details", { open: isOpen }, el("summary", `Men that have changed (${men.length})`), el("dl.facts", men.map(row))) : null));
    this.info.hidden = !general.length && !men.length;
  }
}
