// The watch view: stores and runs, the list of their games, and one game (watch_game.js).
//
// #watch                       the store that changed last
// #watch/STORE?game=...&page=1 its games, filtered
// #watch/STORE/GAME?ply=12     one game

import { counted, el, fill, sorry } from "./dom.js";
import { mountGame, sayCause } from "./watch_game.js";

const FILTERS = ["game", "result", "cause", "purpose", "shortest", "longest", "player", "iteration"];
const MOST_DOWNLOADED = 1000; // games in a file, as in watch.py
const POLL = { reading: 600, resting: 10000 }; // milliseconds

const ICONS = { run: "M3 15l4.5-5 3.5 3 6-8M13 5h4v4", store: "M3 6.5 10 3l7 3.5v7L10 17l-7-3.5zM3 6.5l7 3.5 7-3.5M10 10v7" };

const style = new Promise((done) => {
  const link = el("link", { rel: "stylesheet", href: "/static/watch.css", onload: done, onerror: done });
  document.head.append(link);
});

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mount(place, context) {
  let isClosed = false;
  let close = null;
  const begin = async () => {
    await style;
    const made = await opened(place, context, () => isClosed);
    if (isClosed) made?.();
    else close = made;
  };
  const wait = setTimeout(() => { if (!place.children.length) fill(place, el("p.quiet", "Loading…")); }, 150);
  begin().catch((error) => {
    if (!isClosed) fill(place, sorry("This is not there", error.message, el("a.button.main", { href: "#watch" }, "All recorded games")));
  }).finally(() => clearTimeout(wait));
  return () => {
    isClosed = true;
    clearTimeout(wait);
    close?.();
  };
}

/** What the address names; returns the function that ends it. */
function opened(place, context, isClosed) {
  if (!context.me.owner) {
    fill(place, el("section.sorry", el("h1", "Recorded games"),
      el("p", "The games that are kept here are for the owner of this server. If that is you, open the address that ", el("code", "rulezero serve"), " has printed."),
      el("a.button.main", { href: "#play" }, "Play a game")));
    return null;
  }
  const [store, record] = context.path;
  return record ? mountGame(place, context, store, record, isClosed) : mountList(place, context, store, isClosed);
}

function icon(kind) {
  const template = document.createElement("template");
  template.innerHTML = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${ICONS[kind]}"/></svg>`;
  return template.content.firstChild;
}

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${Math.round(bytes / 1e6)} MB`);

const count = ({ games, read, bytes }) => (read < 1 ? size(bytes) : games.toLocaleString("en"));

function nothing(example) {
  return el("section.panel.empty", el("h2", "No games yet"),
    el("p.dim", "Games appear here when a run plays them, when a match is saved, or when you save a game that you have played."),
    el("pre", el("code", `rulezero train ${example} --preset tiny`)),
    el("a.button", { href: "#play" }, "Play a game"));
}

async function mountList(place, context, wanted, isClosed) {
  const { stores } = await context.api("/api/stores");
  if (isClosed()) return null;
  const intro = el("div.intro", el("h1", "Recorded games"), el("p", "Games of your runs and of other stores, and games that you have saved, with what their players thought."));
  if (!stores.length) {
    fill(place, intro, nothing(context.games.at(-1)?.name ?? "RECIPE"));
    return null;
  }
  const chosen = stores.find(({ id }) => id === wanted) ?? (wanted ? null : stores.find(({ games }) => games !== 0) ?? stores[0]);
  if (!chosen) throw new Error("This store is gone, or its folder has another name now.");
  const list = new GameList(context, chosen);
  const counts = new Map(stores.map((store) => [store.id, el("span.count", count(store))]));
  list.counted = (store) => { counts.get(store.id).textContent = count(store); };
  const names = stores.map((store) => el("li", el("a", { href: `#watch/${store.id}`, title: `${store.kind} ${store.name}`, "aria-current": store === chosen ? "page" : null },
    icon(store.kind), el("span", store.name), counts.get(store.id))));
  const shelf = el("details.panel.stores", { open: !matchMedia("(max-width: 900px)").matches },
    el("summary", el("span.here", `${chosen.name} `), el("span.all", stores.length === 1 ? "1 store" : `${stores.length} runs and stores`)), el("nav", { "aria-label": "Runs and stores" }, el("ul", names)));
  fill(place, intro, el("div.split", shelf, list.element));
  document.title = `${chosen.name} · rulezero`;
  shelf.querySelector("[aria-current]").scrollIntoView({ block: "nearest" });
  list.load();
  countLater(context, stores, counts, isClosed);
  return () => list.close();
}

