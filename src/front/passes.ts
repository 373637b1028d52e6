import { note, type Note } from "../core/notes.ts";
import type { Scaling } from "../data/index.ts";
import type { PassFit } from "../method/index.ts";
import type { MahalanobisData } from "../metric/index.ts";
import { clusteringOf, type Clustering } from "../model/clustering.ts";

/** What a clustering of rows that were never in memory at once is made from, beyond its fit. */
export interface PassRun {
  readonly method: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly seed: number | null;
  readonly scaling: Scaling;
  readonly metric?: MahalanobisData;
  /** Rows of each cluster, as their labels were written. */
  readonly sizes: ArrayLike<number>;
  readonly notes: readonly Note[];
}

/** The clustering without the labels of its rows: these are written where the rows are. */
export function passClustering(fit: PassFit, run: PassRun): Clustering {
  const { scaling, metric } = run;
  const sizes = Array.from(run.sizes);
  return clusteringOf(
    {
      method: run.method,
      options: run.own,
      seed: run.seed,
      clusters: fit.clusters,
      sizes,
      names: sizes.map((_, k) => `cluster ${k}`),
      columns: scaling.columns.map((name) => ({ name, kind: "number", reading: {} })),
      space: { kind: "scaling", scaling, ...(metric !== undefined && { metric }) },
      placing: fit.placing,
      relevance: [],
      proof: {
        converged: fit.converged,
        objective: fit.objective ?? null,
        iterations: fit.iterations ?? null,
        certificate: fit.certificate ?? null,
      },
      notes: [...run.notes, ...fit.warnings.map((message) => note("method", message))],
      profiles: sizes.map((rows, cluster) => ({
        cluster,
        name: `cluster ${cluster}`,
        rows,
        share: rows / Math.max(1, fit.rows),
        words: `${rows} of ${fit.rows} rows`,
        differences: [],
      })),
      representatives: sizes.map((_, cluster) => ({ cluster, typical: [], borderline: [] })),
      details: { passes: fit.passes, ...fit.details },
    },
    new Int32Array(0),
  );
}
