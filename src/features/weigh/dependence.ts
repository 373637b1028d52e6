/**
 * The dependence of each part of a table on each other part, without labels: mutual information of codes,
 *
 *     I = sum_ab p_ab log(p_ab / (p_a p_b)) - df / (2 n),     df = (A - 1) (B - 1),
 *
 * minus its bias (Miller 1955). 2 n I is a chi-square under independence; Wilson and Hilferty (1931) convert
 * it to a normal score. Numbers are cut at six quantiles. For two ordered parts the correlation of normal scores
 * is a second test: with few rows or many gaps it finds relations that are spread too thin over the cells. The
 * excess of such parts is the information minus that of a binned Gaussian pair with the same correlation: mere
 * correlation is not a grouping.
 */
import { normalQuantile, ranks } from "../encode/quantile.ts";

const BINS = 6;
const MOST_CODES = 12;
/** Pairs with fewer complete rows than this are ignored. */
const LEAST_ROWS = 50;

/** The input of the dependence: codes 0 .. levels - 1, -1 if missing. */
export interface Coded {
  readonly codes: Int8Array;
  readonly levels: number;
  /** Normal scores of an ordered part, 0 where missing. */
  readonly scores?: Float64Array;
}

export interface Dependence {
  readonly size: number;
  /** size x size; 0 if it could not be measured. */
  readonly information: Float64Array;
  readonly excess: Float64Array;
  /** Normal score of the test of independence, the larger of two; -Infinity if it could not be measured. */
  readonly score: Float64Array;
  /** Correlation of normal scores of ordered parts. */
  readonly correlation: Float64Array;
}

/** `apart`: pairs from one column, which are not compared. */
export function dependence(parts: readonly Coded[], apart: (i: number, j: number) => boolean): Dependence {
  const size = parts.length;
  const information = new Float64Array(size * size);
  const excess = new Float64Array(size * size);
  const correlation = new Float64Array(size * size);
  const score = new Float64Array(size * size).fill(-Infinity);
  const rows = parts[0]?.codes.length ?? 0;
  const entropy = Float64Array.from({ length: rows + 1 }, (_, c) => (c > 0 ? c * Math.log(c) : 0));
  const prepared = parts.map((part) => preparedPart(part, entropy));
  const pair = pairInformation(entropy);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++) {
      const r = correlationOf(prepared[i], prepared[j]);
      correlation[i * size + j] = r;
      if (apart(i, j) || !pair.measure(prepared[i], prepared[j])) continue;
      const both = parts[i].scores !== undefined && parts[j].scores !== undefined;
      information[i * size + j] = pair.information;
      excess[i * size + j] = both ? pair.information - gaussianInformation(Math.abs(r)) : pair.information;
      score[i * size + j] = both ? Math.max(pair.score, fisher(r, pair.rows)) : pair.score;
    }
  }
  for (const of of [information, excess, correlation, score]) mirror(of, size);
  return { size, information, excess, score, correlation };
}

/** Copies the part below the diagonal to above it, in blocks that fit in the cache. */
function mirror(of: Float64Array, size: number): void {
  const BLOCK = 32;
  for (let a = 0; a < size; a += BLOCK) {
    for (let b = 0; b <= a; b += BLOCK) {
      for (let i = a; i < Math.min(a + BLOCK, size); i++) {
        for (let j = b; j < Math.min(b + BLOCK, i); j++) of[j * size + i] = of[i * size + j];
      }
    }
  }
}

/** Codes of an ordered part by its ranks; equal values share a code. */
export function codedNumbers(values: Float64Array): Coded {
  const { ranks: places, count } = ranks(values);
  const codes = new Int8Array(values.length).fill(-1);
  const scores = new Float64Array(values.length);
  const seen = new Uint8Array(BINS);
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(places[i])) continue;
    const share = places[i] / (count + 1);
    codes[i] = Math.floor(share * BINS);
    seen[codes[i]] = 1;
    scores[i] = normalQuantile(share);
  }
  const place = new Int8Array(BINS);
  let levels = 0;
  for (let b = 0; b < BINS; b++) if (seen[b]) place[b] = levels++;
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = place[codes[i]];
  return { codes, levels, scores };
}

/** Codes of levels; beyond a dozen the rarest share the last code. */
export function codedLevels(given: ArrayLike<number>): Coded {
  let most = -1;
  for (let i = 0; i < given.length; i++) most = Math.max(most, given[i]);
  const counts = new Float64Array(most + 1);
  for (let i = 0; i < given.length; i++) if (given[i] >= 0) counts[given[i]]++;
  const order = Array.from(counts.keys())
    .filter((k) => counts[k] > 0)
    .sort((a, b) => counts[b] - counts[a] || a - b);
  const place = new Int8Array(most + 1);
  order.forEach((k, p) => (place[k] = Math.min(p, MOST_CODES - 1)));
  const codes = Int8Array.from({ length: given.length }, (_, i) => (given[i] < 0 ? -1 : place[given[i]]));
  return { codes, levels: Math.min(order.length, MOST_CODES) };
}

