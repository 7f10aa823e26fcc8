// One run: where it stands, its newest games, its curves and its experiment.

import { el, fill, sorry } from "./dom.js";
import { Charts, asCsv } from "./runs_charts.js";
import { Replay } from "./runs_game.js";
import { Figures, PHASES, ago, asked, bar, chips, follow, isHalted, lines, span, state } from "./runs_words.js";
import { explained } from "./terms.js";

const narrow = matchMedia("(max-width: 560px)");
const KEY = /\b[a-z_]+(?:\.[a-z_0-9]+)+\b/g;

/** @param {HTMLElement} place @param {import("./main.js").Context} context @param {string} id */
export function mountOne(place, context, id) {
  let close = null;
  let isClosed = false;
  fill(place, el("p.quiet", "Loading…"));
  context.api(`/api/runs/${id}`).then((details) => {
    if (!isClosed) close = show(place, context, id, details);
  }, (error) => {
    if (isClosed) return;
    const title = error.status === 404 ? "There is no such run" : "This run cannot be shown";
    fill(place, sorry(title, error.message, el("a.button.main", { href: "#runs" }, "All runs")));
  });
  return () => { isClosed = true; close?.(); };
}

function show(place, context, id, given) {
  let details = given;
  const { row } = details;
  document.title = `${row.name} · rulezero`;
  const title = el("div.runtitle");
  const tools = el("div.row.runtools");
  const wrong = el("p.wrong", { role: "alert" });
  const lost = el("p.warning", { hidden: true, role: "status" }, "The connection is lost. Trying again…");
  const now = el("section.panel.phase", { "aria-label": "Progress" });
  const tiles = el("dl.tiles");
  const warned = el("section.alarms", { "aria-label": "Warnings", hidden: true });
  const board = el("div.replay");
  const news = el("ol.news", { "aria-label": "What happened last" });
  const output = el("details.output", el("summary", "Output"), el("pre"));
  const plots = el("div.plots", el("p.quiet", "Loading the curves…"));
  const fleet = el("section.panel.fleet", { hidden: true, "aria-label": "Fleet" });
  const experiment = el("section.panel.experiment", { "aria-label": "Experiment" });
  fill(place, el("p.crumbs", el("a", { href: "#runs" }, "Runs"), " / ", row.name),
    el("header.runtop", title, tools), wrong, lost, now, tiles, warned,
    el("div.pair", el("section.panel.games", el("header", el("h2", "Newest game")), board),
      el("section.panel", el("details.fold", { open: !narrow.matches }, el("summary", el("h2", "What happened")), news, output))),
    fleet, plots, experiment);

  const charts = new Charts(plots);
  const figures = new Figures();
  const replay = new Replay(board, context, id);
  const keys = new Experiment(experiment, details);
  let current = row;
  let moment = null;
  let toolsShown = "";
  let fleetTimer = 0;
  let isOpen = true;

  const act = async (path, body, words) => {
    fill(wrong);
    try {
      await context.api(`/api/runs/${id}/${path}`, { body });
      context.announce(words);
    } catch (error) {
      fill(wrong, error.message);
    }
  };
  const again = (proposed = "") => resumeDialog(context, id, current, proposed);

  function drawTools() {
    const text = JSON.stringify([current.activity, current.isDone, current.recipe, current.best, details.play]);
    if (text === toolsShown) return;
    toolsShown = text;
    const play = details.play && el("button", { onclick: () => context.go("#play", details.play) }, "Play its best net");
    const trains = current.activity === "here" || current.activity === "starting";
    fill(tools,
      trains ? el("button", { onclick: () => act("stop", {}, "The run stops.") , title: "Stops cleanly, as Ctrl-C does; Resume continues it" }, "Stop") : null,
      !current.activity && current.recipe ? el("button.main", { onclick: () => (current.isDone ? again() : act("resume", {}, "The run goes on.")) }, current.isDone ? "Train longer" : "Resume") : null,
      play,
      current.recipe ? el("a.button", { href: `/api/runs/${id}/report`, target: "_blank", rel: "noopener", title: "One HTML file that works offline" }, "Report") : null,
      current.recipe ? el("button", { onclick: download, title: "The numbers of all curves as comma-separated values" }, "CSV") : null,
      current.recipe ? el("a.button", { href: `#watch/${id}` }, "All games") : null,
      el("button", { onclick: () => compareDialog(context, id) }, "Compare"));
  }

  function download() {
    const file = new Blob([asCsv(figures.groups)], { type: "text/csv" });
    const link = el("a", { href: URL.createObjectURL(file), download: `${current.name.replaceAll("/", "_")}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  function drawPhase() {
    const progress = moment?.progress;
    const steps = Object.entries(PHASES).map(([phase, words]) =>
      el(current.activity && phase === current.phase && !current.isDone ? "li.on" : "li", { "aria-current": phase === current.phase && current.activity ? "step" : null }, words));
    const isAway = current.activity === "elsewhere" ? el("p.dim", "It was started outside of this page: stop it there with Ctrl-C.") : null;
    const whole = el("div.track", el("span", state(current) || "not begun"), el("span.dim", `${Math.floor(100 * current.share)}\u202f%`), bar(current.share, "The whole run"));
    now.classList.toggle("still", !current.activity);
    fill(now, current.activity ? el("ol.phases", { "aria-label": "Phases of an iteration" }, steps) : null, whole, progress ? partOf(progress, current) : null, isAway);
  }

  function drawAlarms(found) {
    warned.hidden = !found.length;
    fill(warned, found.map(({ wrong: words, remedy, iteration }) => {
      const named = [...new Set(remedy.match(KEY) ?? [])].filter((key) => keys.has(key));
      return el("article.alarm", el("h3", capital(words)), remedy ? el("p", `${capital(remedy)}.`) : null,
        el("div.row", el("span.dim", `iteration ${iteration}`), named.map((key) => el("button.small", { onclick: () => keys.find(key), title: "Show it in the experiment" }, key)),
          named.length && !current.activity ? el("button.small", { onclick: () => again(named.map((key) => `${key}=${keys.value(key)}`).join("\n")) }, "Resume with a change") : null));
    }));
  }

  async function drawFleet() {
    clearTimeout(fleetTimer);
    const { fleet: found } = await context.api(`/api/runs/${id}/fleet`).catch(() => ({ fleet: null }));
    if (!isOpen) return;
    fleet.hidden = !found;
    if (found) showFleet(fleet, found);
    fleetTimer = setTimeout(drawFleet, 5000);
  }

  /** In place of a run without a folder. */
  function leave(before) {
    const all = el("a.button.main", { href: "#runs" }, "All runs");
    const forget = () => context.api(`/api/runs/${id}/forget`, { body: {} }).catch(() => {});
    const remove = el("button", { onclick: async () => { await forget(); context.go("#runs"); } }, "Remove");
    const again = el("button.main", { onclick: async () => { await forget(); context.go("#runs", { begin: row.name }); } }, "Start again");
    if (before.recipe) fill(place, sorry("This folder is gone", `The folder of ${row.name} was deleted, moved or renamed.`, all));
    else fill(place, sorry(current.fault ? "This run cannot be shown" : "Stopped before it began", current.fault ?? `${row.name} was stopped before its folder was made.`, again, remove));
  }

  let seen = "";
  const stop = follow(id, {
    lost: (isLost) => { lost.hidden = !isLost; },
    refused: () => context.check(), // perhaps the server has begun anew
    moment: async (found) => {
      if (found.fault) { fill(wrong, found.fault); return; }
      const before = current;
      moment = found;
      current = found.row;
      if (isHalted(current)) return void leave(before);
      fill(title, el("h1", current.name), el("p", el("span.dim", [current.recipe && `${current.recipe} ${current.preset}`, current.title !== current.recipe && current.title, current.changed && ago(current.changed)].filter(Boolean).join(" · ")), " ", chips(current)));
      if (current.fault) fill(wrong, current.fault); else if (before.fault) fill(wrong);
      drawTools();
      drawPhase();
      fill(tiles, found.facts.map(({ name, words, note }) => el("div", el("dt", explained(name)), el(/^[a-z]/.test(words) && words.includes(" ") ? "dd.plainly" : "dd", words), note ? el("dd.dim", { title: note }, explained(note)) : null)));
      const text = JSON.stringify([found.warnings, found.news, current.activity]);
      if (text !== seen) {
        drawAlarms(found.warnings);
        fill(news, found.news.length ? found.news.toReversed().map((line) => el("li", line)) : el("li.dim", current.activity ? "It begins with its first games; this takes some seconds." : "Nothing so far."));
        seen = text;
      }
      output.hidden = !found.output.length;
      output.lastElementChild.textContent = found.output.join("\n");
      if (current.hasFleet && !fleetTimer) drawFleet();
      const isNew = (!before.recipe && current.recipe) || before.best !== current.best || before.iterations !== current.iterations || (before.activity && !current.activity);
      if (isNew) {
        details = await context.api(`/api/runs/${id}`).catch(() => details);
        if (!isOpen) return;
        keys.take(details);
        drawTools();
      }
    },
    figures: (found) => { figures.take(found); charts.draw(figures.groups, { isOver: current.isDone && !current.activity }); },
  });
  fill(title, el("h1", row.name));
  drawTools();
  drawPhase();
  const clock = setInterval(() => { if (moment?.progress) drawPhase(); }, 1000);
  return () => { isOpen = false; stop(); clearInterval(clock); clearTimeout(fleetTimer); charts.close(); replay.close(); };
}

const capital = (words) => words.slice(0, 1).toUpperCase() + words.slice(1);

/** The bar of the present phase: games, or the time that it usually takes. */
function partOf(progress, row) {
  const words = PHASES[row.phase];
  const age = progress.since ? Math.max(0, Date.now() / 1000 - progress.since) : 0;
  if (progress.total) {
    const most = progress.isMost ? "at most " : "";
    return el("div.track", el("span", words), el("span.dim", `${progress.done} of ${most}${progress.total} games`), bar(progress.done / progress.total, words));
  }
  const share = progress.usual >= 1 ? Math.min(0.97, age / progress.usual) : null;
  const about = [age ? span(age) : "", progress.usual >= 1 ? `usually ${span(progress.usual)}` : ""].filter(Boolean).join(", ");
  return el("div.track", el("span", words), el("span.dim", about), bar(share, words));
}

/** All keys of the experiment, to be searched. */
class Experiment {
  #keys = [];
  #body = el("div.keys");
  #search = el("input", { type: "search", placeholder: "Search keys, such as fit.rate", "aria-label": "Search the experiment", spellcheck: "false" });
  #count = el("span.dim", { role: "status" });
  #about = el("p.dim");
  #place;

  constructor(place, details) {
    this.#place = place;
    this.#search.addEventListener("input", () => this.#draw());
    fill(place, el("details.fold", { open: !narrow.matches }, el("summary", el("h2", "Experiment"), this.#count), el("p.row.search", this.#search, el("a", { href: "#runs/keys", target: "_blank" }, "What the keys mean")), this.#body, this.#about));
    this.take(details);
  }

  take({ keys, manifest }) {
    this.#keys = keys;
    this.#place.hidden = !keys.length; // a run that starts has none so far
    const libraries = Object.entries(manifest.libraries ?? {}).map(([name, version]) => `${name} ${version}`);
    fill(this.#about, manifest.rulezero ? `rulezero ${manifest.rulezero}, Python ${manifest.python}, ${libraries.join(", ")}; rules ${String(manifest.rules_hash).slice(0, 12)}` : "");
    this.#draw();
  }

  has(key) { return this.#keys.some(([name]) => name === key); }

  value(key) { return this.#keys.find(([name]) => name === key)?.[1] ?? ""; }

  find(key) {
    this.#search.value = key;
    this.#place.querySelector("details").open = true;
    this.#draw();
    this.#search.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    this.#search.focus({ preventScroll: true });
  }

  #draw() {
    const wanted = this.#search.value.trim().toLowerCase();
    const found = this.#keys.filter(([name, value]) => `${name}=${value}`.toLowerCase().includes(wanted));
    this.#count.textContent = wanted ? `${found.length} of ${this.#keys.length} keys` : `${this.#keys.length} keys`;
    fill(this.#body, found.length ? el("dl", found.map(([name, value]) => el("div", el("dt", name), el("dd", value)))) : el("p.quiet", "No key has this text."));
  }
}

function resumeDialog(context, id, run, proposed) {
  const number = el("input", { type: "number", name: "iterations", min: String(run.iteration), max: "1000000", value: String(run.isDone ? Math.max(run.iterations + 1, Math.round(run.iterations * 1.5)) : run.iterations) });
  const changes = el("textarea", { name: "changes", rows: 3, spellcheck: "false", placeholder: "fit.rate.start=0.001" });
  changes.value = proposed;
  const wrong = el("p.wrong", { role: "alert" });
  const go = el("button.main", { type: "submit" }, "Train");
  const form = el("form", el("header", el("h2", `Train ${run.name}`), el("button.icon", { type: "button", "aria-label": "Close", onclick: () => box.close() }, "✕")),
    el("label.field", el("span", "Iterations in all"), number),
    el("label.field", el("span", "Changes, one key=value per line"), changes),
    el("p.dim", "They apply from the next iteration on. An iteration that has begun is finished with the old values."), wrong, el("footer.row", go));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(wrong);
    go.disabled = true;
    try {
      const iterations = Number(number.value);
      await context.api(`/api/runs/${id}/resume`, { body: { iterations: iterations === run.iterations ? null : iterations, changes: lines(changes) } });
      box.close();
      context.announce("The run goes on.");
    } catch (error) {
      fill(wrong, error.message);
    }
    go.disabled = false;
  });
  const box = asked(form);
}

async function compareDialog(context, id) {
  const { runs } = await context.api("/api/runs").catch(() => ({ runs: [] }));
  const others = runs.filter((run) => run.id !== id && run.recipe);
  const form = el("form", el("header", el("h2", "Compare with"), el("button.icon", { type: "button", "aria-label": "Close", onclick: () => box.close() }, "✕")),
    others.length ? el("ul.others", others.map((run) => el("li", el("a", { href: `#runs/${id}/${run.id}`, onclick: () => box.close() }, el("strong", run.name), el("span.dim", `${run.recipe} ${run.preset}, ${state(run)}`)))))
      : el("p.dim", "There is no other run yet."));
  const box = asked(form);
}

function showFleet(place, found) {
  const flags = found.tokens.filter((token) => token.flag);
  const busy = found.tokens.filter((token) => token.games || token.recent);
  fill(place, el("header", el("h2", "Fleet"), el(found.isRunning ? "span.chip.on" : "span.chip", found.isRunning ? "server is running" : "server is not running")),
    el("p", `${found.games.toLocaleString("en")} games stored, ${found.gamesPerSecond.toFixed(1)} games/s in the last minute, ${found.workers.length} worker${found.workers.length === 1 ? "" : "s"} in the last hour.`),
    flags.map((token) => el("p.warning", `${token.name} is flagged: ${token.flag}`)),
    busy.length ? el("div.scroll", el("table", el("thead", el("tr", ["token", "games", "last minute", "workers", "state"].map((words) => el("th", { scope: "col" }, words)))),
      el("tbody", busy.map((token) => el("tr", el("td", token.name), el("td", token.games.toLocaleString("en")), el("td", String(token.recent)),
        el("td", found.workers.filter((worker) => worker.token === token.name).map(({ name, taken }) => `${name} (${ago(taken)})`).join(", ") || "–"), el("td", token.state)))))) : el("p.quiet", "No worker has delivered games yet."));
}
