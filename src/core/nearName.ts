import { option, optionError, type KindredError } from "./errors.ts";

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
  const asked = name.toLowerCase();
  let best: string | undefined;
  let fewest = Math.floor(asked.length / 3) + 1;
  for (const candidate of known.slice(0, 10_000)) {
    if (Math.abs(candidate.length - name.length) >= fewest) continue;
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
