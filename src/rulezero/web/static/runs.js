// The runs view: all runs, and how one is started. runs_one.js shows one run, runs_pair.js two.

import { el, fill, sorry } from "./dom.js";
import { mountOne } from "./runs_one.js";
import { mountPair } from "./runs_pair.js";
import { ago, asked, bar, chips, isHalted, isRun, lines, state } from "./runs_words.js";
import { drawn } from "./styled.js";

const REFRESH = 3000;

function addSheet() {
  if (!document.querySelector('link[href="/static/runs.css"]')) document.head.append(el("link", { rel: "stylesheet", href: "/static/runs.css" }));
}

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mount(place, context) {
  addSheet();
  if (!context.me.owner) {
    fill(place, el("section.sorry", el("h1", "Runs are for the owner of this server"),
      el("p", "Here the owner trains nets and watches how they learn. If this is your server, open the address that ", el("code", "rulezero serve"), " printed: it ends in ", el("code", "#owner=…"), "."),
      el("a.button.main", { href: "#play" }, "Play a game")));
    return () => {};
  }
  const [first, second] = context.path;
  if (first === "keys") return drawn(place, "/static/rules.css", () => showKeys(place, context));
  const wrong = context.path.find((id) => !isRun(id));
  if (wrong !== undefined || context.path.length > 2) {
    fill(place, sorry(`There is no run “${wrong ?? context.path.join("/")}”`, "The list has all runs.", el("a.button.main", { href: "#runs" }, "All runs")));
    return () => {};
  }
  if (first && second) return mountPair(place, context, first, second);
  if (first) return mountOne(place, context, first);
  return mountList(place, context);
}

function mountList(place, context) {
  const list = el("div.runlist", { role: "list" });
  const wrong = el("p.wrong", { role: "alert" });
  const about = el("p.quiet");
  const { begin } = context.passed ?? {}; // the name of a run that is started again
  if (begin) context.api("/api/runs").then((found) => dialog(context, found, begin), () => {});
  const compare = el("button.small", { disabled: true, onclick: () => context.go(`#runs/${[...chosen].join("/")}`) }, "Compare");
  const start = el("button.main", { onclick: () => dialog(context, known) }, "New run");
  const chosen = new Set();
  let known = { runs: [] };
  let timer = 0;
  let isOpen = true;
  let shown = "";
  fill(place, el("header.runtop", el("div", el("h1", "Runs"), el("p.dim", "Train a net by a recipe, and watch what it learns.")), el("div.row", compare, start)), wrong, list, about);

  const choose = (id, box) => {
    if (box.checked) chosen.add(id); else chosen.delete(id);
    for (const each of list.querySelectorAll("input[type=checkbox]")) each.disabled = chosen.size >= 2 && !each.checked;
    compare.disabled = chosen.size !== 2;
    compare.textContent = chosen.size === 2 ? "Compare the two" : chosen.size ? "Choose one more" : "Compare";
  };

  const rowOf = (run) => {
    const box = el("input", { type: "checkbox", "aria-label": `Compare ${run.name}`, checked: chosen.has(run.id), disabled: chosen.size >= 2 && !chosen.has(run.id) });
    box.addEventListener("change", () => choose(run.id, box));
    const forget = async () => { await context.api(`/api/runs/${run.id}/forget`, { body: {} }).catch(() => {}); await refresh(); };
    const again = async () => { await forget(); dialog(context, known, run.name); };
    const ways = isHalted(run) ? el("div.row.ways", el("button.small", { onclick: again }, "Start again"), el("button.small", { onclick: forget }, "Remove")) : null;
    return el("article.run", { role: "listitem", "data-activity": run.activity },
      el("label.pick", { title: "Choose two runs to compare" }, box),
      el("div.runname", el("a", { href: `#runs/${run.id}` }, run.name), el("p.dim", [run.recipe && `${run.recipe} ${run.preset}`, run.title !== run.recipe && run.title].filter(Boolean).join(" · "))),
      el("div.runbar", bar(run.share, `${run.name}: ${Math.round(100 * run.share)} % done`), el("p.dim", state(run), el("span.agein", ago(run.changed) && ` · ${ago(run.changed)}`))),
      el("div.runchips", chips(run)), el("p.dim.runage", ago(run.changed)), ways,
      run.fault ? el("p.wrong", run.fault) : null);
  };

  async function refresh() {
    clearTimeout(timer);
    try {
      known = await context.api("/api/runs");
      if (!isOpen) return;
      fill(wrong);
      const text = JSON.stringify([known.runs, Math.floor(Date.now() / 60_000)]);
      const ids = new Set(known.runs.map(({ id }) => id));
      for (const id of chosen) if (!ids.has(id)) chosen.delete(id);
      if (text !== shown) {
        const focused = list.contains(document.activeElement) ? [document.activeElement.tagName, [...list.querySelectorAll(document.activeElement.tagName)].indexOf(document.activeElement)] : null;
        fill(list, known.runs.length ? known.runs.map(rowOf) : el("section.empty", el("h2", "No runs yet"),
          el("p", "A run plays games against itself, fits a net to them, and repeats. A tiny one takes less than a minute."),
          el("button.main", { onclick: () => dialog(context, known) }, "Start the first run")));
        if (focused) list.querySelectorAll(focused[0])[focused[1]]?.focus();
        compare.hidden = known.runs.length < 2;
      }
      shown = text;
      fill(about, `These are the runs in the folder ${known.place}. At most ${known.most} train at the same time from this page. They are stopped cleanly when the server ends; Resume continues them exactly where they were.`);
    } catch (error) {
      if (isOpen) fill(wrong, error.message);
    }
    if (isOpen) timer = setTimeout(() => (document.hidden ? timer = setTimeout(refresh, REFRESH) : refresh()), REFRESH);
  }
  refresh();
  return () => { isOpen = false; clearTimeout(timer); };
}

