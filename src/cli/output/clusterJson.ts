import type { FeatureColumn } from "../../features/index.ts";
import type { Clustering } from "../../model/index.ts";
import type { Circumstances } from "./clusterText.ts";

/**
 * The output of `kindred cluster --json`, field by field (docs/reference/cli.md); rows that are not all in
 * memory have no labels here.
 *
 * @param columns what became of the columns of the table; empty where they are numbers and nothing else
 */
export function clusterJson(
  clustering: Clustering,
  about: Circumstances,
  columns: readonly FeatureColumn[] = [],
): object {
  const { method, clusters, labels, sizes, names, seed, proof, trust, notes, profiles, representatives } =
    clustering;
  return {
    method,
    clusters,
    ...(labels.length > 0 && { labels: Array.from(labels) }),
    sizes,
    names,
    scores: about.scores,
    ...proof,
    trust: trust ?? null,
    relevance: clustering.relevance,
    profiles,
    representatives,
    details: clustering.details,
    notes: [...notes, ...about.notes],
    seconds: about.seconds,
    readSeconds: about.readSeconds,
    seed,
    scaling: about.scaling,
    data: {
      source: about.source,
      rows: about.rows,
      features: about.features,
      label: about.label,
      columns,
    },
    engine: about.engine,
    threads: about.threads,
  };
}
