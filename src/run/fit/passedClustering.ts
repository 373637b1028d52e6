import type { Note } from "../../core/index.ts";
import { note } from "../../core/internal.ts";
import { isSparse } from "../../matrix/index.ts";
import { quickPlacing } from "../../method/internal.ts";
import { type Clustering, type ClusteringData, clusteringOf } from "../../model/index.ts";
import type { MeasuredFit } from "../../rows/index.ts";
import { proofOf, type Run, withoutRows } from "../cluster.ts";

/** Clusterings of rows that are not in memory: their sizes are known, single rows are not. */

/** The clustering of all rows by a method that made passes over them. */
export function clusteringOfPasses(
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
      proof: proofOf(fit),
      profiles: sizes.map((size, cluster) => ({
        cluster,
        name: about.names[cluster],
        rows: size,
        share: size / Math.max(1, rows),
        words: `${size} of ${rows} rows`,
        differences: [],
      })),
      representatives: withoutRows(clusters),
      details: { passes: fit.passes, ...fit.details },
    },
    new Int32Array(0),
  );
}

/** The clustering of a sample, for the whole of which it is one. */
export function clusteringOfSample(
  clustering: Clustering,
  rows: number,
  sizes: readonly number[] = clustering.sizes,
  notes: readonly Note[] = [],
): Clustering {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const profiles = clustering.profiles.map((profile) => ({
    ...profile,
    rows: sizes[profile.cluster],
    share: sizes[profile.cluster] / Math.max(1, total === 0 ? rows : total),
  }));
  return clusteringOf(
    {
      ...clustering,
      sizes,
      notes: [...clustering.notes, ...notes],
      profiles,
      representatives: withoutRows(clustering.clusters),
    },
    new Int32Array(0),
  );
}

/** The clustering of a sample with a rule that places so many rows in good time. */
export function quickClustering({ clustering, prepared, fitted }: Run, rows: number): Clustering {
  const { X } = prepared;
  if (isSparse(X)) return clustering;
  const { rule, told } = quickPlacing(clustering.placing, X, fitted.labels, rows);
  const notes = told === undefined ? clustering.notes : [...clustering.notes, note("placed-by-points", told)];
  return clusteringOf({ ...clustering, placing: rule, notes }, clustering.labels);
}
