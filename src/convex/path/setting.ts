import { inputError, optionError, rule } from "../../core/internal.ts";
import type { OnProgress } from "../../core/index.ts";
import { scale, type Scaled } from "../../data/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { neighborGraph, requireEdges, type Edges } from "../../graph/index.ts";
import { comparisonGraph, noEdges } from "../../graph/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite, requireModerate, requireSquares } from "../../matrix/internal.ts";
import type { Solve } from "../solve/problem.ts";
import { bigSize, countBig } from "./assignment.ts";
import type { Judge } from "./candidates.ts";
import { groupGraph, type Hints } from "./hints.ts";
import { rowComponents } from "./path.ts";

/** The options that all methods of the family share. */
export const COMMON = {
  /** K; without it (and without gamma) the most persistent number of clusters is taken. */
  clusters: rule.integer({ min: 1 }),
  /** One gamma instead of a path. */
  gamma: rule.real({
    min: 0,
    says: "one gamma instead of a path",
    usual: "a path, from which one is chosen",
  }),
  /** Exactly these gammas instead of the automatic range. */
  gammas: rule.given<ArrayLike<number>>("a list of numbers of at least 0", rule.isList),
  /** q of the penalty. */
  norm: rule.oneOf([1, 2, "inf"], 1, { says: "norm of the fusion penalty" }),
  solver: rule.oneOf(["default", "admm"], "default", {
    says: "the exact solvers, or the ADMM of the papers",
  }),
  /** Relative duality gap of every solve. */
  tolerance: rule.real({ above: 0, max: 0.1, default: 1e-6, says: "relative duality gap of every solve" }),
  /** Neighbours of the weight graph; 30 unless given, fewer for few rows. */
  neighbors: rule.integer({
    min: 1,
    says: "neighbours of each row in the weight graph",
    usual: "30, fewer for few rows",
  }),
  kind: rule.oneOf(["mutual", "union"], "mutual", {
    says: "an edge where both rows are neighbours of each other, or where one is",
  }),
  /** For the Gaussian weights, on squared distances in units of their median. */
  alpha: rule.real({ min: 0, default: 0.1, says: "decay a of the weights exp(-a d^2 / median d^2)" }),
  /** The weights are exp(-alpha d^2), with d^2 itself and not in units of its median (Sui et al. 2018, section 4.1). */
  rawAlpha: rule.flag(false, { says: "uses weights exp(-a d^2), without the median" }),
  /** Edges and weights instead of the neighbour graph. */
  graph: rule.given<Edges>(
    "a graph { nodes, from, to, weights }",
    (value) => typeof value === "object" && value !== null,
  ),
  /** Connects the components of the neighbour graph, which makes any K possible. */
  join: rule.flag(false, { says: "connects the components of the graph" }),
  /** Default "none": rows are not scaled. */
  scale: rule.oneOf(["zscore", "minmax", "none"], "none"),
  /** One label per row: groups of rows that are scaled separately. */
  batch: rule.given<ArrayLike<string | number>>("one label per row", rule.isList),
  /** "practical": K big clusters, the other rows join the nearest. "strict": every component counts. */
  protocol: rule.oneOf(["practical", "strict"], "practical", {
    says: "K big clusters that the other rows join, or every component counts",
  }),
  /** The treatment of more than K big components. */
  merge: rule.oneOf(["largest", "ward", "both"], "largest"),
  /** The choice of gamma among those with K clusters: by the 10-neighbour graph's modularity or by variance within clusters. */
  choose: rule.oneOf(["wss", "modularity"], "modularity", {
    says: "how gamma is chosen: modularity of the neighbour graph, or variance within clusters",
  }),
  /** Pairs of rows that belong together: linked rows share one centre. */
  mustLink: PAIR_RULES.mustLink,
  /** Pairs of rows that do not: they have no edge, and different clusters. Needs `clusters`. */
  cannotLink: PAIR_RULES.cannotLink,
  onProgress: rule.progress,
};

/** "printed": the algorithm as its text has it, whatever goes wrong, which the warnings then say. */
export const variantRule = rule.oneOf(["repaired", "printed"], "repaired", {
  says: "the repaired algorithm, or the printed one with what goes wrong",
});

export type ConvexOptions = rule.OptionsOf<typeof COMMON>;
export type Common = rule.ResolvedOptions<typeof COMMON>;

/** The scaled data, its graph and the options: the start of all recipes. */
export interface Setting<O extends Common = Common> {
  readonly method: string;
  readonly X: Matrix;
  readonly scaled: Scaled<Matrix>;
  /** Between rows or, with pairs, between must-link groups. */
  readonly graph: Edges;
  readonly hints: Hints | undefined;
  readonly options: O;
  readonly judge: Judge;
  /** The penalty: solves one problem at one gamma. */
  readonly solve: Solve;
  readonly warnings: string[];
  /** The caller has asked to stop. */
  readonly stopped: () => boolean;
}

/** What a recipe gets from outside: the solver of its penalty and, for some, prepared pairs or weighted points. */
export interface Ingredients {
  readonly solve: Solve;
  readonly hints?: Hints | undefined;
  /** The number of rows that each row of X represents, if more than one. */
  readonly masses?: Float64Array;
}

/** Means of rows beyond this may leave the number range. */
const LARGEST = 1e300;
/** So may rows divided by less than this and transformed by a metric. */
const SMALLEST = 1e-290;

