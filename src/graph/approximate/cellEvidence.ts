import type { Matrix, NearestRows } from "../../matrix/index.ts";
import type { CellEvidence, Screen } from "./cellPlan.ts";
import type { Cells } from "./divideRows.ts";
import { nearestOthers } from "./measuredCandidates.ts";
import { scanRows, type RowSpace } from "./rowSpace.ts";

/** The true neighbours of sampled rows, as positions, and the squared distances of the last ones. */
export interface Truth {
  readonly nearest: Int32Array;
  readonly limits: Float64Array;
}

/** The next multiple of four: the length of a heap. */
export function fours(length: number): number {
  return (length + 3) & ~3;
}

/** The true neighbours of the sampled rows; lists in single precision that might lack one are made again exactly. */
export function trueNeighbors(space: RowSpace, { rowAt }: Cells, sample: Int32Array, k: number): Truth {
  const { kernel, X, norms, scale } = space;
  const { rows: n, cols: d } = X;
  const most = fours(2 * k + 9);
  const { near, farthest } = scanRows(space, 0, sample.length, most);
  const squares = kernel.f32(norms, n);
  let longest = 0;
  for (let i = 0; i < n; i++) if (squares[i] > longest) longest = squares[i];
  const nearest = new Int32Array(sample.length * k);
  const limits = new Float64Array(sample.length);
  const doubtful: number[] = [];
  for (let p = 0; p < sample.length; p++) {
    const others = near.subarray(p * most, (p + 1) * most).filter((j) => j >= 0 && j !== sample[p]);
    const measured = Array.from(others, (j) => ({ j, distance: distance(X, rowAt[sample[p]], rowAt[j]) }));
    measured.sort((a, b) => a.distance - b.distance || a.j - b.j);
    measured.slice(0, k).forEach(({ j }, t) => (nearest[p * k + t] = j));
    limits[p] = measured[k - 1]?.distance ?? Infinity;
    // The error of distances in single precision (matrix/kernel/nearest.as.ts).
    const error = ((d + 32) / 2 ** 22) * (squares[sample[p]] + longest);
    if (most < n && !(limits[p] * scale * scale + error < farthest[p])) doubtful.push(p);
  }
  if (doubtful.length === 0) return { nearest, limits };
  const places = new Int32Array(n);
  rowAt.forEach((row, place) => (places[row] = place));
  const exact = nearestOthers(
    X,
    k,
    doubtful.map((p) => rowAt[sample[p]]),
  );
  doubtful.forEach((p, at) => {
    for (let t = 0; t < k; t++) nearest[p * k + t] = places[exact.indices[at * k + t]];
    limits[p] = exact.distances[at * k + k - 1];
  });
  return { nearest, limits };
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

/** Which true neighbours of the first `half` sampled rows are among the first candidates at each depth. */
export function screens(
  space: RowSpace,
  depths: readonly number[],
  half: number,
  truth: Truth,
  k: number,
  enough: number,
): Screen[] {
  const sizes = [k + 6, 2 * k + 4, 4 * k + 4].map(fours);
  const most = sizes[2] + 4;
  const tried = (depth: number): Screen[] => {
    const { near } = scanRows(space, depth, half, most);
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

function distance({ cols: d, data }: Matrix, i: number, j: number): number {
  let sum = 0;
  for (let p = i * d, q = j * d; p < (i + 1) * d; p++, q++) sum += (data[p] - data[q]) ** 2;
  return sum;
}
