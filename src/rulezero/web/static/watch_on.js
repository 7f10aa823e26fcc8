// "Play on": ways to go on from a position of a recorded game.

import { el, fill, kept } from "./dom.js";
import { faultOf, middle } from "./setup.js";

const OTHER = "another"; // the choice of a player by its text

export class PlayOn {
  /**
   * @param {import("./main.js").Context} context
   * @param {object} recorded the game, as watch.py gives it
   * @param {() => number} at the ply of the position that is shown
   * @param {() => void} leave is called before another view is shown
   */
  constructor(context, recorded, at, leave) {
    Object.assign(this, { context, recorded, at, leave });
    const { levels } = recorded.game;
    this.element = el("section.panel.on", { hidden: !levels.length }, el("header", el("h2", "Play on")));
    if (!levels.length) return;
    this.middle = middle(levels);
    this.wrong = el("p.wrong", { role: "alert", hidden: true });
    this.element.append(this.person(), this.pair());
  }

  /** Positions after which nobody can choose have no way to go on. */
  set isOver(isOver) { for (const button of this.element.querySelectorAll("button")) button.disabled = isOver; }

  begin(players) {
    const { record, again, actions } = this.recorded;
    this.leave();
    this.context.go(`#play/${encodeURIComponent(again.game)}`, { ...again, start: record.start, players, actions: actions.slice(0, this.at()) });
  }

  levels(selected) {
    return this.recorded.game.levels.map(({ name }) => el("option", { value: `level:${name}`, selected: name === selected }, name));
  }

  /** A person against a level. */
  person() {
    const { seats, human } = this.recorded.game;
    const seat = el("select", { "aria-label": "Your seat" }, seats.map((name, at) => el("option", { value: String(at), selected: at === human }, name)));
    const level = el("select", { "aria-label": "Your opponent" }, this.levels(this.middle.name));
    const go = el("button.main.small", { onclick: () => {
      const players = ["human", "human"];
      players[1 - Number(seat.value)] = level.value;
      this.begin(players);
    } }, "Continue from here");
    return el("div.row", el("label", "You are", seat), el("label", "against", level), go);
  }

  /** Two players: levels, those of the game, or any player by its text. */
  pair() {
    const { seats } = this.recorded.game;
    const seated = [0, 1].map((at) => this.player(at));
    const pace = el("input", { type: "range", min: 0, max: 3, step: 0.1, value: String(kept.read("rz.pace") ?? 0.8), "aria-label": "Seconds between moves" });
    const watch = el("button.small", { type: "submit" }, "Let them play on");
    const form = el("form.two", { onsubmit: (event) => {
      event.preventDefault();
      kept.write("rz.pace", Number(pace.value));
      this.check(seated.map(({ text }) => text()), watch);
    } }, seats.flatMap((name, at) => [el("span", name), seated[at].element]), el("span", "Pace"), pace, this.wrong, watch);
    return el("details", el("summary", "Player against player"), form);
  }

  player(seat) {
    const { record, game } = this.recorded;
    const own = record.players[seat];
    const isPlayer = !/^human|^\?/.test(own);
    const typed = el("input", { type: "text", hidden: true, value: isPlayer ? own : "puct:sims=200", spellcheck: "false", autocomplete: "off", "aria-label": `${game.seats[seat]}'s player as text`, placeholder: "puct:net=runs/first,sims=200" });
    const select = el("select", { "aria-label": `${game.seats[seat]}'s player`, onchange: () => {
      typed.hidden = select.value !== OTHER;
      this.wrong.hidden = true;
      if (!typed.hidden) typed.select();
    } }, this.levels(game.levels.at(-1).name), isPlayer ? el("option", { value: own }, `${own} (as in this game)`) : null, el("option", { value: OTHER }, "another player…"));
    return { element: el("div.player", select, typed), text: () => (select.value === OTHER ? typed.value.trim() : select.value) };
  }

  /** Begins the game if both players can play it; otherwise says in a line why not. */
  async check(players, button) {
    this.wrong.hidden = true;
    button.disabled = true;
    const { game, pieces } = this.recorded.again;
    const fault = await faultOf(this.context, { game, pieces }, players, this.recorded.game.seats);
    button.disabled = false;
    this.wrong.hidden = !fault;
    fill(this.wrong, fault);
    if (!fault) this.begin(players);
  }
}
