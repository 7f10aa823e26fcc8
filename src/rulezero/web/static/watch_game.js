// One recorded game: the board with its slider, moves, values, thoughts, and ways to play on.

import "/board.js";
import "/static/curve.js";
import { el, fill, kept, percent, signed } from "./dom.js";
import { copied } from "./share.js";
import { FACES } from "./signs.js";
import { wdlBar } from "./thoughts.js";
import { PlayOn } from "./watch_on.js";
import { Planes } from "./watch_planes.js";

const ICONS = {
  first: "M14 5l-6 5 6 5M5.5 5v10", back: "M12 5l-6 5 6 5", play: "M6 4l10 6-10 6z", pause: "M7 4.5v11M13 4.5v11",
  forward: "M8 5l6 5-6 5", last: "M6 5l6 5-6 5M14.5 5v10", flip: "M6 3v13m0 0-3-3m3 3 3-3M14 17V4m0 0-3 3m3-3 3 3",
};
const FAULTS = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };
const SPEEDS = [[2, "slow"], [1, "normal"], [0.4, "fast"], [0.12, "very fast"]]; // seconds for each ply
const STOPPED = { cap: "neither side won before the limit of plies", resigned: "one side gave up", forfeit: "an engine failed", claimed: "the result is that of an imported file", interrupted: "the game was not finished" };
const SLICE = 100; // positions of a request, as in watch.py

/** "drawn: cap" for people. */
export const sayCause = (text) => text.replace(/\bcap$/, "limit of plies").replace(/\bclaimed$/, "as the file says");
const capital = (text) => text && text[0].toUpperCase() + text.slice(1);

function icon(name) {
  const template = document.createElement("template");
  template.innerHTML = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
  return template.content.firstChild;
}

/** A panel that is folded on a phone. */
const folded = (title, ...inside) => el("details.panel.fold", { open: !matchMedia("(max-width: 640px)").matches }, el("summary", el("h2", title)), inside);

export async function mountGame(place, context, store, record, isClosed) {
  const path = `/api/stores/${encodeURIComponent(store)}/games/${encodeURIComponent(record)}`;
  const game = await context.api(path);
  if (isClosed()) return null;
  const viewer = new Viewer(place, context, store, path, game);
  await viewer.show(Math.min(game.plies.length, Number(context.query.get("ply")) || 0));
  return () => viewer.close();
}

class Viewer {
  constructor(place, context, store, path, game) {
    Object.assign(this, { place, context, store, path, game });
    this.positions = [];
    this.take(game.slice);
    this.requests = new Map(); // of slices that are on their way
    this.at = 0;
    this.last = game.total - 1;
    this.mind = game.minds.findLast(({ plies }) => plies.some(Boolean)) ?? game.minds[0];
    const wished = game.minds.find(({ name }) => name === kept.read("rz.mind"));
    if (wished?.plies.some(Boolean)) this.mind = wished;
    else if (game.minds[0].plies.some(Boolean)) this.mind = game.minds[0];
    this.build();
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    document.title = `${this.names[0]} – ${this.names[1]} · rulezero`;
  }

  close() {
    this.isClosed = true;
    this.stop();
    removeEventListener("keydown", this.keys);
  }

  get names() { return this.game.record.players.map((text, seat) => this.game.record.names[seat] ?? text); }

  // --- positions ---

  take({ first, positions }) { positions.forEach((position, at) => { this.positions[first + at] = position; }); }

  /** Asks for the positions from a ply on; one request at a time for each. */
  async fetch(first) {
    if (!this.requests.has(first)) {
      const asked = this.context.api(`${this.path}/positions?first=${first}`).then((slice) => this.take(slice));
      this.requests.set(first, asked.finally(() => this.requests.delete(first)));
    }
    return this.requests.get(first);
  }

  async position(ply) {
    if (!this.positions[ply]) await this.fetch(this.positions[ply - 1] ? ply : Math.max(0, ply - SLICE / 2));
    if (!this.positions[ply]) await this.fetch(ply); // large positions come in small slices
    const ahead = ply + SLICE / 4;
    if (ahead <= this.last && !this.positions[ahead]) this.fetch(this.positions.findIndex((each, at) => at > ply && !each) >>> 0 || ahead).catch(() => {});
    return this.positions[ply];
  }

