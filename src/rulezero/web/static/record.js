// The list of moves of a game, and what is shown after its end.

import { counted, el, fill, percent, sentence } from "./dom.js";
import { FACES } from "./signs.js";

/** @typedef {import("./game.js").GameView} GameView */

const NAMES = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };

/** "12. White", before a choice. */
function turnOf(view, ply) {
  let at = ply;
  while (at > 0 && !view.plies[at].number) at--;
  const number = view.plies[at].number?.replace(/\.+$/, "");
  return [number ? `${number}.` : null, view.meta.seats[view.plies[ply].mover]].filter(Boolean).join(" ");
}

/** The faults of both sides, the worst first. */
function drawFaults(view, faults) {
  if (!faults.length) return el("p.quiet", "No mistakes found.");
  const worst = [...faults].sort((a, b) => (b.lost ?? 0) - (a.lost ?? 0));
  return el("ol.faults", { "aria-label": "Mistakes, the worst first" }, worst.map((each) => el("li",
    el("button.ply", { title: NAMES[each.mark], onclick: () => view.look(view.settled(each.ply + 1)) }, el("b.mark", { "data-mark": each.mark }, each.mark), el("span.dim", turnOf(view, each.ply)), view.plies[each.ply]?.say ?? ""),
    el("span.lost", { title: "winning chance that it lost" }, typeof each.lost === "number" ? `−${percent(each.lost)}` : ""),
    el("span.dim.better", { title: each.best ?? null }, each.best ? `better: ${each.best}` : ""),
    el("button.icon", { "aria-label": "Try again from here", title: "Try again from here", onclick: () => view.tryFrom(each.ply) }, "↺"))));
}

/** Turns of both seats in rows; dice stand beside the choice that they decide. */
export function drawMoves(view) {
  const turns = [];
  view.plies.forEach((ply, at) => {
    const last = turns.at(-1);
    if (last && (ply.mover === -1 || last.mover === ply.mover)) last.plies.push([at, ply]);
    else turns.push({ mover: ply.mover, plies: [[at, ply]] });
  });
  if (!turns.length) return fill(view.moves, el("p.quiet", "No moves yet."));
  const judged = new Map((view.review?.plies ?? []).map((each) => [each.ply, each]));
  const at = view.looking ?? view.plies.length;
  const focus = view.moves.contains(document.activeElement) ? document.activeElement.dataset.ply : null;
  const cell = (turn) => el("span.cell", turn?.plies.map(([ply, { say, mover, opening }]) => {
    if (mover === -1) return el("span.rolled", { title: `die ${say}` }, FACES[say] ?? `(${say})`);
    const mark = judged.get(ply)?.mark;
    const isHere = at === ply + 1 || (at > ply && view.plies.slice(ply + 1, at).every((next) => next.mover === -1));
    return el(`button.ply${isHere ? ".at" : ""}${opening ? ".opening" : ""}`, { "data-ply": ply + 1, onclick: () => view.look(view.settled(ply + 1)), "aria-current": isHere ? "step" : null },
      say, mark ? el(`b.mark`, { "data-mark": mark, title: NAMES[mark] }, mark) : null);
  }) ?? []);
  const rows = [];
  for (let index = 0; index < turns.length; ) {
    const first = turns[index].mover !== 1 ? turns[index++] : null;
    const second = turns[index]?.mover === 1 ? turns[index++] : null;
    const number = first?.plies.find(([, { number: found }]) => found)?.[1].number?.replace(/\.+$/, "") ?? second?.plies[0][1].number?.replace(/\.+$/, "") ?? String(rows.length + 1);
    rows.push(el("div.round", el("span.number", number), cell(first), cell(second)));
  }
  fill(view.moves, rows);
  if (focus) view.moves.querySelector(`[data-ply="${focus}"]`)?.focus({ preventScroll: true });
  const here = view.moves.querySelector(".at") ?? (view.looking === null ? view.moves.lastChild : null);
  if (here) {
    const top = here.closest(".round").offsetTop - view.moves.offsetTop;
    if (top < view.moves.scrollTop || top > view.moves.scrollTop + view.moves.clientHeight - 40) view.moves.scrollTop = top - view.moves.clientHeight / 2;
  }
}

/** After the game: how it ended, its curve, mistakes, and what next. */
export function drawEnd(view) {
  const { position, review } = view;
  view.end.hidden = !position?.over;
  if (!position?.over) { view.curve = null; return; }
  const me = view.isHuman(0) === view.isHuman(1) ? null : view.isHuman(0) ? 1 : -1;
  const outcome = position.outcome ?? 0;
  const title = me === null ? position.caption : outcome === 0 ? "A draw" : outcome * me > 0 ? "You won!" : "You lost";
  const points = review?.plies.length
    ? review.plies.flatMap((each, at) => [...(at === 0 && typeof each.value === "number" ? [{ ply: each.ply, value: each.value }] : []), { ply: each.ply + 1, value: each.after, mark: each.mark || undefined }])
    : [...view.values.values()].sort((a, b) => a.ply - b.ply).map(({ ply, value, wdl }) => ({ ply, value, wdl: wdl ?? undefined }));
  const isJudged = points.at(-1)?.ply === view.plies.length; // a resignation would look like a fall
  if (points.length && position.outcome !== null && !isJudged) points.push({ ply: view.plies.length, value: outcome });
  if (customElements.get("rz-curve")) {
    view.curve ??= el("rz-curve", { "onrz-ply": (event) => view.look(view.settled(event.detail.ply)) });
    Object.assign(view.curve, { seats: view.meta.seats, points, at: view.looking ?? view.plies.length });
  } else import("./curve.js").then(() => drawEnd(view), () => {});
  const faults = (review?.plies ?? []).filter(({ mark }) => mark);
  const doing = view.reviewing && `Analysing: ${view.reviewing.done} of ${view.reviewing.total} positions`;
  const next = [
    el("button.main", { onclick: () => view.rematch(false) }, "Play again"),
    me === null ? null : el("button", { title: "A new game in which you have the other side", onclick: () => view.rematch(true) }, "Swap sides"),
    review?.sides || view.reviewing ? null : el("button", { onclick: () => { view.reviewing = { done: 0, total: view.plies.length }; view.send({ do: "review" }); drawEnd(view); } }, "Find mistakes"),
    !view.context.me.owner ? null : view.isSaved ? el("a.button", { href: "#watch" }, "Saved: see it in Watch") : el("button", { onclick: () => view.send({ do: "save" }) }, "Save game"),
  ];
  fill(view.end, el("h2", sentence(title)), title === position.caption ? null : el("p.dim", sentence(position.caption)), el("div.row", next),
    doing ? el("p.dim", { role: "status" }, doing) : null,
    view.curve && points.length > 1 ? el("div.curvebox", view.curve, el("p.dim", `Top: ${view.meta.seats[0]} is winning. Click the curve to look back.`)) : null,
    review?.sides ? el("dl.sides", review.sides.map((side) => el("div", el("dt", side.name), el("dd", ["blunder", "mistake", "inaccuracy"].map((name) => counted(side[name === "inaccuracy" ? "inaccuracies" : `${name}s`], name)).join(", "))))) : null,
    review?.sides ? drawFaults(view, faults) : null);
}
