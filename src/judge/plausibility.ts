import { EVIDENCE, type Evidence } from "./evidence.ts";
import fitted from "./fitted.json.ts";
import { METHODS } from "./members.ts";
import type { Member } from "./pool.ts";

/**
 * The weight of each member of a pool,
 *
 *     w_j = exp((beta + g beta') . t_j) / sum_i exp((beta + g beta') . t_i)
 *
 * with t_j its evidence and its method in standard units. What an evidence is worth depends on the number of columns: valleys
 * and neighbours tell shapes in a plane, agreement tells groups of wide tables. So g goes from -1 to 1 (`widthOf`). beta,
 * beta', gamma below, means and deviations come from labelled sets (`npm run fit:judge`).
 */
export function plausibility(
  members: readonly Pick<Member, "method">[],
  evidence: readonly Evidence[],
  width: number,
): Float64Array {
  const { beta } = fitted.plausibility;
  const logs = members.map((member, j) => weighed(termsOf(evidence[j], member.method), width, beta));
  const most = Math.max(...logs);
  const weights = Float64Array.from(logs, (log) => Math.exp(log - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** (gamma + g gamma') . t: what a partition's own evidence and method add to its expected agreement. */
export function directEvidence(
  { method }: Pick<Member, "method">,
  evidence: Evidence,
  width: number,
): number {
  return weighed(termsOf(evidence, method), width, fitted.plausibility.gamma);
}

/** The evidence, and 1 for the method that made the partition. */
export function termsOf(evidence: Evidence, method: string): number[] {
  return [...EVIDENCE.map((name) => evidence[name]), ...METHODS.map((name) => Number(name === method))];
}

/** The evidence, and what more it is worth in wide tables. */
export function trustTerms(evidence: Evidence, width: number): number[] {
  const own = EVIDENCE.map((name) => evidence[name]);
  return [...own, width, ...own.map((value) => width * value)];
}

/** Columns of a plane, and of a table that nobody can draw. */
const NARROW = 2;
const WIDE = 20;

/** The logarithm of the number of columns: -1 for NARROW or fewer, 1 for WIDE or more. */
export function widthOf(columns: number): number {
  const share = Math.log(columns / NARROW) / Math.log(WIDE / NARROW);
  return 2 * Math.max(0, Math.min(1, share)) - 1;
}

function weighed(terms: readonly number[], width: number, coefficients: readonly number[]): number {
  const { mean, deviation } = fitted.plausibility;
  return terms.reduce((sum, term, e) => {
    const coefficient = coefficients[e] + width * coefficients[terms.length + e];
    return sum + (coefficient * (term - mean[e])) / deviation[e];
  }, 0);
}

/** The fit takes a partition for the best with a probability in proportion to exp(support / SOFTNESS). */
export const SOFTNESS: number = fitted.plausibility.softness;

/** The odds of two partitions with this difference in support. */
export function odds(difference: number): number {
  return Math.exp(difference / SOFTNESS);
}