  async show(ply) {
    const to = Math.max(0, Math.min(this.last, ply));
    this.wanted = to;
    let position;
    try {
      position = await this.position(to);
    } catch (error) {
      this.stop();
      this.error.textContent = error.message;
      this.error.hidden = false;
      return;
    }
    if (this.wanted !== to || this.isClosed) return;
    this.error.hidden = true;
    this.at = to;
    this.draw(position);
    clearTimeout(this.writing); // browsers refuse too many changes of the address
    this.writing = setTimeout(() => this.write(), 250);
  }

  /** Puts the position into the address, so that Back comes to it. */
  write() {
    clearTimeout(this.writing);
    if (!this.isClosed) history.replaceState(null, "", `#watch/${this.store}/${this.game.id}${this.at ? `?ply=${this.at}` : ""}`);
  }

  // --- what a person does ---

  step(by) { this.stop(); this.show(this.at + by); }

  /** The end of the turn before, or of the next one. */
  turn(by) {
    const { plies } = this.game;
    let to = this.at;
    const mover = (at) => plies[at]?.mover;
    if (by > 0) {
      const seat = mover(to) === -1 ? mover(to + 1) : mover(to);
      do to++; while (to < this.last && (mover(to) === seat || mover(to) === -1));
    } else {
      const seat = mover(to - 1) === -1 ? mover(to - 2) : mover(to - 1);
      do to--; while (to > 0 && (mover(to - 1) === seat || mover(to - 1) === -1));
    }
    this.stop();
    this.show(to);
  }

