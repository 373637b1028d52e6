/**
 * When sum-of-norms clustering must find a partition (A. Panahi et al. 2017; D. Sun, K.-C. Toh and Y. Yuan 2021, Theorem 5),
 * for any graph, masses and norm q. With a_i the rows, abar_c and m_c mean and mass of cluster c, w_i^c the weight of the edges
 * between row i and cluster c, and w^(c,e) that between two clusters, every gamma in [lower, upper) has exactly these clusters:
 *
 *     upper = min over clusters c, e that an edge joins of  ||abar_c - abar_e||_{q*} / (w^c / m_c + w^e / m_e),   w^c = sum_e w^(c,e)
 *     lower = max over edges ij inside a cluster of  ||phi_i - phi_j||_{q*} / (1 - sum_e |psi_i^e - psi_j^e|)
 *
 * where phi and psi^e are potentials of the electrical flows with conductances w inside the cluster that
 * carry m_i (a_i - abar) and m_i w^(c,e) / m_c - w_i^e away: such flows are dual vectors of the edges inside
 * the cluster. On a complete graph of equal weights, where ||phi_i - phi_j|| = ||a_i - a_j|| / (n w), these
 * are the bounds of the paper. The paper does not treat sparse graphs.
 */
import type { Edges } from "../../graph/index.ts";
import { dualNorm } from "../solve/certificate.ts";
import type { ConvexProblem } from "../solve/problem.ts";
import { dot } from "../../matrix/internal.ts";
import { conjugateGradients } from "../../optimize/internal.ts";

export interface Recovery {
  /**
   * Every gamma from here on, and below `upper`, gives the partition; Infinity if no flow holds a cluster
   * together.
   */
  readonly lower: number;
  /** Infinity if no edge joins two clusters. */
  readonly upper: number;
  /** lower < upper. */
  readonly holds: boolean;
}

/** @param labels the cluster of each row, 0 .. K-1; a row of -1 is in none, and then nothing is guaranteed */
export function recovery(problem: ConvexProblem, labels: ArrayLike<number>): Recovery {
  const { X, norm } = problem;
  const d = X.cols;
  const clusters = clustersOf(problem, labels);
  if (clusters === undefined) return { lower: Infinity, upper: 0, holds: false };
  let upper = Infinity;
  const difference = new Float64Array(d);
  clusters.forEach((one, c) => {
    for (const [e] of one.borders) {
      if (e < c) continue;
      const other = clusters[e];
      for (let f = 0; f < d; f++) difference[f] = one.mean[f] - other.mean[f];
      const pull = one.outward / one.mass + other.outward / other.mass;
      upper = Math.min(upper, dualNorm(difference, 0, d, norm) / pull);
    }
  });
  let lower = 0;
  for (const cluster of clusters) {
    lower = Math.max(lower, held(problem, cluster));
    if (!(lower < upper)) break;
  }
  return { lower, upper, holds: lower < upper };
}

function emptyCluster(d: number) {
  return {
    rows: [] as number[],
    mean: new Float64Array(d),
    mass: 0,
    /** Sum of the weights to other clusters, and to each. */
    outward: 0,
    borders: new Map<number, number>(),
    /** Edges inside, between places in `rows`. */
    edges: { from: [] as number[], to: [] as number[], weights: [] as number[] },
    /** w_i^e of the rows with edges to others: position in `rows`, cluster, weight. */
    ties: [] as [number, number, number][],
  };
}

type Cluster = ReturnType<typeof emptyCluster>;

function clustersOf({ X, graph, masses }: ConvexProblem, labels: ArrayLike<number>): Cluster[] | undefined {
  const [n, d] = [X.rows, X.cols];
  const clusters: Cluster[] = [];
  const place = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    if (labels[i] < 0) return undefined;
    const own = (clusters[labels[i]] ??= emptyCluster(d));
    place[i] = own.rows.push(i) - 1;
    const mass = masses === undefined ? 1 : masses[i];
    own.mass += mass;
    for (let f = 0; f < d; f++) own.mean[f] += (mass * (X.data[i * d + f] - own.mean[f])) / own.mass;
  }
  const { from, to, weights } = graph;
  for (let e = 0; e < from.length; e++) {
    const [i, j] = [from[e], to[e]];
    const [a, b] = [clusters[labels[i]], clusters[labels[j]]];
    if (a === b) {
      a.edges.from.push(place[i]);
      a.edges.to.push(place[j]);
      a.edges.weights.push(weights[e]);
      continue;
    }
    for (const [own, row, other] of [
      [a, i, labels[j]],
      [b, j, labels[i]],
    ] as const) {
      own.outward += weights[e];
      own.borders.set(other, (own.borders.get(other) ?? 0) + weights[e]);
      own.ties.push([place[row], other, weights[e]]);
    }
  }
  return clusters;
}

