import { random } from "../../src/core/random.ts";
import type { ConvexProblem, Norm } from "../../src/convex/solve/problem.ts";
import type { Edges } from "../../src/graph/edges.ts";
import { identity, matrix, type Matrix } from "../../src/matrix/matrix.ts";

/** One metric of each kind in three columns, for `it.each`. */
export const METRICS: [string, Float64Array | Matrix | undefined][] = [
  ["identity", undefined],
  ["diagonal", Float64Array.of(0.5, 2, 7)],
  ["full", matrix(3, 3, Float64Array.of(2, 0.9, 0.1, 0.9, 1, -0.3, 0.1, -0.3, 0.5))],
];

/** The nearest point with a sum of sizes of at most the radius: the one root of sum max(0, |v| - level), by bisection. */
export function inCross(v: readonly number[], radius: number): number[] {
  const kept = (level: number): number => v.reduce((sum, one) => sum + Math.max(0, Math.abs(one) - level), 0);
  if (kept(0) <= radius) return [...v];
  let [low, high] = [0, Math.max(...v.map(Math.abs))];
  for (let round = 0; round < 100; round++) {
    const middle = (low + high) / 2;
    if (kept(middle) > radius) low = middle;
    else high = middle;
  }
  return v.map((one) => Math.sign(one) * Math.max(0, Math.abs(one) - low));
}

/** What the duals of the edges carry away from each node. */
export function outflow({ nodes, from, to }: Edges, duals: Float64Array, d: number): Float64Array {
  const flow = new Float64Array(nodes * d);
  for (let e = 0; e < from.length; e++) {
    for (let k = 0; k < d; k++) {
      flow[from[e] * d + k] += duals[e * d + k];
      flow[to[e] * d + k] -= duals[e * d + k];
    }
  }
  return flow;
}

/** Gaussian clusters with a sparse random graph, positive weights, and if wanted masses and a metric. */
export function instance(options: {
  seed: number;
  n: number;
  d: number;
  density?: number;
  norm?: Norm;
  masses?: boolean;
  metric?: "diagonal" | "full";
}): ConvexProblem {
  const { seed, n, d, density = 0.3, norm = 1 } = options;
  const r = random(seed);
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < d; k++) X.data[i * d + k] = 4 * (i % 3 === k % 3 ? 1 : 0) + r.normal();
  }
  const list: [number, number, number][] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      if (r.uniform() < density) list.push([i, j, Math.exp(-3 * r.uniform())]);
    }
  }
  return {
    X,
    graph: graphOf(n, list),
    norm,
    ...(options.masses === true && { masses: Float64Array.from({ length: n }, () => 1 + r.integer(3)) }),
    ...(options.metric === "diagonal" && {
      metric: Float64Array.from({ length: d }, () => 0.3 + r.uniform()),
    }),
    ...(options.metric === "full" && { metric: positiveDefinite(seed + 1, d) }),
  };
}

export function graphOf(nodes: number, list: readonly (readonly [number, number, number])[]): Edges {
  return {
    nodes,
    from: Int32Array.from(list, ([i]) => i),
    to: Int32Array.from(list, ([, j]) => j),
    weights: Float64Array.from(list, ([, , w]) => w),
  };
}

export function positiveDefinite(seed: number, d: number): Matrix {
  const r = random(seed);
  const A = Float64Array.from({ length: d * d }, () => r.normal());
  const B = identity(d);
  for (let k = 0; k < d; k++) {
    B.data[k * d + k] = 0.2;
    for (let l = 0; l < d; l++) {
      for (let j = 0; j < d; j++) B.data[k * d + l] += (A[k * d + j] * A[l * d + j]) / d;
    }
  }
  return B;
}

/** The same problem with the rows and the features in another order. */
export function permute(problem: ConvexProblem, rows: Int32Array, features: Int32Array): ConvexProblem {
  const { X, graph, masses, metric } = problem;
  const d = X.cols;
  const place = new Int32Array(X.rows);
  for (let i = 0; i < X.rows; i++) place[rows[i]] = i;
  const B = metric === undefined || metric instanceof Float64Array ? undefined : metric.data;
  return {
    ...problem,
    X: matrix(
      X.rows,
      d,
      X.data.map((_, p) => X.data[rows[Math.floor(p / d)] * d + features[p % d]]),
    ),
    graph: { ...graph, from: graph.from.map((i) => place[i]), to: graph.to.map((j) => place[j]) },
    ...(masses && { masses: masses.map((_, i) => masses[rows[i]]) }),
    ...(metric instanceof Float64Array && { metric: metric.map((_, k) => metric[features[k]]) }),
    ...(B && {
      metric: matrix(
        d,
        d,
        B.map((_, p) => B[features[Math.floor(p / d)] * d + features[p % d]]),
      ),
    }),
  };
}

export function largestDifference(A: Matrix, B: Matrix): number {
  let largest = 0;
  for (let p = 0; p < A.data.length; p++) largest = Math.max(largest, Math.abs(A.data[p] - B.data[p]));
  return largest;
}
