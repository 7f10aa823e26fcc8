// Figures of a run, drawn by plotly, which is loaded when the first one is needed.

import { el, fill } from "./dom.js";
import { explained } from "./terms.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 560px)");
let loading = null;

/** Plotly, loaded once. */
function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = el("script", { src: "/plotly.js" });
    script.addEventListener("load", () => resolve(globalThis.Plotly));
    script.addEventListener("error", () => { loading = null; reject(new Error("The charts did not load: reload the page.")); });
    document.head.append(script);
  });
  return loading;
}

/** Replaces names of CSS variables by their colours, so that figures follow light and dark. */
function coloured(value, style) {
  if (typeof value === "string" && value.startsWith("--")) return style.getPropertyValue(value).trim();
  if (Array.isArray(value)) return value.map((each) => coloured(each, style));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, coloured(each, style)]));
}

const axis = { gridcolor: "--rule", zeroline: false, linecolor: "--rule", automargin: true };

/** A figure with one iteration so far shows only that one. */
function single({ data, layout }) {
  const numbers = new Set(data.flatMap(({ x }) => x));
  if (numbers.size !== 1 || layout.xaxis?.range) return {};
  const [only] = numbers;
  return { tickvals: [only], range: [only - 0.6, only + 0.6] };
}

function layoutOf(figure, font) {
  const given = figure.layout;
  return {
    ...given,
    margin: { l: 44, r: 10, t: 8, b: 34 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: font, size: 12, color: "--dim" },
    hovermode: "x unified",
    hoverlabel: { bgcolor: "--sheet", bordercolor: "--rule", font: { color: "--text" } },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 11 } },
    xaxis: { ...axis, ...given.xaxis, ...single(figure), showgrid: false },
    yaxis: { ...axis, ...given.yaxis },
    dragmode: false,
  };
}

const last = (values) => values?.findLast((each) => each !== null && each !== undefined);

/** A number as the axis writes it. */
function said(value, form) {
  if (form?.endsWith("p")) return `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)}\u202f%`;
  if (form?.startsWith("+")) return `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(0)}`;
  if (form?.startsWith(",")) return Math.round(value).toLocaleString("en");
  return value.toFixed(form === ".1f" ? 1 : 2);
}

/** The newest number of each curve in words, for the figure's corner and for screen readers. */
function newest(figure) {
  const form = figure.layout.yaxis?.tickformat;
  const isShown = ({ type, name, y }) => type !== "bar" && last(y) !== undefined && (!figure.main || figure.main.includes(name));
  if (figure.id === "elo") return figure.data.filter(isShown).map((trace) => [trace.name, last(trace.text) ?? ""]); // a few games give no number, only an interval
  return figure.data.filter(isShown).map((trace) => [trace.name, said(last(trace.y), form)]);
}

