// The page's frame: views by URL hash, who the visitor is, and what all views share.

import { el, fill } from "./dom.js";

/** @typedef {{me: object, games: object[], api: Function, announce: Function, go: Function, passed: object|null, path: string[], query: URLSearchParams}} Context */

const VIEWS = { play: "Play", watch: "Watch", runs: "Runs", rules: "Rules", pieces: "Pieces" };

const main = document.getElementById("main");
const live = document.getElementById("live");
let unmount = null;
let passed = null; // what a view handed over to the next one
let turn = 0; // of changes of views: only the newest is shown

/** The JSON of a path of the server; an Error with words for people. */
async function api(path, options = {}) {
  const given = { ...options };
  if (given.body && typeof given.body !== "string") {
    given.body = JSON.stringify(given.body);
    given.method ??= "POST";
    given.headers = { "content-type": "application/json", ...given.headers };
  }
  let answer;
  try {
    answer = await fetch(path, given);
  } catch {
    throw new Error("The server does not answer. Is `rulezero serve` still running?");
  }
  const data = await answer.json().catch(() => null);
  if (!answer.ok) {
    const words = data?.error ?? `The server answered with an error (${answer.status}).`;
    throw Object.assign(new Error(words), { status: answer.status });
  }
  return data;
}

/** Lets screen readers say something. */
function announce(text) {
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = text; });
}

/** Shows another view; `given` is handed over to it. */
function go(hash, given = null) {
  passed = given;
  if (location.hash === hash) show();
  else location.hash = hash;
}

const context = { me: { owner: false, version: "" }, games: [], api, announce, go, passed: null, path: [], query: new URLSearchParams() };

function drawHeader(current) {
  const link = ([name, words]) => el("a", { href: `#${name}`, "aria-current": name === current ? "page" : null }, words);
  fill(document.getElementById("views"), Object.entries(VIEWS).map(link));
}

function sorry(title, words, again) {
  return el("section.sorry", el("h1", title), el("p", words), el("button.main", { onclick: again }, "Try again"));
}

async function show() {
  const [route, query] = location.hash.slice(1).split("?");
  const [view, ...path] = route.split("/").map(decodeURIComponent);
  const name = view in VIEWS ? view : "play";
  const mine = ++turn;
  const given = passed;
  passed = null;
  drawHeader(name);
  document.title = `${VIEWS[name]} · rulezero`;
  unmount?.();
  unmount = null;
  const place = el(`div.view.${name}`);
  const wait = setTimeout(() => { if (mine === turn) fill(main, el("p.quiet", "Loading…")); }, 150);
  try {
    const module = await import(`/static/${name}.js`);
    if (mine !== turn) return;
    clearTimeout(wait);
    fill(main, place);
    scrollTo(0, 0);
    const close = (await module.mount(place, { ...context, passed: given, path, query: new URLSearchParams(query ?? "") })) ?? null;
    if (mine === turn) unmount = close;
    else close?.();
  } catch (error) {
    if (mine !== turn) return;
    console.error(error);
    fill(main, sorry(`${VIEWS[name]} is not available`, "This part of the page did not load. The others work.", () => location.reload()));
  } finally {
    clearTimeout(wait);
  }
}

/** The address that `rulezero serve` prints makes this browser the owner's. */
async function takeSecret() {
  const found = /^#owner=([^&]+)(?:&go=(.+))?$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", `${location.pathname}#${found[2] ? decodeURIComponent(found[2]) : "play"}`);
  try {
    await api("/api/owner", { body: { secret: decodeURIComponent(found[1]) } });
  } catch (error) {
    announce(error.message);
    context.notice = error.message;
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

async function begin() {
  drawHeader("play");
  try {
    await takeSecret();
    const [me, { games }] = await Promise.all([api("/api/me"), api("/api/games")]);
    context.me = me;
    context.games = games;
  } catch (error) {
    fill(main, sorry("No connection", error.message, () => location.reload()));
    return;
  }
  addEventListener("hashchange", async () => {
    if (/^#owner=/.test(location.hash)) {
      await takeSecret();
      context.me = await api("/api/me").catch(() => context.me);
    }
    show();
  });
  show();
}

begin();
