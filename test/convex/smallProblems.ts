import type { ConvexProblem } from "../../src/convex/solve/problem.ts";
import { random } from "../../src/core/random.ts";
import type { Edges } from "../../src/graph/edges.ts";
import { matrix } from "../../src/matrix/matrix.ts";

/** Three Gaussian clouds, joined to a connected graph: a ring, and every pair that is among five nearest. */
export function blobs(n: number, d: number, seed: number): ConvexProblem {
  const draw = random(seed);
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < d; k++) X.data[i * d + k] = draw.normal() + (k === 0 ? 4 * (i % 3) : 0);
  }
  const distance = (i: number, j: number): number => {
    let sum = 0;
    for (let k = 0; k < d; k++) sum += (X.data[i * d + k] - X.data[j * d + k]) ** 2;
    return sum;
  };
  const edges = new Map<number, number>();
  const join = (i: number, j: number): void => {
    edges.set(Math.min(i, j) * n + Math.max(i, j), Math.exp(-distance(i, j) / (2 * d)) + 0.05);
  };
  for (let i = 0; i < n; i++) {
    if (n > 2 || i === 0) join(i, (i + 1) % n);
    const others = Array.from({ length: n }, (_, j) => j).filter((j) => j !== i);
    others.sort((a, b) => distance(i, a) - distance(i, b));
    for (const j of others.slice(0, 5)) join(i, j);
  }
  const keys = [...edges.keys()];
  return {
    X,
    graph: {
      nodes: n,
      from: Int32Array.from(keys, (key) => Math.floor(key / n)),
      to: Int32Array.from(keys, (key) => key % n),
      weights: Float64Array.from(edges.values()),
    },
    norm: 2,
  };
}

/** A cycle of n nodes, all weights 1. */
export function ring(n: number): { graph: Edges } {
  return {
    graph: {
      nodes: n,
      from: Int32Array.from({ length: n }, (_, i) => (i === n - 1 ? 0 : i)),
      to: Int32Array.from({ length: n }, (_, i) => (i === n - 1 ? n - 1 : i + 1)),
      weights: new Float64Array(n).fill(1),
    },
  };
}
