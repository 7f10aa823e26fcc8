// A text field for YAML: line numbers, indentation that goes on, and a mark at the line of a mistake.

import { el, fill } from "./dom.js";

const LINE = 20; // height of a line in pixels, as in rules.css
const INSET = 10; // above the first line
const SIDE = 12; // left of the text

let wide = 0;

/** The width of a letter in the field, in pixels. */
function letter() {
  if (!wide) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `13px ${getComputedStyle(document.documentElement).getPropertyValue("--mono")}`;
    wide = pen.measureText("0").width || 8;
  }
  return wide;
}

/** Its element, and functions to read, write and mark it. `changed` is called while typing. */
export function yamlField(changed, moved) {
  const field = el("textarea.yaml", {
    spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off",
    "aria-label": "Pieces as YAML", "aria-describedby": "yaml-problem",
  });
  const numbers = el("pre.numbers", { "aria-hidden": "true" });
  const bar = el("div.badline", { hidden: true, "aria-hidden": "true" });
  const bubble = el("div.bubble", { hidden: true, "aria-hidden": "true" });
  const problem = el("p.problem", { id: "yaml-problem", role: "status" });
  const frame = el("div.yamlframe", numbers, el("div.yamlroom", bar, field, bubble));
  let bad = null;
  let caret = -1;

  const lineOf = (index) => field.value.slice(0, index).split("\n").length;
  const place = () => {
    numbers.style.transform = `translateY(${-field.scrollTop}px)`;
    if (bad === null) return;
    const top = INSET + (bad - 1) * LINE - field.scrollTop;
    bar.style.top = `${top}px`;
    const text = field.value.split("\n")[bad - 1] ?? "";
    const left = SIDE + text.length * letter() - field.scrollLeft + 14; // beside the text of the line, or above it
    const room = field.clientWidth - left - 10;
    const isBeside = room >= 190;
    bubble.style.left = `${isBeside ? left : SIDE}px`;
    bubble.style.maxWidth = `${isBeside ? room : field.clientWidth - 2 * SIDE}px`;
    const height = bubble.offsetHeight;
    const to = isBeside ? top + LINE / 2 - 14 : top - height - 3;
    bubble.classList.toggle("beside", isBeside);
    bubble.style.top = `${to}px`;
    bubble.style.visibility = to < 0 || top > field.clientHeight - LINE / 2 ? "hidden" : ""; // it is also below the field
  };
  const count = () => {
    const lines = field.value.split("\n").length;
    fill(numbers, Array.from({ length: lines }, (_, at) => el(at + 1 === bad ? "b" : "span", `${at + 1}\n`)));
  };
  const look = () => {
    const now = lineOf(field.selectionStart);
    if (now !== caret) moved((caret = now));
  };
  field.addEventListener("scroll", place);
  field.addEventListener("input", () => { count(); place(); look(); changed(field.value); });
  for (const type of ["keyup", "click", "focus"]) field.addEventListener(type, look);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const before = field.value.slice(0, field.selectionStart).split("\n").at(-1);
    const indent = /^\s*(- )?/.exec(before)[0].replace("-", " ") + (/[:|]\s*$/.test(before) ? "  " : "");
    event.preventDefault();
    document.execCommand("insertText", false, `\n${indent}`); // keeps the browser's undo
  });

  return {
    element: el("div", frame, problem),
    get value() { return field.value; },
    set value(text) {
      field.value = text;
      field.setSelectionRange(0, 0);
      field.scrollTop = 0;
      count();
      place();
    },
    /** Marks the line of a mistake, or none. */
    mark(found) {
      bad = found?.line ?? null;
      bar.hidden = bubble.hidden = bad === null;
      bubble.textContent = found?.words ?? "";
      field.setAttribute("aria-invalid", String(Boolean(found)));
      const go = bad === null ? null : el("button.small", { onclick: () => this.go(bad) }, `Line ${bad}`);
      fill(problem, found ? [go, el("span.wrong", found.words)] : el("span.right", "No mistake found"));
      count();
      place();
    },
    /** Puts the caret onto a line. */
    go(line) {
      const start = field.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      field.focus({ preventScroll: true });
      field.setSelectionRange(start, start);
      field.scrollTop = Math.max(0, (line - 4) * LINE);
      look();
    },
  };
}
