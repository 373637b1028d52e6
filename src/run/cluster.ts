import type { Note } from "../core/index.ts";
import { inputError, note, requireRows, rule, sizesOf } from "../core/internal.ts";
import { cellText, columnRecord, type Hints, type Pair, type Table } from "../data/index.ts";
import { arrivedTable, type AsyncRows, parseNumber, type Rows } from "../data/internal.ts";
import { followsColumn } from "../features/index.ts";
import { columnOptions, sharesByColumn } from "../features/internal.ts";
import { type Fitted, type Placed, placingOf, type PlacingRule } from "../method/index.ts";
import { type Clustering, clusteringOf, profilesOf, representativesOf, textsOf } from "../model/index.ts";
import type { CallOptions, MethodName } from "./callOptions.ts";
import { drawnVectors } from "../features/internal.ts";
import { fitPrepared } from "./fit/fit.ts";
import { onKeptRows } from "./known/knowledge.ts";
import { describedTable, prepare, type Prepared, requireColumn } from "./input/prepare.ts";
import { idsOf } from "./known/readHints.ts";
import { proofOf, withoutRows } from "./report.ts";
import { isSparse, type Matrix, type Sparse, takeRows } from "../matrix/index.ts";
import { columnVariances } from "../matrix/internal.ts";
import { spareNames } from "../model/internal.ts";

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The options for clustering a table, of every method. */
export const tableOptions = {
  /** The number of clusters; default: found. */
  clusters: rule.integer({ min: 1 }),
  seed: rule.seed,
  /** A person's knowledge about some rows: pairs, groups, labels (`readHints`). */
  hints: rule.given<Partial<Hints>>("an object of hints, as readHints returns it", isObject),
  mustLink: rule.given<readonly Pair[]>("an array of pairs of row numbers", isPairs),
  cannotLink: rule.given<readonly Pair[]>("an array of pairs of row numbers", isPairs),
  /** Known labels of some rows: one per row, "" if unknown. */
  labels: rule.given<readonly string[]>("an array with a label for each row", Array.isArray),
  /** The column of known classes: set aside, never a feature. */
  label: rule.text("the name of a column"),
  /** The column that names the rows: set aside, never a feature. */
  id: rule.text("the name of a column"),
  /** The column with the weight of each row, for methods that take weights: set aside, never a feature. */
  weight: rule.text("the name of a column"),
  ...columnOptions,
  /** Names of the clusters. */
  names: rule.given<readonly string[]>("an array of names", rule.names.accepts),
  /**
   * Number of rows to fit, if there are more; the model places the others. Default: all, up to the number
   * that the method fits in reasonable time.
   */
  sample: rule.integer({ min: 2 }),
  onProgress: rule.progress,
};

export type TableOptions = Readonly<rule.OptionsOf<typeof tableOptions>>;

