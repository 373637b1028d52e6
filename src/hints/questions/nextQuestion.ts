import { random } from "../../core/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { exclusiveGroups, relation, type Known } from "../known.ts";
import type { Member } from "../posterior.ts";
import { tellingPair, type TellingPair } from "./tellingPair.ts";

/** The data for choosing a question. */
export interface Belief {
  readonly members: readonly Pick<Member, "labels" | "weight">[];
  readonly known: Known;
  /** Absent: new clusters may appear at any time. */
  readonly clusters?: number;
  /** Base space, and what diffuses from given rows over its neighbour graph. */
  readonly Z: Matrix;
  readonly reach: (rows: ArrayLike<number>) => Matrix;
  /** The start if nothing is known. */
  readonly first: number;
  /** Skipped pairs: "a b" with a < b. */
  readonly skipped: ReadonlySet<string>;
}

export interface NextQuestion {
  readonly a: number;
  /** A row of the group that a may belong to, the most similar one. */
  readonly b: number;
  /** The probability of the answer "same". */
  readonly likely: number;
  /** Share of the rows that the answer affects, times its uncertainty in bits. */
  readonly gain: number;
  /** Rows that the leading members treat in the same way as a. */
  readonly speaksFor: number;
  /** Known groups so far. */
  readonly groups: number;
  /** The question separates candidate clusterings. */
  readonly telling?: TellingPair;
}

/**
 * Number of questions that separate candidate clusterings: at first, and at most while there is this much
 * doubt.
 */
const TELLING = { first: 6, most: 10, doubt: 0.25 } as const;
/** Minimum expected reduction of the doubt by such an answer. */
const LEAST_FALL = 0.005;
/** Weight of the neighbours relative to the members. */
const NEIGHBOURS_SAY = 0.15;
/** Minimum probability that a row belongs to no known group. */
const LEAST_NEW = 0.02;
const LEADING = 4;
const LEAST_WEIGHT = 0.01;

/**
 * The most useful question. The first questions separate candidate clusterings (tellingPair.ts), as long as
 * there is more than one. Then mutually exclusive known groups represent clusters; a row x belongs to group k
 * with probability q_k(x), the weighted share of k's rows in x's cluster over the members, plus a small part
 * from the diffusion over the neighbour graph; the rest is the probability of a new group. Rows that the
 * leading members treat in the same way form a cell. The question concerns the cell and group with the
 * largest mean binary entropy x sqrt(size of the cell) / sqrt(1 + rows of the cell already placed), and in it
 * a row drawn by its entropy. Rows that were already compared come first at equal value. Returns undefined
 * when no question is left.
 */
export function nextQuestion(belief: Belief, seed: number): NextQuestion | undefined {
  const { known, skipped } = belief;
  const n = known.rows;
  const stream = random(seed);
  if (known.answers < TELLING.most) {
    const telling = tellingPair(belief.members, known, (a, b) => !skipped.has(pairKey(a, b)), stream);
    const needed = known.answers < TELLING.first || (telling?.doubt ?? 0) > TELLING.doubt;
    if (telling !== undefined && needed && telling.fall > LEAST_FALL) {
      const { a, b, likely, doubt } = telling;
      return { a, b, likely, gain: doubt * entropy(likely), speaksFor: doubt * n, groups: 0, telling };
    }
  }
  const state = placement(belief);
  const { groups, placed, p } = state;
  const nk = groups.length;
  const cell = cells(belief.members, n);
  const size = new Float64Array(cell.count);
  const inside = new Float64Array(cell.count);
  for (let i = 0; i < n; i++) {
    size[cell.of[i]]++;
    if (placed[i] === 1) inside[cell.of[i]]++;
  }
  const usable = (i: number, k: number): boolean =>
    placed[i] === 0 &&
    relation(known, i, groups[k][0]) === 0 &&
    !groups[k].some((j) => skipped.has(pairKey(i, j)));
  const factor = (i: number): number => Math.sqrt(size[cell.of[i]] / n) / Math.sqrt(1 + inside[cell.of[i]]);
  const sums = new Float64Array(cell.count * nk);
  const open = new Float64Array(cell.count);
  const compared = comparedRows(belief, state);
  let partial: { i: number; k: number; value: number } | undefined;
  for (let i = 0; i < n; i++) {
    let any = false;
    let best = -1;
    for (let k = 0; k < nk; k++) {
      if (!usable(i, k)) continue;
      any = true;
      sums[cell.of[i] * nk + k] += entropy(p[i * nk + k]) * factor(i);
      if (best < 0 || entropy(p[i * nk + k]) > entropy(p[i * nk + best])) best = k;
    }
    if (any) open[cell.of[i]]++;
    if (compared[i] > 0 && best >= 0) {
      const value = entropy(p[i * nk + best]) * factor(i) * (1 + compared[i]);
      if (partial === undefined || value > partial.value) partial = { i, k: best, value };
    }
  }
  let most = -1;
  let at = -1;
  for (let s = 0; s < sums.length; s++) {
    const count = open[Math.floor(s / nk)];
    const mean = count > 0 ? sums[s] / count : -1;
    if (mean > most) {
      most = mean;
      at = s;
    }
  }
  if (at < 0) return undefined;
  let k = at % nk;
  const c = Math.floor(at / nk);
  const rows: number[] = [];
  for (let i = 0; i < n; i++) if (cell.of[i] === c && usable(i, k)) rows.push(i);
  let x =
    rows.length === 0 ? -1 : draw(rows, (i) => Math.max(1e-6, entropy(p[i * nk + k])), stream.uniform());
  if (partial !== undefined && (x < 0 || partial.value >= most)) {
    x = partial.i;
    k = partial.k;
  }
  if (x < 0) return undefined;
  const likely = p[x * nk + k];
  return {
    a: x,
    b: nearest(belief.Z, x, groups[k]),
    likely,
    gain: (entropy(likely) * size[cell.of[x]]) / n,
    speaksFor: size[cell.of[x]],
    groups: known.hinted.length === 0 ? 0 : nk,
  };
}

