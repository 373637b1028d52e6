/**
 * Clusters rows that do not fit into memory, by passes over them: over the batches of a stream, or over a
 * table of an engine, which computes sums if that is faster than sending the rows.
 */
import type { Note, OnProgress } from "../core/index.ts";
import { note, option, optionError } from "../core/internal.ts";
import type { Scaling } from "../data/index.ts";
import { clusterings, type ClusteringMethod, type Elsewhere } from "../method/index.ts";
import { clusteringOf, type Clustering, type ClusteringData } from "../model/index.ts";
import { spareNames } from "../model/internal.ts";
import { asNotes, type Measure, type MeasuredFit, type MeasuredRows, type SummedRows } from "./rowSource.ts";

export interface ClusterRowsOptions {
  readonly clusters?: number;
  readonly seed?: number;
  readonly measure: Measure;
  /** Called before the fit, so an impossible output is refused before long work. */
  readonly onMeasured?: (rows: MeasuredRows) => Promise<void> | void;
  readonly onProgress?: OnProgress;
  /** The method's own options, by their names. */
  readonly own?: Readonly<Record<string, unknown>>;
  /** Names of the clusters, in their order; default: "cluster 0" and so on. */
  readonly names?: readonly string[];
}

export interface ClusteredRows {
  readonly fit: MeasuredFit;
  /** Of the clusters. */
  readonly names: readonly string[];
  readonly scaling: Scaling;
  readonly source: string;
  /** The clustering without the labels of its rows, which are written beside the rows. */
  clustering(about?: {
    /** Rows of each cluster as their labels were written; default: from the last pass. */
    readonly sizes?: ArrayLike<number>;
    readonly notes?: readonly Note[];
  }): Clustering;
  /** For the fit, and for the passes before it. */
  readonly seconds: number;
  readonly readSeconds: number;
}

export async function clusterRows(
  rows: SummedRows,
  method: ClusteringMethod,
  { measure, seed = 0, clusters, own = {}, names: given, onMeasured, onProgress }: ClusterRowsOptions,
): Promise<ClusteredRows> {
  const elsewhere = await passesOf(method, rows.kind);
  const begun = performance.now();
  const measured = await rows.measured(measure);
  await onMeasured?.(measured);
  const fitting = performance.now();
  const fit = await measured.fit(elsewhere, {
    ...own,
    ...(clusters !== undefined && { clusters }),
    seed,
    ...(onProgress !== undefined && { onProgress }),
  });
  const end = performance.now();
  const { scaling } = measured;
  const names = Array.from({ length: fit.clusters }, (_, k) => given?.[k] ?? `cluster ${k}`);
  return {
    fit,
    names,
    scaling,
    source: rows.source,
    clustering: ({ sizes = fit.sizes, notes = [] } = {}) =>
      withoutLabels(fit, Array.from(sizes), {
        method: method.name,
        options: own,
        seed,
        names,
        columns: scaling.columns.map((name) => ({ name, kind: "number", reading: {} })),
        space: { kind: "scaling", scaling, ...("metric" in measure && { metric: measure.metric.toJSON() }) },
        notes: [
          ...asNotes(fit.notes),
          ...notes,
          ...spareNames(given, fit.clusters),
          ...measured.notes,
          ...fit.warnings.map((message) => note("method", message)),
        ],
      }),
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - begun) / 1000,
  };
}

/** The form of a method that works by passes; refuses a method that needs all rows at once. */
export async function passesOf(
  { name, open }: ClusteringMethod,
  kind: SummedRows["kind"],
): Promise<Elsewhere> {
  const { elsewhere } = await open();
  if (elsewhere !== undefined) return elsewhere();
  const opened = await Promise.all(
    clusterings.map(async (known) => [known.name, await known.open()] as const),
  );
  const able = opened.filter(([, { elsewhere: passes }]) => passes !== undefined).map(([known]) => known);
  throw optionError(
    `${name} needs all rows at once; ${PLACE[kind]}, ${option("method")} can be ${able.join(", ")}`,
    { option: "method" },
  );
}

const PLACE = { stream: "from a stream", engine: "on an engine" };

/** Single rows are unknown, so clusters have no descriptions and no representatives. */
function withoutLabels(
  fit: MeasuredFit,
  sizes: readonly number[],
  about: Pick<ClusteringData, "method" | "options" | "seed" | "names" | "columns" | "space" | "notes">,
): Clustering {
  const { clusters, placing, rows } = fit;
  return clusteringOf(
    {
      ...about,
      clusters,
      sizes,
      placing,
      relevance: [],
      proof: {
        converged: fit.converged,
        objective: fit.objective ?? null,
        iterations: fit.iterations ?? null,
        certificate: fit.certificate ?? null,
      },
      profiles: sizes.map((size, cluster) => ({
        cluster,
        name: about.names[cluster],
        rows: size,
        share: size / Math.max(1, rows),
        words: `${size} of ${rows} rows`,
        differences: [],
      })),
      representatives: sizes.map((_, cluster) => ({ cluster, typical: [], borderline: [] })),
      details: { passes: fit.passes, ...fit.details },
    },
    new Int32Array(0),
  );
}
