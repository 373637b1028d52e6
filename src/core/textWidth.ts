/**
 * The columns of a terminal that a text takes: two for a wide letter or an emoji, none for a mark on another
 * letter (Unicode Standard Annex 11, East Asian Width).
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += MARK.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return width;
}

/** `text` and the spaces that fill `width` columns. */
export function padded(text: string, width: number, side: "left" | "right" = "right"): string {
  const spaces = " ".repeat(Math.max(0, width - textWidth(text)));
  return side === "right" ? text + spaces : spaces + text;
}

const PLAIN = /^[ -~]*$/;
const MARK = /^[\p{Mn}\p{Me}\u200B-\u200D]$/u;
const WIDE =
  /^(?:[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation})$/u;
