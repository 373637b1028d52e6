import type { Random } from "../../core/index.ts";
import { adjustedRand } from "../../score/index.ts";
import { relation, type Known } from "../known.ts";
import type { Member } from "../posterior.ts";

export function pairKey(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** Number of pairs that are examined. */
const CANDIDATES = 1500;
/** Certainty of an answer if one member is right: as the evidence of a first answer (evidence.ts). */
const SURE = 0.75;
/** Members below this share of the largest weight are ignored. */
const LEAST_WEIGHT = 0.01;

/** A pair of rows whose answer selects a candidate clustering. */
export interface TellingPair {
  readonly a: number;
  readonly b: number;
  /** The probability of the answer "same". */
  readonly likely: number;
  /**
   * The current difference of the members: the mean of 1 - adjusted Rand index over two members drawn by
   * their weights.
   */
  readonly doubt: number;
  /** The expected reduction by the answer, and as a share of the doubt. */
  readonly fall: number;
  readonly gain: number;
}

/**
 * The pair with the smallest expected difference of the members after its answer. With w the weights of the
 * members and D_mn = 1 - ARI(m, n), the doubt is w' D w. An answer multiplies the weights of the members that
 * predicted it by 3/4 and the others' by 1/4. Members that nearly agree need not be separated; members with
 * entirely different clusters are, by rows on which each group of members agrees, so no border row is asked
 * about.
 */
export function tellingPair(
  members: readonly Pick<Member, "labels" | "weight">[],
  known: Known,
  usable: (a: number, b: number) => boolean,
  stream: Random,
): TellingPair | undefined {
  const most = members.reduce((sum, { weight }) => Math.max(sum, weight), 0);
  const heard = members.filter(({ weight }) => weight > LEAST_WEIGHT * most);
  const total = heard.reduce((sum, { weight }) => sum + weight, 0);
  const w = heard.map(({ weight }) => weight / total);
  const D = heard.map((m) => heard.map((o) => (m === o ? 0 : 1 - adjustedRand(m.labels, o.labels))));
  const doubt = doubtOf(w, D);
  const n = known.rows;
  const seen = new Set<string>();
  let best: TellingPair | undefined;
  for (let c = 0; c < CANDIDATES; c++) {
    const a = stream.integer(n);
    const b = c % 2 === 0 ? stream.integer(n) : companion(heard, a, stream);
    if (a === b || relation(known, a, b) !== 0 || !usable(a, b)) continue;
    const together = heard.map(({ labels }) => labels[a] === labels[b]);
    const key = together.map(Number).join("");
    if (seen.has(key)) continue;
    seen.add(key);
    let likely = 0;
    together.forEach((yes, m) => (likely += w[m] * (yes ? SURE : 1 - SURE)));
    const after = (same: boolean): number =>
      doubtOf(
        together.map((yes, m) => (w[m] * (yes === same ? SURE : 1 - SURE)) / (same ? likely : 1 - likely)),
        D,
      );
    const fall = doubt - likely * after(true) - (1 - likely) * after(false);
    const gain = doubt > 0 ? fall / doubt : 0;
    if (best === undefined || fall > best.fall) best = { a, b, likely, doubt, fall, gain };
  }
  return best;
}

function doubtOf(w: readonly number[], D: readonly (readonly number[])[]): number {
  let sum = 0;
  for (let m = 0; m < w.length; m++) for (let o = 0; o < m; o++) sum += 2 * w[m] * w[o] * D[m][o];
  return sum;
}

/** A row that one of the members puts with this one. */
function companion(members: readonly Pick<Member, "labels">[], row: number, stream: Random): number {
  const { labels } = members[stream.integer(members.length)];
  for (let tries = 0; tries < 30; tries++) {
    const other = stream.integer(labels.length);
    if (labels[other] === labels[row]) return other;
  }
  return row;
}