  play() {
    if (this.timer) return this.stop();
    const next = async () => {
      if (this.at >= this.last) return this.stop();
      await this.show(this.at + 1);
      if (this.timer) this.timer = setTimeout(next, 1000 * this.speed);
    };
    const begin = this.at >= this.last ? this.show(0) : Promise.resolve();
    this.timer = setTimeout(() => begin.then(next), 120);
    this.drawPlay();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.buttons) this.drawPlay();
  }

  flip() {
    this.board.flipped = !this.board.flipped;
    this.orient();
    this.drawFiles();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest?.("input:not([type=range]), textarea, select, summary")) return;
    if (event.key === " " && event.target.closest?.("button, a")) return;
    const ways = { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ArrowUp: () => this.turn(-1), ArrowDown: () => this.turn(1),
      Home: () => this.step(-Infinity), End: () => this.step(Infinity), " ": () => this.play(), f: () => this.flip() };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    way();
  }

  async copy(text, button) {
    button.textContent = (await copied(text)) ? "Copied" : "Not allowed";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
    this.context.announce("The position is copied as text.");
  }

  // --- building ---

  build() {
    const { game } = this.game;
    this.board = el("rz-board", { "aria-label": game.title });
    this.board.game = game;
    this.strips = [0, 1].map((seat) => this.strip(seat));
    this.stage = el("div.stage");
    this.frame = el("div.frame", this.board);
    this.error = el("p.warning", { hidden: true, role: "alert" });
    this.status = el("div.status");
    this.moves = el("div.moves", { tabindex: -1 });
    this.info = el("div");
    this.infoBox = folded("Position", this.info);
    this.thought = el("div");
    this.on = new PlayOn(this.context, this.game, () => this.at, () => this.write());
    this.planes = new Planes((ply) => this.context.api(`${this.path}/planes?ply=${ply}`));
    const side = el("div.side", this.status, el("section.panel.record", el("header", el("h2", "Moves")), this.moves), this.curvePanel(), this.mindPanel());
    const table = el("div.table", this.stage, side, el("div.more", this.on.element, this.infoBox, this.aboutPanel()), this.planes.element);
    table.style.setProperty("--ratio", String(game.columns / game.rows));
    this.crumbs = el("p.crumbs", el("a", { href: "#watch" }, "Recorded games"), " / ", el("a", { href: `#watch/${this.store}` }, this.game.store), " / ", el("strong", game.title));
    fill(this.place, this.error, table);
    this.controls();
    this.orient();
    this.drawMoves();
    this.drawCurve();
  }

  strip(seat) {
    const { record } = this.game;
    const { outcome } = record;
    const won = seat === 0 ? outcome > 0 : outcome < 0;
    return el(`div.strip${won ? ".won" : ""}`, el(`span.seat.s${seat}`, { "aria-hidden": "true" }), el("strong", { title: [record.players[seat], record.nets[seat]].filter(Boolean).join("\n") }, this.names[seat]),
      el("span.dim", this.game.game.seats[seat]), won ? el("span.now", "won") : null);
  }

  controls() {
    const button = (name, words, action) => el("button", { title: words, "aria-label": words, onclick: action }, icon(name));
    this.buttons = {
      first: button("first", "To the start (Home)", () => this.step(-Infinity)), back: button("back", "Back (←)", () => this.step(-1)),
      play: button("play", "Play (space)", () => this.play()), forward: button("forward", "Forward (→)", () => this.step(1)),
      last: button("last", "To the end (End)", () => this.step(Infinity)), flip: button("flip", "Turn the board (F)", () => this.flip()),
    };
    this.speed = kept.read("rz.watch.speed") ?? 1;
    const speed = el("select", { "aria-label": "Speed", title: "Speed", onchange: () => { this.speed = Number(speed.value); kept.write("rz.watch.speed", this.speed); } },
      SPEEDS.map(([seconds, words]) => el("option", { value: String(seconds), selected: seconds === this.speed }, capital(words))));
    this.slider = el("input", { type: "range", min: 0, max: this.last, value: "0", "aria-label": "Position", oninput: () => { this.stop(); this.show(Number(this.slider.value)); } });
    this.count = el("output");
    this.bar = el("div.player-bar", el("div.slider", this.slider, this.count), el("div.keys", { role: "toolbar", "aria-label": "Move through the game" }, Object.values(this.buttons), speed));
  }

  /** The seat at the bottom of the board has its strip there. */
  orient() {
    const [low, high] = this.board.flipped ? [this.strips[1], this.strips[0]] : this.strips;
    fill(this.stage, this.crumbs, high, this.frame, low, this.bar);
  }

  curvePanel() {
    const { seats } = this.game.game;
    this.curve = el("rz-curve");
    this.curve.seats = seats;
    this.curve.addEventListener("rz-ply", (event) => { this.stop(); this.show(event.detail.ply); });
    const key = (name, words) => { const dot = el("i"); dot.style.background = `var(--${name})`; return el("span", dot, words); };
    this.curveBox = el("section.panel.value", el("header", el("h2", "Value")), this.curve,
      el("p.legend", key("win", `${seats[0]} wins`), key("draw", "draw"), key("loss", `${seats[1]} wins`), key("accent", `value for ${seats[0]}`)));
    return this.curveBox;
  }

  mindPanel() {
    const minds = this.game.minds.filter(({ plies }) => plies.some(Boolean));
    const words = (name) => (name ? `of the judge ${name}` : "of the players");
    const select = minds.length > 1 ? el("select", { "aria-label": "Whose thoughts", onchange: () => this.think(minds[select.selectedIndex]) }, minds.map((mind) => el("option", { selected: mind === this.mind }, words(mind.name)))) : null;
    this.choice = { select, minds };
    return el("section.panel.think", el("header", el("h2", select || !minds.length ? "Thoughts" : `Thoughts ${words(minds[0].name)}`), select), this.thought);
  }

  /** Shows the thoughts of the players, or of a judge. */
  think(mind) {
    const { select, minds } = this.choice;
    this.mind = mind;
    if (select) select.selectedIndex = minds.indexOf(mind);
    kept.write("rz.mind", mind.name);
    this.drawMoves();
    this.drawCurve();
    this.draw(this.positions[this.at]);
  }

  aboutPanel() {
    const { record, result, id } = this.game;
    const task = record.task ? `${record.task}, game ${record.index}` : null;
    const rows = [["Result", capital(sayCause(result))], ["Stopped", STOPPED[record.end_reason]], ["Played for", record.purpose], ["Iteration", record.iteration], ["Task", task], ["Source", record.source], ["Date", record.date?.replaceAll(".", "-")],
      ["Seed", Number.isSafeInteger(record.seed) ? record.seed : null], ["Opening", record.opening ? `${record.opening} plies that the players did not choose` : null], ["Learned result", record.forced_result], ["Nets", record.nets.some(Boolean) ? record.nets.map((net) => net ?? "none").join(", ") : null], ["Game", record.game], ["Record", id]];
    this.files = el("div.files");
    return folded("About this game", el("dl.facts", rows.filter(([, words]) => words !== null && words !== undefined).map(([label, words]) => el("div", el("dt", label), el("dd", String(words))))), this.files);
  }

  // --- drawing ---

  draw(position) {
    const { plies, game } = this.game;
    this.board.position = position;
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", `ply ${this.at} of ${this.last}: ${position.caption}`);
    this.count.textContent = `${this.at} of ${this.last}`;
    this.buttons.first.disabled = this.buttons.back.disabled = this.at === 0;
    this.buttons.last.disabled = this.buttons.forward.disabled = this.at === this.last;
    const came = plies[this.at - 1];
    const who = came && (came.mover === -1 ? "The die shows" : `${game.seats[came.mover]} played`);
    const next = plies[this.at];
    fill(this.status, el("h1", capital(position.caption)), el("p.turn", came ? [el("span.dim", who), el("span.chip.on", came.say)] : el("span.dim", "The start of the game"),
      came?.opening ? el("span.chip", "not chosen: opening") : null, next?.mover >= 0 && this.mark(this.at) ? el("span.chip", `next: ${FAULTS[this.mark(this.at)]}`) : null));
    this.on.isOver = position.over;
    this.curve.at = this.at;
    this.drawThought();
    this.drawInfo(position);
    this.drawFiles();
    this.planes.show(this.at);
    const old = this.moves.querySelector(".at");
    old?.classList.remove("at");
    old?.removeAttribute("aria-current");
    const now = this.moves.querySelector(`[data-ply="${this.at}"]`);
    now?.classList.add("at");
    now?.setAttribute("aria-current", "step");
    if (now) this.moves.scrollTop = now.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    else if (!this.at) this.moves.scrollTop = 0;
    this.drawPlay();
  }

  drawPlay() {
    const { play } = this.buttons;
    const words = this.timer ? "Pause (space)" : "Play (space)";
    play.replaceChildren(icon(this.timer ? "pause" : "play"));
    play.title = words;
    play.setAttribute("aria-label", words);
  }

  mark(ply) { return this.mind.plies[ply]?.mark ?? ""; }

  /** Turns of both seats in rows; dice stand beside the choice that they decide. */
  drawMoves() {
    const turns = [];
    this.game.plies.forEach((ply, at) => {
      const last = turns.at(-1);
      if (last && (ply.mover === -1 || last.mover === ply.mover)) last.plies.push([at, ply]);
      else turns.push({ mover: ply.mover, plies: [[at, ply]] });
    });
    const cell = (turn) => el("span.cell", turn?.plies.map(([at, { say, mover, opening }]) => {
      const mark = this.mark(at);
      const words = mover === -1 ? FACES[say] ?? `(${say})` : say;
      return el(`button.ply${opening ? ".opening" : ""}${mover === -1 ? ".rolled" : ""}`, { "data-ply": at + 1, title: mover === -1 ? `the die shows ${say}` : opening ? "opening: not chosen by the player" : null, onclick: () => { this.stop(); this.show(at + 1); } },
        words, mark ? el("b.mark", { "data-mark": mark, title: FAULTS[mark] }, mark) : null);
    }) ?? []);
    const rows = [];
    const numberOf = (turn) => turn?.plies.find(([, { number }]) => number)?.[1].number?.replace(/\.+$/, "");
    for (let index = 0; index < turns.length; ) {
      const first = turns[index].mover !== 1 ? turns[index++] : null;
      const second = turns[index]?.mover === 1 ? turns[index++] : null;
      rows.push(el("div.round", el("span.number", numberOf(first) ?? numberOf(second) ?? String(rows.length + 1)), cell(first), cell(second)));
    }
    fill(this.moves, rows.length ? rows : el("p.quiet", "No moves."));
  }

  drawCurve() {
    const points = this.mind.plies.map((thought, ply) => ({ ply, value: thought?.value, wdl: thought?.wdl ?? undefined, mark: thought?.mark || undefined }));
    const { outcome, end_reason: reason } = this.game.record;
    const has = points.some(({ value }) => typeof value === "number");
    if (has && !["interrupted", "resigned"].includes(reason)) points.push({ ply: this.last, value: outcome, wdl: [Number(outcome > 0), Number(outcome === 0), Number(outcome < 0)] });
    this.curve.points = points;
    this.curveBox.hidden = !has;
  }

  drawThought() {
    const { seats } = this.game.game;
    const ply = this.game.plies[this.at];
    const found = this.mind.plies[this.at];
    this.board.arrows = [];
    if (!found) {
      const words = !ply ? "The game is over." : ply.mover === -1 ? "The die rolls: nobody thinks." : ply.opening ? "This ply belongs to the opening. The player did not choose it." : this.mind.plies.some(Boolean) ? `${this.mind.name || this.names[ply.mover]} left no thoughts about this position.` : "The players of this game left no thoughts.";
      const other = this.game.minds.find(({ plies }) => plies[this.at]);
      return fill(this.thought, el("p.quiet", words), other ? el("button.small", { onclick: () => this.think(other) }, other.name ? `Show the judge ${other.name}` : "Show the player's thoughts") : null);
    }
    const value = (words, number, title) => (typeof number === "number" ? el("div", { title }, el("dt", words), el("dd", signed(number))) : null);
    const rows = found.moves.map((move) => {
      const { squares } = move;
      const show = () => { this.board.arrows = squares.length === 1 ? [[squares[0], squares[0], 1]] : squares.slice(1).map((to, at) => [squares[at], to, 1]); };
      const hide = () => { this.board.arrows = []; };
      const bar = el("span.bar", el("i"));
      bar.firstChild.style.width = `${100 * move.share}%`;
      return el("li", el(`button.line${move.chosen ? ".chosen" : ""}`, { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide, onclick: show }, el("strong", move.say), bar, el("span", percent(move.share)), el("span.played", move.chosen ? "played" : "")));
    });
    const verdict = found.mark ? el("div.verdict", el("span.mark", { "data-mark": found.mark }, `${found.mark} `), `${capital(FAULTS[found.mark])}: ${percent(found.lost)} lost${found.best ? `, ${found.best} was better` : ""}`) : null;
    fill(this.thought,
      el("dl.values", value(`Search, for ${seats[0]}`, found.value, "The value that the search found: 1 is a sure win of the first seat"), value("Net alone", found.raw, "The evaluator's own value, before the search"),
        found.surprise !== null ? el("div", { title: "How far the search moved from the first guess, in nats" }, el("dt", "Surprise"), el("dd", found.surprise.toFixed(2))) : null,
        found.sims ? el("div", el("dt", "Simulations"), el("dd", found.sims.toLocaleString("en"))) : null, verdict),
      found.wdl ? wdlBar(found.wdl, seats) : null,
      rows.length ? el("ol.lines", { "aria-label": "Moves considered" }, rows) : el("p.quiet", "No policy was kept for this ply."));
  }

  drawInfo(position) {
    const copy = el("button.small", { onclick: () => this.copy(position.text, copy) }, "Copy");
    const isSquare = ([label]) => /^[a-z]\d+$/.test(label);
    const row = ([label, words]) => el("div", el("dt", isSquare([label]) ? label : capital(label)), el("dd", { title: words.length > 90 ? words : null }, words));
    const general = position.info.filter((each) => !isSquare(each));
    const men = position.info.filter(isSquare);
    const isOpen = this.info.querySelector("details")?.open ?? false;
    fill(this.info, general.length ? el("dl.facts", general.map(row)) : null,
      men.length ? el("details", { open: isOpen }, el("summary", `Men that have changed (${men.length})`), el("dl.facts", men.map(row))) : null,
      el("div.text", el("code", position.text), copy));
  }

  drawFiles() {
    const link = (name, words) => el("a.button", { href: `${this.path}/${name}`, download: "" }, words);
    fill(this.files, link("game.jsonl", "JSONL"), this.game.pgn ? link("game.pgn", "PGN") : null, link(`board.svg?ply=${this.at}&flipped=${this.board.flipped}`, "Board as SVG"));
  }
}
