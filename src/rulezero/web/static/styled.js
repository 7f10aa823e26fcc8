// Style sheets that only some views need.

/** Waits until a style sheet is loaded; a view without it is drawn plainly. */
export function styled(address) {
  const known = document.querySelector(`link[href="${address}"]`);
  if (known) return Promise.resolve();
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  return new Promise((resolve) => {
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}
