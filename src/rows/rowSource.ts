import type { Note, OnProgress } from "../core/index.ts";
import { note, option, optionError } from "../core/internal.ts";
import {
  type ScaleKind,
  type Scaling,
  type Table,
  type TextColumn,
  scale as scaleColumns,
  type NumberTable,
} from "../data/index.ts";
import type { LabelTarget } from "../engine/index.ts";
import { type Matrix, isSparse, toDense } from "../matrix/index.ts";
import type { TableFeatures } from "../features/index.ts";
import type { Elsewhere, FitOptions, PassFit } from "../method/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import type { Clustering, TableSpace } from "../model/index.ts";
import type {
  ClassColumnStatistics,
  ClasswiseMoments,
  LevelSchemeOptions,
  MomentStatistics,
  RowBatch,
} from "../scale/index.ts";
import type { LevelCounts } from "../select/index.ts";

/**
 * Rows to learn from, in memory, in a stream or on an engine. A method says what it can learn from: the
 * rows, or sums over them.
 */
export type RowSource = TableRows | SummedRows;

/** Rows in memory, as numbers, and the conversion of other rows. */
export interface TableRows extends TableSpace {
  readonly kind: "table";
  /** The source file, data set or generator, for people. */
  readonly source: string;
  readonly X: Matrix;
  /** One per column of X. */
  readonly names: readonly string[];
  /** The table column of each column of X. */
  readonly sources: readonly string[];
  /** The known classes; empty means unknown. */
  readonly label?: TextColumn;
  readonly ids?: TextColumn;
  /** The measurement group of each row. */
  readonly batch?: TextColumn;
  readonly notes: readonly Note[];
}

/** Rows that do not fit into memory: files that are read in batches, or a table of an engine. */
export interface PassedRows {
  readonly kind: "stream" | "engine";
  /** What the user named. */
  readonly source: string;
  /** Whether all columns are plain numbers, which a measure puts on a scale. */
  readonly plain: boolean;
  /** The engine of the rows; absent for files. */
  readonly engine?: { readonly name: string; readonly threads?: number };
  /** Refuses an impossible destination before long work. */
  check?(to: Destination): Promise<void>;
  /** Random rows and those with certain names, as a table with the kinds of its columns. */
  sample(size: number, seed: number, named?: NamedRows): Promise<RowSample>;
  /** The rows on a scale, or under a metric, to be clustered by passes. */
  passes(by: Measure): Promise<MeasuredRows>;
  /** Gives every row its cluster by a model. */
  write(model: Clustering, to: Destination): Promise<PlacedRows>;
}

/** The same as plain numbers: a method learns from sums over them. */
export interface SummedRows extends PassedRows {
  /** Second moments of the classes; with `classwise` of each class separately. */
  moments(options: { readonly classwise: boolean }): Promise<Moments>;
  /** Range, mean and spread of every column in each class. */
  classColumns(): Promise<ClassColumns>;
  /** Levels, classes and pairs of levels, counted. */
  levels(options: LevelOptions): Promise<Levels>;
  /** One pass over the rows, of all features or of these. */
  batches(features?: readonly number[]): AsyncIterable<RowBatch>;
}

/** Rows by their texts in a column. */
export interface NamedRows {
  readonly id: string;
  readonly names: ReadonlySet<string>;
}

export interface RowSample {
  readonly table: Table;
  /** Rows of the whole. */
  readonly rows: number;
}

/** Where the labels of the rows go: labels of files to `rows`, of an engine to a file or table that it writes. */
export interface Destination {
  readonly rows?: (batches: AsyncIterable<LabelledBatch>) => Promise<void>;
  readonly target?: LabelTarget;
  readonly replace?: boolean;
  readonly onProgress?: OnProgress;
}

/** The clusters of some rows of a stream, in its order. */
export interface LabelledBatch {
  readonly labels: Int32Array;
  readonly ids?: TextColumn;
}

export interface PlacedRows {
  /** Rows of each cluster; absent if they were not counted. */
  readonly sizes?: readonly number[];
  readonly notes: readonly Note[];
}

/** The labels go to their destination; returns the number of rows in each of the clusters. */
export async function writeCounted(
  batches: AsyncIterable<LabelledBatch>,
  clusters: number,
  { rows }: Destination,
): Promise<number[]> {
  const sizes = Array<number>(clusters).fill(0);
  async function* counted(): AsyncGenerator<LabelledBatch> {
    for await (const batch of batches) {
      for (const label of batch.labels) if (label >= 0) sizes[label]++;
      yield batch;
    }
  }
  if (rows !== undefined) await rows(counted());
  else for await (const _ of counted());
  return sizes;
}

/** The scale of the columns, or a learned metric with its scaling. */
export type Measure =
  | { readonly scale: ScaleKind }
  | {
      readonly scaling: Scaling;
      readonly metric: Mahalanobis;
      /** The source of the metric. */
      readonly source: string;
    };

