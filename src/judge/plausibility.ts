import { EVIDENCE, type Evidence } from "./evidence.ts";
import fitted from "./fitted.json.ts";

/**
 * The weight of each member of a pool,
 *
 *     w_j = exp(beta . t_j) / sum_i exp(beta . t_i)
 *
 * with t_j its evidence in standard units. beta, gamma below, means and deviations come from labelled sets (`npm run fit:judge`).
 */
export function plausibility(evidence: readonly Evidence[]): Float64Array {
  const logs = evidence.map((own) => weighed(own, fitted.plausibility.beta));
  const most = Math.max(...logs);
  const weights = Float64Array.from(logs, (log) => Math.exp(log - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** gamma . t: what the evidence of a partition adds to its expected agreement. */
export function directEvidence(evidence: Evidence): number {
  return weighed(evidence, fitted.plausibility.gamma);
}

function weighed(evidence: Evidence, coefficients: readonly number[]): number {
  const { mean, deviation } = fitted.plausibility;
  return EVIDENCE.reduce(
    (sum, name, e) => sum + (coefficients[e] * (evidence[name] - mean[e])) / deviation[e],
    0,
  );
}

/** The fit takes a partition for the best with a probability in proportion to exp(support / SOFTNESS). */
export const SOFTNESS: number = fitted.plausibility.softness;

/** The odds of two partitions with this difference in support. */
export function odds(difference: number): number {
  return Math.exp(difference / SOFTNESS);
}
