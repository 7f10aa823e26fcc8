// Pieces and positions in the address of the page: JSON, deflated, as base64url.

const MOST = 300_000; // bytes of what a link may contain

/** A value as text for an address. */
export async function packed(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The value of such a text; an Error with words for people if it is damaged, too large or not as `isRight` wants it. */
export async function unpacked(text, isRight) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    const parts = [];
    let size = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > MOST) {
        await reader.cancel();
        throw new Error("too large");
      }
      parts.push(next.value);
    }
    const value = JSON.parse(await new Blob(parts).text());
    if (value === null || typeof value !== "object" || !isRight(value)) throw new Error("another form");
    return value;
  } catch {
    throw new Error("This link is damaged: copy it again from where it came from.");
  }
}

/** Copies a text; returns whether the browser allowed it. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea"); // pages without https have no clipboard
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