/** All figures of one run, or of two. `draw` shows what has arrived, and may be called often. */
export class Charts {
  #place;
  #shown = new Map(); // by figure: its elements
  #drawn = new Map(); // by plot: what it shows
  #order = "";
  #again = () => { this.#drawn.clear(); for (const { figure, plot } of this.#shown.values()) this.#plot(plot, figure); };
  #seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const found = [...this.#shown.values()].find(({ plot }) => plot === target);
      if (found) { found.near = isIntersecting; if (isIntersecting) this.#plot(target, found.figure); }
    }
  }, { rootMargin: "300px" });

  constructor(place) {
    this.#place = place;
    dark.addEventListener("change", this.#again);
  }

  close() {
    dark.removeEventListener("change", this.#again);
    this.#seen.disconnect();
    for (const { plot } of this.#shown.values()) if (this.#drawn.has(plot)) globalThis.Plotly?.purge(plot);
  }

  /** @param {{id: string, title: string, figures: object[]}[]} groups */
  draw(groups, { isOver = false } = {}) {
    const order = isOver + JSON.stringify(groups.map(({ id, figures }) => [id, figures.map((each) => [each.id, each.data.length > 0])]));
    if (order !== this.#order) this.#build(groups, isOver);
    this.#order = order;
    for (const figure of groups.flatMap(({ figures }) => figures)) {
      const found = this.#shown.get(figure.id);
      if (!found) continue;
      found.figure = figure;
      const facts = newest(figure);
      if (figure.main) fill(found.now, facts.map(([, words], at) => [el("i.swatch", { class: `swatch of${figure.main.indexOf(facts[at][0])}` }), el("strong", words), " "]).flat());
      else fill(found.now, facts[0] && facts.length < 4 ? el("strong", facts[0][1]) : null, facts[1] && facts.length < 4 ? [" ", explained(facts[1][0]), ` ${facts[1][1]}`].flat() : null);
      found.plot.setAttribute("aria-label", `${figure.title}: ${facts.map(([name, words]) => `${name} ${words}`).join(", ") || figure.about}`);
      if (found.near) this.#plot(found.plot, figure);
    }
  }

  #build(groups, isOver) {
    const isOpen = new Map([...this.#place.querySelectorAll("details.chartgroup")].map((each) => [each.dataset.group, each.open]));
    const before = this.#shown;
    this.#shown = new Map();
    const sections = groups.map((group) => {
      const drawn = group.figures.filter((each) => each.data.length).map((figure) => {
        const found = before.get(figure.id) ?? this.#frame(figure);
        this.#shown.set(figure.id, found);
        return found.frame;
      });
      const missing = group.figures.filter((each) => !each.data.length).map((each) => each.title);
      if (!drawn.length) return null;
      const words = isOver ? "This run did not measure" : "No numbers so far:";
      return el("details.chartgroup", { "data-group": group.id, open: isOpen.get(group.id) ?? (!narrow.matches || group === groups[0]) }, el("summary", el("h2", group.title)), el("div.charts", drawn),
        missing.length ? el("p.quiet", explained(`${words} ${missing.join(", ")}.`)) : null);
    }).filter(Boolean);
    fill(this.#place, sections.length ? sections : el("p.nothing", isOver ? "This run has no numbers." : "No numbers so far: the first curves appear after the first fit."));
  }

  #frame(figure) {
    const plot = el("div.plot", { role: "img" });
    const now = el("span.now");
    const frame = el("figure.chart", el("figcaption", el("h3", explained(figure.title)), now, el("p", explained(figure.about))), plot);
    this.#seen.observe(plot);
    return { figure, frame, plot, now, near: false };
  }

  async #plot(plot, figure) {
    if (this.#drawn.get(plot) === figure) return;
    this.#drawn.set(plot, figure);
    try {
      const Plotly = await plotly();
      if (this.#drawn.get(plot) !== figure || !plot.isConnected) return;
      const style = getComputedStyle(this.#place);
      const options = { displayModeBar: false, responsive: true };
      await Plotly.react(plot, coloured(figure.data, style), coloured(layoutOf(figure, style.fontFamily), style), options);
    } catch (error) {
      fill(plot, el("p.quiet", error.message));
    }
  }
}

/** All numbers of figures as comma-separated values: a line for each point. */
export function asCsv(groups) {
  const quoted = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  const rows = groups.flatMap(({ figures }) => figures.flatMap(({ title, data }) => data.flatMap(({ name, x, y }) => (x ?? []).map((at, number) => [title, name, at, y[number]]))));
  return [["figure", "curve", "x", "y"], ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

/** Figures of two runs in one: the first run's curves in one colour, the second's in another. */
export function overlaid(first, second, names) {
  let isMany = false; // whether curves of one run differ by colour
  const traces = [first, second].flatMap((figure, run) => (figure?.data ?? []).map((trace) => {
    const many = new Set((figure?.data ?? []).filter((each) => (each.line?.dash ?? "solid") === "solid").map((each) => each.line?.color)).size > 1;
    isMany ||= many;
    const colour = ["--net", "--second"][run];
    const line = many ? { ...trace.line, dash: run ? "dash" : "solid" } : { ...trace.line, color: colour };
    const error = trace.error_y ? { error_y: { ...trace.error_y, color: colour } } : {};
    const marker = Array.isArray(trace.marker?.color) || many ? trace.marker : { ...trace.marker, color: colour };
    return { ...trace, ...error, line, marker, name: trace.name === "net" || figure.data.length === 1 ? names[run] : `${names[run]}: ${trace.name}`,
      opacity: trace.line?.dash && trace.line.dash !== "solid" && !many ? 0.55 : 1 };
  }));
  const base = first ?? second;
  const steps = [first, second].map((each) => each?.layout.xaxis?.dtick ?? 1);
  return { ...base, data: traces, main: names, layout: { ...base.layout, showlegend: isMany, xaxis: { ...base.layout.xaxis, dtick: Math.max(...steps) } } };
}
