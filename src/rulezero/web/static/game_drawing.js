// What a game's page shows of the position: players, buttons, targets and facts.

import { RzBoard } from "/board.js";
import { el, fill, sentence } from "./dom.js";
import { drawEnd, drawMoves } from "./record.js";
import { FACES, die, icon } from "./signs.js";

/** @typedef {import("./game.js").GameView} GameView */

/** "strikes" as one: "strike". */
const one = (kind) => (/^[a-z]+s$/.test(kind) ? kind.slice(0, -1) : kind);

export function drawAll(view) {
  view.words = "";
  drawStrips(view);
  drawStatus(view);
  drawTray(view);
  drawMoves(view);
  drawInfo(view);
  drawEnd(view);
  const { tools, position } = view;
  const yours = view.players.some(({ kind }) => kind === "human");
  const chosen = view.plies.some(({ mover, opening }) => mover >= 0 && view.isHuman(mover) && !opening);
  const doubles = view.plies.some(({ mover }, at) => at > 0 && mover >= 0 && view.plies[at - 1].mover === mover);
  const alone = view.isHuman(0) !== view.isHuman(1); // one person against a program
  for (const name of ["undo", "undoTurn", "hint", "now", "swap", "resign"]) tools[name].hidden = !yours; // else disabled: the grid never shifts
  view.toolbox.classList.toggle("few", !yours);
  tools.undo.disabled = !chosen && !position.over;
  tools.undoTurn.disabled = tools.undo.disabled || !doubles;
  tools.flip.disabled = view.meta.falls;
  tools.hint.disabled = !position.moves.length || view.looking !== null;
  tools.now.disabled = !alone || position.over || position.mover < 0 || view.isHuman(position.mover);
  tools.swap.disabled = !alone || position.over;
  tools.pause.disabled = position.over;
  tools.resign.disabled = position.over || !position.moves.length;
  if (tools.resign.disabled) view.sure.hidden = true;
  tools.resign.hidden ||= !view.sure.hidden;
  tools.pause.hidden = view.paceLine.hidden = !view.isWatched;
  tools.pause.replaceChildren(icon(view.paused ? "go" : "pause"), el("span", view.paused ? "Continue" : "Pause"));
}

export function drawStrips(view) {
  if (!view.position) return;
  view.strips.forEach((strip, seat) => {
    const player = view.players[seat];
    const human = player?.kind === "human";
    const both = human && view.isHuman(1 - seat);
    const moves = !view.position.over && view.position.mover === seat;
    const thinks = view.thinking?.seat === seat && moves;
    const won = view.position.over && view.position.outcome !== null && (seat === 0 ? view.position.outcome > 0 : view.position.outcome < 0);
    const level = view.meta.levels.find(({ name }) => name === player?.name && player.kind === "level");
    const name = human ? (both ? view.meta.seats[seat] : "You") : player?.kind === "level" ? player.name : player?.text ?? "";
    const words = won ? "won" : thinks ? (view.thinking.waiting ? `${view.thinking.waiting} ${view.thinking.waiting === 1 ? "search is" : "searches are"} before it` : "thinking") : moves ? (human ? (both ? "to move" : "your turn") : "to move") : "";
    strip.className = `strip${moves ? " next" : ""}${won ? " won" : ""}`;
    fill(strip, el(`span.seat.s${seat}${view.meta.falls ? ".falls" : ""}`, { "aria-hidden": "true" }), el("strong", sentence(name)),
      el("span.dim", both ? "" : view.meta.seats[seat] + (level?.elo ? ` · ${level.elo} Elo${level.interval ? ` (${level.interval})` : ""}` : "")),
      words ? el(thinks ? "span.now.thinks" : "span.now", words) : null);
  });
}

function drawStatus(view) {
  const { position, plies } = view;
  view.status.hidden = position.over;
  const turn = [];
  if (!position.over) for (let at = plies.length - 1; at >= 0 && plies[at].mover === position.mover; at--) turn.unshift(plies[at]);
  const seat = view.meta.seats[position.mover];
  const title = position.over ? position.caption : position.mover === -1 ? "The die rolls" : view.isHuman(position.mover) && !view.isHuman(1 - position.mover) ? `Your turn, ${seat}` : `${seat} to move`;
  fill(view.status, el("h1", sentence(title)),
    turn.length ? el("p.turn", el("span.dim", "This turn so far"), turn.map(({ say }) => el("span.chip.on", say)), el("span.chip.next", "…")) : null);
  document.title = `${position.moves.length && !position.over ? "Your turn" : title} · ${view.meta.title}`;
}

