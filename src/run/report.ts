import type { Note } from "../core/index.ts";
import { note } from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import type { FeatureColumn } from "../features/index.ts";
import { isSparse } from "../matrix/index.ts";
import type { Fact, Fitted } from "../method/index.ts";
import { quickPlacing } from "../method/internal.ts";
import {
  clusteringOf,
  textsOf,
  type Clustering,
  type ClusteringData,
  type Proof,
  type Space,
} from "../model/index.ts";
import type { MeasuredFit } from "../rows/index.ts";
import type { ChoiceDetails } from "../judge/index.ts";
import type { Run } from "./cluster.ts";
import type { HintDetails } from "./fit/fitHinted.ts";
import type { ClassScores } from "./compare/againstClasses.ts";

/** The answer to a request: a clustering, and how it came about. Printers, files and pages show it. */
export interface Report {
  readonly clustering: Clustering;
  /** The source of the rows, for people. */
  readonly source: string;
  readonly rows: number;
  /** Columns of numbers that the method saw. */
  readonly features: number;
  /** How the columns were put on a common scale. */
  readonly scaling: string;
  /** The column of known classes, which no method saw, and the agreement with it. */
  readonly label: string | null;
  readonly scores: ClassScores | null;
  /** Time of the clustering, with labelling rows that are not in memory; of opening, reading and preparing. */
  readonly seconds: number;
  readonly readSeconds: number;
  readonly engine: string;
  /** Null if the engine runs on other machines. */
  readonly threads: number | null;
  /** Lines of the method about its result. */
  readonly facts: readonly Fact[];
  /** Messages beyond the notes of the clustering. */
  readonly notes: readonly Note[];
  /** The table whose cells decided the columns, and what became of each; absent for plain numbers of a stream. */
  readonly decided?: Decided;
  /** The fit, and what was known of the rows; for rows in memory. */
  readonly run?: Run;
  readonly pairs?: object;
  /** Where an engine wrote the labels. */
  readonly written?: string;
  /** The known class of each row. */
  readonly classes?: readonly string[];
}

export interface Decided {
  readonly table: Table;
  readonly columns: readonly FeatureColumn[];
  /** Columns that are never a feature. */
  readonly aside: readonly string[];
}

/** The details of the methods that find their number of clusters or learn from hints; others have their own fields. */
export interface DetailsByMethod {
  readonly auto: ChoiceDetails;
  readonly hints: HintDetails;
}

/** The details of a clustering by this method; undefined for one by another. */
export function detailsBy<M extends keyof DetailsByMethod>(
  method: M,
  clustering: Pick<Clustering, "method" | "details">,
): DetailsByMethod[M] | undefined {
  return clustering.method === method ? (clustering.details as DetailsByMethod[M]) : undefined;
}

/** A report for programs, as `kindred cluster --json` prints it; rows that are not all in memory have no labels here. */
export function reportJson({ clustering, decided, ...about }: Report): object {
  const { method, clusters, labels, sizes, names, seed, proof, trust, notes } = clustering;
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
    profiles: clustering.profiles,
    representatives: clustering.representatives,
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
      columns: decided?.columns ?? [],
    },
    engine: about.engine,
    threads: about.threads,
  };
}

const SCALING_NAMES = { zscore: "z-score", minmax: "min-max", none: "none" } as const;

/** How columns were put on a common scale. */
export function spaceText(space: Space): string {
  if (space.kind === "features")
    return space.record.scale === "auto" ? "z-score, by kind of column" : space.record.scale;
  const scaling = SCALING_NAMES[space.scaling.kind];
  return space.batch === undefined ? scaling : `${scaling}, within each ${space.batch}`;
}

/** The known class of each row. */
export function classesOf({ columns }: Table, label: string): readonly string[] | undefined {
  const column = columns.find(({ name }) => name === label);
  return column === undefined ? undefined : textsOf(column);
}

/** What a method proves of its result. */
export function proofOf({ converged, objective, iterations, certificate }: ProvedFit): Proof {
  return {
    converged,
    objective: objective ?? null,
    iterations: iterations ?? null,
    certificate: certificate ?? null,
  };
}

type ProvedFit = Pick<Fitted, "converged" | "objective" | "iterations" | "certificate">;

/** No rows illustrate the clusters. */
export function withoutRows(clusters: number): ClusteringData["representatives"] {
  return Array.from({ length: clusters }, (_, cluster) => ({ cluster, typical: [], borderline: [] }));
}

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
