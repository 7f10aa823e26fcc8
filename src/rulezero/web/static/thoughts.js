// The analysis of a position: what a tree search thinks, beside whoever plays.

import { el, fill, kept, percent, signed } from "./dom.js";
import { FACES } from "./signs.js";

export const MODES = { off: "Never", ask: "When I ask", live: "All the time", after: "After each of my moves", opponent: "On the opponent’s turns" };

/** Steps of a move on the board as arrows. */
export function arrowsOf(touches, weight = 1, colour = undefined) {
  const squares = touches.map(([first]) => first);
  if (squares.length === 1) return [[squares[0], squares[0], weight, colour]];
  return squares.slice(1).map((square, at) => [squares[at], square, weight, colour]);
}

/** The steps that a move's text shows, if it names them all: "b1c3xc4", but not "Nf3". */
function squaresOf(text) {
  return /^([a-z]\d+[-x+]?){2,}$/.test(text) ? text.match(/[a-z]\d+/g).map((square) => [square]) : [];
}

/** An expected line in words; if turns have several moves, from its first one on, and divided into turns. */
export function lineOf({ line = [], movers = [] }) {
  const turns = [];
  let mover = -1;
  line.forEach((say, at) => {
    if (!turns.length || ![-1, mover].includes(movers[at])) {
      mover = movers[at];
      turns.push([]);
    }
    turns.at(-1).push(movers[at] === -1 ? FACES[say] ?? `(${say})` : say);
  });
  const isLong = turns.some((turn) => turn.length > 1);
  return isLong ? turns.map((turn) => turn.join(" ")).join(" / ") : line.slice(1).join(" ");
}

/** A bar of win, draw and loss of both seats. */
export function wdlBar(wdl, seats) {
  const [win, draw, loss] = wdl;
  const parts = [["win", win], ["draw", draw], ["loss", loss]].map(([name, share]) => {
    const part = el(`i.${name}`);
    part.style.flexGrow = String(Math.max(share, 0.0001));
    return part;
  });
  const words = `${seats[0]} wins ${percent(win)}, draw ${percent(draw)}, ${seats[1]} wins ${percent(loss)}`;
  return el("div.wdl", { role: "img", "aria-label": words, title: words }, parts);
}

export class Thoughts {
  /**
   * @param {{board: HTMLElement, seats: string[], send: (message: object) => void, words: (ply: number) => string}} given
   */
  constructor(given) {
    this.given = given;
    this.mode = Object.hasOwn(MODES, kept.read("rz.mode") ?? "") ? kept.read("rz.mode") : "ask";
    this.found = null;
    this.body = el("div.ideas");
    this.select = el("select", { "aria-label": "When to analyse", onchange: () => this.choose(this.select.value) },
      Object.entries(MODES).map(([name, words]) => el("option", { value: name, selected: name === this.mode }, words)));
    this.ask = el("button.small", { onclick: () => this.once() }, "Analyse this position");
    this.by = el("p.dim.by", "A tree search (puct) with the hand-written evaluation looks at the position, whoever plays.");
    this.element = el("section.panel.think", el("header", el("h2", "Analysis"), this.select), this.by, this.ask, this.body);
    this.draw();
  }

  choose(mode) {
    this.mode = mode;
    kept.write("rz.mode", mode);
    this.found = this.hidden = null;
    this.rest();
    this.begin();
    this.moved(false, this.given.asked(), this.over);
  }

  /** Tells the server the mode: at the begin, and after each new connection. */
  begin() {
    if (this.mode === "live") this.given.send({ do: "analyse", mode: "live", sims: null });
    else this.given.send({ do: "analyse", mode: "off", sims: null });
  }

  once() {
    this.isAsked = true;
    this.found = null;
    this.given.send({ do: "analyse", mode: "once", sims: null });
    this.draw();
  }

