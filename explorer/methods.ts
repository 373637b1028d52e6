import { multiply, multiplyTransposeB, type Matrix } from "kindred/matrix";
import { convexMethods } from "./convexMethods.ts";
import {
  hasPairs,
  literal,
  neighbors,
  PENALTY,
  RESTARTS,
  spread,
  type Found,
  type MethodEntry,
} from "./methodEntry.ts";
import type { MethodShown } from "./protocol.ts";

/**
 * Every method of the explorer, in the order of its list. A new one is one entry; options carry the library's names,
 * which `kindred cluster` spells with dashes.
 */
export const methods: readonly MethodEntry[] = [
  {
    name: "kmeans",
    title: "k-means",
    group: "Common",
    summary: "Round clusters around their means: quick, also for very many rows.",
    clusters: "required",
    pairs: "no",
    options: [RESTARTS],
    seeded: true,
    imports: ["kmeans"],
    call: ({ options }) => `kmeans(X, ${literal(options)})`,
    async run(X, { clusters, seed, own, onProgress }) {
      const { kmeans } = await import("kindred/cluster");
      return kmeans(X, { clusters: clusters!, seed, ...own, onProgress });
    },
  },
  {
    name: "gmm",
    title: "Gaussian mixture",
    group: "Common",
    summary: "Clusters as Gaussians of different shape and size, by EM.",
    clusters: "required",
    pairs: "no",
    options: [
      {
        name: "covariance",
        label: "Shape of the clusters",
        kind: "choice",
        default: "full",
        choices: ["full", "tied", "diagonal", "spherical"],
      },
      RESTARTS,
    ],
    seeded: true,
    imports: ["gaussianMixture"],
    call: ({ options }) => `gaussianMixture(X, ${literal(options)})`,
    async run(X, { clusters, seed, own, onProgress }) {
      const { gaussianMixture } = await import("kindred/cluster");
      const found = gaussianMixture(X, { clusters: clusters!, seed, ...own, onProgress });
      return { ...found, facts: [["BIC", found.bic.toFixed(1)]] };
    },
  },
  {
    name: "spectral",
    title: "Spectral clustering",
    group: "Common",
    summary: "Cuts the graph of nearest rows; for clusters of any shape.",
    clusters: "required",
    pairs: "no",
    options: [neighbors(10), RESTARTS],
    seeded: true,
    imports: ["spectral"],
    call: ({ options }) => `spectral(X, ${literal(options)})`,
    async run(X, { clusters, seed, own, onProgress }) {
      const { spectral } = await import("kindred/cluster");
      return spectral(X, { clusters: clusters!, seed, ...own, onProgress });
    },
  },
  linkage("ward", "Ward's method", "Joins the two clusters that fit together best, again and again."),
  linkage("average", "Average linkage", "Joins the two clusters whose rows are nearest on average."),
  {
    name: "auto",
    title: "Automatic",
    group: "Convex clustering",
    summary:
      "Tries the convex family and k-means, and takes the partition that fits the neighbourhoods best.",
    clusters: "optional",
    pairs: "no",
    options: [],
    seeded: true,
    imports: ["kindredCluster"],
    call: ({ options }) => `kindredCluster(X, ${literal(options, 'scale: "none"')})`,
    async run(X, { clusters, seed, onProgress }) {
      const { kindredCluster } = await import("kindred/convex");
      const found = kindredCluster(X, { clusters, seed, scale: "none", onProgress });
      const [chosen] = found.candidates;
      return {
        ...found,
        metric: chosen.B === undefined ? undefined : onFeatures(found.metric),
        facts: [
          ["Chosen", `${chosen.method}, of ${found.candidates.length} candidates by modularity`],
          ["Form", `${found.form}: ${found.reason}`],
        ],
      };
    },
  },
  ...convexMethods,
  {
    name: "cpd-uml",
    title: "Moving rows (CPD-UML)",
    group: "Learned deformation",
    summary: "Moves the rows by a smooth field until k-means separates them; for curved clusters.",
    clusters: "required",
    pairs: "no",
    options: [],
    seeded: true,
    imports: ["cpdUml"],
    call: ({ options }) => `cpdUml(X, ${literal(options)})`,
    async run(X, { clusters, seed, own, onProgress }) {
      const { cpdUml } = await import("kindred/embed");
      const found = cpdUml(X, { clusters: clusters!, seed, ...own, onProgress });
      const { sigma, lambda } = found.setting;
      return {
        ...found,
        facts: [["Field", `width ${sigma.toPrecision(3)}, stiffness ${lambda.toPrecision(3)}`]],
      };
    },
  },
  {
    name: "cop-kmeans",
    title: "k-means, hints kept",
    group: "From your hints",
    summary: "Respects every hint, or names those that exclude each other.",
    clusters: "required",
    pairs: "taken",
    options: [
      {
        name: "distances",
        label: "Distances",
        kind: "choice",
        default: "learned",
        choices: ["learned", "plain"],
      },
      RESTARTS,
    ],
    seeded: true,
    imports: ["constrainedKmeans"],
    call: ({ options, pairs }) => `constrainedKmeans(X, ${literal(options, spread(pairs))})`,
    settle: (own, { X, pairs }) => ({
      ...own,
      distances: hasPairs(pairs) ? (own.distances ?? (isLearnable(X) ? "learned" : "plain")) : "plain",
    }),
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { constrainedKmeans } = await import("kindred/cluster");
      return constrainedKmeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
    },
  },
  {
    name: "pck-means",
    title: "k-means, hints weighed",
    group: "From your hints",
    summary: "A violated hint costs a penalty; for hints that may be wrong.",
    clusters: "required",
    pairs: "taken",
    options: [PENALTY, RESTARTS],
    seeded: true,
    imports: ["pckMeans"],
    call: ({ options, pairs }) => `pckMeans(X, ${literal(options, spread(pairs))})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { pckMeans } = await import("kindred/cluster");
      return pckMeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
    },
  },
  {
    name: "mpck-means",
    title: "k-means, metric from hints",
    group: "From your hints",
    summary: "Weighs the hints, and learns from them which differences count.",
    clusters: "required",
    pairs: "taken",
    options: [PENALTY, RESTARTS],
    seeded: true,
    imports: ["mpckMeans"],
    call: ({ options, pairs }) => `mpckMeans(X, ${literal(options, spread(pairs))})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { mpckMeans } = await import("kindred/cluster");
      const found = mpckMeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
      return { ...found, metric: found.metrics[0] };
    },
  },
  {
    name: "bregman-kmeans",
    title: "k-means, Bregman distance",
    group: "From your hints",
    summary: "Learns a Bregman distance from hints of both kinds and clusters by it.",
    clusters: "required",
    pairs: "needed",
    options: [RESTARTS],
    seeded: true,
    imports: ["bregmanKmeans"],
    call: ({ options, pairs }) => `bregmanKmeans(X, ${literal(options, spread(pairs))})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { bregmanKmeans } = await import("kindred/cluster");
      const found = bregmanKmeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
      const { distance } = found;
      return {
        ...found,
        facts: [["Distance", `h = ${distance.h}, ${distance.weights.length} points`]],
      };
    },
  },
];

/** The part that the page is told. */
export function shownMethods(): MethodShown[] {
  return methods.map(({ name, title, group, summary, clusters, pairs, options }) => ({
    name,
    title,
    group,
    summary,
    clusters,
    pairs,
    options,
  }));
}

function linkage(name: "ward" | "average", title: string, summary: string): MethodEntry {
  return {
    name,
    title,
    summary,
    group: "Common",
    clusters: "required",
    pairs: "no",
    options: [],
    seeded: false,
    imports: ["agglomerative"],
    call: ({ options }) => `agglomerative(X, ${literal(options, `linkage: "${name}"`)})`,
    async run(X, { clusters }): Promise<Found> {
      const { agglomerative } = await import("kindred/cluster");
      const found = agglomerative(X, { linkage: name, clusters: clusters! });
      const [low, high] = found.between;
      return {
        ...found,
        facts: [["Cut", `between the heights ${low.toPrecision(3)} and ${high.toPrecision(3)}`]],
      };
    },
  };
}

/** V B V', where the metric is on principal components. */
function onFeatures({
  matrix: B,
  projection: V,
}: {
  readonly matrix: Matrix;
  readonly projection?: Matrix;
}): Matrix {
  return V === undefined ? B : multiplyTransposeB(multiply(V, B), V);
}

/** Up to here learning a metric from hints takes a few seconds; the command draws the same line. */
function isLearnable({ rows, cols }: Matrix): boolean {
  return rows <= 5000 && rows * cols * cols <= 1e6;
}
