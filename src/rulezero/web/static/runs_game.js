// The newest games of a run, which play by themselves on a board, one after another.

import "/board.js";
import { el, fill } from "./dom.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const ICONS = { play: "M7 4l13 8-13 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", next: "M5 4l10 8-10 8zM17 4h3v16h-3z" };

function icon(name) {
  const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  image.setAttribute("viewBox", "0 0 24 24");
  image.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  image.append(path);
  return image;
}

/** Shows the games of a run in an element; `close` ends it. */
export class Replay {
  #context; #id; #place;
  #game = null;
  #at = 0;
  #timer = 0;
  #isOn = !calm.matches;
  #isSeen = true;
  #isClosed = false;
  #board = el("rz-board", { still: true });
  #say = el("p.said");
  #title = el("p.dim");
  #seats = el("div.seats");
  #slider = el("input", { type: "range", min: 0, max: 0, value: "0", "aria-label": "Ply of the game" });
  #toggle = el("button.icon", { "aria-label": "Pause" });
  #watch = new IntersectionObserver(([entry]) => { this.#isSeen = entry.isIntersecting; this.#plan(); });
  #hidden = () => this.#plan();

  constructor(place, context, id) {
    this.#place = place;
    this.#context = context;
    this.#id = id;
    this.#toggle.addEventListener("click", () => { this.#isOn = !this.#isOn; this.#buttons(); this.#plan(0.3); });
    this.#slider.addEventListener("input", () => { this.#isOn = false; this.#buttons(); this.#show(Number(this.#slider.value)); });
    document.addEventListener("visibilitychange", this.#hidden);
    this.#watch.observe(place);
    this.#buttons();
    this.#load();
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watch.disconnect();
    document.removeEventListener("visibilitychange", this.#hidden);
  }

  async #load() {
    if (this.#isClosed) return;
    const after = this.#game?.id ?? "";
    let found = null;
    try {
      ({ game: found } = await this.#context.api(`/api/runs/${this.#id}/game?after=${encodeURIComponent(after)}`));
    } catch { /* the run may not have begun: the next try is soon */ }
    if (this.#isClosed) return;
    if (!found) {
      if (!this.#game) fill(this.#place, el("p.nothing", "The first game appears here as soon as it has been played."));
      this.#timer = setTimeout(() => this.#load(), 3000);
      return;
    }
    const isFirst = !this.#game;
    this.#game = found;
    this.#board.game = found.game;
    this.#slider.max = found.positions.length - 1;
    fill(this.#title, found.about);
    fill(this.#seats, found.game.seats.map((seat, at) => el("p", el(`span.seat.s${at}`), el("strong", seat), el("code", found.players[at]))));
    if (isFirst || !this.#board.isConnected) this.#build();
    this.#show(0);
    const falls = this.#board.shadowRoot.querySelector("svg.falls") !== null; // its men have other colours
    for (const seat of this.#seats.querySelectorAll(".seat")) seat.classList.toggle("falls", falls);
    this.#plan();
  }

  #build() {
    const next = el("button.icon", { "aria-label": "Next game", title: "Next game", onclick: () => { clearTimeout(this.#timer); this.#load(); } }, icon("next"));
    const { rows, columns } = this.#game.game;
    fill(this.#place, el("div.frame", { style: `--ratio: ${columns / rows}` }, this.#board), this.#say,
      el("div.player", this.#toggle, this.#slider, next), this.#title, this.#seats);
  }

  #buttons() {
    fill(this.#toggle, icon(this.#isOn ? "pause" : "play"));
    this.#toggle.setAttribute("aria-label", this.#isOn ? "Pause" : "Play");
  }

  #show(at) {
    const { positions, says } = this.#game;
    this.#at = Math.min(at, positions.length - 1);
    const position = positions[this.#at];
    this.#board.position = position;
    this.#slider.value = String(this.#at);
    this.#slider.setAttribute("aria-valuetext", `${this.#at} of ${positions.length - 1}: ${says[this.#at] || "the start"}`);
    fill(this.#say, this.#at === positions.length - 1 ? el("strong", this.#game.result) : says[this.#at] || "The start", el("span.dim", `${this.#at} / ${positions.length - 1}`));
  }

  /** The next position soon, unless nobody looks. */
  #plan(wait = null) {
    clearTimeout(this.#timer);
    if (this.#isClosed || !this.#game || !this.#isOn || !this.#isSeen || document.hidden) return;
    const many = this.#game.positions.length;
    const isLast = this.#at >= many - 1;
    const pace = Math.max(0.22, Math.min(0.9, 45 / many));
    this.#timer = setTimeout(() => {
      if (isLast) this.#load();
      else { this.#show(this.#at + 1); this.#plan(); }
    }, 1000 * (wait ?? (isLast ? 2.6 : pace)));
  }
}
