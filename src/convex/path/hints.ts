import { contract, exclusionGraph, requireColoring, type ExclusionGraph } from "../../cluster/internal.ts";
import { random } from "../../core/index.ts";
import { option, optionError } from "../../core/internal.ts";
import { checkConstraints, type CheckedConstraints, type Pair } from "../../data/index.ts";
import type { Edges } from "../../graph/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { primalObjective } from "../solve/certificate.ts";
import type { Solved } from "./path.ts";
import type { ConvexProblem } from "../solve/problem.ts";

/**
 * Pairs in convex clustering. A must-link is an edge of infinite weight: its rows have one centre. With y_g the mean and
 * m_g the number of the rows of must-link group g, and W_gh the sum of the weights between g and h, the problem
 *
 *     min_U 1/2 sum_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l ||u_i - u_j||_q    s.t. u_i = u_j for must-links
 *
 * is 1/2 sum_g m_g (y_g - u_g)' B (y_g - u_g) + gamma sum_gh W_gh ||u_g - u_h||_q plus the scatter of the
 * rows around their y_g, which does not depend on U: the same convex problem on weighted points, with the
 * same proof. A cannot-link removes the edge between its two groups; since two groups may still fuse through
 * a third, the step from components to clusters separates them (assignGroups.ts).
 */
export interface Hints {
  readonly constraints: CheckedConstraints;
  /** Rows of each group. */
  readonly masses: Float64Array;
  readonly exclusion: ExclusionGraph;
  /** A colour for each node of `exclusion`: one way to keep all cannot-links with K clusters. Absent: there are none. */
  readonly coloring?: Int32Array;
}

/** Steps of the search for a first assignment that keeps the cannot-links. */
const BUDGET = 200_000;

/** Undefined if no pairs are given. */
export function makeHints(
  method: string,
  rows: number,
  options: {
    readonly mustLink?: readonly Pair[];
    readonly cannotLink?: readonly Pair[];
    readonly clusters?: number;
    readonly protocol: "practical" | "strict";
  },
): Hints | undefined {
  const { mustLink = [], cannotLink = [], clusters, protocol } = options;
  if (mustLink.length + cannotLink.length === 0) return undefined;
  const constraints = checkConstraints(rows, { mustLink, cannotLink });
  const masses = new Float64Array(constraints.groups);
  for (const g of constraints.group) masses[g]++;
  const exclusion = exclusionGraph(constraints);
  if (exclusion.count === 0) return { constraints, masses, exclusion };
  if (clusters === undefined) {
    throw optionError(
      `${method}: cannot-links need ${option("clusters")}: whether they can be kept depends on the number of clusters`,
    );
  }
  if (protocol === "strict") {
    throw optionError(
      `${method}: the strict protocol takes components as they are, and one may hold a cannot-link; ` +
        `use protocol "practical"`,
    );
  }
  const coloring = requireColoring(method, exclusion, clusters, constraints, BUDGET, random(0));
  return { constraints, masses, exclusion, coloring };
}

/**
 * The graph between groups: weights are added; edges inside a group and between groups that exclude each
 * other are removed.
 */
export function groupGraph(graph: Edges, hints: Hints | undefined): Edges {
  if (hints === undefined) return graph;
  const { group, groups } = hints.constraints;
  const { groups: nodes, offsets, neighbors, count } = hints.exclusion;
  const excluded = new Set<number>();
  for (let v = 0; v < count; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) excluded.add(nodes[v] * groups + nodes[neighbors[e]]);
  }
  const sums = new Map<number, number>();
  for (let e = 0; e < graph.from.length; e++) {
    const [g, h] = [group[graph.from[e]], group[graph.to[e]]];
    const key = Math.min(g, h) * groups + Math.max(g, h);
    if (g !== h && !excluded.has(key)) sums.set(key, (sums.get(key) ?? 0) + graph.weights[e]);
  }
  const keys = Float64Array.from(sums.keys()).sort();
  return {
    nodes: groups,
    from: Int32Array.from(keys, (key) => Math.floor(key / groups)),
    to: Int32Array.from(keys, (key) => key % groups),
    weights: Float64Array.from(keys, (key) => sums.get(key) as number),
  };
}

/** A problem on groups, and the difference of its objective from that of the rows. */
export interface GroupProblem {
  readonly problem: ConvexProblem;
  readonly constant: number;
}

/** @param problem X has the rows, the graph is between groups */
export function groupProblem(problem: ConvexProblem, hints: Hints | undefined): GroupProblem {
  if (hints === undefined) return { problem, constant: 0 };
  const { masses } = hints;
  const points = groupMeans(problem.X, hints);
  const nodes = problem.X.rows;
  const graph = { nodes, from: new Int32Array(0), to: new Int32Array(0), weights: new Float64Array(0) };
  return {
    problem: { ...problem, X: points, masses },
    constant: primalObjective({ ...problem, graph }, 0, rowValues(points, hints)),
  };
}

/** The solution with the objective of the rows; the gap is unchanged. */
export function withConstant<S extends Solved>(solution: S, constant: number): S {
  if (constant === 0) return solution;
  const { primal, dual, gap, relativeGap } = solution.certificate;
  const certificate = {
    primal: primal + constant,
    dual: dual + constant,
    gap,
    relativeGap: Math.min(relativeGap, gap / (primal + constant)),
  };
  return { ...solution, certificate };
}

/** y_g; the rows themselves without hints. */
export function groupMeans(X: Matrix, hints: Hints | undefined): Matrix {
  return hints === undefined ? X : (contract(X, hints.constraints, undefined).points as Matrix);
}

/** Each row's value from the value of its group. */
export function rowValues(U: Matrix, hints: Hints | undefined): Matrix {
  if (hints === undefined) return U;
  const { group, rows } = hints.constraints;
  const d = U.cols;
  const values = matrix(rows, d);
  for (let i = 0; i < rows; i++) values.data.set(U.data.subarray(group[i] * d, (group[i] + 1) * d), i * d);
  return values;
}
