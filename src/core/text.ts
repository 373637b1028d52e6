import { defined } from "./options.ts";
import { type KindredError, option, optionError } from "./messages.ts";

/** A count and its noun: "1 row", "2 rows". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A share of 1 for people: "72 %". */
export function percent(share: number, digits: number = 0): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/** The beginning of a text in one line, with a mark if there is more. */
export function clipped(text: string, most: number): string {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}…`;
}

/** The first names and the number of the others. */
export function listed(names: readonly string[], shown = 6): string {
  const more = names.length - shown;
  return names.slice(0, shown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** "1 of 9 rows has", "2 of 9 rows have". */
export function have(count: number): "has" | "have" {
  return count === 1 ? "has" : "have";
}

/** The note about rows whose class is unknown. */
export function noClass(count: number, rows: number): string {
  return `${count} of ${rows} rows ${have(count)} no class and ${count === 1 ? "was" : "were"} left out`;
}

/** Letters from which brackets hold an explanation, and no unit: "(Pygoscelis antarctica)", not "(mm)". */
const EXPLAINED = 12;

/**
 * A name in at most `most` letters, in one line. Of a long one an explanation in brackets is left out; otherwise the end is
 * kept, too: "How satisfied are you … [Price]" differs from "[Speed]" only there.
 */
export function shortName(name: string, most: number = 40): string {
  const letters = [...name.replaceAll(/\s+/g, " ").trim()];
  const whole = letters.join("");
  if (letters.length <= most) return whole;
  const [bare, inside = ""] = whole.split(/ \(([^()]*)\)$/);
  if (inside.length >= EXPLAINED && [...bare].length <= most) return bare;
  const tail = Math.floor(0.4 * (most - 1));
  const start = letters.slice(0, most - 1 - tail).join("");
  const end = letters.slice(-tail).join("");
  // At the borders of words, if that leaves half of a part.
  const [last, first] = [start.lastIndexOf(" "), end.indexOf(" ")];
  return (
    (2 * last >= start.length ? start.slice(0, last + 1) : start) +
    "…" +
    (first >= 0 && 2 * first <= end.length ? end.slice(first) : end)
  );
}

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

/**
 * The known names, for an error about an unknown name: `did you mean "plan"? The columns are "plan",
 * "price"`. Of more than forty names twenty are listed; one is suggested if few letters are wrong.
 *
 * @param what the names are of: "columns", "methods"
 */
export function knownNames(
  name: string,
  known: readonly string[],
  what: string,
  quote: (name: string) => string = (text) => `"${text}"`,
): string {
  const near = nearName(name, known);
  const shown = known.length > 40 ? 20 : known.length;
  const more = shown < known.length ? [`and ${known.length - shown} more`] : [];
  const list = [...known.slice(0, shown).map(quote), ...more].join(", ");
  return near === undefined
    ? `the ${what} are ${list}`
    : `did you mean ${quote(near)}? The ${what} are ${list}`;
}

/** An option names a column that is not there. */
export function absentColumn(
  asked: string,
  name: string,
  source: string,
  names: readonly string[],
): KindredError {
  return optionError(
    `${option(asked)} names the column "${name}", which ${source} does not have; ${knownNames(name, names, "columns")}`,
  );
}

/** The known name with the fewest wrong letters, if at most a third of them is wrong. */
export function nearName(name: string, known: readonly string[]): string | undefined {
  const asked = String(name).toLowerCase();
  let best: string | undefined;
  let fewest = Math.floor(asked.length / 3) + 1;
  for (const candidate of known.slice(0, 10_000)) {
    if (Math.abs(candidate.length - asked.length) >= fewest) continue;
    const wrong = distance(asked, candidate.toLowerCase());
    if (wrong < fewest) [best, fewest] = [candidate, wrong];
  }
  return best;
}

/** Letters to insert, delete, replace, or swap with the next one (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => new Int32Array(b.length + 1).fill(i));
  rows[0].forEach((_, j) => (rows[0][j] = j));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2][j - 2] + 1);
      rows[i][j] = least;
    }
  }
  return rows[a.length][b.length];
}

/**
 * A word as a shell takes it (POSIX, bash, zsh), whatever it holds: names of files and columns come from elsewhere, and
 * commands are copied. Controls and marks of the direction of writing, which a terminal would act on while it is pasted into,
 * are spelt out ($'...').
 */
export function shellWord(word: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (!SPELT.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const spelt = word
    .replaceAll(/[\\']/g, "\\$&")
    .replaceAll(new RegExp(SPELT, "gu"), (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `$'${spelt}'`;
}

// Controls, line separators, marks of the direction of writing.
const SPELT = /\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

/** Options as they stand in a program, without those that are not given: { method: "kmeans", clusters: 3 } */
export function literalOf(options: object): string {
  const given = Object.entries(defined(options));
  if (given.length === 0) return "{}";
  return `{ ${given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")} }`;
}