/** Codes of an angle: six equal sectors. */
export function codedAngles(block: Float64Array): Coded {
  const n = block.length / 2;
  const codes = new Int8Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    if (Number.isNaN(block[2 * i])) continue;
    const turn = Math.atan2(block[2 * i + 1], block[2 * i]) / (2 * Math.PI);
    codes[i] = Math.floor((turn - Math.floor(turn)) * BINS) % BINS;
  }
  return { codes, levels: BINS };
}

/** Codes of several features: six cells, by k-means. */
export function codedCells(all: Float64Array, width: number, stride: number = width): Coded {
  const block = stride === width ? all : firstFeatures(all, width, stride);
  const n = block.length / width;
  const codes = new Int8Array(n).fill(-1);
  const rows: number[] = [];
  for (let i = 0; i < n; i++) if (!Number.isNaN(block[i * width])) rows.push(i);
  if (rows.length < BINS) return { codes, levels: BINS };
  let centers = startingCells(block, width, rows);
  for (let iteration = 0; iteration < 30; iteration++) {
    const sums = new Float64Array(BINS * width);
    const counts = new Float64Array(BINS);
    let moved = 0;
    for (const i of rows) {
      let best = 0;
      let least = Infinity;
      for (let k = 0; k < BINS; k++) {
        let square = 0;
        for (let f = 0; f < width; f++) square += (block[i * width + f] - centers[k * width + f]) ** 2;
        // Among equally near cells the first is taken, regardless of rounding.
        if (square < least * (1 - 1e-9)) {
          least = square;
          best = k;
        }
      }
      if (codes[i] !== best) moved++;
      codes[i] = best;
      counts[best]++;
      for (let f = 0; f < width; f++) sums[best * width + f] += block[i * width + f];
    }
    centers = centers.map((value, p) => {
      const count = counts[Math.floor(p / width)];
      return count > 0 ? sums[p] / count : value;
    });
    if (moved === 0) break;
  }
  return { codes, levels: BINS };
}

/** Means of groups of rows along the first and second feature, by their quantiles, without random draws. */
function startingCells(block: Float64Array, width: number, rows: readonly number[]): Float64Array {
  // Ties are broken by the other features, so only equal rows may be exchanged.
  const along =
    (first: number) =>
    (a: number, b: number): number => {
      for (let f = 0; f < width; f++) {
        const g = (first + f) % width;
        const difference = block[a * width + g] - block[b * width + g];
        if (difference !== 0) return difference;
      }
      return 0;
    };
  const ordered = rows.toSorted(along(0));
  const centers = new Float64Array(BINS * width);
  const thirds = BINS / 2;
  for (let a = 0; a < thirds; a++) {
    const third = ordered
      .slice(Math.floor((a * ordered.length) / thirds), Math.floor(((a + 1) * ordered.length) / thirds))
      .sort(along(1 % width));
    const halves = [third.slice(0, third.length >> 1), third.slice(third.length >> 1)];
    halves.forEach((half, b) => {
      for (const i of half) {
        for (let f = 0; f < width; f++) {
          centers[(2 * a + b) * width + f] += block[i * width + f] / half.length;
        }
      }
    });
  }
  return centers;
}

/** A part and what its pairs share; `complete`: only if no cell is missing. */
interface Prepared extends Coded {
  readonly complete:
    | {
        /** The levels in use, and the sum of c log c over their counts. */
        readonly used: number;
        readonly entropy: number;
        /** Scores with mean 0 and sum of squares 1; all 0 if they do not vary. */
        readonly standard: Float64Array | undefined;
      }
    | undefined;
}

/** `entropy`: c log c of every possible count c. */
function preparedPart(part: Coded, entropy: Float64Array): Prepared {
  const { codes, levels, scores } = part;
  const counts = new Int32Array(levels);
  for (const code of codes) {
    if (code < 0) return { ...part, complete: undefined };
    counts[code]++;
  }
  const complete = {
    used: counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0),
    entropy: counts.reduce((sum, count) => sum + entropy[count], 0),
    standard: scores === undefined ? undefined : standardScores(scores),
  };
  return { ...part, complete };
}

function standardScores(scores: Float64Array): Float64Array {
  const n = scores.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += scores[i] / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (scores[i] - mean) ** 2;
  const scale = n >= LEAST_CORRELATED && squares > 0 ? 1 / Math.sqrt(squares) : 0;
  return scores.map((value) => (value - mean) * scale);
}

/** Pairs with fewer complete rows than this have correlation 0. */
const LEAST_CORRELATED = 20;

function correlationOf(a: Prepared, b: Prepared): number {
  if (a.scores === undefined || b.scores === undefined) return 0;
  if (a.complete !== undefined && b.complete !== undefined) {
    const x = a.complete.standard!;
    const y = b.complete.standard!;
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
    return sum;
  }
  const { codes: ca, scores: x } = a;
  const { codes: cb, scores: y } = b;
  let n = 0;
  let sx = 0;
  let sy = 0;
  let sxx = 0;
  let syy = 0;
  let sxy = 0;
  for (let i = 0; i < x.length; i++) {
    if (ca[i] < 0 || cb[i] < 0) continue;
    n++;
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    syy += y[i] * y[i];
    sxy += x[i] * y[i];
  }
  const vx = sxx - (sx * sx) / n;
  const vy = syy - (sy * sy) / n;
  return n >= LEAST_CORRELATED && vx > 0 && vy > 0 ? (sxy - (sx * sy) / n) / Math.sqrt(vx * vy) : 0;
}

