/**
 * Exact total variation on a weighted graph, one feature at a time:
 *
 *     min_u 1/2 sum_i m_i (y_i - u_i)^2 + gamma sum_e w_e |u_i - u_j| ,
 *
 * with the flow z on the edges that proves it: |z_e| <= gamma w_e, m_i (y_i - u_i) = net outflow of z at i, and
 * z_e = gamma w_e sign(u_i - u_j) wherever u_i != u_j. The algorithm is in kernel/totalVariation.as.ts; nodes of one
 * level get the very same value, so u_i == u_j is a combinatorial fact and not a matter of tolerance.
 */
import { kernelBuild, loadKernel } from "../matrix/wasm.ts";
import type { Edges } from "./edges.ts";
import * as binary from "./kernel/totalVariation.wasm.ts";
import { plainTotalVariation } from "./totalVariationPlain.ts";

export interface TotalVariation {
  /**
   * Solves for one feature y, in place: `flows` holds any flow to start from (zeros will do) and receives the optimal
   * one, `u` receives the solution. If `warm`, the values of `u` on entry, the solution of a nearby problem, say which
   * nodes to try together. Returns the number of levels, the sets that were given one value each, and numbers them
   * per node in `levels` if that is wanted.
   */
  solve(
    y: Float64Array,
    gamma: number,
    u: Float64Array,
    flows: Float64Array,
    warm: boolean,
    levels?: Int32Array,
  ): number;
}

/** The solution for one feature. */
export function totalVariation(
  y: Float64Array,
  graph: Edges,
  options: { gamma: number; masses?: Float64Array },
): { u: Float64Array; flows: Float64Array; levels: number } {
  const u = new Float64Array(graph.nodes);
  const flows = new Float64Array(graph.from.length);
  const levels = withTotalVariation(graph, options.masses, (tv) =>
    tv.solve(y, options.gamma, u, flows, false),
  );
  return { u, flows, levels };
}

/** Sets the graph up once for any number of features and gammas; the solver is valid until `work` returns. */
export function withTotalVariation<T>(
  graph: Edges,
  masses: Float64Array | undefined,
  work: (tv: TotalVariation) => T,
): T {
  if (kernelBuild() === undefined) return work(withoutPenalty(plainTotalVariation(graph, masses)));
  const kernel = loadKernel<TotalVariationKernel>("graph/totalVariation", binary);
  return kernel.scope(() => work(withoutPenalty(kernelTotalVariation(kernel, graph, masses))));
}

/** Answers gamma = 0 with u = y to the last bit; the solvers would take it through sums and differences. */
function withoutPenalty({ solve }: TotalVariation): TotalVariation {
  return {
    solve(y, gamma, u, flows, warm, levels) {
      if (gamma > 0) return solve(y, gamma, u, flows, warm, levels);
      u.set(y);
      flows.fill(0);
      for (let i = 0; i < y.length; i++) if (levels !== undefined) levels[i] = i;
      return y.length;
    },
  };
}

interface TotalVariationKernel {
  layout(base: number, nodes: number, edges: number): number;
  prepare(from: number, to: number, weights: number, masses: number): void;
  solve(y: number, gamma: number, flows: number, u: number, warm: boolean): number;
  levels(out: number): void;
}

function kernelTotalVariation(
  kernel: ReturnType<typeof loadKernel<TotalVariationKernel>>,
  graph: Edges,
  masses: Float64Array | undefined,
): TotalVariation {
  const n = graph.nodes;
  const m = graph.from.length;
  const { exports } = kernel;
  const y = kernel.reserve(8 * n);
  const u = kernel.reserve(8 * n);
  const flows = kernel.reserve(8 * m);
  const base = kernel.reserve(exports.layout(0, n, m));
  exports.layout(base, n, m);
  kernel.scope(() => {
    const from = kernel.reserve(4 * m);
    const to = kernel.reserve(4 * m);
    kernel.i32(from, m).set(graph.from);
    kernel.i32(to, m).set(graph.to);
    kernel.f64(flows, m).set(graph.weights);
    if (masses === undefined) kernel.f64(y, n).fill(1);
    else kernel.f64(y, n).set(masses);
    exports.prepare(from, to, flows, y);
  });
  return {
    solve(yValues, gamma, uValues, flowValues, warm, levelValues) {
      kernel.f64(y, n).set(yValues);
      kernel.f64(flows, m).set(flowValues);
      if (warm) kernel.f64(u, n).set(uValues);
      const count = exports.solve(y, gamma, flows, u, warm);
      uValues.set(kernel.f64(u, n));
      flowValues.set(kernel.f64(flows, m));
      if (levelValues !== undefined) {
        exports.levels(y);
        levelValues.set(kernel.i32(y, n));
      }
      return count;
    },
  };
}
