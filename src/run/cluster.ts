import type { Note, OnProgress } from "../core/index.ts";
import { absentColumn, note, option, optionError, requireOptions, requireRows } from "../core/internal.ts";
import { columnRecord, type Column, type Hints, type Pair, type Table } from "../data/index.ts";
import { NAMES_ROWS, tableOf, type Rows } from "../data/internal.ts";
import {
  followsColumn,
  learnFeatures,
  tableFeatures,
  type FeatureColumn,
  type FeatureScale,
  type MissingCells,
  type TableFeatures,
} from "../features/index.ts";
import { timeColumns } from "../features/internal.ts";
import { isSparse, takeRows, type Matrix, type Sparse } from "../matrix/index.ts";
import {
  placingOf,
  shownOptions,
  type Drawing,
  type Fact,
  type FitContext,
  type FitOptions,
  type Fitted,
  type Placed,
  type PlacingRule,
} from "../method/index.ts";
import {
  clusteringOf,
  profilesOf,
  representativesOf,
  textsOf,
  type Clustering,
  type Space,
  type Trust,
} from "../model/index.ts";
import { spareNames } from "../model/internal.ts";
import { unknownOption } from "./unknownOption.ts";
import { drawnRows } from "./drawnRows.ts";
import { fittedRows, sampleNote } from "./sampleSize.ts";
import { onKeptRows } from "./keptRows.ts";
import { methodNamed, methods } from "./methods.ts";
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

