// What all parts of the runs view share: words, bars, chips and dialogs.

import { el } from "./dom.js";

export const PHASES = { generate: "Self-play", fit: "Fit", evaluate: "Evaluation" };

/** "5 min ago" */
export function ago(seconds) {
  if (!seconds) return "";
  const age = Math.max(0, Date.now() / 1000 - seconds);
  if (age < 60) return "just now";
  if (age < 5400) return `${Math.round(age / 60)} min ago`;
  if (age < 129_600) return `${Math.round(age / 3600)} h ago`;
  return `${Math.round(age / 86_400)} days ago`;
}

/** "40 s", "3 min" */
export const span = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);

/** Whether this can be the id of a run. */
export const isRun = (id) => /^[0-9a-f]{12}$/.test(id);

/** Whether a run was stopped, or has failed, before it had a folder. */
export const isHalted = (run) => !run.recipe && !run.activity;

/** Where a run stands, in words. */
export function state(run) {
  if (run.activity === "starting") return "starting…";
  if (isHalted(run)) return run.fault ? "" : "Stopped before it began";
  if (!run.recipe) return "";
  if (run.isDone) return `${run.iterations} iteration${run.iterations === 1 ? "" : "s"}`;
  return `iteration ${run.iteration} of ${run.iterations}, ${PHASES[run.phase]?.toLowerCase()}`;
}

export function chips(run) {
  const found = [];
  if (run.activity === "stopping") found.push(el("span.chip", "stopping"));
  else if (run.activity) found.push(el("span.chip.on.training", { title: run.activity === "elsewhere" ? "It was started outside of this page" : null }, run.activity === "elsewhere" ? "trains elsewhere" : "training"));
  else if (run.fault) found.push(el("span.chip.fails", "failed"));
  else if (run.recipe) found.push(el("span.chip", run.isDone ? "finished" : "stopped"));
  if (run.warnings) found.push(el("span.chip.warns", `${run.warnings} warning${run.warnings > 1 ? "s" : ""}`));
  return found;
}

/** A progress bar; share null: it is not known how far it is. */
export function bar(share, label) {
  const done = share === null ? null : Math.max(0, Math.min(1, share));
  return el(done === null ? "div.progress.unknown" : "div.progress", { role: "progressbar", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": done === null ? null : String(Math.round(100 * done)) },
    el("i", { style: `width: ${done === null ? 30 : (100 * done).toFixed(1)}%` }));
}

/** The lines of a text area, without empty ones and comments. */
export const lines = (area) => area.value.split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));

/** Shows a form as a dialog. */
export function asked(form) {
  const box = el("dialog.runs", form);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

/** Follows a run by server-sent events. Returns a function that ends it. */
export function follow(id, { moment, figures, lost, refused }) {
  let source = null;
  let timer = 0;
  const open = () => {
    source = new EventSource(`/api/runs/${id}/events`);
    source.addEventListener("moment", (event) => { lost(false); moment(JSON.parse(event.data)); });
    source.addEventListener("figures", (event) => figures(JSON.parse(event.data)));
    source.addEventListener("fault", (event) => moment({ fault: JSON.parse(event.data) }));
    source.addEventListener("error", () => {
      lost(true);
      if (source.readyState === EventSource.CLOSED) refused?.();
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, 4000);
    });
  };
  const hide = () => source?.close();
  addEventListener("pagehide", hide);
  open();
  return () => { clearTimeout(timer); removeEventListener("pagehide", hide); source?.close(); };
}

/** Figures as they arrive: only those that changed are sent. */
export class Figures {
  #known = new Map();
  #groups = [];

  take({ groups, figures }) {
    for (const figure of figures) this.#known.set(figure.id, figure);
    this.#groups = groups;
  }

  get(id) { return this.#known.get(id); }

  get groups() {
    return this.#groups.map((group) => ({ ...group, figures: group.figures.map((id) => this.#known.get(id)).filter(Boolean) }));
  }
}
