import { asMatrix, type MatrixLike } from "../matrix/index.ts";
import { given, inputError, optionError, resolveOptions, without, type OptionsOf } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { type LevelTables, tablesOf } from "./discrete.ts";
import { applyDiscretization, discretize } from "./discretize.ts";
import { INFORMATION_RULES } from "./information.ts";
import { informationTable, type Unit } from "./informationTable.ts";
import { type LevelCounts, tablesOfCounts } from "./levelCounts.ts";
import { pairInformation, type PairInformation, withPairInformation } from "./pairInformation.ts";
import { SELECT_RULES } from "./selection.ts";
import { countsProblem, selectionProblem } from "./selectionProblem.ts";
import { maximumSpanningTree, rootedAt, type RootedEdges, type TreeEdge } from "./spanningTree.ts";

/**
 * A dependence tree (Chow and Liu 1968): the product of p(x_v | x_parent(v)) that is closest to the rows in
 * divergence, which is the maximum spanning tree under mutual information. Plain data. The distribution is
 * the same for every choice of the root.
 */
export interface ChowLiuTree extends RootedEdges {
  /** Of the vertices. */
  readonly names: readonly string[];
  /** The column of X of each vertex, -1 for the class. */
  readonly columns: Int32Array;
  readonly root: number;
  /** Sum of the weights: the part of the total correlation that the tree explains (Sui, dissertation, 2018, (6.8)). */
  readonly total: number;
  /** Of `weights` and `total`. */
  readonly unit: Unit;
  /** ln p(rows) under the tree fitted to them, n (sum I - sum H) in nats for every unit and estimator. */
  readonly logLikelihood: number;
}

export const chowLiuTreeOptions = {
  ...INFORMATION_RULES,
  /** A column of X, or "class"; default: the class, or else the first column. */
  root: given<number | "class">(
    'the number of a column, or "class"',
    (value) => value === "class" || (Number.isInteger(value) && (value as number) >= 0),
  ),
  discretize: SELECT_RULES.discretize,
  bins: SELECT_RULES.bins,
  names: SELECT_RULES.names,
  /** Adds the class as a vertex. */
  labels: given<Labeling>("one label per row", (value) => typeof value === "object" && value !== null),
};
const OF_COUNTS = without(chowLiuTreeOptions, "labels", "discretize", "bins", "names");

export type ChowLiuOptions = OptionsOf<typeof chowLiuTreeOptions>;

/** The Chow-Liu tree of all columns of X, and of the class if labels are given. */
export function chowLiuTree(input: MatrixLike, options: ChowLiuOptions = {}): ChowLiuTree {
  const X = asMatrix(input, "chowLiuTree");
  const resolved = resolveOptions("chowLiuTree", options, chowLiuTreeOptions);
  const { labels, discretize: kind, bins, estimator, unit } = resolved;
  if (X.cols === 0) throw inputError("chowLiuTree: there are no columns");
  if (labels !== undefined) {
    const problem = selectionProblem("chowLiuTree", X, labels, { ...resolved, features: 1 });
    return fittedTree("chowLiuTree", problem, resolved);
  }
  const discretization = discretize(X, { kind, bins, names: resolved.names });
  const variables = applyDiscretization(discretization, X);
  const table = informationTable(variables.rows, estimator, unit);
  return fittedTree(
    "chowLiuTree",
    {
      tables: tablesOf(variables),
      names: discretization.columns,
      withPairs: (work) => withPairInformation(variables, table, false, work),
    },
    resolved,
  );
}

/** The same from counts (`levelCounts`), of rows that need not be in memory; the class is a vertex if it was counted. */
export function chowLiuTreeFromCounts(
  counts: LevelCounts,
  options: Omit<ChowLiuOptions, "labels" | "discretize" | "bins" | "names"> = {},
): ChowLiuTree {
  const method = "chowLiuTreeFromCounts";
  const resolved = resolveOptions(method, options, OF_COUNTS);
  if (counts.discretization.columns.length === 0) throw inputError(`${method}: there are no columns`);
  if (counts.classes.length > 0) {
    return fittedTree(method, countsProblem(method, counts, { ...resolved, features: 1 }), resolved);
  }
  const tables = tablesOfCounts(counts);
  const table = informationTable(tables.rows, resolved.estimator, resolved.unit);
  return fittedTree(
    method,
    {
      tables,
      names: counts.discretization.columns,
      withPairs: (work) => work(pairInformation(tables, table)),
    },
    resolved,
  );
}

