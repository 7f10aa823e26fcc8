// The dialog for a new game: who plays, and from where.

import { el, fill, kept } from "./dom.js";

const OTHER = "another"; // the choice of a player by its text

/** The level that a newcomer meets. */
export const middle = (levels) => levels[Math.floor((levels.length - 1) / 2)];

const choice = (group, value, isOn, ...words) =>
  el("label.choice", el("input", { type: "radio", name: group, value: String(value), checked: isOn }), el("span.face", ...words));

/** Shows the dialog; `usual` is the order of a plain game, `last` the game that is open now, and `open` begins another. */
export function setup(context, meta, usual, last, open) {
  const given = last?.players ?? usual.players;
  const humans = given.filter((text) => text === "human").length;
  const side = humans === 2 ? "both" : humans === 0 ? "nobody" : String(given.indexOf("human"));
  const foe = given.find((text) => text !== "human") ?? `level:${middle(meta.levels)?.name}`;
  const isText = !foe.startsWith("level:");
  const sides = [["0", meta.seats[0]], ["1", meta.seats[1]], ["random", "Random"], ["both", "Both"], ["nobody", "Nobody"]];
  const levels = meta.levels.map((level, at) =>
    choice("level", level.name, foe === `level:${level.name}`,
      el("span.steps", { "aria-hidden": "true" }, meta.levels.map((_, each) => el(each <= at ? "i.on" : "i"))),
      el("strong", level.name), el("span.dim", level.words)));
  const text = el("input", { type: "text", name: "player", value: isText ? foe : "", placeholder: "puct:sims=200", spellcheck: "false", autocomplete: "off", "aria-label": "A player's text" });
  const nets = el("select", { hidden: true, "aria-label": "A net of your runs", onchange: () => { text.value = nets.value; check(); } });
  if (context.me.owner) offerNets(context, meta, nets, text.value);
  const extra = el("details", { open: isText }, el("summary", context.me.owner ? "A net of your runs, or another player" : "Another player (advanced)"), nets,
    el("p.dim", "A player's text in place of the level, as in `rulezero play --opponent`."), text);
  const person = el("fieldset", el("legend", "Opponent", meta.levels.some(({ interval }) => interval) ? el("span.dim", "Elo above random play, and its interval of 95 %") : null), el("div.levels", levels), extra);
  const pair = meta.seats.map((seat, at) => seated(meta, seat, given[at]));
  const programs = el("fieldset", el("legend", "The programs"), pair.map(({ element }) => element));
  const ways = [["normal", meta.randomStart ? "New random army" : "Normal"], ...(meta.randomStart ? [["seed", "Army by number"]] : []), ["text", "Position as text"]];
  const position = el("textarea", { name: "start", rows: 2, spellcheck: "false", placeholder: "Paste a position", "aria-label": "Position as text" });
  const seed = el("input", { type: "number", name: "seed", min: 0, value: "1", "aria-label": "Number of the army" });
  const board = el("rz-board", { still: true });
  board.game = meta;
  const thumb = el("div.thumb", board);
  thumb.style.setProperty("--ratio", String(meta.columns / meta.rows));
  const own = el("input", { type: "checkbox", name: "own", checked: true });
  const pieces = () => (last?.pieces && own.checked ? last.pieces : null);
  const wrong = el("p.wrong", { role: "alert" });
  const refused = el("p.wrong", { role: "alert" });
  const begin = el("button.main", { type: "submit" }, "Start");
  const form = el("form",
    el("header", el("h2", meta.title), el("button.icon", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "✕")),
    el("fieldset", el("legend", "You play"), el("div.choices", sides.map(([value, words]) => choice("side", value, value === side, words)))),
    person, programs,
    el("fieldset", el("legend", "Start"), el("div.choices", ways.map(([value, words], at) => choice("way", value, at === 0, words))), seed, position, last?.pieces ? el("label.row", own, "With your own pieces") : null, thumb, wrong),
    el("footer", refused, begin));
  const dialog = el("dialog.setup", { "aria-label": `New game: ${meta.title}` }, form);
  const value = (name) => form.elements[name]?.value;
  let asked = 0;
  const check = async () => {
    const mine = ++asked;
    const way = value("way");
    position.hidden = way !== "text";
    seed.hidden = way !== "seed";
    programs.hidden = value("side") !== "nobody";
    person.hidden = ["both", "nobody"].includes(value("side"));
    form.querySelector(".levels").classList.toggle("unused", text.value.trim() !== "");
    const shows = way === "seed" || (way === "text" && position.value.trim());
    thumb.hidden = !shows;
    fill(wrong);
    fill(refused);
    begin.disabled = way === "text" && !position.value.trim();
    if (!shows) return;
    try {
      const body = { game: meta.text, start: way === "text" ? position.value.trim() : null, seed: way === "seed" ? Number(seed.value) : null, pieces: pieces() };
      const found = await context.api("/api/position", { body });
      if (mine !== asked) return;
      board.game = pieces() ? last.meta : meta; // with the drawings of own pieces
      board.position = found;
    } catch (error) {
      if (mine !== asked) return;
      fill(wrong, error.message);
      begin.disabled = true;
      thumb.hidden = true;
    }
  };
  form.addEventListener("input", check);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = value("side") === "random" ? String(Math.floor(Math.random() * 2)) : value("side");
    const opponent = text.value.trim() || `level:${value("level") || middle(meta.levels)?.name}`;
    const players = { both: ["human", "human"], nobody: pair.map((each) => each.text()), 0: ["human", opponent], 1: [opponent, "human"] }[chosen];
    begin.disabled = true;
    const fault = await faultOf(context, { game: meta.text, pieces: pieces() }, players, meta.seats);
    begin.disabled = false;
    if (fault) return void fill(refused, fault);
    kept.write(`rz.usual.${meta.name}`, { side: chosen === "0" || chosen === "1" ? Number(chosen) : null, level: value("level") });
    const way = value("way");
    const start = way === "text" ? position.value.trim() : null;
    dialog.close();
    open({ game: meta.text, players, start, actions: [], seed: way === "seed" ? Number(seed.value) : null, pieces: pieces() });
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  check();
  dialog.showModal();
}