/** Asks again while stores are being counted; those that are too large for it keep their size. */
async function countLater(context, stores, counts, isClosed) {
  for (let tries = 0; tries < 10 && stores.some(({ read }) => read < 1); tries++) {
    await new Promise((done) => setTimeout(done, 1500));
    if (isClosed()) return;
    stores = await context.api("/api/stores").then((found) => found.stores, () => stores);
    for (const store of stores) if (counts.has(store.id)) counts.get(store.id).textContent = count(store);
  }
}

/** The games of a store. */
class GameList {
  constructor(context, store) {
    Object.assign(this, { context, store });
    this.query = new URLSearchParams([...context.query].filter(([name, value]) => value !== "" && (FILTERS.includes(name) || name === "page")));
    this.form = el("form.filters", { "aria-label": "Filters", onsubmit: (event) => event.preventDefault() });
    this.form.addEventListener("input", (event) => this.filter(event.target));
    this.status = el("div.found", { role: "status" });
    this.damage = el("div");
    this.games = el("div");
    this.element = el("section", { "aria-label": `Games of ${store.name}` }, this.form, this.damage, this.status, this.games);
    this.asked = 0;
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.typing);
  }

  async load() {
    const mine = ++this.asked;
    clearTimeout(this.timer);
    let found;
    try {
      found = await this.context.api(`/api/stores/${this.store.id}/games?${this.query}`);
    } catch (error) {
      if (mine !== this.asked || this.isClosed) return;
      fill(this.games, el("p.warning", { role: "alert" }, error.message));
      this.timer = setTimeout(() => this.load(), POLL.resting);
      return;
    }
    if (mine !== this.asked || this.isClosed) return;
    const { rows, page, found: number, store, damaged } = found;
    this.counted?.(store);
    const look = JSON.stringify([number, page, store.read, damaged, rows[0]?.row.id, String(this.query)]);
    if (look !== this.look) this.draw(found);
    this.look = look;
    this.timer = setTimeout(() => (document.hidden ? this.later() : this.load()), store.read < 1 ? POLL.reading : POLL.resting);
  }

  later() { this.timer = setTimeout(() => (document.hidden ? this.later() : this.load()), POLL.resting); }

  filter(input) {
    clearTimeout(this.typing);
    const apply = () => {
      this.query.delete("page");
      for (const name of FILTERS) {
        const value = this.form.elements[name]?.value.trim() ?? "";
        if (value) this.query.set(name, value);
        else this.query.delete(name);
      }
      this.go();
    };
    this.typing = setTimeout(apply, input.tagName === "SELECT" ? 0 : 250);
  }

  go() {
    const query = String(this.query);
    history.replaceState(null, "", `#watch/${this.store.id}${query ? `?${query}` : ""}`);
    return this.load();
  }

  turn(page) {
    if (page) this.query.set("page", page);
    else this.query.delete("page");
    this.go().then(() => { this.element.scrollIntoView({ block: "start" }); this.games.querySelector("a")?.focus({ preventScroll: true }); });
  }

  draw({ found, page, pages, rows, facets, store, damaged, problems }) {
    this.drawFilters(facets);
    const whole = facets.games.reduce((sum, { games }) => sum + games, 0);
    const isFiltered = FILTERS.some((name) => this.query.has(name));
    const download = new URLSearchParams([...this.query].filter(([name]) => name !== "page"));
    const reading = el("span.bar.reading", { role: "progressbar", "aria-label": "Reading the store", "aria-valuenow": Math.round(100 * store.read) }, el("i"));
    reading.firstChild.style.width = `${100 * store.read}%`;
    fill(this.status, el("strong", isFiltered ? `${found.toLocaleString("en")} of ${counted(whole, "game")}` : counted(whole, "game")),
      store.read < 1 ? [reading, el("span.dim", "reading the store…")] : el("span.dim", "newest first"),
      isFiltered ? el("button.small", { onclick: () => { for (const name of [...FILTERS, "page"]) this.query.delete(name); this.form.replaceChildren(); this.go(); } }, "Clear filters") : null,
      found ? el("a.keep", { href: `/api/stores/${store.id}/games.jsonl?${download}`, download: "" }, found > MOST_DOWNLOADED ? `Download the newest ${MOST_DOWNLOADED.toLocaleString("en")} as JSONL` : `Download ${found === 1 ? "it" : "them"} as JSONL`) : null);
    fill(this.damage, damaged ? el("details.warning.damaged", el("summary", `${counted(damaged, "damaged record")} of this store ${damaged === 1 ? "was" : "were"} skipped.`), el("ul", problems.map((line) => el("li", line)))) : null);
    if (!rows.length) {
      fill(this.games, store.read < 1 ? el("p.quiet", "Reading the first games…") : whole ? el("section.panel.empty", el("h2", "No game fits these filters"), el("p.dim", "Clear a filter to see more.")) : nothing(this.context.games.at(-1)?.name ?? "RECIPE"));
      return;
    }
    const several = facets.games.length > 1;
    const held = this.games.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    fill(this.games, el("ol.games", rows.map((row) => el("li", this.row(row, several)))),
      pages > 1 ? el("nav.pages", { "aria-label": "Pages" }, el("button.small", { disabled: page === 0, onclick: () => this.turn(page - 1) }, "Newer"),
        el("span.dim", `Page ${page + 1} of ${pages.toLocaleString("en")}`), el("button.small", { disabled: page + 1 >= pages, onclick: () => this.turn(page + 1) }, "Older")) : null);
    if (held) this.games.querySelector(`a[href="${held}"]`)?.focus({ preventScroll: true });
  }

  row({ row, title, winner, result }, several) {
    const players = row.players.map((text, seat) => el(winner === String(seat) ? "span.won" : "span",
      el(`i.seat.s${seat}`, { "aria-hidden": "true" }), el("span", { title: text }, row.names[seat] ?? text)));
    const [who, how] = sayCause(result).split(/: (.*)/);
    const when = row.iteration !== null ? `iteration ${row.iteration}` : row.date?.replaceAll(".", "-") ?? "";
    return el(several ? "a.several" : "a", { href: `#watch/${this.store.id}/${row.id}` },
      several ? el("span.title", { title }, this.context.games.find(({ text }) => text === row.game)?.title ?? title) : null, el("span.who", players),
      el("span.result", el("span", who[0].toUpperCase() + who.slice(1)), el("span.what", how ?? "")),
      el("span.plies", `${row.plies} plies`),
      el("span.kind", row.purpose, when ? el("span.what", when) : null));
  }

  drawFilters(facets) {
    const shape = JSON.stringify(facets);
    if (shape === this.shape && this.form.children.length) return;
    if (this.form.contains(document.activeElement)) return; // not under somebody's hands
    this.shape = shape;
    const value = (name) => this.query.get(name) ?? "";
    const select = (name, words, options) => el("label", words, el("select", { name }, el("option", { value: "" }, "any"),
      options.map(([each, said]) => el("option", { value: each, selected: value(name) === each }, said))));
    const facet = (name, words, values) => (values.length > 1 || value(name) ? select(name, words, values.map(({ name: each, games }) => [each, `${sayCause(each.replace(/,sha=.*/, ""))} (${games.toLocaleString("en")})`])) : null);
    const number = (name, words, most) => el("input", { type: "number", name, min: 0, max: most, value: value(name), placeholder: words, "aria-label": words, inputmode: "numeric" });
    const only = facets.games.length === 1 ? facets.games[0].name : value("game");
    const seats = this.context.games.find(({ text, name }) => text === only || name === only.split(":")[0])?.seats ?? ["First seat", "Second seat"];
    const numbers = facets.iterations;
    fill(this.form,
      facet("game", "Game", facets.games),
      select("result", "Result", [["0", `${seats[0]} won`], ["drawn", "drawn"], ["1", `${seats[1]} won`]]),
      facet("cause", "Ended by", facets.causes),
      facet("purpose", "Purpose", facets.purposes),
      numbers ? el("label", "Iteration", number("iteration", numbers[0] === numbers[1] ? String(numbers[0]) : `${numbers[0]}–${numbers[1]}`, numbers[1])) : null,
      el("label", "Plies", el("span.pair", number("shortest", "from"), number("longest", "to"))),
      el("label", "Player", el("input", { type: "search", name: "player", value: value("player"), placeholder: "part of the name", autocomplete: "off", spellcheck: "false" })));
  }
}