interface TreeProblem {
  readonly tables: LevelTables;
  /** Of the columns. */
  readonly names: readonly string[];
  withPairs<R>(work: (pairs: PairInformation) => R): R;
}

/** The tree of all variables; the variable after the last column is the class. */
function fittedTree(
  method: string,
  { tables, names, withPairs }: TreeProblem,
  { root: wanted, unit }: { readonly root: number | "class" | undefined; readonly unit: Unit },
): ChowLiuTree {
  const d = names.length;
  const count = tables.levels.length;
  const root = wanted ?? (count === d ? 0 : "class");
  if (root === "class" && count === d) throw optionError(`${method}: the root "class" needs labels`);
  if (root !== "class" && root >= d) {
    throw optionError(`${method}: the root is column ${root}, but there are ${d}, counted from 0`);
  }
  const edges = withPairs((pairs) => maximumSpanningTree(count, pairs.row));
  const vertices = Int32Array.from({ length: count }, (_, v) => v);
  return dependenceTree(tables, vertices, edges, {
    names: count === d ? names : [...names, CLASS],
    columns: vertices.map((v) => (v < d ? v : -1)),
    root: root === "class" ? d : root,
    unit,
  });
}

/** The name of the class vertex. */
export const CLASS = "(class)";

/** @param vertices the variable of each vertex */
export function dependenceTree(
  tables: LevelTables,
  vertices: ArrayLike<number>,
  edges: readonly TreeEdge[],
  about: Pick<ChowLiuTree, "names" | "columns" | "root" | "unit">,
): ChowLiuTree {
  return {
    ...about,
    ...rootedAt(about.root, vertices.length, edges),
    total: edges.reduce((sum, { weight }) => sum + weight, 0),
    logLikelihood: logLikelihood(tables, vertices, edges),
  };
}

/** The same tree with another vertex on top. */
export function rerootTree(tree: ChowLiuTree, root: number): ChowLiuTree {
  if (!Number.isInteger(root) || root < 0 || root >= tree.names.length) {
    throw optionError(`rerootTree: there is no vertex ${root}; they are 0 to ${tree.names.length - 1}`);
  }
  const edges = Array.from(tree.order.subarray(1), (v) => ({
    a: tree.parents[v],
    b: v,
    weight: tree.weights[v],
  }));
  return { ...tree, root, ...rootedAt(root, tree.names.length, edges) };
}

/** sum_(a, b) sum n_ab ln n_ab - sum_v (degree - 1) sum n_v ln n_v - n ln n, along the edges. */
function logLikelihood(tables: LevelTables, vertices: ArrayLike<number>, edges: readonly TreeEdge[]): number {
  const { rows } = tables;
  const sumOf = (counts: ArrayLike<number>): number =>
    Array.from(counts).reduce((sum, count) => (count > 1 ? sum + count * Math.log(count) : sum), 0);
  const degrees = new Int32Array(vertices.length);
  let total = -rows * Math.log(rows);
  for (const { a, b } of edges) {
    degrees[a]++;
    degrees[b]++;
    total += sumOf(tables.joint(vertices[a], vertices[b]));
  }
  for (let v = 0; v < degrees.length; v++) {
    total -= (degrees[v] - 1) * sumOf(tables.margin(vertices[v]));
  }
  return total;
}

/** The tree as text, one vertex per line, with I(vertex; parent). */
export function drawTree(tree: ChowLiuTree): string {
  const { names, root, order, parents, weights } = tree;
  const children = names.map((): number[] => []);
  for (const v of order) if (v !== root) children[parents[v]].push(v);
  const lines = [names[root]];
  const open = children[root].map((v, at) => ({ v, indent: "", last: at === children[root].length - 1 }));
  open.reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { v, indent, last } = next;
    lines.push(`${indent}${last ? "└─ " : "├─ "}${names[v]}  ${weights[v].toFixed(4)}`);
    const below = children[v].map((child, at) => ({
      v: child,
      indent: `${indent}${last ? "   " : "│  "}`,
      last: at === children[v].length - 1,
    }));
    open.push(...below.reverse());
  }
  return `${lines.join("\n")}\n`;
}
