// Small drawings: the icons of buttons, and dice.

import { el } from "./dom.js";

const ICONS = {
  undo: "M8 4 4 8l4 4M4 8h7a5 5 0 0 1 0 10H8", undoTurn: "M7 4 3 8l4 4M12 4 8 8l4 4M8 8h5a4.5 4.5 0 0 1 0 10h-3", hint: "M10 2a5.5 5.5 0 0 0-3 10v2h6v-2a5.5 5.5 0 0 0-3-10zM8 17.5h4",
  flip: "M6 3v13m0 0-3-3m3 3 3-3M14 17V4m0 0-3 3m3-3 3 3", swap: "M3 7h13m0 0-3-3m3 3-3 3M17 14H4m0 0 3-3m-3 3 3 3", resign: "M5 18V3m0 1h10l-2.5 3.5L15 11H5",
  copy: "M7 7V3h10v10h-4M3 7h10v10H3z", anew: "M10 4v12M4 10h12", pause: "M7 4v12M13 4v12", go: "M6 4l10 6-10 6z", now: "M4 4l7 6-7 6zM15 4v12",
};
const PIPS = { 1: [5], 2: [1, 9], 3: [1, 5, 9], 4: [1, 3, 7, 9], 5: [1, 3, 5, 7, 9], 6: [1, 3, 4, 6, 7, 9] };
export const FACES = { 1: "⚀", 2: "⚁", 3: "⚂", 4: "⚃", 5: "⚄", 6: "⚅" };

/** The icon of a button. */
export function icon(name) {
  const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  image.setAttribute("viewBox", "0 0 20 20");
  image.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  image.append(path);
  return image;
}

/** A die that shows a face. */
export function die(face) {
  const pips = PIPS[face] ?? [];
  return el("span.die", { role: "img", "aria-label": `the die shows ${face}` }, pips.length ? Array.from({ length: 9 }, (_, at) => el(pips.includes(at + 1) ? "i.on" : "i")) : String(face));
}