export interface MeasuredRows extends TableSpace {
  readonly notes: readonly Note[];
  /** The sample that decided the columns, and what they became; absent for plain numbers. */
  readonly decided?: { readonly table: Table; readonly learned: TableFeatures };
  fit(method: Elsewhere, options: FitOptions): Promise<MeasuredFit>;
}

export interface MeasuredFit extends PassFit, Found {
  /** Writes the labels by one more pass, and returns the size of each cluster; undefined if they go nowhere. */
  write(to: Destination): Promise<readonly number[] | undefined>;
  /** For the engine; null if it does not report them. */
  readonly threads?: number | null;
}

/** The columns of plain numbers on a scale, perhaps under a metric. */
export function numberSpace(scaling: Scaling, by?: Measure): TableSpace {
  return {
    columns: scaling.columns.map((name) => ({ name, kind: "number", reading: {} })),
    space: {
      kind: "scaling",
      scaling,
      ...(by !== undefined && "metric" in by && { metric: by.metric.toJSON() }),
    },
  };
}

/** Names of the columns of transformed rows. */
export function metricColumns({ method, factor }: Mahalanobis): string[] {
  return Array.from({ length: factor.rows }, (_, r) => `${method}${r + 1}`);
}

/** The report line for distances under a metric. */
export function metricNote({
  metric: { method, rank },
  source,
}: Extract<Measure, { metric: unknown }>): Note {
  return note("metric", `distances by the ${method} metric of ${source} (rank ${rank})`);
}

/** How sums were found. */
export interface Found {
  readonly notes: readonly string[];
  /** The engine of the rows and its work; absent for files. */
  readonly engine?: string;
}

/** What was learned from rows in memory or from sums. */
export interface Outcome extends Pick<Found, "engine"> {
  readonly notes: readonly Note[];
}

/** Notes on sums and scales as data. */
export function asNotes(messages: readonly string[]): Note[] {
  return messages.map((message) => note("reading", message));
}

export interface Moments extends Found {
  readonly statistics: MomentStatistics;
  readonly classwise?: ClasswiseMoments;
}

export interface ClassColumns extends Found {
  readonly statistics: ClassColumnStatistics;
}

export interface LevelOptions {
  /** How values become levels; quantiles ("frequency") need all rows and are refused. */
  readonly discretize?: LevelSchemeOptions["discretize"] | "frequency";
  readonly bins?: number;
  /** Count the pairs of features too (default true). */
  readonly pairs?: boolean;
  /** Leave out constant columns (default false); `scaling` lists them. */
  readonly varying?: boolean;
  /** Called with the names of the columns before counting. */
  readonly onColumns?: (names: readonly string[]) => void;
}

export interface Levels extends Found {
  readonly counts: LevelCounts;
  /** Names of all columns. */
  readonly names: readonly string[];
  /** It only leaves out columns; for `varying`. */
  readonly scaling?: Scaling;
}

/** Refuses quantiles, which do not follow from sums. */
export function summedCuts(
  { kind }: Pick<SummedRows, "kind">,
  { discretize, bins }: LevelOptions,
): Pick<LevelSchemeOptions, "discretize" | "bins"> {
  if (discretize === "frequency") {
    throw optionError(
      `${option("discretize")} frequency needs all rows at once; ${SUPPORT[kind]} sigma, width and given`,
    );
  }
  return { ...(discretize !== undefined && { discretize }), ...(bins !== undefined && { bins }) };
}

/** Refuses a method that needs the rows themselves if only sums are available. */
export function requireSums(
  { name, sums }: { readonly name: string; readonly sums?: unknown },
  kind: RowSource["kind"] | "memory",
  methods: readonly { readonly name: string; readonly sums?: unknown }[],
): void {
  if (kind === "table" || kind === "memory" || sums !== undefined) return;
  const able = methods.filter((method) => method.sums !== undefined).map((method) => method.name);
  throw optionError(`${name} needs all rows at once; ${SUPPORT[kind]} ${able.join(", ")}`, {
    option: "method",
  });
}

const SUPPORT = { stream: "streaming supports", engine: "engines support" };

/** Rows of a table of numbers on a common scale, without constant columns. */
export function numberRows(table: NumberTable, scale: ScaleKind): TableRows {
  const { X, names: columns, label, ids, batch, source, notes } = table;
  const scaled = scaleColumns(isSparse(X) ? toDense(X) : X, scale, {
    names: columns,
    batch: batch?.values,
  });
  return {
    kind: "table",
    source,
    X: scaled.X,
    names: scaled.names,
    sources: scaled.names,
    columns: [],
    space: {
      kind: "scaling",
      scaling: scaled.scaling,
      ...(batch !== undefined && { batch: batch.name }),
    },
    ...(label !== undefined && { label }),
    ...(ids !== undefined && { ids }),
    ...(batch !== undefined && { batch }),
    notes: asNotes([...notes, ...scaled.notes]),
  };
}
