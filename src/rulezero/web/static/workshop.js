// The editor of pieces: YAML on one side, the moves of its pieces on the other, and play at once.

import "/board.js";
import { RzBoard } from "/board.js";
import { diagram, legend } from "./diagram.js";
import { el, fill, kept } from "./dom.js";
import { copied, packed, unpacked } from "./share.js";
import { yamlField } from "./yaml.js";

const DRAFT = "rz.pieces"; // the last text, kept in the browser
const isNames = (value) => value === undefined || value === null || (Array.isArray(value) && value.every((each) => typeof each === "string"));
const isShared = ({ pieces, pool, rank, seed }) => typeof pieces === "string" && isNames(pool) && isNames(rank) && (seed === undefined || (Number.isSafeInteger(seed) && seed >= 0));
const WAIT = 250; // milliseconds without a key before the text is checked

/** @param {HTMLElement} room @param {import("./main.js").Context} context */
export async function workshop(room, context) {
  const home = context.games.find(({ hasPieces }) => hasPieces);
  const { sets } = await context.api("/api/pieces");
  const draft = { pieces: sets.example, pool: null, rank: null, seed: 1, ...kept.read(DRAFT) };
  let notice = null;
  if (context.query.get("share")) {
    try {
      Object.assign(draft, { pool: null, rank: null, seed: 1 }, await unpacked(context.query.get("share"), isShared));
      notice = "These pieces come from a link. Look at their moves, change them, or play with them.";
    } catch (error) {
      notice = error.message;
    }
  }
  if (typeof draft.pieces !== "string") draft.pieces = sets.example;
  let known = null; // what the server said last about a text without mistakes
  let shownStart = null; // the last start position, which stays while another is not legal
  let asked = 0;
  let timer = 0;
  let line = 1;

  const field = yamlField((text) => {
    draft.pieces = text;
    kept.write(DRAFT, draft);
    if (location.hash.includes("share=")) history.replaceState(null, "", "#pieces");
    clearTimeout(timer);
    timer = setTimeout(check, WAIT);
  }, (now) => { line = now; drawCurrent(); });
  const current = el("section.panel.current", { "aria-label": "The piece at the cursor" });
  const all = el("section.allpieces", { "aria-label": "All pieces" });
  const army = el("section.panel.army", { "aria-label": "The game with these pieces" });
  const begin = el("button.main", { onclick: play }, "Play it");
  const share = el("button", { onclick: copyLink }, "Share as a link");
  const from = el("select", { "aria-label": "Start from" }, el("option", { value: "" }, "Start from…"),
    Object.entries({ example: "Two example pieces", custom: "The ten custom pieces", standard: "The standard men" }).map(([value, words]) => el("option", { value }, words)));
  from.addEventListener("change", () => {
    if (!from.value) return;
    const old = { ...draft };
    Object.assign(draft, { pieces: sets[from.value], pool: null, rank: null });
    field.value = draft.pieces;
    kept.write(DRAFT, draft);
    if (!Object.values(sets).includes(old.pieces)) {
      fill(told, "Your text was replaced. ", el("button.small", { onclick: () => {
        Object.assign(draft, old);
        field.value = draft.pieces;
        kept.write(DRAFT, draft);
        fill(told);
        check();
      } }, "Bring it back"));
    }
    from.value = "";
    line = 1;
    check();
  });
  const told = el("p.told", { role: "status" }, notice);
  fill(room,
    el("header.titled.withtools",
      el("div", el("h1", "Pieces of your own"), el("p.dim", "A piece is a few lines of YAML. Its moves are drawn while you type, and you can play with it at once. ", el("a", { href: "#pieces/guide" }, "All keys"))),
      el("div.row", from, share, begin)),
    told,
    el("div.workshop", field.element, current),
    army, all);
  field.value = draft.pieces;

  async function check() {
    const mine = ++asked;
    let found;
    try {
      found = await context.api("/api/pieces", { body: { pieces: draft.pieces, pool: draft.pool ?? [], back_rank: draft.rank ?? [], seed: draft.seed } });
    } catch (error) {
      if (mine === asked) field.mark({ line: null, words: error.message });
      return;
    }
    if (mine !== asked) return;
    field.mark(found.problem);
    begin.disabled = share.disabled = Boolean(found.problem);
    for (const part of [current, army, all]) part.classList.toggle("stale", Boolean(found.problem));
    if (found.problem) return;
    if (forget(found)) return void check();
    begin.disabled = !found.start;
    shownStart = found.start ? { game: found.game, position: found.start } : shownStart;
    known = { ...found, look: { pictures: { ...home?.pictures, ...found.game?.pictures, ...found.pictures } } };
    drawCurrent();
    drawAll();
    drawArmy();
  }

  /** Takes pieces that no longer exist out of the pool and the back rank. */
  function forget(found) {
    const ids = new Set(found.pieces.filter(({ drawable, royal }) => drawable || royal).map(({ id }) => id));
    const before = JSON.stringify([draft.pool, draft.rank]);
    if (draft.pool) draft.pool = draft.pool.filter((id) => ids.has(id));
    if (!draft.pool?.length) draft.pool = null;
    if (draft.rank && !draft.rank.every((id) => ids.has(id))) draft.rank = null;
    return before !== JSON.stringify([draft.pool, draft.rank]) && before !== "[null,null]" && (draft.pool !== null || before !== "[[],null]");
  }

  const own = () => known.pieces.filter((piece) => piece.line !== null);

  function card(piece, isLarge = false) {
    const head = el("header", el("span.face", figure(piece)), el("div", el("h3", piece.name), el("p.dim", `${piece.symbol} · worth ${piece.value}`)));
    if (!isLarge && piece.line !== null) head.append(el("button.small", { onclick: () => field.go(piece.line) }, "Edit"));
    return el(isLarge ? "article.piece.large" : "article.piece", head,
      el("div.boards", piece.diagrams.map((each) => diagram(each, piece, known.look))),
      piece.description ? el("p", piece.description) : null,
      piece.rules.length ? el("p.dim", piece.rules.join("; ")) : null);
  }

  const figure = (piece) => {
    const image = RzBoard.man(known.look, piece.symbol, 0);
    image.classList.add("diagram");
    return image;
  };

  function drawCurrent() {
    if (!known) return;
    const mine = own();
    const piece = mine.filter((each) => each.line <= line).at(-1) ?? mine[0];
    if (current.dataset.id === piece?.id && current.known === known) return;
    current.dataset.id = piece?.id ?? "";
    current.known = known;
    fill(current, piece ? [card(piece, true), legend([piece])] : el("p.dim", "Define a piece to see its moves."));
  }

  function drawAll() {
    const men = known.pieces.filter((piece) => piece.line === null);
    fill(all, el("header.titled", el("h2", `Your pieces (${own().length})`), legend(known.pieces)),
      el("div.piecegrid", own().map((piece) => card(piece))),
      men.length ? el("details", { open: all.querySelector("details")?.open ?? false }, el("summary", `The standard men (${men.length})`), el("div.piecegrid", men.map((piece) => card(piece)))) : null);
  }

  function drawArmy() {
    const drawable = known.pieces.filter(({ drawable }) => drawable);
    const names = new Map(known.pieces.map((piece) => [piece.id, piece]));
    const board = el("rz-board", { still: true });
    if (shownStart) {
      board.game = { ...shownStart.game, pictures: known.look.pictures };
      board.position = shownStart.position;
      board.classList.toggle("stale", !known.start);
    }
    const focused = document.activeElement?.dataset?.key;
    const isFixed = draft.rank !== null;
    const change = (given) => { Object.assign(draft, given); kept.write(DRAFT, draft); check(); };
    const way = (value, words) => el("label.choice",
      el("input", { type: "radio", name: "way", checked: value === isFixed, "data-key": `way${value}`, disabled: value && !shownStart, onchange: () => change({ rank: value ? firstRank() : null }) }), el("span.face", words));
    const firstRank = () => shownStart.position.cells.at(-1).map(([man]) => known.pieces.find(({ symbol }) => symbol === man.toUpperCase())?.id);
    const chips = () => el("div.choices", { role: "group", "aria-label": "Pieces of the random back rank" }, drawable.map((piece) => {
      const isOn = !draft.pool || draft.pool.includes(piece.id);
      return el("label.choice", el("input", { type: "checkbox", checked: isOn, "data-key": piece.id, onchange: (event) => {
        const next = drawable.map(({ id }) => id).filter((id) => (id === piece.id ? event.target.checked : !draft.pool || draft.pool.includes(id)));
        change({ pool: !next.length || next.length === drawable.length ? null : next });
      } }), el("span.face", figure(piece), piece.name));
    }));
    const ranks = () => el("div.rank", { role: "group", "aria-label": "The back rank, from the a-file" }, draft.rank.map((id, at) => {
      const select = el("select", { "data-key": `rank${at}`, "aria-label": `Piece on the ${"abcdefgh"[at]}-file` }, known.pieces.filter((piece) => piece.drawable || piece.royal).map((piece) => el("option", { value: piece.id, selected: piece.id === id }, piece.name)));
      select.addEventListener("change", () => {
        const isKing = names.get(select.value)?.royal || names.get(id)?.royal; // the two change places
        const other = isKing ? draft.rank.findIndex((each, where) => where !== at && each === select.value) : -1;
        change({ rank: draft.rank.map((old, each) => (each === at ? select.value : each === other ? id : old)) });
      });
      return el("label", el("span.dim", "abcdefgh"[at]), el("span.mini", figure(names.get(id))), select);
    }));
    fill(army,
      el("div.armychoice", el("h2", "Back rank"), el("div.choices", way(false, "Random"), way(true, "Fixed")),
        isFixed ? ranks() : [el("p.dim", "Each seed draws the men beside the king and its rooks from these pieces:"), chips()],
        el("p.wrong", { role: "alert" }, known.start_problem ?? ""),
        el("div.row", isFixed ? null : el("button", { "data-key": "another", onclick: () => change({ seed: draft.seed + 1 }) }, "Another back rank"),
          el("button.main", { onclick: play, disabled: !known.start }, "Play it"))),
      el("div.armyboard", shownStart ? board : null));
    if (focused) army.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  function play() {
    if (!known?.start) return;
    const level = home.levels[Math.floor((home.levels.length - 1) / 2)];
    context.go(`#play/${encodeURIComponent(home.text)}`, {
      game: known.text, pieces: draft.pieces, start: known.start.text, actions: [], seed: draft.seed,
      players: ["human", level ? `level:${level.name}` : "puct:sims=200"],
    });
  }

  async function copyLink() {
    const { pieces, pool, rank, seed } = draft;
    const address = `${location.origin}${location.pathname}#pieces?share=${await packed({ pieces, pool, rank, seed })}`;
    const done = await copied(address);
    fill(told, done ? "The link is copied. It has all of your pieces in it; nothing is kept on the server." : ["Copy this link: ", el("input", { type: "text", value: address, readOnly: true, "aria-label": "Link" })]);
    context.announce(done ? "The link is copied." : "");
  }

  check();
  return () => clearTimeout(timer);
}