  /**
   * The position has changed; `mine`: a person has chosen, `asked`: a person is to choose.
   * "After each of my moves" thinks about the person's position meanwhile, and shows it afterwards.
   */
  moved(mine, asked, over) {
    this.isAsked = false;
    this.over = over;
    if (this.mode === "ask" || this.mode === "live") this.found = null;
    if (this.mode === "after" && mine && this.hidden) this.found = { ...this.hidden, final: true };
    this.hidden = null;
    if (!over && ((this.mode === "after" && asked) || (this.mode === "opponent" && !asked))) this.given.send({ do: "analyse", mode: "once", sims: null });
    this.draw();
  }

  analysis(found) {
    if ((this.mode === "off" || this.mode === "ask") && !this.isAsked) return;
    if (this.mode === "after") this.hidden = found;
    else this.found = found;
    this.draw();
  }

  /** What the opponent thought when it chose. */
  thought(found) {
    if (this.mode !== "opponent" || typeof found.value !== "number") return;
    this.found = this.found?.ply === found.ply ? { ...this.found, value: found.value, wdl: found.wdl, final: true } : { ...found, moves: [], final: true };
    this.draw();
  }

  /** The arrows that stay: the best move of an analysis that was asked for, or those of a hint. */
  rest() {
    const { found } = this;
    const isNow = found && found.ply === this.given.plies().length && (this.mode === "live" || this.mode === "ask");
    const best = isNow ? found.moves?.find(({ action }) => action === found.best) ?? found.moves?.[0] : null;
    this.given.rest(best?.touches.length ? arrowsOf(best.touches) : null);
  }

  draw() {
    this.rest();
    const isShown = this.found && ["live", "ask"].includes(this.mode) && !this.over;
    this.given.value(isShown && typeof this.found.value === "number" ? this.found.value : null);
    this.ask.hidden = this.mode !== "ask" || Boolean(this.over);
    this.by.hidden = this.mode === "off" || Boolean(this.found?.moves?.length);
    const { found } = this;
    if (this.mode === "off") return fill(this.body);
    if (!found) {
      const words = this.over ? "The game is over." : this.isAsked || this.mode === "live" ? "Analysing…" : { ask: "", after: "The analysis of this position is shown after your move.", opponent: "The analysis is shown when the opponent is to move." }[this.mode];
      return fill(this.body, words ? el("p.quiet", words) : null);
    }
    const { seats } = this.given;
    const rows = (found.moves ?? []).slice(0, 6).map((move) => this.row(move));
    const focus = this.body.contains(document.activeElement) ? [...this.body.querySelectorAll(".line")].indexOf(document.activeElement) : -1;
    fill(this.body,
      typeof found.value === "number" ? el("p.value", el("strong", signed(found.value)), ` for ${seats[0]}`, el("span.dim", `${this.given.words(found.ply)}${found.sims.toLocaleString("en")} simulations${found.final ? "" : "…"}`)) : null,
      found.wdl ? wdlBar(found.wdl, seats) : null,
      rows.length ? el("ol.lines", rows) : null);
    if (focus >= 0) this.body.querySelectorAll(".line")[focus]?.focus();
  }

  row(move) {
    const show = () => {
      const line = move.lineTouches ?? (move.line ?? []).map(squaresOf);
      const isOwn = (at) => (move.movers ? move.movers[at] === move.movers[0] : at % 2 === 0);
      const later = line.slice(1, 4).flatMap((touches, at) => (touches.length ? arrowsOf(touches, 0.5 - 0.15 * at, isOwn(at + 1) ? "#1f7a3f" : "#3a6fb5") : []));
      this.given.arrows([...later, ...(move.touches.length ? arrowsOf(move.touches, 1) : [])]);
    };
    const hide = () => this.rest();
    const bar = el("span.bar", el("i"));
    bar.firstChild.style.width = `${100 * move.share}%`;
    const line = lineOf({ line: move.line?.slice(0, 6), movers: move.movers });
    const chosen = this.found.ply < this.given.plies().length && this.given.plies()[this.found.ply].action === move.action;
    const button = el(`button.line${chosen ? ".chosen" : ""}`, { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide, title: "Play it through on the board", onclick: () => this.given.play(move) },
      el("strong", move.say), bar, el("span", percent(move.share)), el("span.worth", typeof move.value === "number" ? signed(move.value) : ""), line ? el("span.then", { title: line }, line) : null);
    return el("li", button);
  }
}
