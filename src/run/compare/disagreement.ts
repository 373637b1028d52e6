import { form, percent, plural } from "../../core/internal.ts";
import { type Column, type Table, takeTableRows } from "../../data/index.ts";
import { profilesOf } from "../../model/index.ts";
import { cellWords } from "../../model/internal.ts";

/** Rows that another partition has in another cluster. */
const changeForm = form.record({
  /**
   * "moves": rows of one recommended cluster are in another; "joins": all of them are; "parts": they form a new
   * cluster; "leaves": they are in no cluster; "enters": rows in no cluster are in one.
   */
  kind: form.choice("moves", "joins", "parts", "leaves", "enters"),
  /** The recommended cluster of the rows, and their cluster here; null: none, or a new one. */
  from: form.nullable(form.whole({ min: 0 })),
  to: form.nullable(form.whole({ min: 0 })),
  rows: form.whole({ min: 0 }),
  /** Rows of the recommended cluster. */
  of: form.whole({ min: 0 }),
  /** Some of them, by their positions in the table. */
  examples: form.asStored(form.wholes(undefined, { min: 0 })),
  /** How they differ from the rest of their cluster, in the columns of the table; empty if there is no rest. */
  contrast: form.text(),
  words: form.text(),
});

/** The differences of another partition from the recommended one. */
export const disagreementForm = form.record({
  /** Rows in another cluster, after matching clusters by their overlap. */
  rows: form.whole({ min: 0 }),
  /** The largest first. */
  changes: form.list(changeForm),
  /** One sentence. */
  words: form.text(),
});

export interface Change extends form.StoredOf<typeof changeForm> {}
export interface Disagreement extends form.StoredOf<typeof disagreementForm> {}

/**
 * Maximum number of reported changes, of rows and columns for a contrast, and the smallest effect worth
 * reporting.
 */
const MOST_CHANGES = 3;
const MOST_ROWS = 4000;
const MOST_COLUMNS = 2;
const WORTH = 0.5;
const EXAMPLES = 5;

export function disagreement(
  table: Table,
  recommended: ArrayLike<number>,
  other: ArrayLike<number>,
): Disagreement {
  const same = matching(recommended, other);
  const moved = new Map<string, number[]>();
  const sizes = new Map<number, number>();
  let rows = 0;
  for (let i = 0; i < recommended.length; i++) {
    const from = recommended[i];
    sizes.set(from, (sizes.get(from) ?? 0) + 1);
    const to = other[i] < 0 ? -1 : same.get(other[i]);
    if (to === from) continue;
    rows++;
    // New clusters are distinguished.
    const key = `${from} ${to ?? `own ${other[i]}`}`;
    const list = moved.get(key);
    if (list === undefined) moved.set(key, [i]);
    else list.push(i);
  }
  const changes = [...moved.values()]
    .toSorted((a, b) => b.length - a.length || a[0] - b[0])
    .slice(0, MOST_CHANGES)
    .map((list): Change => {
      const from = recommended[list[0]];
      const label = other[list[0]];
      const to = label < 0 ? -1 : (same.get(label) ?? null);
      const of = sizes.get(from)!;
      const whole = list.length === of;
      const kind =
        from < 0 ? "enters" : to === -1 ? "leaves" : to === null ? "parts" : whole ? "joins" : "moves";
      const contrast = from < 0 || whole ? "" : contrastOf(table, recommended, list);
      return {
        kind,
        from: from < 0 ? null : from,
        to: to === null || to < 0 ? null : to,
        rows: list.length,
        of,
        examples: list.slice(0, EXAMPLES),
        contrast,
        words: `${said(kind, list.length, from, to)}${contrast === "" ? "" : `: ${contrast}`}`,
      };
    });
  const told = changes.reduce((sum, change) => sum + change.rows, 0);
  const words = [...changes.map((change) => change.words), ...(told < rows ? [`${rows - told} more`] : [])];
  return { rows, changes, words: words.join("; ") };
}

/** The recommended cluster matched to a cluster: pairs with the largest overlap first, each once. */
export function matching(recommended: ArrayLike<number>, other: ArrayLike<number>): Map<number, number> {
  const shared = new Map<string, { to: number; from: number; count: number }>();
  for (let i = 0; i < other.length; i++) {
    if (other[i] < 0 || recommended[i] < 0) continue;
    const key = `${other[i]} ${recommended[i]}`;
    const held = shared.get(key);
    if (held === undefined) shared.set(key, { from: other[i], to: recommended[i], count: 1 });
    else held.count++;
  }
  const found = new Map<number, number>();
  const taken = new Set<number>();
  const order = [...shared.values()].toSorted((a, b) => b.count - a.count || a.to - b.to || a.from - b.from);
  for (const { from, to } of order) {
    if (found.has(from) || taken.has(to)) continue;
    found.set(from, to);
    taken.add(to);
  }
  return found;
}

function said(kind: Change["kind"], count: number, from: number, to: number | null): string {
  const rows = plural(count, "row");
  const is = count === 1 ? "is" : "are";
  switch (kind) {
    case "joins":
      return `cluster ${from} is one with cluster ${to}`;
    case "parts":
      return `${rows} of cluster ${from} ${is} a cluster of ${count === 1 ? "its" : "their"} own`;
    case "leaves":
      return `${rows} of cluster ${from} ${is} in no cluster`;
    case "enters":
      return `${rows} in no cluster ${is} in ${to === null ? "one of their own" : `cluster ${to}`}`;
    default:
      return `${rows} of cluster ${from} ${is} in cluster ${to}`;
  }
}

/** "alcohol 12.4 rather than 13.7, plan: 80 % free rather than 12 %": these rows against the rest of their cluster. */
function contrastOf(table: Table, recommended: ArrayLike<number>, moved: readonly number[]): string {
  const from = recommended[moved[0]];
  const rest: number[] = [];
  const gone = new Set(moved);
  for (let i = 0; i < recommended.length; i++) if (recommended[i] === from && !gone.has(i)) rest.push(i);
  const rows = [...evenly(moved, MOST_ROWS), ...evenly(rest, MOST_ROWS)];
  const first = Math.min(moved.length, MOST_ROWS);
  const compared = table.columns
    .filter(({ values, codes }) => (values ?? codes) !== undefined)
    .map((column) => ({ ...column, cells: undefined, vectors: undefined }));
  const part = takeTableRows({ ...table, columns: compared }, rows);
  const labels = rows.map((_, p) => (p < first ? 0 : 1));
  const [here, there] = profilesOf(part, labels, 2);
  return here.differences
    .filter(({ effect }) => Math.abs(effect) >= WORTH)
    .slice(0, MOST_COLUMNS)
    .flatMap(({ column: name, level, here: value }) => {
      const column = part.columns.find((one) => one.name === name)!;
      if (level !== undefined) {
        return [`${name}: ${percent(value)} ${level} rather than ${percent(shareOf(column, level, first))}`];
      }
      const other = there.differences.find((one) => one.column === name);
      if (other === undefined) return [];
      const [a, b] = [cellWords(column, value), cellWords(column, other.here)];
      return a === b ? [] : [`${name} ${a} rather than ${b}`];
    })
    .join(", ");
}

/** For the rows from `first` on with a known cell. */
function shareOf({ codes, levels }: Column, level: string, first: number): number {
  const code = levels!.indexOf(level);
  const rest = codes!.subarray(first).filter((own) => own >= 0);
  return rest.length === 0 ? 0 : rest.filter((own) => own === code).length / rest.length;
}

function evenly(rows: readonly number[], most: number): readonly number[] {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, p) => rows[Math.floor((p * rows.length) / most)]);
}