/** Fills the list of the nets of the owner's runs of a game. */
async function offerNets(context, meta, list, chosen) {
  const { nets } = await context.api(`/api/nets?game=${encodeURIComponent(meta.text)}`).catch(() => ({ nets: [] }));
  list.hidden = !nets.length;
  fill(list, el("option", { value: "" }, "A net of your runs…"), nets.map(({ name, player }) => el("option", { value: player, selected: player === chosen }, name)));
}

/** The list of programs for a seat, and a player's text. */
function seated(meta, seat, given) {
  const level = given?.startsWith("level:") ? given.slice(6) : middle(meta.levels)?.name;
  const isText = Boolean(given) && given !== "human" && !given.startsWith("level:");
  const typed = el("input", { type: "text", hidden: !isText, value: isText ? given : "puct:sims=200", spellcheck: "false", autocomplete: "off", "aria-label": `${seat}'s player as text` });
  const select = el("select", { "aria-label": `${seat}'s player`, onchange: () => {
    typed.hidden = select.value !== OTHER;
    if (!typed.hidden) typed.select();
  } }, meta.levels.map(({ name, words }) => el("option", { value: `level:${name}`, selected: !isText && name === level }, `${name} (${words})`)),
  el("option", { value: OTHER, selected: isText }, "another player…"));
  return { element: el("label.seated", el("span", seat), select, typed), text: () => (select.value === OTHER ? typed.value.trim() : select.value) };
}

/** Why players cannot play this game, in words; "" if they can. */
export async function faultOf(context, game, players, seats) {
  for (const [seat, player] of players.entries()) {
    if (!player) return `Give the text of ${seats[seat]}'s player, such as puct:sims=200.`;
    if (player === "human" || player.startsWith("level:")) continue;
    try {
      await context.api("/api/player", { body: { ...game, seat, player } });
    } catch (error) {
      return error.message;
    }
  }
  return "";
}
