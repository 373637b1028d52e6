/** ITML as Davis et al. (2007) have it, for src/metric/pairs/itml.ts. */
import type { Constraints } from "../../../src/data/constraints.ts";
import { identity, row, type Matrix } from "../../../src/matrix/matrix.ts";
import { rankOneUpdate } from "../../../src/matrix/multiply.ts";
import { pairDifferences } from "../../../src/metric/pairs/pairedRows.ts";

/** Cyclic Bregman projections (Davis et al., Algorithm 1, with the exact step): slow, independent, the same minimiser. */
export function cyclicProjections(
  Y: Matrix,
  { mustLink, cannotLink }: Constraints,
  [u, l]: readonly [number, number],
  gamma: number,
  sweeps: number,
): { M: Matrix; lambda: Float64Array; xi: Float64Array } {
  const V = pairDifferences(Y, [...mustLink, ...cannotLink]);
  const M = identity(Y.cols);
  const Mv = new Float64Array(Y.cols);
  const lambda = new Float64Array(V.rows);
  const xi = lambda.map((_, c) => (c < mustLink.length ? u : l));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let c = 0; c < V.rows; c++) {
      const delta = c < mustLink.length ? 1 : -1;
      const v = row(V, c);
      let p = 0;
      for (let f = 0; f < Y.cols; f++) {
        Mv[f] = 0;
        for (let g = 0; g < Y.cols; g++) Mv[f] += M.data[f * Y.cols + g] * v[g];
        p += v[f] * Mv[f];
      }
      const alpha = Math.min(lambda[c], ((delta * gamma) / (gamma + 1)) * (1 / p - 1 / xi[c]));
      lambda[c] -= alpha;
      xi[c] = 1 / (1 / xi[c] + (delta * alpha) / gamma);
      rankOneUpdate(M, (delta * alpha) / (1 - delta * alpha * p), Mv);
    }
  }
  return { M, lambda, xi };
}