/** Under the board: what each kind of target does, and moves that have no square. */
export function drawTray(view) {
  const { steps, candidates, done } = view.partial;
  const parts = [];
  const taken = new Set(["f", "u", "h"]);
  view.buttons = [];
  if (view.position && view.looking === null) {
    if (steps.length) {
      const kinds = [...new Set(candidates.filter((move) => move.touches.length > steps.length).map(({ kind }) => kind))];
      if (done.length > 1 && done.length === candidates.length) parts.push(el("span.kind", "Choose one on the board"));
      else {
        for (const move of done) parts.push(el("button.main.small", { onclick: () => view.choose(move) }, `Play ${move.say}`));
      }
      if (kinds.length > 1 || (kinds[0] && kinds[0] !== "moves")) {
        for (const kind of kinds) {
          const dot = el("i.dot");
          dot.style.background = RzBoard.colour(kind);
          parts.push(el("span.kind", dot, one(kind)));
        }
      }
      if (steps.length > 1 || done.length) parts.push(el("button.small", { onclick: () => view.board.cancel() }, "Cancel"));
    } else {
      for (const move of view.position.moves.filter(({ touches }) => !touches.length)) {
        const words = move.kind === "moves" ? (move.say === "end" ? "End turn" : move.say) : move.kind;
        const key = [...`${move.say}${words}`.toLowerCase()].find((letter) => /[a-z]/.test(letter) && !taken.has(letter));
        taken.add(key);
        view.buttons.push({ key, move });
        parts.push(el("button.main.small", { onclick: () => view.choose(move) }, sentence(words), key ? el("kbd", key.toUpperCase()) : null));
      }
      if (!parts.length && view.lastFace && view.plies.at(-1)?.mover === -1) parts.push(el("span.kind", die(view.plies.at(-1).say), "was rolled"));
    }
  }
  if (view.told && !view.words) parts.push(el("span.kind", view.told));
  if (view.words) parts.push(el("span.hintline", view.words));
  fill(view.tray, parts);
  if (parts.length) view.tray.classList.add("used"); // keeps its height from now on
  const away = view.looking !== null;
  view.past.hidden = !away;
  view.tray.hidden = away;
  if (away) {
    const made = view.plies.slice(0, view.looking);
    const last = made.findLast(({ mover }) => mover >= 0);
    fill(view.past, el("span", last ? `After ${last.say}${made.at(-1).mover === -1 ? ` ${FACES[made.at(-1).say] ?? ""}` : ""}` : "The start"),
      el("button.small.main", { onclick: () => view.look(view.plies.length) }, view.position.over ? "To the end" : "Back to the game"),
      el("button.small", { onclick: () => view.tryFrom(view.looking) }, "Play from here"));
  }
}

function drawInfo(view) {
  const shown = view.looking === null ? view.position : view.positions.get(view.looking);
  const rows = shown?.info ?? [];
  const isSquare = ([label]) => /^[a-z]\d+$/.test(label);
  for (const { kind } of shown?.moves ?? []) view.kinds.add(kind); // the board shows them
  const old = new Map(view.lastInfo ?? []);
  const row = ([label, words]) => el(old.size && old.get(label) !== words ? "div.changed" : "div", el("dt", label), el("dd", words));
  const general = rows.filter((each) => !isSquare(each) && !view.kinds.has(each[0]));
  const men = rows.filter(isSquare);
  const isOpen = view.info.querySelector("details")?.open ?? false;
  view.lastInfo = rows;
  view.info.hidden = !rows.length;
  fill(view.info, el("section.panel", general.length ? el("dl.facts", general.map(row)) : null,
    men.length ? el("details", { open: isOpen }, el("summary", `Men that have changed (${men.length})`), el("dl.facts", men.map(row))) : null));
  view.info.hidden = !general.length && !men.length;
}
