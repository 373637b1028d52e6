import { matrix, type Matrix } from "../../matrix/index.ts";
import { mapped, squaredDistance } from "../../matrix/internal.ts";

/**
 * From the components of a convex clustering solution to K clusters. The last points to fuse are outliers
 * with few and light edges, so a solution with K substantial clusters also has small components. *Big*
 * components are kept, every other point joins the nearest kept mean. (Sui et al. 2018, section 4.1, count
 * every component as a cluster.)
 */
export interface Assignment {
  /** 0 .. K - 1, the largest kept component first. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** K x d means of the rows. */
  readonly centers: Matrix;
  /** Fraction of rows in kept components, before the others joined them. */
  readonly coverage: number;
  /** With cannot-links: rows of kept components that moved to another cluster because of them. */
  readonly moved?: number;
}

/**
 * "largest": the K largest components stay. "ward": all big ones stay, merged to K at the smallest growth of
 * variance.
 */
export type Merge = "largest" | "ward";

/** A component is big if size >= max(3, 0.15 n / K). */
export function bigSize(rows: number, clusters: number): number {
  return Math.max(3, (0.15 * rows) / clusters);
}

export function countBig(sizes: ArrayLike<number>, least: number): number {
  let count = 0;
  for (let c = 0; c < sizes.length; c++) if (sizes[c] >= least) count++;
  return count;
}

/**
 * K clusters from components with the given labels, or undefined when fewer than K components have `least` rows.
 *
 * @param X the rows, in the space where means and distances are taken
 */
export function assignClusters(
  X: Matrix,
  labels: Int32Array,
  componentSizes: Int32Array,
  clusters: number,
  least: number,
  merge: Merge,
  masses?: Float64Array,
): Assignment | undefined {
  const kept = keepComponents(X, labels, componentSizes, clusters, least, merge, masses);
  if (kept === undefined) return undefined;
  const { assigned, means, coverage } = kept;
  for (let i = 0; i < X.rows; i++) if (assigned[i] < 0) assigned[i] = nearestCenter(X, i, means);
  const final = clusterMeans(X, assigned, clusters, masses);
  return { labels: assigned, sizes: final.sizes, centers: final.means, coverage };
}

/** The components that become clusters, before the other rows join them. */
export interface KeptComponents {
  /** 0 .. K - 1, or -1 for rows of other components. */
  readonly assigned: Int32Array;
  readonly means: Matrix;
  readonly coverage: number;
}

export function keepComponents(
  ...[X, labels, componentSizes, clusters, least, merge, masses]: Parameters<typeof assignClusters>
): KeptComponents | undefined {
  const big: number[] = [];
  for (let c = 0; c < componentSizes.length; c++) if (componentSizes[c] >= least) big.push(c);
  if (big.length < clusters) return undefined;
  big.sort((a, b) => componentSizes[b] - componentSizes[a] || a - b);
  const kept = merge === "largest" ? big.slice(0, clusters) : big;
  const target = new Int32Array(componentSizes.length).fill(-1);
  kept.forEach((component, c) => (target[component] = c));
  let assigned = labels.map((component) => target[component]);
  if (kept.length > clusters) {
    const merged = wardMerge(clusterMeans(X, assigned, kept.length, masses), clusters);
    assigned = assigned.map((c) => (c < 0 ? -1 : merged[c]));
  }
  const { means, sizes } = clusterMeans(X, assigned, clusters, masses);
  const sum = (values: ArrayLike<number>): number =>
    Array.prototype.reduce.call(values, (a, b) => a + b, 0) as number;
  return { assigned, means, coverage: sum(sizes) / sum(componentSizes) };
}

/** K of labels 0 .. K - 1; negative ones do not count. */
export function labelCount(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label), -1) + 1;
}

/**
 * Means and sizes of the rows with labels 0 .. count - 1; rows with negative labels are left out. With masses
 * both count the rows represented by the points.
 */
export function clusterMeans(X: Matrix, labels: Int32Array, count: number, masses?: Float64Array) {
  const d = X.cols;
  const means = matrix(count, d);
  const sizes = new Int32Array(count);
  for (let i = 0; i < X.rows; i++) {
    const c = labels[i];
    if (c < 0) continue;
    const m = masses === undefined ? 1 : masses[i];
    sizes[c] += m;
    for (let f = 0; f < d; f++) means.data[c * d + f] += m * X.data[i * d + f];
  }
  for (let c = 0; c < count; c++) {
    for (let f = 0; f < d; f++) means.data[c * d + f] /= Math.max(1, sizes[c]);
  }
  return { means, sizes };
}

/** Each row's cluster mean. */
export function memberMeans(X: Matrix, labels: Int32Array, count: number): Matrix {
  const d = X.cols;
  const { means } = clusterMeans(X, labels, count);
  return mapped(X, (_, p) => means.data[labels[Math.floor(p / d)] * d + (p % d)]);
}

/** The nearest row of `centers` to row i of X; ties go to the lower number. */
export function nearestCenter(X: Matrix, i: number, centers: Matrix): number {
  let nearest = 0;
  let least = Infinity;
  for (let c = 0; c < centers.rows; c++) {
    const square = squaredDistance(X, i, centers, c);
    if (square < least) [nearest, least] = [c, square];
  }
  return nearest;
}

/** Ward's criterion: merges the pair with the least n_a n_b / (n_a + n_b) ||m_a - m_b||^2 until `clusters` are left. */
function wardMerge({ means, sizes }: { means: Matrix; sizes: Int32Array }, clusters: number): Int32Array {
  const d = means.cols;
  const centers = mapped(means, (value) => value);
  const center = centers.data;
  const mass = Float64Array.from(sizes);
  const alive = Array.from({ length: means.rows }, (_, c) => c);
  const into = Int32Array.from(alive);
  while (alive.length > clusters) {
    let best = { a: 0, b: 1, growth: Infinity };
    for (let p = 0; p < alive.length; p++) {
      for (let q = p + 1; q < alive.length; q++) {
        const [a, b] = [alive[p], alive[q]];
        const growth = (squaredDistance(centers, a, centers, b) * mass[a] * mass[b]) / (mass[a] + mass[b]);
        if (growth < best.growth) best = { a: p, b: q, growth };
      }
    }
    const a = alive[best.a];
    const b = alive[best.b];
    for (let f = 0; f < d; f++) {
      center[a * d + f] = (mass[a] * center[a * d + f] + mass[b] * center[b * d + f]) / (mass[a] + mass[b]);
    }
    mass[a] += mass[b];
    for (let c = 0; c < into.length; c++) if (into[c] === b) into[c] = a;
    alive.splice(best.b, 1);
  }
  const order = [...alive].sort((a, b) => mass[b] - mass[a] || a - b);
  return into.map((c) => order.indexOf(c));
}
