import type { Note, OnProgress } from "../../core/index.ts";
import { machineMemory, note, option, optionError, sizesOf } from "../../core/internal.ts";
import type { Hints } from "../../data/index.ts";
import { type Matrix, takeRows } from "../../matrix/index.ts";
import type { ClusteringMethod, FitContext, FitOptions, Fitted, OpenMethod } from "../../method/index.ts";
import { labelRows, quickPlacing } from "../../method/internal.ts";
import { onKeptRows } from "../known/keptRows.ts";

/**
 * More rows than a method fits in reasonable time and memory: it is fitted on a sample, and places all rows.
 * The sample is uniform and depends only on the values of the rows, not on their order; rows named in hints
 * are in it.
 */

/** A fit on a sample: the labels are for all rows, everything else is for the sample. */
interface SampledFit {
  readonly fitted: Fitted;
  /** The rows that were fitted. */
  readonly sample: Int32Array;
  readonly notes: readonly Note[];
}

export async function fitBySample(
  method: ClusteringMethod,
  { fit }: Pick<OpenMethod, "fit">,
  X: Matrix,
  size: number,
  options: FitOptions,
  context: FitContext,
  onProgress: OnProgress = () => true,
): Promise<SampledFit> {
  const named = namedRows(options);
  if (named.length > size / 2) {
    throw optionError(
      `the hints concern ${named.length} rows, more than half of the ${size} rows that are fitted; give ${option("sample")} ${4 * named.length} or fewer hints`,
      { option: "sample" },
    );
  }
  const sample = drawnRows(X, size, options.seed ?? 0, named);
  const { unhinted, tableRow = (row: number) => row, nameOf = String } = context;
  const Y = takeRows(X, sample);
  const { labels, clusters, drawing, ...found } = await fit(
    Y,
    onKeptRows(options, sample).options as FitOptions,
    {
      ...context,
      ...(unhinted !== undefined && { unhinted: { ...unhinted, X: takeRows(unhinted.X, sample) } }),
      tableRow: (row) => tableRow(sample[row]),
      nameOf: (row) => nameOf(sample[row]),
    },
  );
  const { rule: placing, told } = quickPlacing(found.placing, Y, labels, X.rows);
  const all = labelRows(
    placing,
    X,
    (done) => onProgress({ fraction: done / X.rows, label: "labels" }) !== false,
  );
  // The fitted rows keep their cluster, so hints hold.
  sample.forEach((row, i) => (all[row] = labels[i]));
  const sizes = sizesOf(all, clusters);
  // Plots of single rows would show the sample.
  const { tree: _, moved: __, ...drawn } = drawing;
  const fitted = { ...found, placing, labels: all, clusters, sizes, drawing: drawn };
  return {
    fitted,
    sample,
    notes: [
      sampleNote(method, size, X.rows),
      ...(told === undefined ? [] : [note("placed-by-points", told)]),
    ],
  };
}

/** The rows named in options. */
function namedRows({ hints, mustLink = [], cannotLink = [], labels = [] }: FitOptions): number[] {
  const { pairs = [], groups = [], labels: known = [], not = [] } = (hints ?? {}) as Partial<Hints>;
  const rows = new Set<number>([...mustLink.flat(), ...cannotLink.flat(), ...groups.flat()]);
  for (const { a, b } of pairs) rows.add(a).add(b);
  for (const { row } of known) rows.add(row);
  for (const { row, rows: others = [] } of not) [row, ...others].forEach((one) => rows.add(one));
  labels.forEach((label, row) => {
    if (label !== "" && label !== "-1") rows.add(row);
  });
  return [...rows];
}

/** Number of rows of a sample; for slow methods, half of their limit. */
const DRAWN = 20_000;

/** The number of rows of a sample: as requested, or by the speed of the method. */
export function sampleSize({ needs }: ClusteringMethod, asked?: number): number {
  return asked ?? Math.min(DRAWN, Math.ceil((needs.rows ?? Infinity) / 2));
}

/** The number of rows that a method fits: all of them, or a sample. */
export function fittedRows(method: ClusteringMethod, rows: number, asked?: number): number {
  if (asked !== undefined) return Math.min(rows, asked);
  const { needs } = method;
  const room = needs.quadratic === true ? Math.sqrt(machineMemory() / 4) : Infinity; // half of the pairs, 8 bytes each
  return rows <= Math.min(needs.rows ?? Infinity, room) ? rows : Math.min(rows, sampleSize(method));
}

/** The note before a sample is fitted, and with the result: its number of rows, and the possible loss. */
export function sampleNote({ name }: { readonly name: string }, fitted: number, rows: number): Note {
  // A group with share p has fewer than a handful of rows in the sample with probability below 1 % if p n > 12.
  const least = Math.ceil((12 * rows) / fitted);
  const points = (200 * Math.sqrt(1 / 4 / fitted)).toFixed(1);
  return note(
    "sample",
    `${name} is fitted on a random sample of ${fitted} of ${rows} rows, and places the others: shares are accurate to ` +
      `${points} points, and a group of fewer than about ${least} rows may be missed (${option("sample")} draws more)`,
    { option: "sample" },
  );
}

/**
 * A sample of the requested size with the named rows: those with the smallest numbers, where a row's number
 * is a hash of its values, of the number of equal rows before it, and of the seed. So the sample does not
 * depend on the order of rows, except among equal ones.
 */
export function drawnRows(
  X: Matrix,
  size: number,
  seed: number,
  named: readonly number[] = [],
): Int32Array<ArrayBuffer> {
  const { rows: n, cols: d } = X;
  const keys = new Float64Array(n);
  // Open addressing: the count of each hash; the load is at most a half.
  const slots = 2 ** Math.ceil(Math.log2(2 * n + 2));
  const seen = new Float64Array(slots).fill(-1);
  const times = new Int32Array(slots);
  const words = new Uint32Array(X.data.buffer, X.data.byteOffset, 2 * X.data.length);
  for (let i = 0; i < n; i++) {
    let [a, b] = [seed ^ 0x9e3779b9, Math.imul(seed, 0x85ebca6b) ^ 0xc2b2ae35];
    for (let p = 2 * i * d; p < 2 * (i + 1) * d; p += 2) {
      // -0 is 0.
      const zero = words[p] === 0 && (words[p + 1] & 0x7fffffff) === 0;
      a = mixed(a ^ words[p]);
      a = mixed(a ^ (zero ? 0 : words[p + 1]));
      b = mixed((b + a) | 0);
    }
    const hash = numberOf(a, b);
    let slot = (a ^ b) & (slots - 1);
    while (seen[slot] !== -1 && seen[slot] !== hash) slot = (slot + 1) & (slots - 1);
    seen[slot] = hash;
    const before = times[slot]++;
    keys[i] = before === 0 ? hash : numberOf(mixed(a ^ before), mixed(b + before));
  }
  for (const row of named) keys[row] = keys[row] / 2 - 1;
  const border = Float64Array.from(keys).sort()[size - 1];
  const kept: number[] = [];
  for (let i = 0; i < n; i++) if (keys[i] <= border) kept.push(i);
  return Int32Array.from(kept.sort((i, j) => keys[i] - keys[j] || i - j).slice(0, size));
}

/** 53 bits in [0, 1). */
function numberOf(a: number, b: number): number {
  return ((a >>> 5) * 0x4000000 + (b >>> 6)) / 0x20000000000000;
}

/** The finaliser of MurmurHash3 (Appleby). */
function mixed(value: number): number {
  let z = value;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
