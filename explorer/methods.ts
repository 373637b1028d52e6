import type { Constraints } from "kindred/data";
import type { Matrix } from "kindred/matrix";
import type { MethodShown, OptionShown, OwnValue, Told } from "./protocol.ts";

/**
 * Every method of the explorer. A new one is one entry: what the page shows, how it runs, and the library call that does
 * the same. Its options carry the library's names; `kindred cluster` spells them with dashes.
 */
export interface MethodEntry extends MethodShown {
  run(X: Matrix, given: Given): Promise<Found>;
  /** Of the program that does the same: the functions to import, and the call. */
  readonly imports: readonly string[];
  call(text: CallText): string;
  /** Draws random numbers, so that the seed counts. */
  readonly seeded: boolean;
}

/** The parts of a call as text; `options` are entries of an object literal, `pairs` the name of a variable. */
export interface CallText {
  readonly options: readonly string[];
  readonly pairs: string;
  readonly seed: number;
}

/** What a method runs with: the rows are scaled already. */
export interface Given {
  readonly clusters?: number;
  readonly seed: number;
  readonly own: Readonly<Record<string, OwnValue>>;
  readonly pairs: Constraints;
  readonly onProgress: (told: Told) => void;
}

export interface Found {
  readonly labels: Int32Array;
  readonly sizes: ArrayLike<number>;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly iterations?: number;
  readonly objective?: number;
  readonly certificate?: object;
  readonly centers?: Matrix;
  /** On the scaled features, d x d. */
  readonly metric?: Matrix;
  readonly facts?: readonly (readonly [string, string])[];
}

const RESTARTS: OptionShown = {
  name: "restarts",
  label: "Restarts",
  kind: "number",
  default: 10,
  min: 1,
  max: 200,
  step: 1,
};
const NEIGHBORS: OptionShown = {
  name: "neighbors",
  label: "Neighbours in the graph",
  kind: "number",
  default: 30,
  min: 1,
  max: 200,
  step: 1,
};
const NORM: OptionShown = {
  name: "norm",
  label: "Norm of the fusion penalty",
  kind: "choice",
  default: "1",
  choices: ["1", "2", "inf"],
};
const PENALTY: OptionShown = {
  name: "penalty",
  label: "Penalty of a violated hint",
  kind: "number",
  default: 1,
  min: 0.01,
  max: 1000,
  step: 0.1,
};
const ROUNDS: OptionShown = {
  name: "iterations",
  label: "Rounds of metric learning",
  kind: "number",
  default: 3,
  min: 1,
  max: 20,
  step: 1,
};