/** Mean over the rows of 1 - the probability of their most likely group: the undecided share. */
export function openShare(belief: Belief): number {
  const { groups, p, fresh } = placement(belief);
  const nk = groups.length;
  const n = belief.known.rows;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let most = fresh[i];
    for (let k = 0; k < nk; k++) most = Math.max(most, p[i * nk + k]);
    sum += 1 - most;
  }
  return sum / n;
}

export function pairKey(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

interface Placement {
  /** Rows of each known group. */
  readonly groups: readonly (readonly number[])[];
  readonly placed: Uint8Array;
  /** n x groups probabilities. */
  readonly p: Float64Array;
  /** Probability of a new group. */
  readonly fresh: Float64Array;
}

function placement(belief: Belief): Placement {
  const { members, known, clusters, first } = belief;
  const n = known.rows;
  const chosen = exclusiveGroups(known);
  const rowsOf = new Map<number, number[]>(chosen.map((g) => [g, []]));
  for (const i of known.hinted) rowsOf.get(known.group[i])?.push(i);
  const groups = chosen.length === 0 ? [[first]] : chosen.map((g) => rowsOf.get(g)!);
  const nk = groups.length;
  const placed = new Uint8Array(n);
  for (const rows of groups) for (const i of rows) placed[i] = 1;
  const q = new Float64Array(n * nk);
  const most = members.reduce((a, b) => Math.max(a, b.weight), 0);
  const voting = members.filter(({ weight }) => weight > LEAST_WEIGHT * most);
  const total = voting.reduce((sum, { weight }) => sum + weight, 0);
  for (const { labels, weight } of voting) {
    groups.forEach((rows, k) => {
      const share = new Map<number, number>();
      for (const j of rows) share.set(labels[j], (share.get(labels[j]) ?? 0) + weight / total / rows.length);
      for (let i = 0; i < n; i++) q[i * nk + k] += share.get(labels[i]) ?? 0;
    });
  }
  const F = reached(belief, groups, n);
  const fresh = new Float64Array(n);
  const room = clusters === undefined || nk < clusters;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let k = 0; k < nk; k++) sum += q[i * nk + k];
    const spread = NEIGHBOURS_SAY * Math.min(1, Math.max(0.1, sum));
    let with_ = 0;
    for (let k = 0; k < nk; k++) with_ += q[i * nk + k] += spread * F[i * nk + k];
    let left = room ? Math.min(1, Math.max(LEAST_NEW, 1 - with_)) : 1e-6;
    let kept = 0;
    for (let k = 0; k < nk; k++) {
      if (placed[i] === 0 && relation(known, i, groups[k][0]) === -1) q[i * nk + k] = 0;
      kept += q[i * nk + k];
    }
    if (placed[i] === 1) left = 0;
    for (let k = 0; k < nk; k++) q[i * nk + k] /= kept + left || 1;
    fresh[i] = left / (kept + left || 1);
  }
  return { groups, placed, p: q, fresh };
}

/** Shares of what diffuses from each group. */
function reached({ reach }: Belief, groups: readonly (readonly number[])[], n: number): Float64Array {
  const nk = groups.length;
  const rows = groups.flat();
  const columns = reach(rows).data;
  const F = new Float64Array(n * nk);
  let c = 0;
  groups.forEach((own, k) => {
    for (let end = c + own.length; c < end; c++) {
      for (let i = 0; i < n; i++) F[i * nk + k] += columns[i * rows.length + c] / own.length;
    }
  });
  for (let i = 0; i < n; i++) {
    let sum = 1e-12;
    for (let k = 0; k < nk; k++) sum += F[i * nk + k];
    for (let k = 0; k < nk; k++) F[i * nk + k] /= sum;
  }
  return F;
}

/** Rows with the same labels in the leading members. */
function cells(members: Belief["members"], n: number): { of: Int32Array; count: number } {
  const leading = [...members].sort((a, b) => b.weight - a.weight).slice(0, LEADING);
  const numbers = new Map<string, number>();
  const of = Int32Array.from({ length: n }, (_, i) => {
    const key = leading.map(({ labels }) => labels[i]).join();
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  });
  return { of, count: numbers.size };
}

/** For unplaced rows: the number of known groups that they do not belong to. */
function comparedRows({ known }: Belief, { groups, placed }: Placement): Int32Array {
  const compared = new Int32Array(known.rows);
  for (const i of known.hinted) {
    if (placed[i] === 0) compared[i] = groups.filter((rows) => relation(known, i, rows[0]) === -1).length;
  }
  return compared;
}

function nearest({ cols: d, data }: Matrix, i: number, rows: readonly number[]): number {
  const distance = (j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (data[i * d + f] - data[j * d + f]) ** 2;
    return sum;
  };
  return rows.reduce((best, j) => (distance(j) < distance(best) ? j : best));
}

function draw(rows: readonly number[], weight: (i: number) => number, u: number): number {
  let left = u * rows.reduce((sum, i) => sum + weight(i), 0);
  for (const i of rows) if ((left -= weight(i)) < 0) return i;
  return rows[rows.length - 1];
}

function entropy(p: number): number {
  if (p <= 1e-9 || p >= 1 - 1e-9) return 0;
  return -(p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
}
