import type { Matrix, NearestRows } from "../../matrix/index.ts";
import type { Cells } from "./divideRows.ts";
import { nearestOthers } from "./measuredCandidates.ts";
import { nearestWoven, reserveWoven, useDepth, weaveRows, type RowSpace } from "./rowSpace.ts";

/** How rows are compared: in how many columns, with how many cells, and how many candidates of each row are kept. */
export interface CellPlan {
  /** Main directions used; 0: all columns. */
  readonly directions: number;
  /** Number of candidates of a row. */
  readonly kept: number;
  /** Number of cells beside a row's own. */
  readonly cells: number;
  /** Estimated multiplications of integers. */
  readonly cost: number;
}

export interface CellEvidence {
  readonly rows: number;
  readonly columns: number;
  /**
   * For each pair of a sampled row and one of its true neighbours: how many cells beside its own one of the two has to
   * look at to meet the other; Infinity if too many.
   */
  readonly needed: Float64Array;
  /** The mean number of rows in the first 0, 1, 2 ... cells beside the own one. */
  readonly reached: Float64Array;
  /** Which of the pairs survive a comparison in some directions when so many candidates are kept. */
  readonly screens: readonly Screen[];
}

export interface Screen {
  readonly directions: number;
  readonly kept: number;
  /** Nothing: all survive. */
  readonly survives?: Uint8Array;
}

/** A comparison of two rows costs so many multiplications of integers more than those of its columns. */
const COMPARISON = 170;
/** A multiplication in double precision for a candidate, where rows are read from memory, costs so many of them. */
const AGAIN = 20;

/** The cheapest plan that finds the share `enough` of the sampled pairs; undefined: none does. */
export function cellPlan(evidence: CellEvidence, enough: number): CellPlan | undefined {
  const { rows: n, columns: d, needed, reached, screens } = evidence;
  const wanted = Math.ceil(enough * needed.length - 1e-9);
  let best: CellPlan | undefined;
  for (const { directions, kept, survives } of screens) {
    const cells = needed.filter((_, p) => survives === undefined || survives[p] === 1).toSorted();
    if (cells.length < wanted) continue;
    const last = wanted === 0 ? 0 : cells[wanted - 1];
    if (last >= reached.length) continue;
    const depth = directions === 0 ? d : directions;
    const cost =
      n * reached[last] * (last === 0 ? 0.5 : ONCE) * (depth + COMPARISON) + n * kept * (AGAIN * d + KEEPING);
    if (best === undefined || cost < best.cost) best = { directions, kept, cells: last, cost };
  }
  return best;
}

/** A multiplication of an exact search, in single precision. */
const SINGLE = 1.8;

/** A list of candidates is kept in order; per candidate. */
const KEEPING = 5000;
/** A pair of rows of two cells that both look at the other is compared once. */
const ONCE = 0.75;

/** What an exact search costs. */
export function exactCost(n: number, d: number): number {
  return (n * n * (SINGLE * d + COMPARISON)) / 2;
}

/** The true neighbours of sampled rows, as positions, and the squared distances of the last ones. */
export interface Truth {
  readonly nearest: Int32Array;
  readonly limits: Float64Array;
}

/** The next multiple of four: the length of a heap. */
export function fours(length: number): number {
  return (length + 3) & ~3;
}

/** The true neighbours of the sampled rows. */
export function trueNeighbors(X: Matrix, { rowAt }: Cells, sample: Int32Array, k: number): Truth {
  const places = new Int32Array(X.rows);
  rowAt.forEach((row, place) => (places[row] = place));
  const { indices, distances } = nearestOthers(
    X,
    k,
    Array.from(sample, (p) => rowAt[p]),
  );
  const limits = Float64Array.from(sample, (_, p) => distances[(p + 1) * k - 1]);
  return { nearest: indices.map((row) => places[row]), limits };
}

