import { asMatrix, type MatrixLike } from "../matrix/index.ts";
import { inputError, optionError, rule } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { tablesOf, tablesOfCounts, type LevelTables, type LevelCounts } from "./discrete.ts";
import { applyDiscretization, discretize } from "./discretize.ts";
import { INFORMATION_RULES } from "./information.ts";
import {
  informationTable,
  pairInformation,
  withPairInformation,
  type Unit,
  type PairInformation,
} from "./pairInformation.ts";
import { SELECT_RULES, countsProblem, selectionProblem } from "./selectionProblem.ts";

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
  root: rule.given<number | "class">(
    'the number of a column, or "class"',
    (value) => value === "class" || (Number.isInteger(value) && (value as number) >= 0),
  ),
  discretize: SELECT_RULES.discretize,
  bins: SELECT_RULES.bins,
  names: SELECT_RULES.names,
  /** Adds the class as a vertex. */
  labels: rule.given<Labeling>("one label per row", (value) => typeof value === "object" && value !== null),
};
const OF_COUNTS = rule.without(chowLiuTreeOptions, "labels", "discretize", "bins", "names");

export type ChowLiuOptions = rule.OptionsOf<typeof chowLiuTreeOptions>;

/** The Chow-Liu tree of all columns of X, and of the class if labels are given. */
export function chowLiuTree(input: MatrixLike, options: ChowLiuOptions = {}): ChowLiuTree {
  const X = asMatrix(input, "chowLiuTree");
  const resolved = rule.resolveOptions("chowLiuTree", options, chowLiuTreeOptions);
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
  const resolved = rule.resolveOptions(method, options, OF_COUNTS);
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

/**
 * A maximum spanning tree that grows by one vertex at a time, after Chin and Houck (1978): the tree of m + 1
 * vertices consists of edges of the tree of m and of the new vertex z, and one walk from the leaves to the
 * root finds it in O(m). At vertex v let t_v be the best path to z found below it, initially its own edge to
 * z. An edge (v, parent) of weight w and t_v then close a cycle through z: the larger of the two stays in the
 * tree, and the smaller one is offered to the parent. At the root t is the last edge.
 */
export interface GrowingTree {
  /** Edges as pairs of vertices, numbered in the order in which they were added. */
  readonly edges: readonly TreeEdge[];
  /**
   * The gain in weight from another vertex, for many vertices at once.
   *
   * @param links weight of the edge from tree vertex v to candidate c: links[v][c]
   * @param out one number per candidate
   */
  increases(links: readonly Float64Array[], out: Float64Array): void;
  /** Adds a vertex. */
  grow(links: ArrayLike<number>): void;
}

export interface TreeEdge {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

export function growingTree(): GrowingTree {
  let size = 0;
  let edges: TreeEdge[] = [];
  let rooted = rootedAt(0, 0, []);
  return {
    get edges() {
      return edges;
    },
    increases(links, out) {
      out.fill(0);
      if (size > 0) sweep(rooted, links, out);
    },
    grow(links) {
      const z = size++;
      if (z > 0) edges = inserted(rooted, links, z);
      rooted = rootedAt(0, size, edges);
    },
  };
}

interface RootedEdges {
  /** The root first, every other vertex after its parent. */
  readonly order: Int32Array;
  /** -1 for the root. */
  readonly parents: Int32Array;
  /** Weight of the edge to the parent, 0 for the root. */
  readonly weights: Float64Array;
}

/** Parents of a tree with the given `root`; neighbours in the order of their edges. */
function rootedAt(root: number, size: number, edges: readonly TreeEdge[]): RootedEdges {
  const neighbors = Array.from({ length: size }, (): [number, number][] => []);
  for (const { a, b, weight } of edges) {
    neighbors[a].push([b, weight]);
    neighbors[b].push([a, weight]);
  }
  const parents = new Int32Array(size).fill(-1);
  const weights = new Float64Array(size);
  const order = [root];
  for (const v of order) {
    for (const [u, weight] of neighbors[v] ?? []) {
      if (u === parents[v]) continue;
      parents[u] = v;
      weights[u] = weight;
      order.push(u);
    }
  }
  return { order: Int32Array.from(order), parents, weights };
}

/** Number of candidates at a time, so their t_v of all vertices stay in the cache. */
const BLOCK = 512;

/** The walk for all candidates in parallel: total = t_root + sum_v max(t_v - w_v, 0). */
function sweep(tree: RootedEdges, links: readonly Float64Array[], out: Float64Array): void {
  const m = tree.order.length;
  const t = new Float64Array(m * BLOCK);
  for (let start = 0; start < out.length; start += BLOCK) {
    const width = Math.min(BLOCK, out.length - start);
    for (let v = 0; v < m; v++) t.set(links[v].subarray(start, start + width), v * BLOCK);
    for (let at = m - 1; at > 0; at--) {
      const v = tree.order[at];
      const own = v * BLOCK;
      const above = tree.parents[v] * BLOCK;
      const w = tree.weights[v];
      for (let c = 0; c < width; c++) {
        const way = t[own + c];
        const offered = way > w ? w : way;
        if (way > w) out[start + c] += way - w;
        if (offered > t[above + c]) t[above + c] = offered;
      }
    }
    const root = tree.order[0] * BLOCK;
    for (let c = 0; c < width; c++) out[start + c] += t[root + c];
  }
}

/** The walk for one vertex z, with the edges it keeps; in a tie the older edge stays. */
function inserted(tree: RootedEdges, links: ArrayLike<number>, z: number): TreeEdge[] {
  const t: TreeEdge[] = Array.from({ length: z }, (_, v) => ({ a: v, b: z, weight: links[v] }));
  const kept: TreeEdge[] = [];
  for (let at = z - 1; at > 0; at--) {
    const v = tree.order[at];
    const p = tree.parents[v];
    const edge = { a: p, b: v, weight: tree.weights[v] };
    const stays = t[v].weight > edge.weight ? t[v] : edge;
    const offered = stays === edge ? t[v] : edge;
    kept.push(stays);
    if (offered.weight > t[p].weight) t[p] = offered;
  }
  return [...kept, t[tree.order[0]]].sort((x, y) => Math.max(x.a, x.b) - Math.max(y.a, y.b) || x.a - y.a);
}

/** Prim's maximum spanning tree of a complete graph whose weights come row by row; memory for one row. */
export function maximumSpanningTree(size: number, row: (v: number) => ArrayLike<number>): TreeEdge[] {
  const best = new Float64Array(size).fill(-Infinity);
  const from = new Int32Array(size);
  const inside = new Uint8Array(size);
  const edges: TreeEdge[] = [];
  let v = 0;
  for (let count = 1; count < size; count++) {
    inside[v] = 1;
    const weights = row(v);
    let next = -1;
    for (let u = 0; u < size; u++) {
      if (inside[u] === 1) continue;
      if (weights[u] > best[u]) {
        best[u] = weights[u];
        from[u] = v;
      }
      if (next < 0 || best[u] > best[next]) next = u;
    }
    edges.push({ a: from[next], b: next, weight: best[next] });
    v = next;
  }
  return edges;
}
