// A menu for several moves with the same squares, such as promotions.

import { S, portrait } from "./look.js";

/** The menu over a square of the drawing `svg`; `choose` gets the move, or null if it is left. */
export function pick(svg, grid, game, seat, square, moves, choose) {
  const [x, y] = grid.corner(square);
  const picker = document.createElement("div");
  const up = y >= (grid.rows * S) / 2;
  picker.className = up ? "picker up" : "picker";
  picker.setAttribute("role", "menu");
  picker.setAttribute("aria-label", "Choose one");
  for (const move of moves) {
    const button = document.createElement("button");
    const rest = move.text.replace(/[a-z]\d+/g, "").replace(/[{}=]/g, "");
    const man = [rest, rest.toUpperCase()].find((name) => name && game.pictures?.[name]);
    if (man) button.append(portrait(game, man, seat));
    else button.textContent = move.say;
    button.className = man ? "pictured" : "";
    button.setAttribute("role", "menuitem");
    button.setAttribute("aria-label", move.say);
    button.title = move.say;
    button.addEventListener("click", () => choose(move));
    picker.append(button);
  }
  const root = svg.getRootNode();
  picker.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = [...picker.children];
    if (step) all[(all.indexOf(root.activeElement) + step + all.length) % all.length].focus();
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  root.append(picker);
  const box = svg.getBoundingClientRect(), scale = box.width / (grid.columns * S);
  const half = picker.offsetWidth / 2;
  picker.style.left = `${Math.min(Math.max((x + 50) * scale, half), Math.max(half, box.width - half))}px`;
  picker.style.top = `${(up ? y - 4 : y + S + 4) * scale}px`;
  picker.firstChild.focus({ preventScroll: true });
  return picker;
}
