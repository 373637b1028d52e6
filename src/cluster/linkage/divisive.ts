/**
 * Divisive clustering: starting from one cluster of all rows, a cluster is split in two until there are K.
 * Two ways to divide:
 *
 *     kmeans  bisecting k-means (Steinbach, Karypis and Kumar 2000): of all clusters the one whose best two-means split
 *             lowers the within sum of squares most
 *     diana   divisive analysis (Kaufman and Rousseeuw 1990, chapter 6): the cluster of largest diameter; the row that is
 *             farthest from the others on average leaves, and others follow it as long as they are nearer to those who left
 */
import { asMatrix, takeRows, type Matrix, type MatrixLike, matrix } from "../../matrix/index.ts";
import { requireFinite, requireModerate, valueOrder, squaredDistance } from "../../matrix/internal.ts";
import { option, optionError, plain, progressGate, rule } from "../../core/internal.ts";
import { knownPlacing } from "../knownRows.ts";
import { withinSumOfSquares } from "../../score/index.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { clusterMeansOf } from "../kmeans/weightedMeans.ts";
import { predictByLinkage } from "./agglomerativePredict.ts";
import { distanceTriangle } from "./linkageChain.ts";
import { requireClusters, requireColumns } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";

export const divisiveOptions = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  split: rule.oneOf(["kmeans", "diana"] as const, "kmeans", {
    says: "how a cluster is split: by two-means, or by the splinter groups of DIANA",
  }),
  restarts: rule.integer({
    min: 1,
    max: 10_000,
    says: "starts of each two-means",
    usual: "10, none with diana",
  }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type DivisiveOptions = rule.OptionsOf<typeof divisiveOptions>;

/** One split: node 0 is all rows, split m makes the nodes 2 m + 1 and 2 m + 2. */
export interface Division {
  readonly node: number;
  readonly sizes: readonly number[];
  /** "kmeans": the decrease of the within sum of squares; "diana": the diameter of the split cluster. */
  readonly height: number;
}

export interface Divisive extends Clustered {
  readonly method: "divisive";
  readonly split: "kmeans" | "diana";
  /** Fewer than requested only if there are fewer distinct rows (with a warning). */
  readonly clusters: number;
  /** In the order of the clusters' first rows. */
  readonly labels: Int32Array;
  /** The means of the clusters. */
  readonly centers: Matrix;
  /** The within sum of squares. */
  readonly objective: number;
  readonly divisions: readonly Division[];
  /** Divisions made. */
  readonly iterations: number;
  /**
   * "kmeans": down the tree, to the nearer centre of each split; "diana": the cluster with the smallest mean
   * distance.
   */
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "tree" | "linkage";
}

/** A way to split clusters. */
interface Splitter {
  /** The gain of splitting these rows, which orders the splits; undefined if they are all equal. */
  value(rows: Int32Array): number | undefined;
  /** The rows in two parts, neither of them empty. */
  divide(rows: Int32Array): [Int32Array, Int32Array];
}

interface Node {
  readonly id: number;
  readonly rows: Int32Array;
  readonly value: number | undefined;
}

export function divisive(input: MatrixLike, options: DivisiveOptions): Divisive {
  const X = asMatrix(input, "divisive");
  const resolved = rule.resolveOptions("divisive", options, divisiveOptions);
  const { clusters: K, split, restarts, seed, onProgress } = resolved;
  if (split === "diana" && restarts !== undefined) {
    throw optionError(
      `divisive: ${option("restarts")} belongs to split "kmeans"; "diana" makes no random choice`,
    );
  }
  requireModerate(X);
  const n = X.rows;
  requireClusters("divisive", X, K);
  const gate = progressGate(onProgress);
  const splitter = split === "kmeans" ? bisectingSplitter(X, restarts ?? 10, seed) : dianaSplitter(X);
  const nodeOf = (id: number, rows: Int32Array): Node => ({ id, rows, value: splitter.value(rows) });
  // Ties and random starts follow the order of the values, not the order of the input.
  let leaves = [nodeOf(0, valueOrder(X))];
  const divisions: Division[] = [];
  const warnings: string[] = [];
  while (leaves.length < K && gate({ fraction: leaves.length / K, label: `${leaves.length} clusters` })) {
    const next = leaves.reduce((a, b) => ((b.value ?? -1) > (a.value ?? -1) ? b : a));
    if (next.value === undefined) {
      const made = leaves.length;
      warnings.push(`the data has only ${made} distinct rows, so ${made} clusters were made instead of ${K}`);
      break;
    }
    const [left, right] = splitter.divide(next.rows);
    const id = 2 * divisions.length + 1;
    divisions.push({ node: next.id, sizes: [left.length, right.length], height: next.value });
    leaves = [...leaves.filter((leaf) => leaf !== next), nodeOf(id, left), nodeOf(id + 1, right)];
  }
  if (gate.stopped) warnings.push(`stopped by onProgress at ${leaves.length} of ${K} clusters`);
  leaves.sort((a, b) => firstRow(a) - firstRow(b));
  const labels = new Int32Array(n);
  leaves.forEach(({ rows }, k) => rows.forEach((i) => (labels[i] = k)));
  const made = leaves.length;
  const centers = clusterMeansOf(X, labels, made);
  const sizes = Int32Array.from(leaves, ({ rows }) => rows.length);
  const nodes = Int32Array.from(leaves, ({ id }) => id);
  const { predict } = knownPlacing(
    X,
    labels,
    split === "kmeans"
      ? treePredictor(centers, sizes, nodes, divisions)
      : (Y: Matrix) => predictByLinkage("average", X, labels, made, Y),
  );
  return plain({
    method: "divisive",
    split,
    clusters: made,
    labels,
    sizes,
    centers,
    objective: withinSumOfSquares(X, labels),
    divisions,
    converged: !gate.stopped,
    iterations: divisions.length,
    warnings,
    placement: split === "kmeans" ? "tree" : "linkage",
    predict,
  });
}

const firstRow = ({ rows }: Node): number => rows.reduce((first, i) => Math.min(first, i));

/** Two-means, and its decrease of the sum of squares. */
function bisectingSplitter(X: Matrix, restarts: number, seed: number): Splitter {
  const found = new Map<Int32Array, [Int32Array, Int32Array]>();
  return {
    value(rows) {
      if (rows.length < 2) return undefined;
      const part = takeRows(X, rows);
      const result = kmeansInOrder(part, { clusters: 2, restarts, seed });
      if (result.clusters < 2) return undefined;
      const side = (k: number): Int32Array => rows.filter((_, p) => result.labels[p] === k);
      found.set(rows, result.labels[0] === 0 ? [side(0), side(1)] : [side(1), side(0)]);
      return Math.max(0, withinSumOfSquares(part, new Int32Array(part.rows)) - result.objective);
    },
    divide: (rows) => found.get(rows)!,
  };
}

/** The splinter group of Kaufman and Rousseeuw; all distances are held, n (n - 1) / 2 numbers. */
function dianaSplitter(X: Matrix): Splitter {
  const D = distanceTriangle(X, false);
  const between = (i: number, j: number): number => {
    if (i === j) return 0;
    return i > j ? D[(i * (i - 1)) / 2 + j] : D[(j * (j - 1)) / 2 + i];
  };
  return {
    value(rows) {
      let diameter = 0;
      for (const i of rows) for (const j of rows) if (j < i) diameter = Math.max(diameter, between(i, j));
      return diameter > 0 ? diameter : undefined;
    },
    divide(rows) {
      const m = rows.length;
      const left = new Uint8Array(m); // 1: has left
      const toStaying = Float64Array.from(rows, (i) => rows.reduce((sum, j) => sum + between(i, j), 0));
      const toLeft = new Float64Array(m);
      let gone = 0;
      for (; gone < m - 1; gone++) {
        let best = -1;
        let most = gone === 0 ? -Infinity : 0;
        for (let p = 0; p < m; p++) {
          if (left[p] === 1) continue;
          // Mean distance to the others that stay, minus that to those that left.
          const gain = toStaying[p] / (m - gone - 1) - (gone === 0 ? 0 : toLeft[p] / gone);
          if (gain > most) {
            most = gain;
            best = p;
          }
        }
        if (best < 0) break;
        left[best] = 1;
        for (let p = 0; p < m; p++) {
          const distance = between(rows[p], rows[best]);
          toStaying[p] -= distance;
          toLeft[p] += distance;
        }
      }
      const splinter = rows.filter((_, p) => left[p] === 1);
      const rest = rows.filter((_, p) => left[p] === 0);
      return rest[0] < splinter[0] ? [rest, splinter] : [splinter, rest];
    },
  };
}

/** From the root to a leaf, always to the side with the nearer mean. */
function treePredictor(
  centers: Matrix,
  leafSizes: Int32Array,
  leaves: Int32Array,
  divisions: readonly Division[],
): (Y: Matrix) => Int32Array {
  const d = centers.cols;
  const count = 2 * divisions.length + 1;
  const sums = new Float64Array(count * d);
  const sizes = new Int32Array(count);
  const leafOf = new Int32Array(count).fill(-1);
  const division = new Int32Array(count).fill(-1);
  leaves.forEach((id, k) => {
    leafOf[id] = k;
    sizes[id] = leafSizes[k];
    for (let f = 0; f < d; f++) sums[id * d + f] = sizes[id] * centers.data[k * d + f];
  });
  for (let m = divisions.length - 1; m >= 0; m--) {
    const { node } = divisions[m];
    division[node] = m;
    for (const child of [2 * m + 1, 2 * m + 2]) {
      sizes[node] += sizes[child];
      for (let f = 0; f < d; f++) sums[node * d + f] += sums[child * d + f];
    }
  }
  const means = matrix(
    count,
    d,
    sums.map((sum, p) => sum / sizes[Math.floor(p / d)]),
  );
  return (Y) => {
    requireColumns(Y.cols, d);
    requireFinite(Y);
    return Int32Array.from({ length: Y.rows }, (_, i) => {
      let node = 0;
      while (leafOf[node] < 0) {
        const left = 2 * division[node] + 1;
        const nearer = squaredDistance(Y, i, means, left) <= squaredDistance(Y, i, means, left + 1);
        node = nearer ? left : left + 1;
      }
      return leafOf[node];
    });
  };
}
