import { relation, type Known } from "./known.ts";

/** Pairs of rows that the hints imply. */
export interface ImpliedPairs {
  readonly rows: readonly (readonly [number, number])[];
  readonly same: readonly boolean[];
}

/** Number of pairs above which every second, third, ... pair is taken. */
const MOST_PAIRS = 2000;

export function impliedPairs(known: Known): ImpliedPairs {
  const rows: [number, number][] = [];
  const same: boolean[] = [];
  known.hinted.forEach((i, p) => {
    for (let q = 0; q < p; q++) {
      const said = relation(known, i, known.hinted[q]);
      if (said === 0) continue;
      rows.push([i, known.hinted[q]]);
      same.push(said === 1);
    }
  });
  const step = Math.ceil(rows.length / MOST_PAIRS);
  if (step <= 1) return { rows, same };
  return { rows: rows.filter((_, p) => p % step === 0), same: same.filter((_, p) => p % step === 0) };
}

/** Certainty of an answer by a single member. */
const SURE = 0.9;
/** Prior weight of the single scores, in answers. */
const STRENGTH = 10;
const ROUNDS = 100;
const SETTLED = 1e-6;

/**
 * Weights of members that jointly predict the hints best (stacking, Y. Yao and others, 2018): two members
 * that each find one border are worth more than one that finds neither. With l_pm the probability that member
 * m gives to the answer on pair p, q the weights from single scores, and pairs that count v each,
 *
 *     max_w  v sum_p ln sum_m w_m l_pm + 10 sum_m q_m ln w_m,
 *
 * a concave problem, solved by expectation maximisation.
 *
 * @param together for each member and pair, how often it put the two rows together when the hints on them were held out
 */
export function stackedWeights(
  { same }: ImpliedPairs,
  together: readonly ArrayLike<number>[],
  q: readonly number[],
  answers: number,
): number[] {
  if (same.length === 0) return [...q];
  const v = Math.min(1, answers / same.length);
  const M = q.length;
  const likely = Float64Array.from({ length: same.length * M }, (_, at) => {
    const [p, m] = [Math.floor(at / M), at % M];
    const share = SURE * together[m][p] + (1 - SURE) * (1 - together[m][p]);
    return same[p] ? share : 1 - share;
  });
  let weights = Float64Array.from(q);
  for (let round = 0; round < ROUNDS; round++) {
    const next = Float64Array.from(q, (share) => STRENGTH * share);
    for (let p = 0, at = 0; p < same.length; p++, at += M) {
      let sum = 0;
      for (let m = 0; m < M; m++) sum += weights[m] * likely[at + m];
      for (let m = 0; m < M; m++) next[m] += (v * weights[m] * likely[at + m]) / sum;
    }
    const total = next.reduce((a, b) => a + b, 0);
    let change = 0;
    for (let m = 0; m < M; m++) {
      next[m] /= total;
      change = Math.max(change, Math.abs(next[m] - weights[m]));
    }
    weights = next;
    if (change < SETTLED) break;
  }
  return Array.from(weights);
}
