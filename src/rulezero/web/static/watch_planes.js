// What a net sees of a position: its input planes as small heat maps.

import { el, fill } from "./dom.js";

const isDark = matchMedia("(prefers-color-scheme: dark)");
const RAMPS = { light: [[238, 240, 244], [29, 84, 178]], dark: [[38, 45, 56], [140, 182, 255]] }; // of 0 and 1
const TINY = 4; // squares of planes that are drawn small

/** A plane as a canvas with one pixel for each square; row 0 is at the bottom. */
function picture(values, rows, columns) {
  const canvas = el("canvas", { width: columns, height: rows });
  const [low, high] = RAMPS[isDark.matches ? "dark" : "light"];
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(columns, rows);
  values.forEach((value, at) => {
    const place = 4 * ((rows - 1 - Math.floor(at / columns)) * columns + (at % columns));
    low.forEach((from, part) => { image.data[place + part] = from + (high[part] - from) * Math.min(1, Math.max(0, value)); });
    image.data[place + 3] = 255;
  });
  pen.putImageData(image, 0, 0);
  return canvas;
}

function words(values) {
  const most = Math.max(...values);
  if (values.every((value) => value === values[0])) return `everywhere ${values[0]}`;
  return `${values.filter((value) => value !== 0).length} squares above 0, at most ${most}`;
}

export class Planes {
  /** @param {(ply: number) => Promise<object>} ask the planes of a position */
  constructor(ask) {
    this.ask = ask;
    this.ply = 0;
    this.asked = 0;
    this.body = el("div.planes");
    this.note = el("p.dim", { role: "status" });
    this.all = el("input", { type: "checkbox", onchange: () => this.draw() });
    this.element = el("details.panel.wide", { ontoggle: () => this.show(this.ply) }, el("summary", "What the net sees"),
      el("div.tools-line", el("label", this.all, "also planes that are 0 everywhere"), el("span", "Full colour is 1, faint is 0. The bottom row is row 0.")), this.note, this.body);
  }

  show(ply) {
    this.ply = ply;
    if (!this.element.open || this.drawn === ply) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(ply), 120);
  }

  async load(ply) {
    const mine = ++this.asked;
    try {
      const found = await this.ask(ply);
      if (mine === this.asked) this.found = found;
    } catch (error) {
      if (mine !== this.asked) return;
      this.found = null;
      this.note.textContent = error.message;
    }
    if (mine !== this.asked) return;
    this.drawn = ply;
    this.draw();
  }

  draw() {
    if (!this.found) return fill(this.body);
    const { shape: [channels, rows, columns], planes, names } = this.found;
    const named = (at) => names[at] ?? `plane ${at}`;
    const shown = planes.map((values, at) => [at, values]).filter(([, values]) => this.all.checked || values.some((value) => value !== 0));
    const cut = planes.length < channels ? `; the first ${planes.length} are shown` : "";
    this.note.textContent = `Input of ${channels} planes of ${rows} × ${columns}, ${shown.length === planes.length ? "all" : shown.length} shown${cut}.${names.length ? " docs/planes.md says what each one is." : ""}`;
    this.body.classList.toggle("tiny", rows * columns <= TINY);
    fill(this.body, shown.map(([at, values]) => {
      const canvas = picture(values, rows, columns);
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${named(at)}: ${words(values)}`);
      return el("figure", { title: `plane ${at}: ${words(values)}` }, canvas, el("figcaption", named(at)));
    }));
  }
}
