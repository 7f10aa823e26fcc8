// Views that need a style sheet of their own, or an answer of the server, before they are drawn.

import { el, fill } from "./dom.js";

/** Waits until a style sheet is loaded; a view without it is drawn plainly. */
function styled(address) {
  const known = document.querySelector(`link[href="${address}"]`);
  if (known) return Promise.resolve();
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  return new Promise((resolve) => {
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}

/** Draws a view when its style sheet is there; returns what ends the view. */
export function drawn(place, address, draw) {
  let end = null;
  let isOver = false;
  const work = styled(address).then(() => (isOver ? null : draw()));
  work.then((found) => { if (isOver) found?.(); else end = found; }, (error) => {
    console.error(error);
    fill(place, el("p.wrong", { role: "alert" }, error.message));
  });
  return () => { isOver = true; end?.(); };
}