export function makeSetting<O extends Common>(
  method: string,
  X: Matrix,
  options: O,
  { solve, hints, masses }: Ingredients,
): Setting<O> {
  checkRequest(method, X, options);
  const scaled = scale(X, options.scale, options.batch === undefined ? {} : { batch: options.batch });
  requireModerate(scaled.X);
  for (const { scale: divisors } of scaled.scaling.groups) {
    // New rows are multiplied by the inverse.
    const j = divisors.findIndex((divisor) => divisor !== 0 && divisor < SMALLEST);
    if (j < 0) continue;
    throw inputError(
      `${method}: the values of column ${scaled.kept[j]} (counted from 0) are too small; scale them first`,
    );
  }
  requireSquares(scaled.X, method);
  const warnings = [...scaled.notes];
  const graph = massGraph(weightGraph(method, scaled.X, options, warnings, hints), masses);
  const { protocol, merge, choose, onProgress } = options;
  // After a request to stop, every further path of the same run stops too.
  let stopped = false;
  const sticky: OnProgress = (progress) => {
    stopped ||= onProgress?.(progress) === false;
    return !stopped;
  };
  return {
    method,
    X,
    scaled,
    graph,
    hints,
    solve,
    options: { ...options, ...(onProgress !== undefined && { onProgress: sticky }) },
    judge: {
      space: scaled.X,
      data: scaled.X,
      graph: massGraph(comparisonGraph(scaled.X), masses),
      protocol,
      merge,
      criterion: choose,
      hints,
      rows: masses === undefined ? X.rows : masses.reduce((sum, mass) => sum + mass, 0),
      masses,
    },
    warnings,
    stopped: () => stopped,
  };
}

function checkRequest(method: string, X: Matrix, { clusters, gamma, gammas }: Common): void {
  if (X.rows === 0) throw inputError(`${method}: there are no rows`);
  requireFinite(X);
  if (X.data.some((value) => Math.abs(value) > LARGEST)) {
    throw inputError(
      `${method}: the data has values beyond ${LARGEST}, of which no means can be taken; scale them first`,
    );
  }
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`${method}: ${clusters} clusters cannot be made of ${X.rows} rows`);
  }
  if (gammas === undefined) return;
  if (gamma !== undefined) throw optionError(`${method}: give "gamma" or "gammas", not both`);
  if (gammas.length === 0) throw optionError(`${method}: "gammas" is empty`);
  for (let g = 0; g < gammas.length; g++) {
    if (!(gammas[g] >= 0 && gammas[g] < Infinity)) {
      throw optionError(`${method}: gamma number ${g} is ${gammas[g]}; it must be finite and at least 0`);
    }
  }
}

/** The given graph, checked, or the neighbour graph of Z; between must-link groups if there are hints. */
export function weightGraph(
  method: string,
  Z: Matrix,
  options: Common,
  warnings: string[],
  hints: Hints | undefined,
): Edges {
  return groupGraph(rowGraph(method, Z, options, warnings), hints);
}

function rowGraph(method: string, Z: Matrix, options: Common, warnings: string[]): Edges {
  const { graph, kind, alpha, join, rawAlpha } = options;
  if (graph !== undefined) {
    if (graph.nodes !== Z.rows) {
      const nodes = Number.isInteger(graph.nodes) ? graph.nodes : "no";
      throw inputError(`${method}: the graph has ${nodes} nodes, the data ${Z.rows} rows`);
    }
    return requireEdges(graph);
  }
  if (Z.rows < 2) return noEdges(Z.rows);
  const neighbors = options.neighbors ?? defaultNeighbors(Z.rows);
  const built = neighborGraph(Z, { neighbors, kind, alpha, join, scaleFree: !rawAlpha });
  warnings.push(...built.warnings);
  return built.graph;
}

/**
 * The weights of a graph between points that represent m_i rows each: w_ij min(m_i, m_j). This corresponds to
 * neighbours among the rows, with a fixed number for every row: each row of the smaller group has a partner
 * in the larger one. If all groups have the same size, the weights grow with the masses, so a set in which
 * every row occurs r times has the path of the distinct rows, at the same gammas.
 */
export function massGraph(graph: Edges, masses: Float64Array | undefined): Edges {
  if (masses === undefined) return graph;
  const { nodes, from, to, weights } = graph;
  return { nodes, from, to, weights: weights.map((w, e) => w * Math.min(masses[from[e]], masses[to[e]])) };
}

/** 30, but a fifth of the rows if there are few: the neighbourhood of a row should lie within its cluster. */
function defaultNeighbors(rows: number): number {
  return Math.max(2, Math.min(30, Math.floor(rows / 5)));
}

/** Warns that the graph has more parts than requested clusters, and says what would help. */
export function warnComponents({ graph, hints, options, judge, warnings }: Setting): void {
  const { clusters, protocol } = options;
  if (clusters === undefined) return;
  const { count, sizes } = rowComponents(graph, hints?.constraints.group, judge.masses);
  if (protocol === "strict" && count > clusters) {
    warnings.push(
      `the graph has ${count} components, so no gamma gives fewer clusters than that; ` +
        `join: true connects them, more neighbors may too`,
    );
  }
  const big = countBig(sizes, bigSize(judge.rows, clusters));
  if (protocol === "practical" && big > clusters) {
    warnings.push(
      `the graph has ${big} big components, more than the ${clusters} clusters asked for, and no gamma joins them; ` +
        `join: true connects them, merge: "ward" merges the closest`,
    );
  }
}