// --- a new run ---

const SIZES = { tiny: "about a minute: shows that all of it works", small: "half an hour or more: the net learns to play" };

/** The first free name of RECIPE_PRESET_N. */
function freeName(runs, recipe, preset) {
  const names = new Set(runs.map(({ name }) => name));
  let number = 1;
  while (names.has(`${recipe}_${preset}_${number}`)) number += 1;
  return `${recipe}_${preset}_${number}`;
}

/** The keys of recipes, from the documentation. */
async function showKeys(place, context) {
  const text = el("article.prose");
  fill(place, el("p.crumbs", el("a", { href: "#runs" }, "Runs"), " / ", "keys"), el("h1", "Keys of a recipe"), text);
  const { html } = await context.api("/api/keys");
  text.innerHTML = html; // made by the server from its own documentation
  for (const link of text.querySelectorAll("a")) link.replaceWith(...link.childNodes); // to documents that the page does not have
  return null;
}

async function dialog(context, known, wanted = "") {
  let recipes;
  try {
    ({ recipes } = await context.api("/api/recipes"));
  } catch (error) {
    context.announce(error.message);
    return;
  }
  const option = (group, value, isOn, ...words) => el("label.choice", el("input", { type: "radio", name: group, value, checked: isOn, required: true }), el("span.face", ...words));
  const usual = recipes.find(({ game }) => game === context.games[0]?.text) ?? recipes[0];
  const name = el("input", { type: "text", name: "name", required: true, maxlength: 60, pattern: "[A-Za-z0-9_][A-Za-z0-9_\\-]*", title: "Letters, digits, - and _", spellcheck: "false", autocomplete: "off" });
  const changes = el("textarea", { name: "changes", rows: 3, spellcheck: "false", placeholder: "iterations=20\nselfplay.games=100", "aria-describedby": "changes-help" });
  const wrong = el("p.wrong", { role: "alert" });
  const times = el("ul.times", { "aria-live": "polite" });
  const go = el("button.main", { type: "submit" }, "Start training");
  const guess = el("button.small", { type: "button" }, "Estimate the time");
  const form = el("form", 
    el("header", el("h2", "New run"), el("button.icon", { type: "button", "aria-label": "Close", onclick: () => box.close() }, "✕")),
    el("fieldset", el("legend", "Recipe"), el("div.recipes", recipes.map((each) => option("recipe", each.name, each === usual, el("strong", each.name), el("span.dim", each.about))))),
    el("fieldset", el("legend", "Size"), el("div.sizes", Object.entries(SIZES).map(([preset, words], at) => option("preset", preset, at === 0, el("strong", preset), el("span.dim", words))))),
    el("label.field", el("span", "Name"), name),
    el("details", el("summary", "Changes to the recipe"), el("p.dim", { id: "changes-help" }, "One key=value per line, as with --set. ", el("a", { href: "#runs/keys", target: "_blank" }, "All keys, and what they mean")), changes),
    times, wrong, el("footer.row", guess, go));
  const order = () => ({ recipe: form.elements.recipe.value, preset: form.elements.preset.value, changes: lines(changes) });
  const propose = () => {
    const { recipe, preset } = order();
    if (!name.value || name.dataset.proposed === name.value) name.value = name.dataset.proposed = freeName(known.runs, recipe, preset);
    fill(times);
    fill(wrong);
  };
  form.addEventListener("change", (event) => { if (event.target.type === "radio") propose(); });
  guess.addEventListener("click", async () => {
    fill(wrong);
    fill(times, el("li.dim", "Measuring parts of the run, which takes up to a minute…"));
    guess.disabled = true;
    try {
      const { lines: found } = await context.api("/api/runs/estimate", { body: order() });
      fill(times, found.map((line) => el("li", line)));
    } catch (error) {
      fill(times);
      fill(wrong, error.message);
    }
    guess.disabled = false;
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(wrong);
    go.disabled = true;
    try {
      const { id } = await context.api("/api/runs", { body: { ...order(), name: name.value.trim() } });
      box.close();
      context.go(`#runs/${id}`);
    } catch (error) {
      fill(wrong, error.message);
    }
    go.disabled = false;
  });
  const box = asked(form);
  name.value = wanted;
  propose();
}
