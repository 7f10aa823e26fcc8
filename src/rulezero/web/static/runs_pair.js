// Two runs side by side: the same figures on the same axes, or in two columns.

import { el, fill, kept, sorry } from "./dom.js";
import { Charts, overlaid } from "./runs_charts.js";
import { Figures, bar, chips, follow, state } from "./runs_words.js";

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mountPair(place, context, first, second) {
  const ids = [first, second];
  const runs = [null, null];
  const found = [new Figures(), new Figures()];
  const wrong = el("p.wrong", { role: "alert" });
  const unlike = el("p.warning", { hidden: true });
  const heads = ids.map(() => el("section.panel.half"));
  const key = el("p.dim", "Solid: the net. Dashed: the best constant answer. Dotted: training. Where a run has curves of several colours, the second run's are dashed.");
  const plots = el("div.plots", el("p.quiet", "Loading the curves…"));
  const charts = new Charts(plots);
  let isOverlaid = kept.read("rz.runs.overlaid") ?? true;
  const way = (value, words) => el("label.choice", el("input", { type: "radio", name: "way", checked: isOverlaid === value, onchange: () => { isOverlaid = value; kept.write("rz.runs.overlaid", value); draw(); } }), el("span.face", words));
  fill(place, el("p.crumbs", el("a", { href: "#runs" }, "Runs"), " / compare"),
    el("header.runtop", el("h1", "Two runs"), el("div.choices", { role: "radiogroup", "aria-label": "How the figures are shown" }, way(true, "Same axes"), way(false, "Two columns"))),
    wrong, unlike, el("div.halves", heads), key, plots);

  const names = () => {
    const [a, b] = runs.map((run) => run?.name ?? "…");
    return [a, b];
  };

  function draw() {
    if (!runs[0] || !runs[1]) return;
    const [a, b] = names();
    const isUnlike = runs[0].game !== runs[1].game;
    unlike.hidden = !isUnlike;
    if (isUnlike) {
      isOverlaid = false;
      unlike.textContent = `These runs learn different games, ${runs[0].title} and ${runs[1].title}: their numbers cannot be compared, so they are not drawn on the same axes.`;
      const [same, columns] = place.querySelectorAll("input[name=way]");
      same.disabled = columns.checked = true;
    }
    const groups = new Map();
    for (const group of found.flatMap((each) => each.groups)) {
      const known = groups.get(group.id) ?? { id: group.id, title: group.title, ids: [] };
      for (const { id } of group.figures) if (!known.ids.includes(id)) known.ids.push(id);
      groups.set(group.id, known);
    }
    charts.draw([...groups.values()].map(({ id, title, ids: figures }) => ({ id, title, figures: figures.flatMap((figure) => both(figure, a, b)) })), { isOver: runs.every((run) => run.isDone && !run.activity) });
    plots.classList.toggle("columns", !isOverlaid);
    key.hidden = !isOverlaid;
  }

  const made = new Map(); // by figure: what it was made of, so that plots are redrawn only then
  function both(id, a, b) {
    const [one, two] = found.map((each) => each.get(id));
    const about = `${id} ${isOverlaid}`;
    const known = made.get(about);
    if (known && known.one === one && known.two === two && known.a === a && known.b === b) return known.made;
    const isBars = [one, two].some((figure) => figure?.data.some((trace) => trace.type === "bar"));
    const named = (figure, at) => ({ ...figure, id: `${figure.id}-${at}`, about: `${[a, b][at]}: ${figure.about}` });
    const result = isOverlaid && !isBars ? [{ ...overlaid(one, two, [a, b]), id: `${id}-both` }]
      : [one, two].map((figure, at) => (figure ? named(figure, at) : { id: `${id}-${at}`, title: (one ?? two).title, about: "", data: [], layout: {} }));
    made.set(about, { one, two, a, b, made: result });
    return result;
  }

  const stops = ids.map((id, at) => follow(id, {
    lost: () => {},
    refused: () => context.check(),
    moment: (moment) => {
      if (moment.fault) { fill(wrong, moment.fault); return; }
      const isFirst = runs[at]?.name !== moment.row.name;
      runs[at] = moment.row;
      const run = moment.row;
      fill(heads[at], el("header", el("h2", el("i.swatch", { class: `swatch of${at}` }), el("a", { href: `#runs/${id}` }, run.name)), chips(run)), el("p.dim", `${run.recipe} ${run.preset}, ${state(run)}`), bar(run.share, run.name),
        el("dl.minis", moment.facts.map(({ name, words, note }) => el("div", el("dt", name), el("dd", words, note ? el("span.dim", ` ${note}`) : null)))));
      if (isFirst) draw();
    },
    figures: (news) => { found[at].take(news); draw(); },
  }));
  for (const id of ids) context.api(`/api/runs/${id}`).catch((error) => {
    if (error.status !== 404) return void fill(wrong, error.message);
    for (const stop of stops) stop();
    fill(place, sorry(`There is no run “${id}”`, "The list has all runs.", el("a.button.main", { href: "#runs" }, "All runs")));
  });
  return () => { for (const stop of stops) stop(); charts.close(); };
}