/** How many cells the first `half` sampled rows and their true neighbours have to look at to meet. */
export function cellsNeeded(
  { cellOf, starts, count, nearest }: Cells,
  sample: Int32Array,
  half: number,
  truth: Truth,
  k: number,
): Pick<CellEvidence, "needed" | "reached"> {
  const most = Math.min(count, Math.max(2, Math.ceil(count / 3)));
  const pairs = half * k;
  const asking = new Int32Array(half + pairs);
  asking.set(sample.subarray(0, half));
  asking.set(truth.nearest.subarray(0, pairs), half);
  const lists = nearest(asking, most);
  const rank = (at: number, cell: number): number => {
    const own = cellOf[asking[at]];
    if (own === cell) return 0;
    let seen = 0;
    for (let p = at * most; p < (at + 1) * most; p++) {
      if (lists[p] === own) continue;
      seen++;
      if (lists[p] === cell) return seen;
    }
    return Infinity;
  };
  const needed = new Float64Array(pairs);
  const reached = new Float64Array(most);
  for (let p = 0; p < half; p++) {
    const own = cellOf[sample[p]];
    for (let t = p * k; t < (p + 1) * k; t++) {
      needed[t] = Math.min(rank(p, cellOf[truth.nearest[t]]), rank(half + t, own));
    }
    let sum = starts[own + 1] - starts[own];
    reached[0] += sum;
    for (let at = p * most, seen = 1; seen < most && at < (p + 1) * most; at++) {
      if (lists[at] === own) continue;
      sum += starts[lists[at] + 1] - starts[lists[at]];
      reached[seen++] += sum;
    }
  }
  return { needed, reached: reached.map((sum) => sum / half) };
}

/** Which true neighbours of the first sampled rows are among the first candidates at each depth. */
export function screens(
  space: RowSpace,
  depths: readonly number[],
  sample: Int32Array,
  truth: Truth,
  k: number,
  enough: number,
): Screen[] {
  const sizes = [k + 6, 2 * k + 4, 4 * k + 4].map(fours);
  const most = sizes[2] + 4;
  const half = sample.length;
  const tried = (depth: number): Screen[] => {
    const near = nearestAt(space, depth, sample, most);
    return sizes.map((kept) => {
      const survives = new Uint8Array(half * k);
      for (let p = 0; p < half; p++) {
        const first = new Set(near.subarray(p * most, p * most + kept + 1));
        for (let t = p * k; t < (p + 1) * k; t++) survives[t] = first.has(truth.nearest[t]) ? 1 : 0;
      }
      return { directions: depth, kept, survives };
    });
  };
  const all: Screen[] = [{ directions: 0, kept: fours(k + 2) }];
  const deepest = depths.at(-1);
  if (deepest === undefined) return all;
  const last = tried(deepest);
  // Where the most directions are too few, fewer are, too.
  const share = ({ survives }: Screen): number => survives!.reduce((sum, one) => sum + one, 0) / (half * k);
  if (share(last[2]) < enough) return all;
  for (const depth of depths.slice(0, -1)) {
    const some = tried(depth);
    all.push(...some);
    if (share(some[0]) === 1) return all;
  }
  return [...all, ...last];
}

/** The share of neighbours within the distance of the true k-th one, for the sampled rows from `half` on. */
export function recallOf(
  { distances }: NearestRows,
  { rowAt }: Cells,
  sample: Int32Array,
  half: number,
  { limits }: Truth,
  k: number,
): number {
  let right = 0;
  for (let p = half; p < sample.length; p++) {
    const i = rowAt[sample[p]];
    for (let t = i * k; t < (i + 1) * k; t++) if (distances[t] <= limits[p]) right++;
  }
  return right / ((sample.length - half) * k);
}

/** The `most` nearest of all rows at some depth for the rows at these positions; a row itself is in its list. */
function nearestAt(space: RowSpace, depth: number, positions: Int32Array, most: number): Int32Array {
  return space.kernel.scope(() => {
    const all = reserveWoven(space, space.X.rows, depth);
    useDepth(space, depth);
    weaveRows(space, all);
    return nearestWoven(space, all, positions, most);
  });
}
