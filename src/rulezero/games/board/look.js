// What the board draws with: SVG elements, the drawings of men, and the colours of moves.

export const S = 100; // side of a square, in units of the drawing

const palette = ["#e07b1f", "#8b55d0", "#2f7fd0", "#c23b8a", "#12908c"];
const known = new Map(); // colours of kinds of moves, in the order in which they were seen
const most = new Map(); // the greatest number ever noted at a man of a game, for bars

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const isNumber = (note) => /^\d+(\.\d+)?$/.test(note ?? "");

/** An SVG element. */
export const make = (tag, given = {}, ...inside) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) if (value !== null) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};

/** Inner SVG markup as nodes. */
const read = new Map();
const parsed = (markup) => {
  if (!read.has(markup)) {
    const text = `<svg xmlns="http://www.w3.org/2000/svg">${markup}</svg>`;
    read.set(markup, new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
  }
  return [...document.importNode(read.get(markup), true).childNodes];
};

/** The colour of a kind of moves, the same on every board. */
export function colour(kind) {
  if (!kind || kind === "moves") return "#2f7d4f";
  if (!known.has(kind)) {
    if (/heal|consecr|mend/i.test(kind)) known.set(kind, "#1fa35c");
    else if (/strik|attack|captur|hit/i.test(kind)) known.set(kind, "#d23a2a");
    else known.set(kind, palette[known.size % palette.length]);
  }
  return known.get(kind);
}

/** Takes note of the greatest numbers at men, such as full hit points, for their bars. */
export function learn(game, position) {
  const count = most.get(game.name) ?? most.set(game.name, { ...game.most }).get(game.name);
  for (const [man, , note] of position.cells.flat()) {
    if (isNumber(note)) count[man.toUpperCase()] = Math.max(count[man.toUpperCase()] ?? 0, Number(note));
  }
}

/** A man's drawing as a small SVG of its own. */
export function portrait(game, man, seat) {
  const image = make("svg", { viewBox: "0 0 100 100", class: `man seat${seat}`, "aria-hidden": "true", overflow: "hidden" });
  image.append(drawing(game, man));
  return image;
}

/** The drawing of a man in a box of 100 x 100, beyond which it paints nothing; a man without a picture is a disc with its symbol. */
export function drawing(game, man) {
  const markup = game.pictures?.[man] ?? game.pictures?.[man.toUpperCase()];
  const disc = () => [make("circle", { cx: 50, cy: 50, r: 38 }), make("text", { x: 50, y: 66 }, man.toUpperCase())];
  return make("svg", { class: "picture", viewBox: "0 0 100 100", width: 100, height: 100 }, ...(markup ? parsed(markup) : disc()));
}

/** A man at a place of the board, and the sign with his note: {man, note}. */
export function figure(game, [man, seat, note], [x, y], { falls, isStill }) {
  const bar = isNumber(note);
  const group = make("g", { class: `man ${seat === 0 || seat === 1 ? `seat${seat}` : "nobody"}` });
  const place = bar ? `translate(${x + 8} ${y + 2}) scale(.84)` : `translate(${x + 4} ${y + 3}) scale(.92)`;
  group.append(make("g", { transform: falls ? `translate(${x} ${y})` : place }, drawing(game, man)));
  if (!note) return { man: group, note: null };
  const sign = make("g", { class: "note" });
  if (bar) {
    const share = Math.min(1, Number(note) / (most.get(game.name)[man.toUpperCase()] || 1));
    const fill = share > 0.6 ? "#3fbf6a" : share > 0.3 ? "#f0b429" : "#ef4a3a";
    if (isStill) x += 17; // no number beside it
    sign.append(make("rect", { class: "back", x: x + 6, y: y + 83, width: 54, height: 12, rx: 6 }));
    sign.append(make("rect", { x: x + 8, y: y + 85, width: Math.max(6, 50 * share), height: 8, rx: 4, fill }));
    sign.append(make("text", { class: "number", x: x + 96, y: y + 96 }, note));
  } else {
    const width = 16 + 11 * note.length;
    sign.append(make("rect", { class: "badge", x: x + 50 - width / 2, y: y + 72, width, height: 25, rx: 9 }));
    sign.append(make("text", { class: "words", x: x + 50, y: y + 91 }, note));
  }
  return { man: group, note: sign };
}
