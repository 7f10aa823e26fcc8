// The play view: choosing a game and how to begin it. game.js is the game itself.

import "/board.js";
import { el, fill, kept, sorry } from "./dom.js";
import { GameView, keyOf } from "./game.js";
import { middle, setup } from "./setup.js";

const starts = new Map(); // the start position of each game, for small boards

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mount(place, context) {
  const [name] = context.path;
  const given = context.passed ?? fromQuery(context.query);
  const meta = context.games.find((game) => game.text === (given?.game ?? name)) ?? context.games.find((game) => game.name === (given?.game ?? name));
  const base = context.games.find((game) => game.name === (given?.game ?? name)?.split(":")[0]); // of a game with options
  if (name && !meta && !base && !given?.game) {
    fill(place, sorry(`There is no game “${name}” here`, "Choose one of the games of this server.", el("a.button.main", { href: "#play" }, "All games")));
    return () => {};
  }
  if (!name && !given?.game) return chooser(place, context);
  let view = null;
  const open = (order) => {
    view?.close();
    history.replaceState(null, "", `#play/${encodeURIComponent(order.game)}`);
    document.title = `${meta?.title ?? "Game"} · rulezero`;
    view = new GameView(place, context, order, {
      again: open,
      setup: (last) => setup(context, meta ?? last.meta, usual(meta ?? last.meta), last, open),
    });
  };
  const saved = given ? null : kept.read(keyOf(name));
  open(saved ?? { ...usual(meta ?? { human: 0, levels: [], ...base, text: given?.game ?? name }), ...given });
  return () => view?.close();
}

/** ?start=...&actions=1,2,3&players=human|level:club&seed=1 */
function fromQuery(query) {
  const found = {};
  if (query.get("start")) found.start = query.get("start");
  if (query.get("actions")) found.actions = query.get("actions").split(",").map(Number).filter(Number.isInteger);
  if (query.get("players")) found.players = query.get("players").split("|");
  if (query.get("seed")) found.seed = Number(query.get("seed"));
  return Object.keys(found).length ? found : null;
}

/** A new game as this person began it last: their side and level. */
function usual(meta) {
  const last = kept.read(`rz.usual.${meta.name}`) ?? {};
  const level = meta.levels.find(({ name }) => name === last.level) ?? middle(meta.levels);
  const side = last.side === 0 || last.side === 1 ? last.side : meta.human;
  const players = ["human", "human"];
  players[1 - side] = level ? `level:${level.name}` : "puct:sims=200";
  return { game: meta.text, players, start: null, actions: [], seed: null, pieces: null };
}

// --- all games ---

function chooser(place, context) {
  const cards = context.games.map((meta) => {
    const board = el("rz-board", { still: true, "aria-hidden": "true" });
    board.game = meta;
    board.flipped = meta.human === 1;
    startOf(context, meta).then((position) => { board.position = position; }, () => {});
    const saved = kept.read(keyOf(meta.text));
    const goes = saved && !saved.over && saved.actions?.length > 0;
    const players = usual(meta).players;
    const level = players.find((text) => text.startsWith("level:"))?.slice(6);
    const link = el("a.over", { href: `#play/${encodeURIComponent(meta.text)}`, "aria-label": `${goes ? "Continue" : "Play"} ${meta.title}` });
    const anew = el("button.small", { onclick: () => setup(context, meta, usual(meta), null, (order) => context.go(`#play/${encodeURIComponent(order.game)}`, order)) }, goes ? "New game" : "Options");
    const side = meta.seats[players.indexOf("human")] ?? meta.seats[0];
    return el("article.card", link, thumb(board), el("div.words", el("h2", meta.title), el("p", meta.about)),
      el("div.foot", goes ? el("span.chip.on", `Continue, ply ${saved.actions.length}`) : el("span.as", `You are ${side}${level ? `, against ${level}` : ""}.`), anew));
  });
  fill(place, el("section.hero", el("h1", "Play a game with unusual rules"), el("p", "Choose a board and the game begins. Undo as often as you like, and ask what the computer thinks.")),
    cards.length ? el("div.cards", cards) : el("p.quiet", "This server offers no games."));
  return () => {};
}

/** A small board in a square place. */
function thumb(board) {
  const box = el("div.thumb", board);
  box.style.setProperty("--ratio", String(board.game.columns / board.game.rows));
  return box;
}

function startOf(context, meta) {
  if (!starts.has(meta.text)) {
    const asked = context.api("/api/position", { body: { game: meta.text, start: null, seed: 3 } });
    asked.catch(() => starts.delete(meta.text));
    starts.set(meta.text, asked);
  }
  return starts.get(meta.text);
}