/** Normal score of the test that a correlation of n rows is 0 (Fisher 1915). */
function fisher(r: number, n: number): number {
  return Math.sqrt(n - 3) * Math.atanh(Math.min(Math.abs(r), 1 - 1e-9));
}

interface PairInformation {
  information: number;
  score: number;
  /** Rows without gaps in either part. */
  rows: number;
  /** False if the pair has too few complete rows or a part does not vary. */
  measure: (a: Prepared, b: Prepared) => boolean;
}

/** Measures pairs in one place in memory: thousands of columns have millions of pairs. */
function pairInformation(entropy: Float64Array): PairInformation {
  const rows = entropy.length - 1;
  const counts = new Int32Array(MOST_CODES * MOST_CODES);
  const sa = new Int32Array(MOST_CODES);
  const sb = new Int32Array(MOST_CODES);
  const found: PairInformation = { information: 0, score: 0, rows: 0, measure };
  return found;

  function measure(a: Prepared, b: Prepared): boolean {
    const { codes: ca, levels: A, complete: wholeA } = a;
    const { codes: cb, levels: B, complete: wholeB } = b;
    const cells = A * B;
    let n = rows;
    let usedA: number;
    let usedB: number;
    let sum: number;
    counts.fill(0, 0, cells);
    if (wholeA !== undefined && wholeB !== undefined) {
      if (n < LEAST_ROWS) return false;
      for (let i = 0; i < rows; i++) counts[ca[i] * B + cb[i]]++;
      usedA = wholeA.used;
      usedB = wholeB.used;
      sum = entropy[n] - wholeA.entropy - wholeB.entropy;
    } else {
      n = 0;
      for (let i = 0; i < rows; i++) {
        if (ca[i] < 0 || cb[i] < 0) continue;
        counts[ca[i] * B + cb[i]]++;
        n++;
      }
      if (n < LEAST_ROWS) return false;
      sa.fill(0);
      sb.fill(0);
      for (let k = 0, p = 0; k < A; k++) {
        for (let l = 0; l < B; l++, p++) {
          sa[k] += counts[p];
          sb[l] += counts[p];
        }
      }
      usedA = 0;
      usedB = 0;
      sum = entropy[n];
      for (let k = 0; k < MOST_CODES; k++) {
        if (sa[k] > 0) usedA++;
        if (sb[k] > 0) usedB++;
        sum -= entropy[sa[k]] + entropy[sb[k]];
      }
    }
    const df = (usedA - 1) * (usedB - 1);
    if (df === 0) return false;
    for (let p = 0; p < cells; p++) sum += entropy[counts[p]];
    const variance = 2 / (9 * df);
    found.score = (Math.cbrt(Math.max(0, 2 * sum) / df) - (1 - variance)) / Math.sqrt(variance);
    found.rows = n;
    found.information = sum / n - df / (2 * n);
    return true;
  }
}

/** Information of two standard normals with correlation r, both cut at their quantiles; interpolated in a table. */
export function gaussianInformation(r: number): number {
  const place = (Math.min(r, LARGEST) / LARGEST) * STEPS;
  const below = Math.min(STEPS - 1, Math.floor(place));
  return TABLE[below] + (place - below) * (TABLE[below + 1] - TABLE[below]);
}

/** The information at the correlations .995 s / 60, by quadrature over the cells (the tests do it again). */
const LARGEST = 0.995;
const STEPS = 60;
const TABLE = [
  0, 0.000116181, 0.000464901, 0.001046692, 0.001862446, 0.002913416, 0.004201225, 0.005727875, 0.007495755,
  0.009507655, 0.011766783, 0.014276781, 0.017041745, 0.02006625, 0.023355377, 0.026914741, 0.030750529,
  0.034869537, 0.039279213, 0.043987712, 0.049003948, 0.054337661, 0.059999486, 0.066001041, 0.072355016,
  0.079075282, 0.086177016, 0.093676834, 0.10159296, 0.109945408, 0.118756199, 0.128049608, 0.137852461,
  0.148194477, 0.159108669, 0.17063183, 0.1828051, 0.195674657, 0.209292543, 0.223717679, 0.239017102,
  0.255267504, 0.272557146, 0.290988289, 0.310680288, 0.331773603, 0.354435062, 0.378864882, 0.405306209,
  0.434058339, 0.465495489, 0.50009417, 0.538474423, 0.581464341, 0.630205829, 0.686338415, 0.752343998,
  0.832266463, 0.933495876, 1.073177543, 1.343561366,
];

function firstFeatures(block: Float64Array, width: number, stride: number): Float64Array {
  const out = new Float64Array((block.length / stride) * width);
  for (let p = 0; p < out.length; p++) out[p] = block[Math.floor(p / width) * stride + (p % width)];
  return out;
}
