import {
  cutDendrogram,
  mixedMixture,
  spectralFamily,
  type CovarianceKind,
  type MixedMixture,
} from "../cluster/index.ts";
import { gaussianEm, kmeansLabels, wardTree } from "../cluster/internal.ts";
import { nearestNeighbors } from "../graph/index.ts";
import type { SplitKinds } from "../features/index.ts";
import { squaredDistances, type Matrix } from "../matrix/index.ts";
import { MOST_FACTORS, startsOf, type Material, type Space, type SpaceName } from "./spaces.ts";
import { densityTree, genieTree } from "./trees.ts";

/** The methods whose partitions form the pool; they differ in what they take for a cluster. */
export const METHODS = [
  "kmeans",
  "ward",
  "genie",
  "density",
  "spectral",
  "gmm full",
  "gmm tied",
  "mixed",
] as const;
export type MethodName = (typeof METHODS)[number];

/** A method on one space; trees, neighbours and eigenvectors are shared by all numbers of clusters. */
export interface Maker {
  readonly method: MethodName;
  /** The largest number of clusters to try where it is open. */
  readonly most: number;
  /** undefined: the method has no partition into that many. */
  readonly make: (clusters: number) => Int32Array | undefined;
}

const RESTARTS = 4;
/** Mixtures of more Gaussians cost more than they add. */
const MOST_GAUSSIANS = 10;
/** One covariance for all clusters is estimated from more features. */
const MOST_TIED = 40;
/** As its authors recommend. */
const GINI = 0.3;
const SPECTRAL = { neighbors: 20, localScale: 7, normalize: "rows", restarts: 3 } as const;
const EM = { ridge: 1e-3, maxIterations: 60, tolerance: 1e-4 };
/** Neighbours that make a row dense, and the least share of an equal cluster that counts as one. */
const DENSE = 5;
const LEAST_SHARE = 0.1;

/**
 * All methods on every space.
 *
 * @param most the largest number of clusters that will be asked for
 */
export function makersOver(
  spaces: Material,
  most: number,
  seed: number,
): { space: SpaceName; makers: Maker[] }[] {
  const { all, kinds } = spaces;
  const made = all.map((space) => ({ space: space.name, makers: makersOf(space, most, seed) }));
  if (kinds === undefined) return made;
  return [...made, { space: "kinds", makers: [mixedMaker(kinds, startsOf(spaces), seed)] }];
}

function makersOf({ name, X }: Space, most: number, seed: number): Maker[] {
  const n = X.rows;
  const plain = name === "z" || name === "own";
  const distances = once(() => squaredDistances(X));
  const tree = once(() => wardTree(X));
  const genie = once(() => genieTree(distances(), GINI));
  const kmeans = memo(
    (clusters) => kmeansLabels(X, { clusters, restarts: RESTARTS, seed, maxIterations: 60 }).labels,
  );
  const makers: Maker[] = [
    { method: "kmeans", most: Infinity, make: kmeans },
    { method: "ward", most: Infinity, make: (clusters) => cutDendrogram(tree(), { clusters }) },
    { method: "genie", most: Infinity, make: (clusters) => genie()(clusters) },
  ];
  if (plain) {
    const least = (clusters: number): number => Math.max(DENSE, Math.round((LEAST_SHARE * n) / clusters));
    const density = once(() => densityTree(distances(), DENSE, least));
    const neighbors = Math.min(SPECTRAL.neighbors, n - 1);
    const spectral = once(() =>
      spectralFamily(X, { ...SPECTRAL, neighbors, seed }, most, nearestNeighbors(X, neighbors)),
    );
    makers.push(
      { method: "density", most: Infinity, make: (clusters) => density()(clusters) },
      { method: "spectral", most: Infinity, make: (clusters) => spectral()(clusters)?.labels },
    );
  }
  if (plain || name === "factors" || name === "numbers") {
    for (const kind of ["full", "tied"] as const) {
      if (X.cols > (kind === "tied" ? MOST_TIED : MOST_FACTORS)) continue;
      makers.push({
        method: `gmm ${kind}`,
        most: MOST_GAUSSIANS,
        make: (clusters) => mixtureLabels(X, kind, kmeans(clusters), clusters),
      });
    }
  }
  return makers;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function memo<T>(make: (clusters: number) => T): (clusters: number) => T {
  const made = new Map<number, T>();
  return (clusters) => {
    if (!made.has(clusters)) made.set(clusters, make(clusters));
    return made.get(clusters) as T;
  };
}

/** EM from a partition. */
function mixtureLabels(X: Matrix, kind: CovarianceKind, start: Int32Array, clusters: number): Int32Array {
  const n = X.rows;
  const R = new Float64Array(n * clusters);
  start.forEach((label, i) => (R[i * clusters + label] = 1));
  let squares = 0;
  for (const value of X.data) squares += value * value;
  const run = gaussianEm(X, kind, R, {
    ridge: (EM.ridge * squares) / X.data.length,
    strength: n / clusters,
    maxIterations: EM.maxIterations,
    tolerance: EM.tolerance,
    report: () => true,
  });
  const K = run.mixture.weights.length;
  return Int32Array.from({ length: n }, (_, i) => {
    let best = 0;
    for (let k = 1; k < K; k++) if (run.R[i * K + k] > run.R[i * K + best]) best = k;
    return best;
  });
}

/** The mixture of Gaussians for numbers and multinomials for levels: its runs cost most. */
const MOST_MIXED = 6;
const MIXED = { restarts: 0, maxIterations: 40, tolerance: 1e-3 };

/** The likeliest of the mixtures that start from the k-means clusters of these spaces. */
function mixedMaker({ X, codes }: SplitKinds, starts: readonly Matrix[], seed: number): Maker {
  const from = (space: Matrix, clusters: number): MixedMixture =>
    mixedMixture(X, codes, { ...MIXED, clusters, space, seed });
  return {
    method: "mixed",
    most: MOST_MIXED,
    make: (clusters) =>
      starts
        .map((space) => from(space, clusters))
        .reduce((a, b) => (b.logLikelihood > a.logLikelihood ? b : a)).labels,
  };
}
