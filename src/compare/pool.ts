import { cutDendrogram, spectralFamily, type CovarianceKind, type Dendrogram } from "../cluster/index.ts";
import { gaussianMixtureInOrder, kmeansInOrder, wardTree } from "../cluster/internal.ts";
import type { OnProgress } from "../core/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { Rule } from "./search.ts";
import type { JudgedSpace } from "./space.ts";

/**
 * The pool: the methods whose partitions are judged, cheap ones first. All numbers of clusters share graphs,
 * neighbours, eigenvectors and trees. `method` and `options` are those of the single method, so a candidate
 * can be reproduced by name.
 */
export interface PartitionCandidate {
  /** As on the command line: kmeans, ward, spectral, gmm, cc, ... */
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly labels: Int32Array;
  readonly converged: boolean;
  /** Fitted on the principal components, not on the columns: the single method would give something else. */
  readonly components?: boolean;
}

/** One method of the pool. */
export interface Maker {
  readonly name: string;
  /** The largest number of clusters to try if K is open. */
  readonly most: number;
  /** Run only for numbers near the likely ones: it costs more. */
  readonly costly?: boolean;
  make(clusters: number, onProgress?: OnProgress): PartitionCandidate | undefined;
}

const KMEANS_RESTARTS = 4;
/** With many columns. */
const WIDE_RESTARTS = 2;
const WIDE = 100;
const SPECTRAL_RESTARTS = 3;
/** Mixtures of more Gaussians are not fitted where K is open: they cost too much. */
export const MOST_GAUSSIANS = 12;

/** @param most the largest number of clusters that will be requested */
export function pool(space: JudgedSpace, most: number, seed: number, rule: Rule = "borders"): Maker[] {
  const { Z, G } = space;
  const makers: Maker[] = [kmeansMaker(Z, seed), wardMaker(Z)];
  if (rule !== "likelihood" && Z.rows > 2) {
    makers.push(
      spectralMaker("spectral 10", space, { neighbors: 10, normalize: "rows" }, 14, most, seed),
      spectralMaker(
        "spectral 20",
        space,
        { neighbors: 20, localScale: 7, normalize: "rows" },
        20,
        most,
        seed,
      ),
    );
  }
  if (rule === "directions") return makers;
  const wide = G.cols !== Z.cols;
  for (const covariance of ["full", "tied", "diagonal"] as const) {
    makers.push(mixtureMaker(wide ? G : Z, wide, covariance, seed));
  }
  return makers;
}

function kmeansMaker(Z: Matrix, seed: number): Maker {
  return {
    name: "kmeans",
    most: Infinity,
    make(clusters, onProgress) {
      const options = { clusters, restarts: Z.cols > WIDE ? WIDE_RESTARTS : KMEANS_RESTARTS, seed };
      const { labels, converged } = kmeansInOrder(Z, { ...options, ...(onProgress && { onProgress }) });
      return { method: "kmeans", options, labels, converged };
    },
  };
}

function wardMaker(Z: Matrix): Maker {
  let tree: Dendrogram | undefined;
  return {
    name: "ward",
    most: Infinity,
    make(clusters) {
      tree ??= wardTree(Z);
      return {
        method: "ward",
        options: { clusters },
        labels: cutDendrogram(tree, { clusters }),
        converged: true,
      };
    },
  };
}

function spectralMaker(
  name: string,
  { Z, neighbors }: JudgedSpace,
  graph: { readonly neighbors: number; readonly localScale?: number; readonly normalize: "rows" },
  first: number,
  most: number,
  seed: number,
): Maker {
  let size = 0;
  let family: ReturnType<typeof spectralFamily> = () => undefined;
  return {
    name,
    most: Infinity,
    make(clusters) {
      // Few calls need many clusters: the first eigenvectors alone are cheaper.
      if (clusters > size) {
        size = Math.min(most, Math.max(clusters, size === 0 ? first : most));
        family = spectralFamily(Z, { ...graph, restarts: SPECTRAL_RESTARTS, seed }, size, neighbors);
      }
      const found = family(clusters);
      if (found === undefined) return undefined;
      return {
        method: "spectral",
        options: { clusters, ...graph, restarts: SPECTRAL_RESTARTS, seed },
        labels: found.labels,
        converged: found.converged,
      };
    },
  };
}

function mixtureMaker(Y: Matrix, components: boolean, covariance: CovarianceKind, seed: number): Maker {
  return {
    name: `gmm ${covariance}`,
    most: MOST_GAUSSIANS,
    costly: true,
    make(clusters, onProgress) {
      const options = {
        clusters,
        covariance,
        ridge: 1e-4,
        restarts: 1,
        tolerance: 1e-5,
        maxIterations: 40,
        seed,
      };
      const { labels, converged } = gaussianMixtureInOrder(Y, {
        ...options,
        ...(onProgress && { onProgress }),
      });
      return { method: "gmm", options, labels, converged, ...(components && { components }) };
    },
  };
}
