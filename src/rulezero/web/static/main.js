// The page's frame: views by URL hash, who the visitor is, and what all views share.

import { decoded, el, fill, sorry } from "./dom.js";

/** @typedef {{me: object, games: object[], api: Function, announce: Function, go: Function, check: Function, passed: object|null, path: string[], query: URLSearchParams}} Context */

const VIEWS = { play: "Play", watch: "Watch", runs: "Runs", rules: "Rules", pieces: "Pieces" };

const main = document.getElementById("main");
const live = document.getElementById("live");
let unmount = null;
let passed = null; // what a view handed over to the next one
let turn = 0; // of changes of views: only the newest is shown

/** Asks again who this is: after a restart, the server knows neither the owner nor the visitor. */
async function check() {
  const before = context.me.owner;
  try {
    let answer = await fetch("/api/me", { cache: "no-store" });
    if (answer.status === 401) { // the page gives a new cookie
      await fetch("/", { cache: "no-store" });
      answer = await fetch("/api/me", { cache: "no-store" });
    }
    if (!answer.ok) return;
    context.me = await answer.json();
  } catch {
    return; // no connection
  }
  if (before && !context.me.owner) show(); // the visitor's words
}

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
    if ([401, 403].includes(answer.status) && path !== "/api/owner") await check();
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

const context = { me: { owner: false, version: "" }, games: [], api, announce, go, check, passed: null, path: [], query: new URLSearchParams() };

function drawHeader(current) {
  const link = ([name, words]) => el("a", { href: `#${name}`, "aria-current": name === current ? "page" : null }, words);
  fill(document.getElementById("views"), Object.entries(VIEWS).map(link));
}

const again = () => el("button.main", { onclick: () => location.reload() }, "Try again");

/** What the address of the owner came to, above every view. */
function notice() {
  if (!context.notice) return null;
  const close = el("button.icon", { "aria-label": "Close", onclick: () => { context.notice = null; close.parentElement.remove(); } }, "✕");
  return el("p.warning.notice", { role: "alert" }, el("span", context.notice), close);
}

async function show() {
  const [route, query] = location.hash.slice(1).split("?");
  const [view, ...path] = route.split("/").map(decoded);
  const name = view || "play";
  const mine = ++turn;
  const given = passed;
  passed = null;
  drawHeader(name);
  unmount?.();
  unmount = null;
  if (!Object.hasOwn(VIEWS, name)) {
    document.title = "rulezero";
    fill(main, notice(), sorry(`There is no view “${name}”`, "The views of this page are at its top.", el("a.button.main", { href: "#play" }, "All games")));
    return;
  }
  document.title = `${VIEWS[name]} · rulezero`;
  const place = el(`div.view.${name}`);
  const wait = setTimeout(() => { if (mine === turn) fill(main, el("p.quiet", "Loading…")); }, 150);
  try {
    const module = await import(`/static/${name}.js`);
    if (mine !== turn) return;
    clearTimeout(wait);
    fill(main, notice(), place);
    scrollTo(0, 0);
    const close = (await module.mount(place, { ...context, passed: given, path, query: new URLSearchParams(query ?? "") })) ?? null;
    if (mine === turn) unmount = close;
    else close?.();
  } catch (error) {
    if (mine !== turn) return;
    console.error(error);
    fill(main, sorry(`${VIEWS[name]} is not available`, "This part of the page did not load. The others work.", again()));
  } finally {
    clearTimeout(wait);
  }
}

/** The address that `rulezero serve` prints makes this browser the owner's. */
async function takeSecret() {
  const found = /^#owner=([^&]+)(?:&go=(.+))?$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", `${location.pathname}#${found[2] ? decoded(found[2]) : "play"}`);
  context.notice = null;
  try {
    await api("/api/owner", { body: { secret: decoded(found[1]) } });
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
    fill(main, sorry("No connection", error.message, again()));
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
