import type { Note, OnProgress } from "../../core/index.ts";
import { machineMemory, note, option, optionError, requireRows, rule, sizesOf } from "../../core/internal.ts";
import type { Hints } from "../../data/index.ts";
import { drawnVectors } from "../../features/internal.ts";
import { isSparse, type Matrix, takeRows } from "../../matrix/index.ts";
import type { ClusteringMethod, FitContext, FitOptions, Fitted, OpenMethod } from "../../method/index.ts";
import { labelRows, quickPlacing } from "../../method/internal.ts";
import type { ClusterOptions } from "../cluster.ts";
import { defaultMethod, methodNamed, methods, requireNeeds, unknownOption } from "../methods.ts";
import { COLUMN_OPTIONS, type Prepared } from "../input/prepare.ts";
import { onKeptRows } from "../known/knowledge.ts";

/** Options of `cluster` that a method may have as its own. */
const SETTINGS: readonly string[] = ["adjust", "names", "method", "sample"];

/** The input of a method: numbers, and facts about their columns. */
export interface FitRows extends Pick<Prepared, "X" | "names" | "space" | "unhinted" | "rows"> {
  readonly source: string;
  /** The names of the table's rows. */
  readonly rowNames?: readonly string[];
  /** One for each row of X. */
  readonly rowWeights?: Float64Array | undefined;
}

/** The result of a method, with its own given options; `seed` is null if it makes no random choice. */
export interface MethodFit {
  readonly fitted: Fitted;
  /** The rows of X that were fitted; absent: all. */
  readonly sample?: Int32Array;
  /** About rows that were not fitted. */
  readonly notes: readonly Note[];
  readonly method: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly seed: number | null;
}

/** Checks the options, and fits. */
export async function fitPrepared(
  { X, names, space, source, unhinted, rows, rowNames, rowWeights }: FitRows,
  options: ClusterOptions,
  onNote?: (note: Note) => void,
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
      rule.shownOptions(rules).map((shown) => shown.name),
    );
  }
  const pairs = (mustLink?.length ?? 0) + (cannotLink?.length ?? 0);
  const links = pairs > 0 || needs.pairs !== undefined ? { mustLink, cannotLink } : {};
  requireNeeds(method, { clusters, labels, ...links });
  if (rowWeights !== undefined && !Object.hasOwn(rules, "weights")) await refuseWeights(method.name);
  const seed = options.seed ?? 0;
  const given: FitOptions = {
    ...own,
    ...(clusters !== undefined && { clusters }),
    ...(needs.seed && { seed }),
    ...(pairs > 0 && { mustLink: mustLink ?? [], cannotLink: cannotLink ?? [] }),
    ...(labels !== undefined && { labels }),
    ...(rowWeights !== undefined && { weights: rowWeights }),
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
  const asked = Object.hasOwn(rules, "sample") ? undefined : options.sample;
  const size = fittedRows(method, X.rows, asked);
  const isSampled = size < X.rows && !isSparse(X);
  if (isSampled && rowWeights !== undefined) {
    throw optionError(`${option("weight")}: ${method.name} fits a sample of so many rows; kmeans fits all`);
  }
  if (isSampled) onNote?.(sampleNote(method, size, X.rows));
  const { fitted, ...sampled } = isSampled
    ? await fitBySample(method, { fit }, X, size, given, context, options.onProgress)
    : { fitted: await fit(X, given, context), notes: [] };
  return { ...about, ...sampled, fitted: { ...fitted, warnings: [...contradictions, ...fitted.warnings] } };
}

