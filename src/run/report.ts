import type { Note } from "../core/index.ts";
import type { Table } from "../data/index.ts";
import type { FeatureColumn } from "../features/index.ts";
import type { Fact } from "../method/index.ts";
import { textsOf, type Clustering, type Space } from "../model/index.ts";
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
