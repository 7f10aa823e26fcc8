// Words of machine learning, explained where they are shown: as tooltips, and by a tap.

import { el } from "./dom.js";

const TERMS = {
  "legal mass": "The share of the net’s policy that is on legal moves, before illegal moves are taken out. Near 100 % the net knows the rules.",
  "top-1": "How often the net’s likeliest legal move is the move that the search preferred.",
  "best constant": "The loss of the best answer that is the same in every position. A net above it has learned nothing about positions.",
  nats: "The unit of this loss, with natural logarithms: 0.69 nats are one bit.",
  "policy loss": "How far the net’s move probabilities are from those of the search, on games that it was not trained on. Smaller is better.",
  "value loss": "How far the net’s value is from the results, on games that it was not trained on. Smaller is better.",
  elo: "Playing strength: 100 Elo more score 64 %, 200 score 76 %. The opponent here has 0.",
  surprise: "How far the search moved from the first guess of the evaluation, in nats.",
};
const ANY = new RegExp(`\\b(${Object.keys(TERMS).join("|")})\\b`, "i");

const tip = el("div.tip", { popover: "auto", role: "tooltip" });

function show(button, words) {
  if (!tip.isConnected) document.body.append(tip);
  tip.textContent = words;
  tip.showPopover?.();
  const box = button.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${box.bottom + 6 + tip.offsetHeight > innerHeight ? box.top - tip.offsetHeight - 6 : box.bottom + 6}px`;
}

/** A text in which known words can be tapped: nodes to be put into an element. */
export function explained(text) {
  const found = ANY.exec(text);
  if (!found) return [text];
  const words = TERMS[found[0].toLowerCase()];
  const term = el("button.term", { type: "button", title: words, onclick: () => show(term, words) }, found[0]);
  return [text.slice(0, found.index), term, ...explained(text.slice(found.index + found[0].length))].filter((part) => part !== "");
}