/** The gamma from which on the flows hold one cluster together. */
function held({ X, norm, masses }: ConvexProblem, cluster: Cluster): number {
  const { rows, mean, mass, borders, edges, ties } = cluster;
  const [n, d] = [rows.length, X.cols];
  if (n === 1) return 0;
  const graph: Edges = {
    nodes: n,
    from: Int32Array.from(edges.from),
    to: Int32Array.from(edges.to),
    weights: Float64Array.from(edges.weights),
  };
  const massOf = (r: number): number => (masses === undefined ? 1 : masses[rows[r]]);
  const potentials: Float64Array[] = [];
  const solve = (rightSide: Float64Array, size: number): boolean => {
    const found = potential(graph, balanced(rightSide, size));
    if (found !== undefined) potentials.push(found);
    return found !== undefined;
  };
  for (let f = 0; f < d; f++) {
    const side = Float64Array.from(rows, (i, r) => massOf(r) * (X.data[i * d + f] - mean[f]));
    if (
      !solve(
        side,
        rows.reduce((most, i, r) => Math.max(most, massOf(r) * Math.abs(X.data[i * d + f])), 0),
      )
    ) {
      return Infinity;
    }
  }
  for (const [other, weight] of borders) {
    const side = Float64Array.from(rows, (_, r) => (massOf(r) * weight) / mass);
    for (const [r, to, w] of ties) if (to === other) side[r] -= w;
    if (!solve(side, weight)) return Infinity;
  }
  let lower = 0;
  const step = new Float64Array(d);
  for (let e = 0; e < graph.from.length; e++) {
    const [i, j] = [graph.from[e], graph.to[e]];
    for (let f = 0; f < d; f++) step[f] = potentials[f][i] - potentials[f][j];
    let spare = 1;
    for (let c = d; c < potentials.length; c++) spare -= Math.abs(potentials[c][i] - potentials[c][j]);
    if (!(spare > 0)) return Infinity;
    // The potentials are exact to about 1e-10.
    lower = Math.max(lower, (dualNorm(step, 0, d, norm) / spare) * (1 + 1e-8));
  }
  return lower;
}

/** The values minus their mean; 0 if they are rounding of numbers of that size. */
function balanced(values: Float64Array, size: number): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const even = values.map((value) => value - mean);
  return even.every((value) => Math.abs(value) <= 1e-14 * size) ? even.fill(0) : even;
}

/**
 * p with L p = b, L the Laplacian, by conjugate gradients with a diagonal preconditioner; undefined if b has
 * no solution.
 */
function potential({ nodes: n, from, to, weights }: Edges, b: Float64Array): Float64Array | undefined {
  const degree = new Float64Array(n);
  for (let e = 0; e < from.length; e++) {
    degree[from[e]] += weights[e];
    degree[to[e]] += weights[e];
  }
  const scale = dot(b, b);
  if (scale === 0) return new Float64Array(n);
  if (degree.some((value) => value === 0)) return undefined;
  const flow = (p: Float64Array, out: Float64Array): void => {
    out.fill(0);
    for (let e = 0; e < from.length; e++) {
      const current = weights[e] * (p[from[e]] - p[to[e]]);
      out[from[e]] += current;
      out[to[e]] -= current;
    }
  };
  const enough = (residual: Float64Array): boolean => dot(residual, residual) <= 1e-22 * scale;
  const { x, done } = conjugateGradients(flow, degree, b, { enough, maxSteps: 10 * n + 100 });
  return done ? x : undefined;
}