/** The same with a method that is known only when the program runs, and with its own options. */
export interface ClusterOptions extends TableOptions {
  readonly method?: string;
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
export async function cluster<const M extends MethodName = "auto">(
  rows: Rows | AsyncRows,
  options: CallOptions<M> = {},
): Promise<Clustering> {
  const checked = checkedOptions("cluster", options, {
    ...tableOptions,
    method: rule.given("a name", isText),
  });
  const table = await arrivedTable(rows, "cluster");
  requireRows(table.source, table.rows);
  return (await clusterRun(prepare(table, checked), checked)).clustering;
}

/** The weights of the kept rows, from their column. */
function weightsOf({ table, rows }: Prepared, name: string | undefined): Float64Array | undefined {
  if (name === undefined) return undefined;
  const column = requireColumn(table, "weight", name);
  // Few whole numbers are levels in their order, of which the cells are the numbers.
  const values =
    column.kind === "number" && column.values !== undefined
      ? column.values
      : Float64Array.from({ length: table.rows }, (_, i) => parseNumber(cellText(column, i)) ?? Number.NaN);
  const bad = values.findIndex((value) => !(value >= 0 && value < Infinity));
  if (bad >= 0) {
    throw inputError(
      `row ${bad} (counted from 0) has no weight in "${name}"; weights are numbers of at least 0`,
    );
  }
  return rows === undefined ? values : Float64Array.from(rows, (i) => values[i]);
}

/** The options as they were given, checked where there is a rule; a signal is joined with `onProgress`. */
export function checkedOptions<O extends object>(
  who: string,
  options: O,
  rules: rule.OptionRules,
): Omit<O, "signal"> {
  rule.requireOptions(who, options);
  const { signal, ...others } = options as O & { readonly signal?: AbortSignal };
  const ruled = Object.entries(others).filter(([name]) => Object.hasOwn(rules, name));
  const { onProgress } = rule.resolveOptions(who, { signal, ...Object.fromEntries(ruled) }, rules);
  return { ...others, ...(onProgress !== undefined && { onProgress }) };
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isPairs(value: unknown): boolean {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2);
}

/**
 * Fits prepared rows and describes the result.
 *
 * @param onNote takes what one may want to know before a long fit
 */
export async function clusterRun(
  prepared: Prepared,
  options: ClusterOptions,
  onNote?: (note: Note) => void,
): Promise<Run> {
  const { table, X, rows, space } = prepared;
  const known = rows === undefined ? { options, notes: [] } : onKeptRows(options, rows);
  const source = { ...prepared, source: table.source, rowNames: namesOfRows(table, options) };
  const rowWeights = weightsOf(prepared, options.weight);
  const { fitted, sample, ...about } = await fitPrepared({ ...source, rowWeights }, known.options, onNote);
  const { placing, clusters } = fitted;
  const labels = rows === undefined ? fitted.labels : spreadLabels(fitted.labels, rows, table.rows);
  // Of very many rows, only the fitted ones are examined, or as many as a rule that compares rows places soon.
  const examined = sample ?? (comparesRows(placing) ? examinedRows(X) : undefined);
  const shown = examined === undefined || isSparse(X) ? X : takeRows(X, examined);
  const shownLabels = examined === undefined ? fitted.labels : examined.map((row) => fitted.labels[row]);
  const tableRow = (i: number): number => rows?.[i] ?? i;
  const shownRow = (i: number): number => tableRow(examined?.[i] ?? i);
  const relevance = relevanceOf(prepared, fitted);
  const own = plain(about.own);
  const other = otherNumber(options.clusters, fitted);
  const proof = proofOf(fitted);
  const placed = isSparse(shown) ? nowhere(fitted.labels) : placingOf(placing)(shown);
  const representatives = isSparse(shown)
    ? withoutRows(clusters)
    : representativesOf(shown, shownLabels, clusters, placed).map(({ cluster: k, typical, borderline }) => ({
        cluster: k,
        typical: typical.map(shownRow),
        borderline: borderline.map(shownRow),
      }));
  const described = describedTable(prepared);
  const typical = representatives.map((own) => own.typical);
  const profiles = profilesOf(described, labels, clusters, options.names ?? fitted.names, typical);
  const follows =
    space.kind === "features" && space.metric === undefined
      ? followsColumn(fitted.labels, described, { ...prepared, record: space.record })
      : [];
  const columns = table.columns.map(columnRecord);
  const notes: Note[] = [
    ...table.notes,
    ...prepared.notes,
    ...known.notes,
    ...about.notes,
    ...fitted.warnings.map((message) => note("method", message)),
    ...other,
    ...spareNames(options.names, clusters),
    ...follows,
  ];
  const clustering = clusteringOf(
    {
      method: about.method,
      options: own,
      seed: about.seed,
      clusters,
      sizes: Array.from(sizesOf(labels, clusters)),
      names: profiles.map(({ name }) => name),
      columns,
      space,
      placing,
      relevance,
      proof,
      ...(fitted.trust !== undefined && { trust: fitted.trust }),
      notes,
      profiles,
      representatives,
      details: fitted.details,
    },
    labels,
  );
  return {
    clustering,
    prepared: { ...prepared, notes: [...prepared.notes, ...known.notes] },
    fitted,
    placed,
    ...(examined !== undefined && { examined }),
    ...(sample !== undefined && { sample }),
  };
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

/** Whether each row is compared with many others. */
function comparesRows({ kind }: PlacingRule): boolean {
  return kind === "rows" || kind === "density" || kind === "kernel-kmeans" || kind === "cpd-uml";
}

/** Number of rows of which some illustrate their cluster. */
const EXAMINED = 100_000;

function examinedRows(X: Matrix | Sparse): Int32Array | undefined {
  return isSparse(X) || X.rows <= EXAMINED ? undefined : drawnVectors(X, EXAMINED, 0);
}

function otherNumber(asked: number | undefined, { clusters, warnings }: Fitted): Note[] {
  if (asked === undefined || clusters === asked || warnings.length > 0) return [];
  const message = `${asked} clusters were asked for, the result has ${clusters}`;
  return [note("other-number", message, { option: "clusters" })];
}

/** Share of each column in the mean squared distance, under the learned metric if there is one. */
function relevanceOf({ X, sources }: Prepared, { metric }: Fitted): { column: string; share: number }[] {
  if (isSparse(X)) return [];
  const { cols } = X;
  const usable = metric !== undefined && metric.rows === cols && metric.cols === cols;
  const variances = columnVariances(X);
  return sharesByColumn(
    sources,
    variances.map((variance, f) => variance * (usable ? Math.max(0, metric.data[f * cols + f]) : 1)),
  );
}

/** The labels of all rows of the table; -1 for rows that were dropped. */
export function spreadLabels(labels: Int32Array, rows: Int32Array, n: number): Int32Array {
  const all = new Int32Array(n).fill(-1);
  rows.forEach((row, i) => (all[row] = labels[i]));
  return all;
}

function nowhere(labels: Int32Array): Placed {
  const far = new Float64Array(labels.length).fill(Infinity);
  return { labels, distances: far, next: new Int32Array(labels.length).fill(-1), nextDistances: far };
}

/** Options in a form for files. */
function plain(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) => ["string", "number", "boolean"].includes(typeof value) || Array.isArray(value),
    ),
  );
}
