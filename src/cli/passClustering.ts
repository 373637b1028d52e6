import type { GaussianMixtureFit } from "../cluster/mixture/gaussianMixture.ts";
import { optionError } from "../core/errors.ts";
import type { Scaling } from "../data/index.ts";
import type { ConvexByRepresentatives } from "../convex/recipe/byRepresentatives.ts";
import type { KmeansByPasses } from "../scale/index.ts";
import type { ClusterResult } from "./clusterReport.ts";
import type { ClusterOptions } from "./commands/cluster.ts";
import type { Clustering, Details } from "./methods.ts";
import { mixtureDetails } from "./methods/gaussianMixture.ts";

/** What clusterings of rows that are not in memory have in common. */
export type PassFit = (
  | KmeansByPasses
  | (GaussianMixtureFit & { readonly sizes: Float64Array })
  | ConvexByRepresentatives
) & {
  readonly rows: number;
  readonly passes: number;
};

/** The methods that need no more than sums over the rows. */
const PASS_METHODS: readonly string[] = ["kmeans", "gmm", "cc"];

/** Refuses what needs all rows at once; pairs name single rows. */
export function requirePasses({ method, mustLink, cannotLink }: ClusterOptions, where: string): void {
  if (!PASS_METHODS.includes(method)) {
    throw optionError(`${method} needs all rows at once; ${where} take --method kmeans, gmm or convex`);
  }
  const given =
    mustLink !== undefined ? "--must-link" : cannotLink !== undefined ? "--cannot-link" : undefined;
  if (given !== undefined) throw optionError(`${given}: pairs need all rows at once`);
}

/** In the form of methods that have the rows, without labels. */
export function passClustering(fit: PassFit): Clustering {
  const shared = { ...fit, labels: new Int32Array(0) };
  if (fit.method === "kmeans") return { ...shared, nearest: {} };
  if (fit.method === "cc") return { ...shared, nearest: {}, details: convexDetails(fit) };
  return { ...shared, details: mixtureDetails(fit), model: fit.model() };
}

function convexDetails({
  gamma,
  coverage,
  compression,
  certificate,
}: Extract<PassFit, { method: "cc" }>): Details {
  const gap = certificate.relativeGap.toExponential(1);
  return {
    json: { gamma, coverage, compression },
    lines: [
      ["gamma", `${Number(gamma.toPrecision(6))}, relative duality gap ${gap}`],
      ["coverage", `${(100 * coverage).toFixed(1)} % of the rows`],
    ],
  };
}

/** What a run by passes says beyond its fit. */
export interface PassRun {
  /** Rows of each cluster, as their labels were written. */
  readonly sizes: ArrayLike<number>;
  readonly source: string;
  readonly scaling: Scaling;
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
  /** When reading, fitting and all was over, in milliseconds. */
  readonly times: readonly [number, number, number];
  readonly engine: string;
  readonly threads: number | null;
}

export function passResult(fit: PassFit, options: ClusterOptions, run: PassRun): ClusterResult {
  const { converged, iterations, objective, warnings, centers, details, certificate } = passClustering(fit);
  const [start, fitting, end] = run.times;
  return {
    method: options.method,
    clusters: fit.clusters,
    labels: [],
    sizes: Array.from(run.sizes),
    scores: null,
    converged,
    iterations: iterations!,
    objective: objective!,
    certificate: certificate ?? null,
    details: { passes: fit.passes, ...details?.json },
    warnings,
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - start) / 1000,
    seed: options.seed ?? 0,
    scaling: { kind: run.scaling.kind, batch: null, dropped: run.dropped },
    data: {
      source: run.source,
      rows: fit.rows,
      features: centers!.cols,
      label: options.label ?? null,
      notes: [
        ...(options.label === undefined
          ? []
          : [`"${options.label}" was set aside; kindred score compares the labels written with it`]),
        ...run.notes,
      ],
    },
    engine: run.engine,
    threads: run.threads,
  };
}
