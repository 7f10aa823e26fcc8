// Makes elements: el("button.small", {onclick: f, disabled: true}, "text", child).

/** An element; `made` is a tag with classes, `given` has properties, attributes and listeners. */
export function el(made, given = {}, ...inside) {
  const [tag, ...classes] = made.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  if (given === null || typeof given !== "object" || given instanceof Node || Array.isArray(given)) {
    inside.unshift(given);
    given = {};
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...inside.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

/** Replaces what an element contains. */
export function fill(element, ...inside) {
  element.replaceChildren(...inside.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

export const percent = (share) => `${Math.round(100 * share)}\u202f%`;

/** "+0.31" */
export const signed = (value) => {
  const number = Math.abs(value).toFixed(2);
  return number === "0.00" ? number : `${value > 0 ? "+" : "−"}${number}`;
};

/** With a capital letter, as a sentence begins. */
export const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** Decodes a part of an address; what is not well-formed stays as it is. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** "1 ply", "3 games" */
export const counted = (number, word) => `${number.toLocaleString("en")} ${number === 1 ? word : word.replace(/y$/, "ie").replace(/$/, "s")}`;

/** A page in place of a view that cannot be shown. */
export const sorry = (title, words, ...ways) => el("section.sorry", el("h1", title), el("p", words), el("div.row", ways));

/** Reads and writes JSON in the browser's storage; a full or forbidden storage is no error. */
export const store = (area) => ({
  read(key) {
    try { return JSON.parse(area().getItem(key)); } catch { return null; }
  },
  write(key, value) {
    try {
      if (value === null) area().removeItem(key);
      else area().setItem(key, JSON.stringify(value));
    } catch { /* the page works without it */ }
  },
});

export const kept = store(() => localStorage);
export const session = store(() => sessionStorage);
