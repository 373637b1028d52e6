import type { OnProgress } from "../core/index.ts";
import { requireOptions, requireRows } from "../core/internal.ts";
import type { Hints, Pair, Table } from "../data/index.ts";
import { tableOf, type Rows } from "../data/internal.ts";
import type { FeatureScale, MissingCells } from "../features/index.ts";
import type { Fitted, Placed } from "../method/index.ts";
import { textsOf, type Clustering } from "../model/index.ts";
import { described } from "./described.ts";
import { fitPrepared } from "./fit.ts";
import { onKeptRows } from "./keptRows.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { idsOf } from "./readHints.ts";

/** The options for clustering a table. Options of the method itself are given beside these. */
export interface ClusterOptions {
  /** Default "auto": several methods are tried, and the best partition is taken. */
  readonly method?: string;
  /** The number of clusters; default: found. */
  readonly clusters?: number;
  readonly seed?: number;
  /** A person's knowledge about some rows: pairs, groups, labels (`readHints`). */
  readonly hints?: Partial<Hints>;
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** Known labels of some rows: one per row, "" if unknown. */
  readonly labels?: readonly string[];
  /** The column of known classes: set aside, never a feature. */
  readonly label?: string;
  /** The column that names the rows: set aside, never a feature. */
  readonly id?: string;
  /** Columns to use, and no others; columns to leave out. */
  readonly use?: readonly string[];
  readonly ignore?: readonly string[];
  readonly scale?: FeatureScale;
  readonly missing?: MissingCells;
  /** "auto": columns are weighted by their relation to others; "equal": all have the same weight. */
  readonly weights?: "auto" | "equal";
  /** Columns whose influence on the others is removed first. */
  readonly adjust?: readonly string[];
  /** Columns of free text to use. */
  readonly text?: "auto" | "none" | readonly string[];
  /** Names of the clusters. */
  readonly names?: readonly string[];
  /**
   * Number of rows to fit, if there are more; the model places the others. Default: all, up to the number
   * that the method fits in reasonable time.
   */
  readonly sample?: number;
  readonly onProgress?: OnProgress;
  readonly [own: string]: unknown;
}

/** A clustering, with the data for pictures and reports. */
export interface Run {
  readonly clustering: Clustering;
  readonly prepared: Prepared;
  readonly fitted: Fitted;
  /** For the rows of X that were examined. */
  readonly placed: Placed;
  /** The rows of X that illustrate the clusters; absent: all. */
  readonly examined?: Int32Array;
  /** The rows of X that were fitted; absent: all. */
  readonly sample?: Int32Array;
}

/**
 * Clusters a table with columns of any kind.
 *
 *     const found = await cluster(await readTable("customers.csv"), { clusters: 5 });
 *
 * Columns become comparable numbers (`learnFeatures`), the method fits, and the result places new rows,
 * explains itself in the columns of the table, and is its own model file (`JSON.stringify(found)`).
 */
export async function cluster(rows: Rows, options: ClusterOptions = {}): Promise<Clustering> {
  requireOptions("cluster", options);
  const table = tableOf(rows, "cluster");
  requireRows(table.source, table.rows);
  return (await clusterRun(prepare(table, options), options)).clustering;
}

/** Fits prepared rows and describes the result. */
export async function clusterRun(prepared: Prepared, options: ClusterOptions): Promise<Run> {
  const { table, rows } = prepared;
  const known = onKeptRows(options, rows);
  const { fitted, ...about } = await fitPrepared(
    { ...prepared, source: table.source, rowNames: namesOfRows(table, options) },
    known.options,
  );
  return described({ ...prepared, notes: [...prepared.notes, ...known.notes] }, fitted, {
    ...about,
    options,
  });
}

/**
 * The names of a table's rows: the ids that hints use (`readHints`). Pairs use row numbers, counted from 0,
 * unless a column of ids was named.
 */
function namesOfRows(
  table: Table,
  { id, hints }: Pick<ClusterOptions, "id" | "hints">,
): readonly string[] | undefined {
  if (id !== undefined || hints !== undefined) return idsOf(table, id)?.values;
  const column = table.columns.find(({ role }) => role === "names");
  return column === undefined ? undefined : textsOf(column);
}