export const methods: readonly MethodEntry[] = [
  {
    name: "kmeans",
    title: "k-means",
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
    name: "auto",
    title: "Automatic",
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
      const { identity, multiply, multiplyTransposeB } = await import("kindred/matrix");
      const found = kindredCluster(X, { clusters, seed, scale: "none", onProgress });
      const { projection: V, matrix: B } = found.metric;
      const [chosen] = found.candidates;
      const learned = V === undefined ? B : multiplyTransposeB(multiply(V, B), V);
      const plain = V === undefined && isIdentity(B, identity(B.rows));
      return {
        ...found,
        ...(plain ? { metric: undefined } : { metric: learned }),
        facts: [
          ["Chosen", `${chosen.method}, of ${found.candidates.length} candidates by modularity`],
          ["Form", `${found.form}: ${found.reason}`],
        ],
      };
    },
  },
  {
    name: "cc",
    title: "Convex clustering",
    summary: "Centres fuse as gamma grows; the answer does not depend on a start and comes with its proof.",
    clusters: "optional",
    pairs: "no",
    options: [NORM, NEIGHBORS],
    seeded: false,
    imports: ["cc"],
    call: ({ options }) => `cc(X, ${literal(options, 'scale: "none"')})`,
    async run(X, given) {
      const { cc } = await import("kindred/convex");
      const found = cc(X, convexOptions(given));
      return { ...found, metric: undefined, facts: convexFacts(found) };
    },
  },
  {
    name: "ccml",
    title: "Convex, learned metric",
    summary: "Convex clustering that learns which differences count.",
    clusters: "optional",
    pairs: "no",
    options: [
      NORM,
      NEIGHBORS,
      ROUNDS,
      { name: "rebuildGraph", label: "Neighbours in the learned metric", kind: "flag" },
    ],
    seeded: false,
    imports: ["ccml"],
    call: ({ options }) => `ccml(X, ${literal(options, 'scale: "none"')})`,
    async run(X, given) {
      const { ccml } = await import("kindred/convex");
      const found = ccml(X, convexOptions(given));
      return { ...found, metric: found.metric.matrix, facts: convexFacts(found) };
    },
  },
  {
    name: "ccscml",
    title: "Convex, learned directions",
    summary: "Convex clustering that learns a few directions in which the clusters differ most.",
    clusters: "optional",
    pairs: "no",
    options: [NORM, NEIGHBORS, ROUNDS],
    seeded: false,
    imports: ["ccscml"],
    call: ({ options }) => `ccscml(X, ${literal(options, 'scale: "none"')})`,
    async run(X, given) {
      const { ccscml } = await import("kindred/convex");
      const found = ccscml(X, convexOptions(given));
      return { ...found, metric: found.metric.matrix, facts: convexFacts(found) };
    },
  },
  {
    name: "cop-kmeans",
    title: "k-means, hints kept",
    summary: "Respects every hint, or names those that exclude each other.",
    clusters: "required",
    pairs: "taken",
    options: [RESTARTS],
    seeded: true,
    imports: ["constrainedKmeans"],
    call: ({ options, pairs }) => `constrainedKmeans(X, ${literal(options, `...${pairs}`)})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { constrainedKmeans } = await import("kindred/cluster");
      return constrainedKmeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
    },
  },
  {
    name: "pck-means",
    title: "k-means, hints weighed",
    summary: "A violated hint costs a penalty; for hints that may be wrong.",
    clusters: "required",
    pairs: "taken",
    options: [PENALTY, RESTARTS],
    seeded: true,
    imports: ["pckMeans"],
    call: ({ options, pairs }) => `pckMeans(X, ${literal(options, `...${pairs}`)})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { pckMeans } = await import("kindred/cluster");
      return pckMeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
    },
  },
  {
    name: "mpck-means",
    title: "k-means, metric from hints",
    summary: "Weighs the hints, and learns from them which differences count.",
    clusters: "required",
    pairs: "taken",
    options: [PENALTY, RESTARTS],
    seeded: true,
    imports: ["mpckMeans"],
    call: ({ options, pairs }) => `mpckMeans(X, ${literal(options, `...${pairs}`)})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const { mpckMeans } = await import("kindred/cluster");
      const found = mpckMeans(X, { ...pairs, clusters: clusters!, seed, ...own, onProgress });
      return { ...found, metric: found.metrics[0] };
    },
  },
  {
    name: "bregman-kmeans",
    title: "k-means, Bregman distance",
    summary: "Learns a Bregman distance from hints of both kinds and clusters by it.",
    clusters: "required",
    pairs: "needed",
    options: [RESTARTS],
    seeded: true,
    imports: ["bregman", "bregmanKmeans"],
    call: ({ options, pairs, seed }) =>
      `bregmanKmeans(X, bregman(X, ${pairs}, { seed: ${seed} }), ${literal(options)})`,
    async run(X, { clusters, seed, own, pairs, onProgress }) {
      const [{ bregman }, { bregmanKmeans }] = await Promise.all([
        import("kindred/metric"),
        import("kindred/cluster"),
      ]);
      const distance = bregman(X, pairs, { seed, onProgress });
      const found = bregmanKmeans(X, distance, { clusters: clusters!, seed, ...own, onProgress });
      return {
        ...found,
        converged: found.converged && distance.converged,
        warnings: [...distance.warnings, ...found.warnings],
        facts: [["Distance", `h = ${distance.h}, ${distance.weights.length} points`]],
      };
    },
  },
];

/** The part that the page is told. */
export function shownMethods(): MethodShown[] {
  return methods.map(({ name, title, summary, clusters, pairs, options }) => ({
    name,
    title,
    summary,
    clusters,
    pairs,
    options,
  }));
}

type ConvexFound = Pick<import("kindred/convex").ConvexClustering, "gamma" | "coverage" | "certificate">;

function convexOptions({ clusters, own, onProgress }: Given): import("kindred/convex").CcmlOptions {
  const { norm, ...rest } = own;
  return {
    clusters,
    ...rest,
    ...(norm !== undefined && { norm: norm === "inf" ? "inf" : norm === "2" ? 2 : 1 }),
    scale: "none",
    onProgress,
  };
}

function convexFacts({ gamma, coverage, certificate }: ConvexFound): [string, string][] {
  return [
    ["Gamma", `${Number(gamma.toPrecision(4))}, ${(100 * coverage).toFixed(0)} % of the rows fused by it`],
    ["Proof", `relative duality gap ${certificate.relativeGap.toExponential(1)}`],
  ];
}

function isIdentity(B: Matrix, I: Matrix): boolean {
  return B.data.every((value, p) => Math.abs(value - I.data[p]) < 1e-12);
}

function literal(options: readonly string[], ...more: readonly string[]): string {
  return `{ ${[...more, ...options].join(", ")} }`;
}
