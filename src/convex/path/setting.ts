import { comparisonGraph } from "../../cluster/index.ts";
import { PAIR_RULES } from "../../cluster/internal.ts";
import type { OnProgress } from "../../core/index.ts";
import {
  flag,
  given,
  inputError,
  integer,
  isList,
  oneOf,
  optionError,
  real,
  type Rule,
} from "../../core/internal.ts";
import { scale, type Pair, type Scaled, type ScaleKind } from "../../data/index.ts";
import { neighborGraph, requireEdges, type Edges } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite, requireModerate, requireSquares } from "../../matrix/internal.ts";
import { bigSize, countBig, type Merge } from "./assignment.ts";
import { type Criterion, type Judge, type Protocol } from "./candidates.ts";
import { groupGraph, type Hints, makeHints } from "./hints.ts";
import { massGraph } from "../solve/massGraph.ts";
import { rowComponents } from "./path.ts";
import type { Norm } from "../solve/problem.ts";
import type { SolverName } from "../solve/solve.ts";

/** The options that all methods of the family share. */
export interface ConvexOptions {
  /** K; without it (and without gamma) the most persistent number of clusters is taken. */
  readonly clusters?: number;
  /** One gamma instead of a path. */
  readonly gamma?: number;
  /** Exactly these gammas instead of the automatic range. */
  readonly gammas?: ArrayLike<number>;
  /** q of the penalty. */
  readonly norm?: Norm;
  readonly solver?: SolverName;
  /** Relative duality gap of every solve. */
  readonly tolerance?: number;
  /** Neighbours of the weight graph; 30 unless given, fewer for few rows. */
  readonly neighbors?: number;
  readonly kind?: "mutual" | "union";
  /** For the Gaussian weights, on squared distances in units of their median. */
  readonly alpha?: number;
  /**
   * The weights are exp(-alpha d^2), with d^2 itself and not in units of its median (Sui et al. 2018,
   * section 4.1).
   */
  readonly rawAlpha?: boolean;
  /** Edges and weights instead of the neighbour graph. */
  readonly graph?: Edges;
  /** Connects the components of the neighbour graph, which makes any K possible. */
  readonly join?: boolean;
  /** Default "none": rows are not scaled. */
  readonly scale?: ScaleKind;
  /** One label per row: groups of rows that are scaled separately. */
  readonly batch?: ArrayLike<string | number>;
  /** "practical": K big clusters, the other rows join the nearest. "strict": every component counts. */
  readonly protocol?: Protocol;
  /** The treatment of more than K big components. */
  readonly merge?: Merge | "both";
  /**
   * The choice of gamma among those with K clusters: by the 10-neighbour graph's modularity or by variance
   * within clusters.
   */
  readonly choose?: Criterion;
  /** Pairs of rows that belong together: linked rows share one centre (hints.ts). */
  readonly mustLink?: readonly Pair[];
  /** Pairs of rows that do not: they have no edge, and different clusters. Needs `clusters`. */
  readonly cannotLink?: readonly Pair[];
  readonly onProgress?: OnProgress;
}

type CommonRules = { readonly [K in keyof Required<ConvexOptions>]: Rule<Required<ConvexOptions>[K]> };

export const COMMON: CommonRules = {
  clusters: integer({ min: 1 }),
  gamma: real({ min: 0, says: "one gamma instead of a path", usual: "a path, from which one is chosen" }),
  gammas: given("a list of numbers of at least 0", isList),
  norm: oneOf<Norm>([1, 2, "inf"], 1, { says: "norm of the fusion penalty" }),
  solver: oneOf<SolverName>(["default", "admm"], "default", {
    says: "the exact solvers, or the ADMM of the papers",
  }),
  tolerance: real({ above: 0, max: 0.1, default: 1e-6, says: "relative duality gap of every solve" }),
  neighbors: integer({
    min: 1,
    says: "neighbours of each row in the weight graph",
    usual: "30, fewer for few rows",
  }),
  kind: oneOf(["mutual", "union"], "mutual", {
    says: "an edge where both rows are neighbours of each other, or where one is",
  }),
  alpha: real({ min: 0, default: 0.1, says: "decay a of the weights exp(-a d^2 / median d^2)" }),
  rawAlpha: flag(false, { says: "uses weights exp(-a d^2), without the median" }),
  graph: given(
    "a graph { nodes, from, to, weights }",
    (value) => typeof value === "object" && value !== null,
  ),
  join: flag(false, { says: "connects the components of the graph" }),
  scale: oneOf<ScaleKind>(["zscore", "minmax", "none"], "none"),
  batch: given("one label per row", isList),
  protocol: oneOf<Protocol>(["practical", "strict"], "practical", {
    says: "K big clusters that the other rows join, or every component counts",
  }),
  merge: oneOf<Merge | "both">(["largest", "ward", "both"], "largest"),
  choose: oneOf<Criterion>(["wss", "modularity"], "modularity", {
    says: "how gamma is chosen: modularity of the neighbour graph, or variance within clusters",
  }),
  ...PAIR_RULES,
  onProgress: given("a function", (value) => typeof value === "function"),
};

