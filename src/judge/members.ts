import { cutDendrogram, mixedMixture, spectralFamily, type CovarianceKind } from "../cluster/index.ts";
import {
  gaussianEm,
  genieTree,
  indicators,
  kmeansFrom,
  mostProbable,
  wardTree,
} from "../cluster/internal.ts";
import { nearestNeighbors, type Neighbors } from "../graph/index.ts";
import { reachabilityTree } from "../graph/internal.ts";
import type { SplitKinds } from "../features/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { MOST_FACTORS, type Material, type Space, type SpaceName } from "./spaces.ts";
import { densityTree, principalParts } from "./trees.ts";

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

/**
 * A method on one space; trees, neighbours and eigenvectors are shared by all numbers of clusters. Nothing is drawn: what
 * needs a start begins with the cuts of the trees (as mixtures do in Fraley and Raftery 2002).
 */
export interface Maker {
  readonly method: MethodName;
  /** The largest number of clusters to try where it is open. */
  readonly most: number;
  /** undefined: the method has no partition into that many. */
  readonly make: (clusters: number) => Int32Array | undefined;
}

/** Steps of k-means. */
const STEPS = 60;
/** Mixtures of more Gaussians cost more than they add. */
const MOST_GAUSSIANS = 10;
/** One covariance for all clusters is estimated from more features. */
const MOST_TIED = 40;
/** As its authors recommend. */
const GINI = 0.3;
const NEIGHBORS = 20;
const SPECTRAL = { localScale: 7, normalize: "rows" } as const;
const EM = { ridge: 1e-3, maxIterations: 60, tolerance: 1e-4 };
/** Neighbours that make a row dense, and the least share of an equal cluster that counts as one. */
const DENSE = 5;
const LEAST_SHARE = 0.1;

/**
 * All methods on every space.
 *
 * @param most the largest number of clusters that will be asked for
 */
export function makersOver(spaces: Material, most: number): { space: SpaceName; makers: Maker[] }[] {
  const { all, kinds } = spaces;
  const made = all.map((space) => ({ space: space.name, makers: makersOf(space, most) }));
  if (kinds === undefined) return made;
  const starts = made.flatMap(({ space, makers }) =>
    makers.filter(({ method }) => STARTS.some((one) => one.space === space && one.method === method)),
  );
  return [...made, { space: "kinds", makers: [mixedMaker(kinds, starts)] }];
}

function makersOf({ name, X }: Space, most: number): Maker[] {
  const n = X.rows;
  const plain = name === "z" || name === "own";
  const near = once(() => nearestNeighbors(X, Math.min(NEIGHBORS, n - 1)));
  const spanning = (cores: Float64Array) => reachabilityTree(X, cores, near());
  const tree = once(() => wardTree(X));
  const genieMerges = once(() => genieTree(spanning(new Float64Array(n)), GINI));
  const ward = memo((clusters) => cutDendrogram(tree(), { clusters }));
  const genie = memo((clusters) => genieMerges()(clusters));
  const parts = once(() => principalParts(X));
  const kmeans = memo((clusters) =>
    kmeansFrom(X, [ward(clusters), genie(clusters), parts()(clusters)], STEPS),
  );
  const makers: Maker[] = [
    { method: "kmeans", most: Infinity, make: kmeans },
    { method: "ward", most: Infinity, make: ward },
    { method: "genie", most: Infinity, make: genie },
  ];
  if (plain) {
    const least = (clusters: number): number => Math.max(DENSE, Math.round((LEAST_SHARE * n) / clusters));
    const merges = once(() => densityTree(spanning(coresOf(near(), n)), least));
    const density = memo((clusters) => merges()(clusters));
    const family = once(() => spectralFamily(X, { ...SPECTRAL, neighbors: near().count }, most, near()));
    const spectral = memo((clusters) => {
      const starts = [ward, genie, density].flatMap((from) => from(clusters) ?? []);
      return family()(clusters, starts)?.labels;
    });
    makers.push(
      { method: "density", most: Infinity, make: density },
      { method: "spectral", most: Infinity, make: spectral },
    );
  }
  if (plain || name === "factors" || name === "numbers") {
    for (const kind of ["full", "tied"] as const) {
      if (X.cols > (kind === "tied" ? MOST_TIED : MOST_FACTORS)) continue;
      makers.push({
        method: `gmm ${kind}`,
        most: MOST_GAUSSIANS,
        make: (clusters) => mixtureLabels(X, kind, [kmeans(clusters), ward(clusters)], clusters),
      });
    }
  }
  return makers;
}

/** Squared distances to the neighbour that makes a row dense. */
function coresOf({ count, distances }: Neighbors, n: number): Float64Array {
  const rank = Math.min(DENSE, count);
  return Float64Array.from({ length: n }, (_, i) => distances[i * count + rank - 1]);
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

/** The likeliest of the runs of EM from these partitions. */
function mixtureLabels(X: Matrix, kind: CovarianceKind, starts: readonly Int32Array[], clusters: number) {
  const n = X.rows;
  let squares = 0;
  for (const value of X.data) squares += value * value;
  const settings = { ...EM, ridge: (EM.ridge * squares) / X.data.length, strength: n / clusters };
  const runs = starts.map((labels) =>
    gaussianEm(X, kind, indicators(labels, clusters).data, { ...settings, report: () => true }),
  );
  const { mixture, R } = runs.reduce((a, b) => (b.history.at(-1)! > a.history.at(-1)! ? b : a));
  return mostProbable(matrix(n, mixture.weights.length, R)).labels;
}

/** The mixture of Gaussians for numbers and multinomials for levels: its runs cost most. */
const MOST_MIXED = 6;
const MIXED = { maxIterations: 40, tolerance: 1e-3 };
/** Where it starts: levels of one column may hide what the columns have in common. */
export const STARTS: readonly { readonly method: MethodName; readonly space: SpaceName }[] = [
  { method: "kmeans", space: "power" },
  { method: "kmeans", space: "factors" },
  { method: "spectral", space: "z" },
];

/** The likeliest of the mixtures that start from clusters of other methods. */
function mixedMaker({ X, codes }: SplitKinds, from: readonly Maker[]): Maker {
  return {
    method: "mixed",
    most: MOST_MIXED,
    make(clusters) {
      const starts = from.flatMap(({ make }) => make(clusters) ?? []);
      return mixedMixture(X, codes, { ...MIXED, clusters, starts }).labels;
    },
  };
}

/** Undefined if the method fails (too few distinct rows, a singular covariance) or leaves one cluster. */
export function attempt(maker: Maker, clusters: number): Int32Array | undefined {
  try {
    const labels = maker.make(clusters);
    if (labels === undefined) return undefined;
    const inOrder = numbered(labels);
    return inOrder.some((label) => label > 0) ? inOrder : undefined;
  } catch {
    return undefined;
  }
}

/** Clusters, -1 or more, numbered by their first rows. */
export function numbered(labels: ArrayLike<number>): Int32Array {
  const number: number[] = [];
  const inOrder = new Int32Array(labels.length);
  let count = 0;
  for (let i = 0; i < labels.length; i++) inOrder[i] = number[labels[i] + 1] ??= count++;
  return inOrder;
}
