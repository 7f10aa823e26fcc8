// The rules view: the text of a game's rules beside a board on which one can try them.

import "/board.js";
import { el, fill, sentence, sorry } from "./dom.js";
import { drawn } from "./styled.js";

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mount(place, context) {
  return drawn(place, "/static/rules.css", () => page(place, context));
}

async function page(place, context) {
  const known = context.games;
  const [wanted] = context.path;
  const game = wanted ? known.find(({ text, name }) => [text, name].includes(wanted)) : known[0];
  if (!game && wanted) {
    fill(place, sorry(`There is no game “${wanted}” here`, "Choose one of the games of this server.", el("a.button.main", { href: "#rules" }, "All rules")));
    return null;
  }
  if (!game) {
    fill(place, el("p.quiet", "This server offers no games."));
    return null;
  }
  document.title = `${game.title}: rules · rulezero`;
  const tabs = el("nav.tabs", { "aria-label": "Games" }, known.map((each) =>
    el("a", { href: `#rules/${encodeURIComponent(each.text)}`, "aria-current": each === game ? "page" : null }, each.title)));
  const text = el("article.prose", el("p.quiet", "Loading…"));
  const side = trial(game, context);
  fill(place, tabs, el("div.rulespage",
    el("div", el("header.titled", el("h1", game.title), el("p.dim", game.about)), text), side));
  tabs.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  try {
    const { html } = await context.api(`/api/rules/${encodeURIComponent(game.text)}`);
    if (html) {
      text.innerHTML = html; // made by the server from its own documentation
      const first = text.querySelector("p")?.firstChild; // it begins with the name, which is the heading here
      if (first?.data?.startsWith(game.title)) first.data = sentence(first.data.slice(game.title.length).replace(/^[.,:]?\s*/, ""));
    }
    else fill(text, el("p", "This game is in a file of the owner of this server; its rules are not described here. Try its moves on the board."));
  } catch (error) {
    fill(text, el("p.wrong", { role: "alert" }, error.message));
  }
  return null;
}

/** A board on which a person moves for both sides. */
function trial(game, context) {
  const board = el("rz-board");
  board.game = game;
  board.flipped = false;
  board.interactive = true;
  const caption = el("p.trycaption", { "aria-live": "polite" });
  const extra = el("div.row.extra");
  const wrong = el("p.wrong", { role: "alert" });
  const facts = el("p.dim.tryfacts");
  let actions = [];
  let start = null; // the text of the position in which the trial began
  let seed = 3;
  let asked = 0;
  const button = (words, action, made = "button.small") => el(made, { onclick: action }, words);
  const back = button("Undo", () => { actions.pop(); show(); });
  const anew = button(game.randomStart ? "Another start" : "Start position", () => {
    if (game.randomStart && !actions.length) seed += 1;
    actions = [];
    start = null;
    show();
  });
  const turn = button("Flip", () => { board.flipped = !board.flipped; });
  const play = el("button.main", { onclick: () => {
    const position = board.position;
    const isNew = !actions.length && !game.randomStart;
    context.go(`#play/${encodeURIComponent(game.text)}`, isNew ? { game: game.text } : { game: game.text, start: position?.text });
  } }, "Play it");

  async function show() {
    const mine = ++asked;
    try {
      const position = await context.api("/api/try", { body: { game: game.text, start, seed, actions } });
      if (mine !== asked) return;
      start ??= actions.length ? null : position.text;
      wrong.textContent = "";
      board.position = position;
      caption.textContent = position.caption;
      const moves = new Set(position.moves.map(({ text: words }) => words));
      facts.textContent = position.info.filter(([, words]) => words.length < 60 && !words.split(" ").every((each) => moves.has(each))).map(([label, words]) => `${label}: ${words}`).slice(0, 3).join(" · ");
      play.textContent = position.over ? "Play it" : actions.length ? "Play from here" : "Play it";
      back.disabled = !actions.length;
      buttons([]);
    } catch (error) {
      if (mine !== asked) return;
      wrong.textContent = error.message;
      actions.pop();
      board.cancel();
    }
  }

  /** Moves without squares, and a move that is complete but could go on. */
  function buttons(done) {
    const free = board.position?.moves.filter(({ touches }) => !touches.length) ?? [];
    fill(extra, [...done, ...free].map((move) => {
      const isDie = board.position.mover === -1;
      return button(isDie ? `die ${move.say}` : move.say, () => choose(move.action));
    }));
  }

  function choose(action) {
    actions.push(action);
    show();
  }
  board.addEventListener("rz-move", (event) => choose(event.detail.action));
  board.addEventListener("rz-partial", (event) => buttons(event.detail.done));
  show();
  return el("aside.trial", { "aria-label": "Try the moves" },
    el("div.panel", el("header", el("h2", "Try the moves"), turn, back),
      el("p.dim", "Click a man to see where it may go. You move for both sides."),
      el("div.tryboard", board), caption, facts, extra, wrong, el("div.row", play, anew)));
}
