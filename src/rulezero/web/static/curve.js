// <rz-curve>: how a game's value changed from ply to ply, as a small SVG chart.
//
// curve.points = [{ply, value, wdl?, mark?, say?}, ...]  values are seat 0's, in [-1, 1]
// curve.at = 12; curve.seats = ["White", "Black"]
// Clicking a ply, or the keys left and right, dispatch rz-ply {ply}.

const [W, H] = [600, 150];
const INSET = 4; // keeps the line and the cursor inside the frame

const style = `
:host { display: block; position: relative; }
svg { display: block; width: 100%; height: 100%; touch-action: pan-y; cursor: pointer; outline: none; border-radius: 8px; overflow: hidden; }
svg:focus-visible { outline: 3px solid var(--accent, #2563c9); outline-offset: 2px; }
.win { fill: var(--win, #f7f3ea); } .draw { fill: var(--draw, #9aa3af); } .loss { fill: var(--loss, #3c4048); }
.middle { stroke: var(--dim, #66707f); stroke-dasharray: 3 5; opacity: .7; vector-effect: non-scaling-stroke; }
.line { fill: none; stroke: var(--accent, #2563c9); stroke-width: 2.2; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.early { opacity: .45; }
.at { stroke: var(--text, #1b222c); stroke-width: 1; stroke-dasharray: 2 3; opacity: .75; vector-effect: non-scaling-stroke; }
.spot { position: absolute; width: 9px; height: 9px; margin: -4.5px; border-radius: 50%; background: var(--accent, #2563c9); box-shadow: 0 0 0 2px var(--sheet, #fff); pointer-events: none; }
.mark { position: absolute; width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; border: 2px solid var(--sheet, #fff); box-sizing: border-box; pointer-events: none; }
.frame { position: absolute; inset: 0; border: 1px solid var(--rule, #ddd); border-radius: 8px; pointer-events: none; }
`;
const COLOURS = { "?!": "#d9a514", "?": "#e0742a", "??": "#d1372b" };
const NAMES = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };

const make = (tag, given) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
  return element;
};

export class RzCurve extends HTMLElement {
  #points = [];
  #at = null;
  #last = 0;
  #svg = make("svg", { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", tabindex: 0, role: "slider", "aria-label": "Value of each ply" });
  seats = ["White", "Black"];

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    root.append(this.#svg);
    const go = (event) => this.#tell(this.#plyAt(event.clientX));
    this.#svg.addEventListener("pointerdown", (event) => { this.#svg.setPointerCapture(event.pointerId); go(event); });
    this.#svg.addEventListener("pointermove", (event) => { if (event.buttons) go(event); });
    this.#svg.addEventListener("keydown", (event) => {
      const at = this.#at ?? this.#last;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.#last, PageDown: at - 10, PageUp: at + 10 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.#tell(Math.max(0, Math.min(this.#last, to)));
    });
  }

  set points(points) {
    this.#points = points.filter((each) => typeof each.value === "number");
    this.#last = Math.max(1, ...points.map(({ ply }) => ply));
    this.#draw();
  }
  get points() { return this.#points; }
  set at(ply) { this.#at = ply; this.#draw(); }

  #tell(ply) { this.dispatchEvent(new CustomEvent("rz-ply", { detail: { ply }, bubbles: true })); }

  #plyAt(x) {
    const box = this.#svg.getBoundingClientRect();
    return Math.max(0, Math.min(this.#last, Math.round((((x - box.left) / box.width) * W - INSET) / (W - 2 * INSET) * this.#last)));
  }

  #draw() {
    const across = (ply) => INSET + (ply / this.#last) * (W - 2 * INSET), down = (value) => H / 2 - value * (H / 2 - INSET);
    const edge = (at, ply) => (at === 0 ? 0 : at === this.#points.length - 1 && ply === this.#last ? W : across(ply)); // areas fill the frame
    const area = (upper, lower, name) => {
      const along = (bound) => this.#points.map((each, at) => `${edge(at, each.ply).toFixed(1)},${bound(each).toFixed(1)}`);
      const there = along(upper), back = along(lower).reverse();
      return make("polygon", { class: name, points: [...there, ...back].join(" ") });
    };
    const parts = [];
    const wdl = (each) => each.wdl ?? [(1 + each.value) / 2, 0, (1 - each.value) / 2];
    if (this.#points.length) {
      const lost = (each) => H * wdl(each)[2], drawn = (each) => H * (wdl(each)[2] + wdl(each)[1]);
      parts.push(area(() => 0, lost, "loss"), area(lost, drawn, "draw"), area(drawn, () => H, "win"));
      const [first] = this.#points;
      if (first.ply > 0) parts.push(make("line", { class: "line early", x1: 0, x2: across(first.ply), y1: down(first.value), y2: down(first.value), "stroke-dasharray": "4 4" })); // the opening, which nobody judged
      parts.push(make("polyline", { class: "line", points: this.#points.map((each) => `${across(each.ply).toFixed(1)},${down(each.value).toFixed(1)}`).join(" ") }));
    }
    parts.push(make("line", { class: "middle", x1: 0, x2: W, y1: H / 2, y2: H / 2 }));
    if (this.#at !== null && this.#at < this.#last) parts.push(make("line", { class: "at", x1: across(this.#at), x2: across(this.#at), y1: 0, y2: H }));
    this.#svg.replaceChildren(...parts);
    const marks = this.#points.filter(({ mark }) => mark).map((each) => {
      const dot = document.createElement("i");
      dot.className = "mark";
      dot.style.cssText = `left:${(100 * across(each.ply)) / W}%;top:${(100 * down(each.value)) / H}%;background:${COLOURS[each.mark]}`;
      dot.title = NAMES[each.mark];
      return dot;
    });
    const frame = document.createElement("div");
    frame.className = "frame";
    const here = this.#points.findLast?.(({ ply }) => ply <= (this.#at ?? this.#last));
    const spot = document.createElement("i");
    spot.className = "spot";
    if (here && this.#at !== null) spot.style.cssText = `left:${(100 * across(this.#at)) / W}%;top:${(100 * down(here.value)) / H}%`;
    else spot.hidden = true;
    this.shadowRoot.replaceChildren(this.#svg, frame, ...marks, spot);
    const set = (name, value) => this.#svg.setAttribute(name, value);
    set("aria-valuemin", 0);
    set("aria-valuemax", this.#last);
    set("aria-valuenow", this.#at ?? this.#last);
    set("aria-valuetext", here ? `ply ${here.ply}: value ${here.value.toFixed(2)} for ${this.seats[0]}${here.mark ? `, ${NAMES[here.mark]}` : ""}` : "no values yet");
  }
}

if (!customElements.get("rz-curve")) customElements.define("rz-curve", RzCurve);
