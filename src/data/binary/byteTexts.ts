/** The texts of bytes that no type of a file calls text. */

const strict = new TextDecoder("utf-8", { fatal: true });

/** UTF-8 if it is, otherwise a code. */
export function bytesText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytesCode(bytes);
  }
}

/** Hexadecimal digits, marked so that they are never taken for a number. */
export function bytesCode(bytes: Uint8Array): string {
  return `0x${hexOf(bytes)}`;
}

function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

export function uuidOf(bytes: Uint8Array): string {
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
