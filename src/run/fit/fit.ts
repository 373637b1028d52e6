import type { Note } from "../../core/index.ts";
import { option, optionError, requireRows } from "../../core/internal.ts";
import type { Hints } from "../../data/index.ts";
import { isSparse } from "../../matrix/index.ts";
import { type FitContext, type FitOptions, type Fitted, shownOptions } from "../../method/index.ts";
import type { ClusterOptions } from "../cluster.ts";
import { defaultMethod, methodNamed, requireNeeds, unknownOption } from "../methods.ts";
import { COLUMN_OPTIONS, type Prepared } from "../input/prepare.ts";
import { fitBySample, fittedRows } from "./sample.ts";

/** Options of `cluster` that a method may have as its own. */
const SETTINGS: readonly string[] = ["adjust", "names", "method", "sample"];

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
  /** About rows that were not fitted. */
  readonly notes: readonly Note[];
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
  const links = pairs > 0 || needs.pairs !== undefined ? { mustLink, cannotLink } : {};
  requireNeeds(method, { clusters, labels, ...links });
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
  const { fitted, ...sampled } =
    size < X.rows && !isSparse(X)
      ? await fitBySample(method, { fit }, X, size, given, context, options.onProgress)
      : { fitted: await fit(X, given, context), notes: [] };
  return { ...about, ...sampled, fitted: { ...fitted, warnings: [...contradictions, ...fitted.warnings] } };
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