/** The numbers of a table. */
export interface Prepared {
  readonly table: Table;
  readonly X: Matrix | Sparse;
  /** The table rows behind the rows of X; absent: all of them. */
  readonly rows?: Int32Array;
  /** One per column of X. */
  readonly names: readonly string[];
  /** The table column of each column of X. */
  readonly sources: readonly string[];
  readonly space: Space;
  /** The rows with column weights that ignore hints, if X has all columns. */
  readonly unhinted?: FitContext["unhinted"];
  /** Columns that are never a feature, and do not explain a cluster: known classes, names of rows, ignored ones. */
  readonly aside: readonly string[];
  /** The outcome for each column; empty if the table has only numbers. */
  readonly columns: readonly FeatureColumn[];
  readonly notes: readonly Note[];
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

/** Options that concern the columns of a table. */
export const COLUMN_OPTIONS = [
  "label",
  "id",
  "use",
  "ignore",
  "scale",
  "missing",
  "weights",
  "text",
] as const;

const SETTINGS: readonly string[] = [...COLUMN_OPTIONS, "adjust", "names", "method", "sample"];

/**
 * The numbers of a table, by the options that concern its columns.
 *
 * @param told whether something is known of some rows; by default the options say it
 */
export function prepare(table: Table, options: ClusterOptions, told: boolean = isTold(options)): Prepared {
  const { label, id, scale, missing, weights, text, adjust, seed } = options;
  for (const [name, column] of Object.entries({ label, id })) {
    if (column !== undefined) requireColumn(table, name, column);
  }
  const aside = [label, id].filter((name) => name !== undefined);
  const ignore = [...(options.ignore ?? []), ...aside];
  const given = { scale, missing, weights, text, adjust, seed, use: options.use, ignore };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { nature, ...features } = tableFeatures(table, present);
  // Hints may concern columns that are unrelated to the others, so they use all columns.
  const heard =
    learnsWeights(options, told) && weights === undefined && nature === "any"
      ? learnFeatures(table, { ...present, weights: "equal" })
      : undefined;
  // Rows with gaps in columns of weight 0 are dropped with all columns, but not without them.
  if (heard !== undefined && heard.X.cols !== features.X.cols) {
    const unhinted = { X: features.X, record: features.record };
    return {
      ...preparedOf(table, heard, ignore),
      ...(heard.X.rows === features.X.rows && { unhinted }),
    };
  }
  return preparedOf(table, features, ignore);
}

/** Whether known rows will teach the method column weights. */
function learnsWeights({ method, distances }: ClusterOptions, told: boolean): boolean {
  if (!told || distances === "plain") return false;
  return methods.some(({ name, weighs }) => name === (method ?? "hints") && weighs === true);
}

function preparedOf(table: Table, features: TableFeatures, aside: readonly string[]): Prepared {
  const { X, record, columns, notes } = features;
  return {
    table,
    X,
    ...(features.rows !== undefined && { rows: features.rows }),
    names: record.parts.flatMap(({ names }) => names),
    sources: record.parts.flatMap(({ column, names }) => names.map(() => column)),
    space: { kind: "features", record },
    aside,
    columns,
    notes: [...notes, ...suspicions(columns)],
  };
}

/** A column of classes among the features makes a clustering look better than it is. */
function suspicions(columns: readonly FeatureColumn[]): Note[] {
  return columns
    .filter(({ name, weight }) => weight > 0 && /^(?:class|label|target|species)$/i.test(name))
    .map(({ name }) =>
      note(
        "label-used",
        `the column "${name}" was used as a feature; ${option("label")} would set it aside`,
        {
          column: name,
          option: "label",
        },
      ),
    );
}

/**
 * The table for describing clusters: without the columns that were set aside, and with the times between dates that are
 * features.
 */
export function toldTable({ table, aside, space }: Pick<Prepared, "table" | "aside" | "space">): Table {
  const times = space.kind === "features" ? timeColumns(space.record, table) : [];
  if (aside.length === 0 && times.length === 0) return table;
  return { ...table, columns: [...table.columns.filter(({ name }) => !aside.includes(name)), ...times] };
}

function requireColumn(table: Table, asked: string, name: string): Column {
  const column = table.columns.find((known) => known.name === name);
  if (column !== undefined) return column;
  const names = table.columns.map((known) => known.name);
  throw absentColumn(asked, name, table.source, names);
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
  const column = table.columns.find(({ why }) => why === NAMES_ROWS);
  return column === undefined ? undefined : textsOf(column);
}

/** The input of a method: numbers, and facts about their columns. */
export interface FitRows extends Pick<Prepared, "X" | "names" | "space" | "unhinted" | "rows"> {
  readonly source: string;
  /** The names of the table's rows. */
  readonly rowNames?: readonly string[];
}

/** The result of a method, with its own given options; `seed` is null if it makes no random choice. */
export interface MethodFit {
  readonly fitted: Fitted;
  /** The rows of X that were fitted; absent: all. */
  readonly sample?: Int32Array;
  /** How the rows that were not fitted were placed, if not by the method's own rule. */
  readonly told?: string;
  readonly method: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly seed: number | null;
}

/** Checks the options, and fits. */
export async function fitPrepared(
  { X, names, space, source, unhinted, rows, rowNames }: FitRows,
  options: ClusterOptions,
): Promise<MethodFit> {
  requireRows(source, X.rows);
  const method = methodNamed(options.method ?? defaultMethod(options));
  const { clusters } = options;
  const labels = options.labels ?? labelsIn(options.hints, X.rows, method.needs);
  const tableRow = (i: number): number => rows?.[i] ?? i;
  const nameOf = (i: number): string => rowNames?.[tableRow(i)] ?? String(tableRow(i));
  const { mustLink, cannotLink, contradictions } = await linksOf(options, X.rows, method.name, nameOf);
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`${option("clusters")} is ${clusters}, but ${source} has only ${X.rows} rows`);
  }
  const { needs } = method;
  const { options: rules, fit } = await method.open();
  const own = Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) =>
        value !== undefined &&
        !COLUMN_OPTIONS.some((known) => known === name) &&
        (Object.hasOwn(rules, name) || !SETTINGS.includes(name)) &&
        !COMMON.has(name),
    ),
  );
  for (const name of Object.keys(own)) {
    if (Object.hasOwn(rules, name)) continue;
    throw unknownOption(
      method.name,
      name,
      shownOptions(rules).map((shown) => shown.name),
    );
  }
  const pairs = (mustLink?.length ?? 0) + (cannotLink?.length ?? 0);
  if (pairs > 0 && needs.pairs === undefined) {
    throw optionError(`${method.name} takes no pairs (${option("mustLink")}, ${option("cannotLink")})`);
  }
  if (needs.pairs === "required" && mustLink === undefined && cannotLink === undefined) {
    throw optionError(`${method.name} needs pairs: ${option("mustLink")}, ${option("cannotLink")} or both`);
  }
  if (labels !== undefined && needs.labels === undefined) {
    throw optionError(`${method.name} takes no known labels (${option("labels")})`);
  }
  if (needs.labels === "required" && labels === undefined) {
    throw optionError(`${method.name} needs ${option("labels")}, the known labels of some rows`);
  }
  if (clusters === undefined && needs.clusters === "required") {
    throw optionError(`${method.name} needs ${option("clusters")}, the number of clusters`);
  }
  const seed = options.seed ?? 0;
  const given: FitOptions = {
    ...own,
    ...(clusters !== undefined && { clusters }),
    ...(needs.seed && { seed }),
    ...(pairs > 0 && { mustLink: mustLink ?? [], cannotLink: cannotLink ?? [] }),
    ...(labels !== undefined && { labels }),
    ...(method.name === "hints" && options.hints !== undefined && { hints: options.hints }),
    // Fast methods do not report.
    ...(options.onProgress !== undefined &&
      Object.hasOwn(rules, "onProgress") && { onProgress: options.onProgress }),
  };
  const context: FitContext = {
    names,
    ...(space.kind === "features" && space.metric === undefined && { record: space.record }),
    ...(unhinted !== undefined && { unhinted }),
    tableRow,
    nameOf,
  };
  const about = { method: method.name, own, seed: needs.seed ? seed : null };
  const asked = Object.hasOwn(rules, "sample") ? undefined : sampleAsked(options.sample);
  const size = fittedRows(method, X.rows, asked);
  if (size < X.rows && !isSparse(X)) {
    const { fitBySample } = await import("./bySample.ts");
    const { fitted, ...sampled } = await fitBySample({ fit }, X, size, given, context, options.onProgress);
    return { ...about, ...sampled, fitted: { ...fitted, warnings: [...contradictions, ...fitted.warnings] } };
  }
  const found = await fit(X, given, context);
  return { ...about, fitted: { ...found, warnings: [...contradictions, ...found.warnings] } };
}

