// The editor of positions. The server says which men and fields a game has, and what is wrong.

import "/board.js";
import { RzBoard } from "/board.js";
import { el, fill, kept } from "./dom.js";
import { copied, packed, unpacked } from "./share.js";

const EMPTY = ["", -1, ""];
const isShared = ({ game, text, pieces }) => typeof game === "string" && typeof text === "string" && ["string", "undefined"].includes(typeof pieces);
const WAIT = 200; // milliseconds without a key before a text is checked

/** @param {HTMLElement} room @param {import("./main.js").Context} context */
export async function positions(room, context) {
  const home = context.games.find(({ hasPieces }) => hasPieces);
  const draft = kept.read("rz.pieces");
  const given = context.passed ?? {};
  let notice = "";
  let shared = null;
  if (context.query.get("share")) {
    try {
      shared = await unpacked(context.query.get("share"), isShared);
    } catch (error) {
      notice = error.message;
    }
  }
  const choices = context.games.map((game) => ({ words: game.title, game: game.text, pieces: null }));
  if (home && typeof draft?.pieces === "string") choices.push({ words: `${home.title}, your pieces`, game: home.text, pieces: draft.pieces });
  if (shared?.pieces) choices.push({ words: `${home?.title}, pieces of the link`, game: shared.game, pieces: shared.pieces });
  const wanted = shared ?? given;
  let choice = choices.findLast(({ game, pieces }) => game === wanted.game && (pieces ?? null) === (wanted.pieces ?? null)) ?? choices.find(({ game }) => game === context.path[1]) ?? choices[0];
  if (!choice) {
    fill(room, el("p.quiet", "This server offers no games."));
    return null;
  }

  let about = null; // men and fields of the game
  let now = null; // {text, problem, cells, fields, position} of the server
  let tool = null; // a man of the palette, "move" or "erase"
  let held = null; // the square of the man that is moved or changed
  let asked = 0;
  let timer = 0;
  const past = []; // texts before each change

  const board = el("rz-board");
  const hands = el("div.picks");
  const men = [0, 1].map((seat) => el("div.picks", { "data-seat": String(seat) }));
  const picks = () => [hands, ...men].flatMap((each) => [...each.children]);
  const fields = el("div.fields");
  const man = el("div.manedit", { role: "group" });
  const text = el("textarea.position", { rows: 3, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "Position as text", "aria-describedby": "position-problem" });
  const problem = el("p.problem", { id: "position-problem", role: "status" });
  const told = el("p.told", { role: "status" }, notice);
  const button = (words, action, made = "button.small") => el(made, { onclick: action }, words);
  const back = button("Undo", () => { if (past.length) ask({ text: past.pop() }); });
  const begin = button("Play from here", play, "button.main");
  const select = el("select", { "aria-label": "Game" }, choices.map((each, at) => el("option", { value: String(at), selected: each === choice }, each.words)));
  select.addEventListener("change", () => { choice = choices[Number(select.value)]; open(null); });
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (about) change({ text: text.value }); }, WAIT);
  });
  board.addEventListener("rz-square", (event) => touch(event.detail.square));
  const head = el("p.dim");
  fill(room,
    el("header.titled.withtools", el("div", el("h1", "Positions of your own"), head), el("div.row", select, button("Share as a link", share, "button"), begin)),
    told,
    el("div.positions",
      el("div.boardside", men[1], el("div.editboard", board), men[0],
        el("div.row", hands, button("Start position", () => { if (about) change({ text: about.start }); }), button("Empty the board", clear), button("Flip", flip), back)),
      el("div.panel.fieldside", problem, man, fields,
        el("label.field", el("span", "Position as text"), text),
        el("div.row", button("Copy the text", async () => fill(told, (await copied(now.text)) ? "The text is copied." : "Your browser does not allow this: select the text and copy it.")))))) ;

  async function open(first) {
    const mine = ++asked;
    held = null;
    past.length = 0;
    let found;
    try {
      found = await context.api("/api/editor", { body: { game: choice.game, pieces: choice.pieces } });
    } catch (error) {
      if (mine !== asked) return;
      about = now = null;
      text.value = "";
      begin.disabled = true;
      for (const each of [fields, man, hands, ...men]) fill(each);
      fill(problem, el("span.wrong", error.message));
      return;
    }
    if (mine !== asked) return;
    about = found;
    now = null;
    tool = about.men.length ? "move" : null;
    board.game = about.game;
    head.textContent = about.men.length ? "Choose a man, then click the squares where it stands. The rules check every change." : "Edit the text of the position. The rules check every change.";
    drawPalette();
    ask({ text: first ?? about.start });
  }

  /** Asks about a change that can be undone. */
  function change(given) {
    if (now) past.push(now.text);
    ask(given);
  }

  async function ask({ text: whole = null, cells = [], fields: values = [] }) {
    const mine = ++asked;
    let found;
    try {
      const men = cells.map((row) => row.map(([name, seat]) => [name, seat]));
      found = await context.api("/api/edit", { body: { game: choice.game, pieces: choice.pieces, text: whole, cells: men, fields: values } });
    } catch (error) {
      if (mine === asked) fill(problem, el("span.wrong", error.message));
      return;
    }
    if (mine !== asked) return;
    now = found;
    show();
  }

  function show() {
    const { rows, columns } = about.game;
    const cells = (now.cells ?? Array.from({ length: rows }, () => Array(columns).fill(EMPTY))).map((row, up) =>
      row.map(([name, seat, note], at) => [name, seat, note || (name && !now.position ? noteOf(name, seat, squareAt(up, at)) : "")]));
    now.cells &&= cells;
    board.position = { ply: 0, changed: [], moves: [], info: [], ...now.position, cells };
    board.marks = held ? [[held, "#2563c9"]] : [];
    if (document.activeElement !== text) text.value = now.text;
    text.setAttribute("aria-invalid", String(Boolean(now.problem)));
    fill(problem, now.problem ? el("span.wrong", now.problem) : el("span.right", now.position.over ? `The game is over here: ${now.position.caption}` : `Legal position: ${now.position.caption}`));
    begin.disabled = Boolean(now.problem) || now.position.over;
    back.disabled = !past.length;
    drawFields();
    drawMan();
  }

  // --- men ---

  const squareAt = (up, column) => `${about.game.files[column]}${about.game.rows - up}`;
  const placeOf = (square) => [about.game.rows - Number(/\d+$/.exec(square)[0]), about.game.files.indexOf(square.replace(/\d+$/, ""))];

  function touch(square) {
    if (!now?.cells || !about?.men.length) return;
    const [up, column] = placeOf(square);
    const cells = now.cells.map((row) => row.map((each) => [...each]));
    const old = cells[up][column];
    let values = now.fields;
    if (tool === "move") {
      if (!held || held === square || !cells[placeOf(held)[0]][placeOf(held)[1]][0]) {
        held = held === square || !old[0] ? null : square;
        board.marks = held ? [[held, "#2563c9"]] : [];
        drawMan();
        return;
      }
      const [fromUp, fromColumn] = placeOf(held);
      cells[up][column] = cells[fromUp][fromColumn];
      cells[fromUp][fromColumn] = [...EMPTY];
      values = moved(values, held, square);
      held = null;
    } else {
      const isSame = tool !== "erase" && old[0].toUpperCase() === tool.man && old[1] === tool.seat;
      if (tool === "erase" && !old[0]) return;
      cells[up][column] = tool === "erase" || isSame ? [...EMPTY] : [tool.man, tool.seat, tool.note];
      values = moved(values, square, null);
      held = null;
    }
    now.cells = cells;
    board.position = { ...board.position, cells };
    change({ cells, fields: values });
  }

  function clear() {
    if (!now || !about) return;
    held = null;
    const { rows, columns } = about.game;
    const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => [...EMPTY]));
    const values = now.fields.map((value, at) => (about.fields[at]?.squares ? "-" : value));
    if (about.men.length) change({ cells, fields: values });
  }

  function drawPalette() {
    const pick = (value, words, face) => {
      const one = el("button.pick", { type: "button", "aria-label": words, title: words, "aria-pressed": String(value === tool) }, face);
      one.addEventListener("click", () => {
        tool = value;
        held = null;
        board.marks = [];
        for (const each of picks()) each.setAttribute("aria-pressed", String(each === one));
        if (now) drawMan();
      });
      return one;
    };
    const face = (each) => {
      const image = RzBoard.man(about.game, each.man, each.seat);
      image.classList.add("diagram");
      if (about.game.rows < 8 && about.men.length === 2) image.classList.add("falls");
      return image;
    };
    const line = (seat) => about.men.filter((each) => each.seat === seat).map((each) => pick(each, `${about.game.seats[seat]} ${each.name}`, face(each)));
    for (const seat of [0, 1]) fill(men[seat], line(seat));
    fill(hands, about.men.length ? [pick("move", "Move or change a man", el("span", "Move")), pick("erase", "Remove men", el("span", "Erase"))] : []);
  }

  /** Turns the board, and the men beside it. */
  function flip() {
    board.flipped = !board.flipped;
    men[board.flipped ? 0 : 1].parentElement.prepend(men[board.flipped ? 0 : 1]);
    board.parentElement.after(men[board.flipped ? 1 : 0]);
  }

  // --- entries such as e4=7:a1 in a field ---

  const detailAt = () => about.fields.findIndex(({ squares }) => squares);
  const entries = (value) => new Map(!value || value === "-" ? [] : value.split(",").map((each) => [each.split("=")[0], each.slice(each.indexOf("=") + 1)]));
  const written = (map) => [...map].map(([square, rest]) => `${square}=${rest}`).join(",") || "-";

  function moved(values, from, to) {
    const at = detailAt();
    if (at < 0) return values;
    const map = entries(values[at]);
    const rest = map.get(from);
    map.delete(from);
    if (to) map.delete(to);
    if (to && rest) map.set(to, rest);
    return values.map((value, each) => (each === at ? written(map) : value));
  }

  function noteOf(name, seat, square) {
    const at = detailAt();
    const own = at < 0 ? undefined : entries(now.fields[at]).get(square);
    return own?.split(":")[0] || about.men.find((each) => each.man === name.toUpperCase() && each.seat === seat)?.note || "";
  }

  function drawMan() {
    const at = detailAt();
    man.hidden = !held || at < 0;
    if (man.hidden) return fill(man);
    const [up, column] = placeOf(held);
    const [name, seat, note] = now.cells[up][column];
    const fresh = about.men.find((each) => each.man === name.toUpperCase() && each.seat === seat);
    const field = about.fields[at];
    const map = entries(now.fields[at]);
    const [, ...rest] = (map.get(held) ?? "").split(":");
    const count = el("input", { type: "number", min: 1, "aria-label": `${field.squares} of the ${fresh?.name ?? name} on ${held}` });
    const extra = el("input", { type: "text", "aria-label": `Other differences of the ${fresh?.name ?? name}`, placeholder: "u2:c1" });
    count.value = note;
    extra.value = rest.join(":");
    const square = held;
    const set = () => {
      map.set(square, [count.value || fresh?.note || "1", ...(extra.value.trim() ? [extra.value.trim()] : [])].join(":"));
      change({ cells: now.cells, fields: now.fields.map((value, each) => (each === at ? written(map) : value)) });
    };
    for (const input of [count, extra]) input.addEventListener("change", set);
    return fill(man, el("h2", `${about.game.seats[seat]} ${fresh?.name ?? name} on ${held}`), el("label.field.short", el("span", field.squares), count), el("label.field", el("span", "Uses, turns to wait, …"), extra), el("p.dim", field.help));
  }

  // --- fields ---

  function drawFields() {
    if (fields.contains(document.activeElement) && fields.inputs?.length === about.fields.length) {
      fields.inputs.forEach((input, at) => { if (input !== document.activeElement) input.value = now.fields[at] ?? ""; });
      return;
    }
    fields.inputs = [];
    fill(fields, about.fields.map((field, at) => {
      const options = Object.entries(field.values);
      const input = options.length
        ? el("select", {}, options.map(([value, words]) => el("option", { value }, words)))
        : el("input", { type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
      input.value = now.fields[at] ?? "";
      const send = () => change({ cells: now.cells ?? [], fields: fields.inputs.map(({ value }) => value) });
      input.addEventListener(options.length ? "change" : "input", () => {
        clearTimeout(timer);
        timer = setTimeout(send, options.length ? 0 : WAIT);
      });
      fields.inputs.push(input);
      return el(options.length === 1 ? "label.field.fixed" : "label.field", { hidden: options.length === 1 }, el("span", field.name), input, field.help ? el("span.dim", field.help) : null);
    }));
  }

  // --- what to do with it ---

  function play() {
    if (!now?.position) return;
    const meta = about.game;
    const level = meta.levels[Math.floor((meta.levels.length - 1) / 2)];
    const players = ["human", "human"];
    players[1 - meta.human] = level ? `level:${level.name}` : "puct:sims=200";
    context.go(`#play/${encodeURIComponent(choice.game)}`, { game: choice.game, pieces: choice.pieces, start: now.text, actions: [], players });
  }

  async function share() {
    if (!now) return;
    const value = { game: choice.game, text: now.text, ...(choice.pieces ? { pieces: choice.pieces } : {}) };
    const address = `${location.origin}${location.pathname}#pieces/board?share=${await packed(value)}`;
    const done = await copied(address);
    fill(told, done ? "The link is copied. It has the whole position in it." : ["Copy this link: ", el("input", { type: "text", value: address, readOnly: true, "aria-label": "Link" })]);
  }

  open(wanted.text ?? wanted.start ?? null);
  return () => clearTimeout(timer);
}
