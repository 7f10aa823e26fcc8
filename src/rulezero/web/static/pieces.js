// The pieces view: pieces of one's own, positions of one's own, and the guide to pieces.

import { el, fill, sorry } from "./dom.js";
import { positions } from "./positions.js";
import { drawn } from "./styled.js";
import { workshop } from "./workshop.js";

const TABS = { "": "Pieces", board: "Positions", guide: "Guide" };

/** @param {HTMLElement} place @param {import("./main.js").Context} context */
export function mount(place, context) {
  return drawn(place, "/static/rules.css", () => page(place, context));
}

function page(place, context) {
  const tab = Object.hasOwn(TABS, context.path[0] ?? "") ? context.path[0] ?? "" : null;
  if (tab === null) {
    fill(place, sorry(`There is no page “${context.path[0]}” here`, "Choose one of the editors.", el("a.button.main", { href: "#pieces" }, "Pieces")));
    return null;
  }
  const tabs = el("nav.tabs", { "aria-label": "Editors" }, Object.entries(TABS).map(([name, words]) =>
    el("a", { href: name ? `#pieces/${name}` : "#pieces", "aria-current": name === tab ? "page" : null }, words)));
  const room = el("div.editor");
  fill(place, tabs, room);
  if (tab === "board") return positions(room, context);
  if (tab === "guide") return guide(room, context);
  return workshop(room, context);
}

async function guide(room, context) {
  const text = el("article.prose");
  fill(room, text);
  const { html } = await context.api("/api/guide");
  text.innerHTML = html; // made by the server from its own documentation
  return null;
}