/** ConvexOptions after defaults; those without a default may be absent. */
export type ResolvedOptions = Required<Omit<ConvexOptions, Optional>> & Pick<ConvexOptions, Optional>;
type Optional =
  | "clusters"
  | "gamma"
  | "gammas"
  | "neighbors"
  | "graph"
  | "batch"
  | "mustLink"
  | "cannotLink"
  | "onProgress";

/** The scaled data and its graph: the start of all variants. */
export interface Setting {
  readonly method: string;
  readonly X: Matrix;
  readonly scaled: Scaled<Matrix>;
  /** Between rows or, with pairs, between must-link groups. */
  readonly graph: Edges;
  readonly hints?: Hints;
  readonly options: ResolvedOptions;
  readonly judge: Judge;
  readonly warnings: string[];
  /** The caller has asked to stop. */
  readonly stopped: () => boolean;
}

/** Means of rows beyond this may leave the number range. */
const LARGEST = 1e300;
/** So may rows divided by less than this and transformed by a metric. */
const SMALLEST = 1e-290;

/** @param masses the number of rows that each row of X represents, if more than one */
export function makeSetting(
  method: string,
  X: Matrix,
  options: ResolvedOptions,
  masses?: Float64Array,
): Setting {
  const { clusters, gamma, gammas } = options;
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
  if (gamma !== undefined && gammas !== undefined) {
    throw optionError(`${method}: give "gamma" or "gammas", not both`);
  }
  if (gammas !== undefined) requireGammas(method, gammas);
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
  const hints = makeHints(method, X.rows, options);
  const rowwise = weightGraph(method, scaled.X, options, warnings, hints);
  const graph = masses === undefined ? rowwise : massGraph(rowwise, masses);
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
    ...(hints !== undefined && { hints }),
    options: { ...options, ...(onProgress !== undefined && { onProgress: sticky }) },
    judge: {
      space: scaled.X,
      data: scaled.X,
      graph: massGraph(comparisonGraph(scaled.X), masses),
      protocol,
      merge,
      criterion: choose,
      ...(hints !== undefined && { hints }),
      rows: masses === undefined ? X.rows : masses.reduce((sum, mass) => sum + mass, 0),
      ...(masses !== undefined && { masses }),
    },
    warnings,
    stopped: () => stopped,
  };
}

/** The given graph, checked, or the neighbour graph of Z; between must-link groups if there are hints. */
export function weightGraph(
  method: string,
  Z: Matrix,
  options: ResolvedOptions,
  warnings: string[],
  hints?: Hints,
): Edges {
  return groupGraph(rowGraph(method, Z, options, warnings), hints);
}

function rowGraph(method: string, Z: Matrix, options: ResolvedOptions, warnings: string[]): Edges {
  if (options.graph !== undefined) {
    if (options.graph.nodes !== Z.rows) {
      const nodes = Number.isInteger(options.graph.nodes) ? options.graph.nodes : "no";
      throw inputError(`${method}: the graph has ${nodes} nodes, the data ${Z.rows} rows`);
    }
    return requireEdges(options.graph);
  }
  if (Z.rows < 2) {
    return { nodes: Z.rows, from: new Int32Array(0), to: new Int32Array(0), weights: new Float64Array(0) };
  }
  const { kind, alpha, join, rawAlpha } = options;
  const neighbors = options.neighbors ?? defaultNeighbors(Z.rows);
  const built = neighborGraph(Z, { neighbors, kind, alpha, join, scaleFree: !rawAlpha });
  warnings.push(...built.warnings);
  return built.graph;
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

function requireGammas(method: string, gammas: ArrayLike<number>): void {
  if (gammas.length === 0) throw optionError(`${method}: "gammas" is empty`);
  for (let g = 0; g < gammas.length; g++) {
    if (!(gammas[g] >= 0 && gammas[g] < Infinity)) {
      throw optionError(`${method}: gamma number ${g} is ${gammas[g]}; it must be finite and at least 0`);
    }
  }
}
