import { inputError, rule } from "../core/internal.ts";
import { encodeLabels, type EncodedLabels, type Label, type Labeling } from "./labels.ts";

export const LABEL_RULES = {
  /**
   * Rows whose label is unknown in either labeling: `"omit"` leaves them out of the score, `"class"` counts the
   * unknown rows of a labeling as one more class.
   */
  unknown: rule.oneOf(["omit", "class"], "omit"),
};

export type LabelOptions = rule.OptionsOf<typeof LABEL_RULES>;

/**
 * How two labelings meet: n_ab rows are in class a of the first and b of the second. Only the cells with n_ab
 * > 0 are listed, so two labelings of n rows need O(n) memory for any number of classes.
 */
export interface Contingency {
  /** Rows that count. */
  readonly rows: number;
  /** Rows left out because a label is unknown. */
  readonly omitted: number;
  /** Rows in each class of the first labeling, n_a; classes without counted rows are not listed. */
  readonly first: Float64Array;
  /** n_b. */
  readonly second: Float64Array;
  readonly firstClasses: readonly (Label | null)[];
  readonly secondClasses: readonly (Label | null)[];
  /** Cell c is class `a[c]` of the first and `b[c]` of the second, with `counts[c]` rows. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly counts: Float64Array;
}

/** Counts in O(n + K1 K2), or through a hash map if that table would be much larger than the labelings. */
export function contingency(first: Labeling, second: Labeling, options?: LabelOptions): Contingency {
  const { unknown } = rule.resolveOptions("scores", options, LABEL_RULES);
  const [a, b] = [encodeLabels(first), encodeLabels(second)];
  if (first.length !== second.length) {
    throw inputError(
      `the two labelings must have one label per row each, but have ${first.length} and ${second.length}`,
    );
  }
  if (first.length === 0) throw inputError("there are no labels to compare: both labelings are empty");
  const A = prepare(a, unknown);
  const B = prepare(b, unknown);
  let omitted = 0;
  for (let i = 0; i < first.length; i++) if (A.codes[i] < 0 || B.codes[i] < 0) omitted++;
  if (omitted === first.length) {
    throw inputError(
      `there are no labels to compare: in each of the ${omitted} rows one of the two is unknown`,
    );
  }
  const keys = cells(A.codes, B.codes, A.classes.length, B.classes.length);
  return assemble(keys, A.classes, B.classes, first.length - omitted, omitted);
}

interface Prepared {
  readonly codes: Int32Array;
  readonly classes: readonly (Label | null)[];
}

function prepare(encoded: EncodedLabels, unknown: "omit" | "class"): Prepared {
  const { codes, classes } = encoded;
  if (unknown === "omit" || !codes.includes(-1)) return encoded;
  const extra = classes.length;
  return { codes: codes.map((code) => (code < 0 ? extra : code)), classes: [...classes, null] };
}

/**
 * The non-empty cells as pairs (a K2 + b, count), by a dense table as long as that is no larger than the
 * labelings.
 */
function cells(a: Int32Array, b: Int32Array, K1: number, K2: number): [Float64Array, Float64Array] {
  const n = a.length;
  if (K1 * K2 > Math.max(65536, 4 * n)) return hashedCells(a, b, K2);
  const table = new Float64Array(K1 * K2);
  for (let i = 0; i < n; i++) if (a[i] >= 0 && b[i] >= 0) table[a[i] * K2 + b[i]]++;
  let used = 0;
  for (const count of table) if (count > 0) used++;
  const keys = new Float64Array(used);
  const counts = new Float64Array(used);
  for (let key = 0, c = 0; key < table.length; key++) {
    if (table[key] === 0) continue;
    keys[c] = key;
    counts[c++] = table[key];
  }
  return [keys, counts];
}

function hashedCells(a: Int32Array, b: Int32Array, K2: number): [Float64Array, Float64Array] {
  const table = new Map<number, number>();
  for (let i = 0; i < a.length; i++) {
    if (a[i] < 0 || b[i] < 0) continue;
    const key = a[i] * K2 + b[i];
    table.set(key, (table.get(key) ?? 0) + 1);
  }
  const keys = Float64Array.from(table.keys()).sort();
  return [keys, keys.map((key) => table.get(key) as number)];
}

/** Renumbers the classes so that each has at least one counted row. */
function assemble(
  [keys, counts]: [Float64Array, Float64Array],
  firstClasses: Contingency["firstClasses"],
  secondClasses: Contingency["secondClasses"],
  rows: number,
  omitted: number,
): Contingency {
  const K2 = secondClasses.length;
  const sums1 = new Float64Array(firstClasses.length);
  const sums2 = new Float64Array(K2);
  for (let c = 0; c < keys.length; c++) {
    sums1[Math.floor(keys[c] / K2)] += counts[c];
    sums2[keys[c] % K2] += counts[c];
  }
  const place1 = places(sums1);
  const place2 = places(sums2);
  return {
    rows,
    omitted,
    first: sums1.filter((count) => count > 0),
    second: sums2.filter((count) => count > 0),
    firstClasses: firstClasses.filter((_, k) => sums1[k] > 0),
    secondClasses: secondClasses.filter((_, k) => sums2[k] > 0),
    a: Int32Array.from(keys, (key) => place1[Math.floor(key / K2)]),
    b: Int32Array.from(keys, (key) => place2[key % K2]),
    counts,
  };
}

function places(sums: Float64Array): Int32Array {
  const place = new Int32Array(sums.length);
  for (let k = 0, next = 0; k < sums.length; k++) place[k] = sums[k] > 0 ? next++ : -1;
  return place;
}