function sampleAsked(sample: number | undefined): number | undefined {
  if (sample === undefined || (Number.isInteger(sample) && sample >= 2)) return sample;
  throw optionError(`${option("sample")} must be an integer of at least 2, got ${String(sample)}`);
}

/** For methods that start from known labels: the labels among the hints, one per row, "" if unknown. */
function labelsIn(
  hints: Partial<Hints> | undefined,
  rows: number,
  needs: { readonly labels?: "optional" | "required" },
): string[] | undefined {
  if (needs.labels !== "required" || hints?.labels === undefined || hints.labels.length === 0)
    return undefined;
  const labels = Array<string>(rows).fill("");
  for (const { row, label } of hints.labels) labels[row] = label;
  return labels;
}

/** The given pairs and, for methods that know only pairs, those that hints imply. */
async function linksOf(
  { hints, mustLink, cannotLink }: ClusterOptions,
  rows: number,
  method: string,
  nameOf: (row: number) => string,
): Promise<Pick<ClusterOptions, "mustLink" | "cannotLink"> & { readonly contradictions: readonly string[] }> {
  if (hints === undefined || method === "hints") return { mustLink, cannotLink, contradictions: [] };
  const { constraintsFromHints, hintLinks } = await import("../data/hints/hintLinks.ts");
  const links = hintLinks(rows, hints, nameOf);
  const meant = constraintsFromHints(links);
  return {
    mustLink: [...(mustLink ?? []), ...meant.mustLink],
    cannotLink: [...(cannotLink ?? []), ...meant.cannotLink],
    contradictions: links.contradictions.map(({ message }) => message),
  };
}

const COMMON: ReadonlySet<string> = new Set([
  "clusters",
  "seed",
  "hints",
  "mustLink",
  "cannotLink",
  "labels",
  "onProgress",
]);

/** The learning data in the options decide. */
function defaultMethod(options: ClusterOptions): string {
  return isTold(options) ? "hints" : "auto";
}

function isTold({ hints, mustLink, cannotLink, labels }: ClusterOptions): boolean {
  const pairs = (mustLink?.length ?? 0) + (cannotLink?.length ?? 0);
  return pairs > 0 || labels !== undefined || hints !== undefined;
}

interface Description {
  readonly method: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly seed: number | null;
  readonly options: Pick<ClusterOptions, "clusters" | "names">;
  readonly sample?: Int32Array;
  /** How the rows that were not fitted were placed, if not by the method's own rule. */
  readonly told?: string;
}