async function refuseWeights(name: string): Promise<never> {
  const able: string[] = [];
  for (const method of methods) {
    if (Object.hasOwn((await method.open()).options, "weights")) able.push(method.name);
  }
  throw optionError(`${option("weight")}: ${name} takes no weights of rows; ${able.join(", ")} do`);
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
  const { constraintsFromHints, hintLinks } = await import("../../data/hints/hintLinks.ts");
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

/** A fit on a sample: the labels are for all rows, everything else is for the sample. */
interface SampledFit {
  readonly fitted: Fitted;
  /** The rows that were fitted. */
  readonly sample: Int32Array;
  readonly notes: readonly Note[];
}

/**
 * More rows than a method fits in reasonable time and memory: it is fitted on a sample, and places all rows.
 * The sample is uniform and depends only on the values of the rows, not on their order; rows named in hints
 * are in it.
 */
async function fitBySample(
  method: ClusteringMethod,
  { fit }: Pick<OpenMethod, "fit">,
  X: Matrix,
  size: number,
  options: FitOptions,
  context: FitContext,
  onProgress: OnProgress = () => true,
): Promise<SampledFit> {
  const named = namedRows(options);
  if (named.length > size / 2) {
    throw optionError(
      `the hints concern ${named.length} rows, more than half of the ${size} rows that are fitted; give ${option("sample")} ${4 * named.length} or fewer hints`,
      { option: "sample" },
    );
  }
  const sample = drawnVectors(X, size, options.seed ?? 0, named);
  const { unhinted, tableRow = (row: number) => row, nameOf = String } = context;
  const Y = takeRows(X, sample);
  const { labels, clusters, drawing, ...found } = await fit(
    Y,
    onKeptRows(options, sample).options as FitOptions,
    {
      ...context,
      ...(unhinted !== undefined && { unhinted: { ...unhinted, X: takeRows(unhinted.X, sample) } }),
      tableRow: (row) => tableRow(sample[row]),
      nameOf: (row) => nameOf(sample[row]),
    },
  );
  const { rule: placing, told } = quickPlacing(found.placing, Y, labels, X.rows);
  const all = labelRows(
    placing,
    X,
    (done) => onProgress({ fraction: done / X.rows, label: "labels" }) !== false,
  );
  // The fitted rows keep their cluster, so hints hold.
  sample.forEach((row, i) => (all[row] = labels[i]));
  const sizes = sizesOf(all, clusters);
  // Plots of single rows would show the sample.
  const { tree: _, moved: __, ...drawn } = drawing;
  const fitted = { ...found, placing, labels: all, clusters, sizes, drawing: drawn };
  return {
    fitted,
    sample,
    notes: [
      sampleNote(method, size, X.rows),
      ...(told === undefined ? [] : [note("placed-by-points", told)]),
    ],
  };
}

/** The rows named in options. */
function namedRows({ hints, mustLink = [], cannotLink = [], labels = [] }: FitOptions): number[] {
  const { pairs = [], groups = [], labels: known = [], not = [] } = (hints ?? {}) as Partial<Hints>;
  const rows = new Set<number>([...mustLink.flat(), ...cannotLink.flat(), ...groups.flat()]);
  for (const { a, b } of pairs) rows.add(a).add(b);
  for (const { row } of known) rows.add(row);
  for (const { row, rows: others = [] } of not) [row, ...others].forEach((one) => rows.add(one));
  labels.forEach((label, row) => {
    if (label !== "" && label !== "-1") rows.add(row);
  });
  return [...rows];
}

/** Number of rows of a sample; for slow methods, half of their limit. */
const DRAWN = 20_000;

/** The number of rows of a sample: as requested, or by the speed of the method. */
export function sampleSize({ needs }: ClusteringMethod, asked?: number): number {
  return asked ?? Math.min(DRAWN, Math.ceil((needs.rows ?? Infinity) / 2));
}

/** The number of rows that a method fits: all of them, or a sample. */
export function fittedRows(method: ClusteringMethod, rows: number, asked?: number): number {
  if (asked !== undefined) return Math.min(rows, asked);
  const { needs } = method;
  const room = needs.quadratic === true ? Math.sqrt(machineMemory() / 4) : Infinity; // half of the pairs, 8 bytes each
  return rows <= Math.min(needs.rows ?? Infinity, room) ? rows : Math.min(rows, sampleSize(method));
}

/** The note before a sample is fitted, and with the result: its number of rows, and the possible loss. */
export function sampleNote({ name }: { readonly name: string }, fitted: number, rows: number): Note {
  // A group with share p has fewer than a handful of rows in the sample with probability below 1 % if p n > 12.
  const least = Math.ceil((12 * rows) / fitted);
  const points = (200 * Math.sqrt(1 / 4 / fitted)).toFixed(1);
  return note(
    "sample",
    `${name} is fitted on a random sample of ${fitted} of ${rows} rows, and places the others: shares are accurate to ` +
      `${points} points, and a group of fewer than about ${least} rows may be missed (${option("sample")} draws more)`,
    { option: "sample" },
  );
}
