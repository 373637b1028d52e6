/**
 * Exact total variation on a weighted graph, feature by feature:
 *
 *     min_u 1/2 sum_i m_i (y_i - u_i)^2 + gamma sum_e w_e |u_i - u_j| ,
 *
 * with the flow z on the edges that proves it: |z_e| <= gamma w_e, m_i (y_i - u_i) = net outflow of z at i, and
 * z_e = gamma w_e sign(u_i - u_j) wherever u_i != u_j. To read: test/graph/plainTotalVariation.ts, the same in plain
 * code. The fast algorithm is in kernel/totalVariation.as.ts; nodes of one level get bitwise the same value, so
 * u_i == u_j needs no tolerance.
 */
import { parallelKernel, type ParallelKernel } from "../matrix/index.ts";
import { placed } from "../matrix/internal.ts";
import type { Edges } from "./edges.ts";
import * as binary from "./kernel/totalVariation.wasm.ts";

/** Features stored in sequence: n values each of y, u and levels, m of flows. */
export interface Features {
  readonly y: Float64Array;
  /** One gamma per feature. */
  readonly gammas: Float64Array;
  /** Receives the solution; in a warm start its values, a nearby solution, group the nodes. */
  readonly u: Float64Array;
  /** Any starting flow (zeros are fine), replaced by the optimal one. */
  readonly flows: Float64Array;
  readonly warm: boolean;
  /** If present, receives the level of each node, 0 .. count - 1. */
  readonly levels?: Int32Array;
}

export interface TotalVariation {
  /** Solves every feature, on several threads if that pays; returns the number of levels of each. */
  solve(features: Features): Int32Array;
}

/** The solution for one feature. */
export function totalVariation(
  y: Float64Array,
  graph: Edges,
  options: { gamma: number; masses?: Float64Array },
): { u: Float64Array; flows: Float64Array; levels: number } {
  const u = new Float64Array(graph.nodes);
  const flows = new Float64Array(graph.from.length);
  const gammas = Float64Array.of(options.gamma);
  const [levels] = withTotalVariation(graph, options.masses, 1, (tv) =>
    tv.solve({ y, gammas, u, flows, warm: false }),
  );
  return { u, flows, levels };
}

/** Edges times features from which several threads are faster than one. */
const PARALLEL = 5e4;
/** Number of flows in the kernel's memory at a time. */
const BLOCK_VALUES = 2 ** 24;

/**
 * Sets the graph up once for any number of solves, of up to `features` features at a time; the solver is valid until
 * `work` returns.
 */
export function withTotalVariation<T>(
  graph: Edges,
  masses: Float64Array | undefined,
  features: number,
  work: (tv: TotalVariation) => T,
): T {
  const worthwhile = features > 1 && features * graph.from.length > PARALLEL;
  const kernel = parallelKernel<binary.Exports>("graph/totalVariation", binary, worthwhile);
  return kernel.scope(() => work(kernelTotalVariation(kernel, graph, masses, features)));
}

function kernelTotalVariation(
  kernel: ParallelKernel<binary.Exports>,
  graph: Edges,
  masses: Float64Array | undefined,
  features: number,
): TotalVariation {
  const n = graph.nodes;
  const m = graph.from.length;
  const block = Math.max(1, Math.min(features, Math.floor(BLOCK_VALUES / (m + 1))));
  const base = kernel.reserve(kernel.exports.layoutGraph(0, n, m));
  const scratchBytes = kernel.exports.layoutScratch(0);
  const [y, u, flows] = [n, n, m].map((length) => kernel.reserve(8 * length * block));
  const gammas = kernel.reserve(8 * block);
  const [levels, counts] = [n, 1].map((length) => kernel.reserve(4 * length * block));
  kernel.scope(() => {
    const [from, to] = [placed(kernel, graph.from), placed(kernel, graph.to)];
    kernel.f64(flows, m).set(graph.weights);
    if (masses === undefined) kernel.f64(y, n).fill(1);
    else kernel.f64(y, n).set(masses);
    kernel.exports.prepare(base, n, m, from, to, flows, y, levels);
  });

  /** Copies rows first .. first + count of a feature-wise array. */
  const rows = <A extends Float64Array | Int32Array>(A: A, first: number, count: number, length: number): A =>
    A.subarray(first * length, (first + count) * length) as A;

  return {
    solve(given) {
      const total = given.gammas.length;
      const found = new Int32Array(total);
      for (let first = 0; first < total; first += block) {
        const count = Math.min(block, total - first);
        kernel.f64(y, count * n).set(rows(given.y, first, count, n));
        kernel.f64(flows, count * m).set(rows(given.flows, first, count, m));
        kernel.f64(gammas, count).set(rows(given.gammas, first, count, 1));
        if (given.warm) kernel.f64(u, count * n).set(rows(given.u, first, count, n));
        const shared = [base, n, m, given.warm ? 1 : 0] as const;
        kernel.run("solveFeature", count, scratchBytes, [...shared, y, gammas, u, flows, levels, counts]);
        rows(given.u, first, count, n).set(kernel.f64(u, count * n));
        rows(given.flows, first, count, m).set(kernel.f64(flows, count * m));
        if (given.levels !== undefined) {
          rows(given.levels, first, count, n).set(kernel.i32(levels, count * n));
        }
        found.set(kernel.i32(counts, count), first);
      }
      return found;
    },
  };
}
