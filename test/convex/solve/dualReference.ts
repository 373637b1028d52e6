import { certificate } from "../../../src/convex/solve/certificate.ts";
import type { Certificate, ConvexProblem } from "../../../src/convex/solve/problem.ts";
import { matrix } from "../../../src/matrix/matrix.ts";
import { solve } from "../../../src/matrix/factor/solve.ts";
import { outflow } from "../instances.ts";

/**
 * Slow reference for the L2 norm: accelerated projected gradients on the dual with one safe step for all edges, nothing
 * shared with the solver but the certificate. Any feasible Z bounds the optimum from below.
 */
export function dualReference(problem: ConvexProblem, gamma: number, tolerance: number): Certificate {
  const { X, graph, metric, masses } = problem;
  const { from, to, weights } = graph;
  const [n, d, m] = [X.rows, X.cols, from.length];
  const inverse = matrix(d, d);
  for (let k = 0; k < d; k++) {
    inverse.data[k * d + k] = metric instanceof Float64Array ? 1 / metric[k] : 1;
  }
  if (metric !== undefined && !(metric instanceof Float64Array)) {
    const unit = matrix(d, d);
    for (let k = 0; k < d; k++) unit.data[k * d + k] = 1;
    inverse.data.set(solve(metric, unit).data);
  }
  let widest = 0;
  for (let k = 0; k < d; k++) {
    let sum = 0;
    for (let l = 0; l < d; l++) sum += Math.abs(inverse.data[k * d + l]);
    widest = Math.max(widest, sum);
  }
  const degree = new Float64Array(n);
  for (let e = 0; e < m; e++) for (const i of [from[e], to[e]]) degree[i] += 1 / (masses?.[i] ?? 1);
  const step = 1 / (2 * widest * Math.max(...degree));

  let Z = new Float64Array(m * d);
  let Y = Z.slice();
  const U = matrix(n, d);
  const centre = (duals: Float64Array): void => {
    const flow = outflow(graph, duals, d);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < d; k++) {
        let sum = 0;
        for (let l = 0; l < d; l++) sum += inverse.data[k * d + l] * flow[i * d + l];
        U.data[i * d + k] = X.data[i * d + k] - sum / (masses?.[i] ?? 1);
      }
    }
  };
  for (let t = 1, iteration = 1; ; iteration++) {
    centre(Y);
    const next = new Float64Array(m * d);
    for (let e = 0; e < m; e++) {
      let size = 0;
      for (let k = 0; k < d; k++) {
        next[e * d + k] = Y[e * d + k] + step * (U.data[from[e] * d + k] - U.data[to[e] * d + k]);
        size += next[e * d + k] ** 2;
      }
      const shrink = Math.min(1, (gamma * weights[e]) / Math.sqrt(size));
      for (let k = 0; k < d; k++) next[e * d + k] *= shrink;
    }
    const grown = (1 + Math.sqrt(1 + 4 * t * t)) / 2;
    Y = next.map((z, p) => z + ((t - 1) / grown) * (z - Z[p]));
    Z = next;
    t = grown;
    if (iteration % 50 === 0) {
      centre(Z);
      const proof = certificate(problem, gamma, U, matrix(m, d, Z));
      if (proof.relativeGap <= tolerance || iteration >= 30_000) return proof;
    }
  }
}