/** A clustering of a table from the result of a method on its numbers. */
function described(prepared: Prepared, fitted: Fitted, about: Description): Run {
  const { table, X, rows, space } = prepared;
  const { placing, clusters } = fitted;
  const labels = rows === undefined ? fitted.labels : spreadLabels(fitted.labels, rows, table.rows);
  // Of very many rows, only the fitted ones are examined, or as many as a rule that compares rows places soon.
  const { sample } = about;
  const examined = sample ?? (comparesRows(placing) ? examinedRows(X) : undefined);
  const shown = examined === undefined || isSparse(X) ? X : takeRows(X, examined);
  const shownLabels = examined === undefined ? fitted.labels : takeLabels(fitted.labels, examined);
  const shownRow = (i: number): number => {
    const row = examined?.[i] ?? i;
    return rows?.[row] ?? row;
  };
  const placed = isSparse(shown) ? nowhere(fitted.labels) : placingOf(placing)(shown);
  const found = fitted as Fitted & {
    readonly trust?: Trust;
    readonly names?: readonly (string | undefined)[];
  };
  const representatives = isSparse(shown)
    ? Array.from({ length: clusters }, (_, k) => ({ cluster: k, typical: [], borderline: [] }))
    : representativesOf(shown, shownLabels, clusters, placed).map(({ cluster: k, typical, borderline }) => ({
        cluster: k,
        typical: typical.map(shownRow),
        borderline: borderline.map(shownRow),
      }));
  const profiles = profilesOf(
    toldTable(prepared),
    labels,
    clusters,
    about.options.names ?? found.names,
    representatives.map(({ typical }) => typical),
  );
  const notes: Note[] = [
    ...table.notes,
    ...prepared.notes,
    ...(sample === undefined ? [] : [sampleNote({ name: about.method }, sample.length, X.rows)]),
    ...(about.told === undefined ? [] : [note("placed-by-points", about.told)]),
    ...fitted.warnings.map((message) => note("method", message)),
    ...otherNumber(about.options.clusters, clusters, fitted),
    ...spareNames(about.options.names, clusters),
    ...(space.kind === "features" && space.metric === undefined
      ? followsColumn(fitted.labels, toldTable(prepared), {
          ...prepared,
          record: space.record,
        })
      : []),
  ];
  const clustering = clusteringOf(
    {
      method: about.method,
      options: plain(about.own),
      seed: about.seed,
      clusters,
      sizes: sizesOf(labels, clusters),
      names: profiles.map(({ name }) => name),
      columns: table.columns.map(columnRecord),
      space,
      placing,
      relevance: relevanceOf(prepared, fitted),
      proof: {
        converged: fitted.converged,
        objective: fitted.objective ?? null,
        iterations: fitted.iterations ?? null,
        certificate: fitted.certificate ?? null,
      },
      ...(found.trust !== undefined && { trust: found.trust }),
      notes,
      profiles,
      representatives,
      details: fitted.details,
    },
    labels,
  );
  return {
    clustering,
    prepared,
    fitted,
    placed,
    ...(examined !== undefined && { examined }),
    ...(sample !== undefined && { sample }),
  };
}

/** Whether each row is compared with many others. */
function comparesRows({ kind }: PlacingRule): boolean {
  return kind === "rows" || kind === "density" || kind === "kernel-kmeans" || kind === "cpd-uml";
}

/** Number of rows of which some illustrate their cluster. */
const EXAMINED = 100_000;

function examinedRows(X: Matrix | Sparse): Int32Array | undefined {
  return isSparse(X) || X.rows <= EXAMINED ? undefined : drawnRows(X, EXAMINED, 0);
}

function takeLabels(labels: Int32Array, rows: Int32Array): Int32Array {
  return Int32Array.from(rows, (row) => labels[row]);
}

function otherNumber(asked: number | undefined, made: number, { warnings }: Fitted): Note[] {
  if (asked === undefined || made === asked || warnings.length > 0) return [];
  return [
    note("other-number", `${asked} clusters were asked for, the result has ${made}`, { option: "clusters" }),
  ];
}

/** Share of each column in the mean squared distance, under the learned metric if there is one. */
function relevanceOf({ X, sources }: Prepared, { metric }: Fitted): { column: string; share: number }[] {
  if (isSparse(X)) return [];
  const { rows, cols, data } = X;
  const shares = new Map<string, number>(sources.map((name) => [name, 0]));
  const usable = metric !== undefined && metric.rows === cols && metric.cols === cols;
  let sum = 0;
  for (let f = 0; f < cols; f++) {
    let mean = 0;
    let squares = 0;
    for (let i = 0; i < rows; i++) {
      const from = data[i * cols + f] - mean;
      mean += from / (i + 1);
      squares += from * (data[i * cols + f] - mean);
    }
    const share = (squares / rows) * (usable ? Math.max(0, metric.data[f * cols + f]) : 1);
    sum += share;
    shares.set(sources[f], shares.get(sources[f])! + share);
  }
  return Array.from(shares, ([column, share]) => ({ column, share: sum > 0 ? share / sum : 0 })).sort(
    (a, b) => b.share - a.share,
  );
}

/** The labels of all rows of the table; -1 for rows that were dropped. */
export function spreadLabels(labels: Int32Array, rows: Int32Array, n: number): Int32Array {
  const all = new Int32Array(n).fill(-1);
  rows.forEach((row, i) => (all[row] = labels[i]));
  return all;
}

function sizesOf(labels: Int32Array, clusters: number): number[] {
  const sizes = Array.from({ length: clusters }, () => 0);
  for (const label of labels) if (label >= 0) sizes[label]++;
  return sizes;
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

export type { Drawing, Fact };
