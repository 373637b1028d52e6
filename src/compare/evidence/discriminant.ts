import type { Matrix } from "../../matrix/index.ts";
import { type Half, halves } from "./likelihood.ts";

/**
 * The linear evidence for a border between two clusters: Fisher's discriminant with a ridge is fitted on one
 * half of their rows and applied to the other half, and vice versa, so that it is always tested on unseen
 * rows. Along it (0 the mean of a, 1 that of b):
 *
 * - `gap`: the significance of the valley within .15 of the threshold that separates a from b best, with
 *   windows .25 wide;
 * - `separation`: the difference of the means over the pooled deviation.
 */
export interface LinearBorder {
  readonly gap: number;
  readonly separation: number;
}

const WINDOW = 0.125;
const REACH = 0.15;
const GRID = 81;
const LEAST_ROWS = 6;
const NONE: LinearBorder = { gap: 0, separation: 0 };

export function linearBorder(
  G: Matrix,
  a: Int32Array,
  b: Int32Array,
  ofA: readonly [Half, Half] = halves(G, a),
  ofB: readonly [Half, Half] = halves(G, b),
): LinearBorder {
  if (Math.min(a.length, b.length) < LEAST_ROWS) return NONE;
  const m = a.length + b.length;
  // Values at sorted positions; the index identifies those of b.
  const values = new Float64Array(m);
  let at = 0;
  let separation = 0;
  for (const half of [0, 1] as const) {
    const found = direction(ofA[half], ofB[half]);
    if (found === undefined) return NONE;
    const { w, shift } = found;
    const moments = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    for (const [s, rows] of [a, b].entries()) {
      const own = moments[s];
      for (let p = 1 - half; p < rows.length; p += 2) {
        let u = -shift;
        for (let f = 0; f < w.length; f++) u += w[f] * G.data[rows[p] * w.length + f];
        own[0]++;
        own[1] += u;
        own[2] += u * u;
        values[at++] = u;
      }
    }
    const [[na, sa, qa], [nb, sb, qb]] = moments;
    const within = Math.max(0, qa - (sa * sa) / na + (qb - (sb * sb) / nb)) / (na + nb);
    separation += (sb / nb - sa / na) / Math.max(Math.sqrt(within), 1e-9) / 2;
  }
  return { gap: gapAt(values, a.length, b.length), separation };
}

/** u = w'x - shift is 0 at the mean of a's half and 1 at that of b's. */
function direction(a: Half, b: Half): { w: Float64Array; shift: number } | undefined {
  const d = a.mean.length;
  const total = a.count + b.count;
  const freedom = Math.max(total - 2, 1);
  const S = new Float64Array(d * d);
  for (let p = 0; p < S.length; p++) S[p] = (a.scatter[p] + b.scatter[p]) / freedom;
  let trace = 0;
  for (let f = 0; f < d; f++) trace += S[f * d + f];
  const ridge = (trace / d) * (0.01 + d / total) + 1e-9;
  for (let f = 0; f < d; f++) S[f * d + f] += ridge;
  const difference = b.mean.map((value, f) => value - a.mean[f]);
  const w = solvePositive(S, difference);
  if (w === undefined) return undefined;
  let length = 0;
  for (let f = 0; f < d; f++) length += w[f] * difference[f];
  if (!(length > 0)) return undefined;
  let shift = 0;
  for (let f = 0; f < d; f++) {
    w[f] /= length;
    shift += w[f] * a.mean[f];
  }
  return { w, shift };
}

/** Solves S w = y by Cholesky in place; S has its lower triangle. */
function solvePositive(S: Float64Array, y: Float64Array): Float64Array | undefined {
  const d = y.length;
  for (let j = 0; j < d; j++) {
    for (let i = j; i < d; i++) {
      let sum = S[i * d + j];
      for (let k = 0; k < j; k++) sum -= S[i * d + k] * S[j * d + k];
      if (i === j) {
        if (!(sum > 0)) return undefined;
        S[j * d + j] = Math.sqrt(sum);
      } else S[i * d + j] = sum / S[j * d + j];
    }
  }
  const w = y.slice();
  for (let i = 0; i < d; i++) {
    for (let k = 0; k < i; k++) w[i] -= S[i * d + k] * w[k];
    w[i] /= S[i * d + i];
  }
  for (let i = d - 1; i >= 0; i--) {
    for (let k = i + 1; k < d; k++) w[i] -= S[k * d + i] * w[k];
    w[i] /= S[i * d + i];
  }
  return w;
}

/** `values` consist of four runs: a, b of the first half, a, b of the second. */
function gapAt(values: Float64Array, na: number, nb: number): number {
  const runs = [na >> 1, nb >> 1, (na + 1) >> 1, (nb + 1) >> 1];
  const own: Float64Array[] = [];
  let at = 0;
  for (const length of runs) own.push(values.subarray(at, (at += length)));
  const ofA = joined(own[0], own[2]).sort();
  const ofB = joined(own[1], own[3]).sort();
  const all = joined(ofA, ofB).sort();
  const threshold = bestThreshold(all, ofA, ofB);
  const counts = new Float64Array(GRID);
  let lo = 0;
  let hi = 0;
  for (let g = 0; g < GRID; g++) {
    const x = place(g);
    while (lo < all.length && all[lo] < x - WINDOW) lo++;
    while (hi < all.length && all[hi] <= x + WINDOW) hi++;
    counts[g] = hi - lo;
  }
  const right = counts.slice();
  for (let g = GRID - 2; g >= 0; g--) right[g] = Math.max(right[g], right[g + 1]);
  let left = 0;
  let best = 0;
  for (let g = 0; g < GRID; g++) {
    left = Math.max(left, counts[g]);
    if (Math.abs(place(g) - threshold) > REACH) continue;
    const flank = Math.min(left, right[g]);
    best = Math.max(best, 2 * (Math.sqrt(flank + 0.5) - Math.sqrt(counts[g] + 0.5)));
  }
  return best;
}

/** The grid runs from -.5 to 1.5. */
function place(g: number): number {
  return -0.5 + (2 * g) / (GRID - 1);
}

/** Of largest balanced accuracy. */
function bestThreshold(all: Float64Array, ofA: Float64Array, ofB: Float64Array): number {
  let best = -1;
  let threshold = 0.5;
  let pa = 0;
  let pb = 0;
  for (let i = 0; i < all.length - 1; i++) {
    while (pa < ofA.length && ofA[pa] <= all[i]) pa++;
    while (pb < ofB.length && ofB[pb] <= all[i]) pb++;
    const accuracy = 0.5 * (pa / ofA.length + (ofB.length - pb) / ofB.length);
    if (accuracy > best) {
      best = accuracy;
      threshold = 0.5 * (all[i] + all[i + 1]);
    }
  }
  return threshold;
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
