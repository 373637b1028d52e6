import { option, optionError } from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import { shownOptions, type ClusteringMethod, type Elsewhere, type OpenMethod } from "../method/index.ts";
import { defaultMethod, knowsRows, methodNamed, requireNeeds } from "./methods.ts";
import {
  engineTarget,
  placeOf,
  requirePlainNumbers,
  sourcesOf,
  type EngineTarget,
  type Place,
} from "./input/place.ts";
import { refuse, type Request } from "./request.ts";

/** What will be done for a request. */
export interface Plan {
  readonly request: Request;
  readonly method: ClusteringMethod;
  readonly open: OpenMethod;
  /** The given options of the method. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly place: Place;
  /** Files, "-", or the name of a data set; none for an engine and for a table. */
  readonly sources: readonly string[];
  readonly table?: Table;
  /** The method learns by passes over all rows; absent: it fits rows in memory, all of them or a sample. */
  readonly passes?: Elsewhere;
  /** Something is known of some rows. */
  readonly hinted: boolean;
  /** Where an engine writes the labels. */
  readonly target?: EngineTarget;
}

/**
 * Decides what a request asks for: the method, the place of the rows, the way they are fitted. Whatever can be
 * refused without the rows is refused here.
 */
export async function planOf(request: Request): Promise<Plan> {
  const { rows = [] } = request;
  const method = methodNamed(request.method ?? defaultMethod(request));
  const open = await method.open();
  requireRoles(request);
  const table = "columns" in rows ? rows : undefined;
  const sources = "columns" in rows ? [] : sourcesOf(rows, request);
  const place = table === undefined ? placeOf(sources, request) : "memory";
  const byPasses = place !== "memory" && open.elsewhere !== undefined && request.sample === undefined;
  const passes = byPasses ? await open.elsewhere!() : undefined;
  if (place === "memory") {
    refuse(
      request,
      ["writeTable", "replace"],
      (name) => `${name} is for ${option("engine")} duckdb or spark`,
    );
    requireNeeds(
      method,
      request,
      `${option("labels")}, the known labels of some rows, or ${option("known")}, their column`,
    );
  } else requirePassable(request, method, place, { byPasses, source: sources[0] });
  if (place === "engine" && byPasses) requirePlainNumbers(request);
  const target = place === "engine" ? engineTarget(request) : undefined;
  return {
    request,
    method,
    open,
    own: ownOptions(passes?.options ?? open.options, request),
    place,
    sources,
    hinted: knowsRows(request),
    ...(table !== undefined && { table }),
    ...(passes !== undefined && { passes }),
    ...(target !== undefined && { target }),
  };
}

/** A column has one role. */
function requireRoles(request: Request): void {
  const { ignore, metric, scale, append, out } = request;
  if (metric !== undefined && scale !== undefined) {
    throw optionError(`${option("scale")}: the metric has its own scaling, which is applied to the rows`);
  }
  for (const role of ["label", "id", "known"] as const) {
    const column = request[role];
    if (column === undefined || ignore?.includes(column) !== true) continue;
    throw optionError(`the column "${column}" is named by both ${option(role)} and ${option("ignore")}`);
  }
  if (append === true && out === undefined) throw optionError(`${option("append")} is for ${option("out")}`);
}

/** Options that name or show single rows: rows that are not in memory are read in turn, and perhaps not all are fitted. */
function requirePassable(
  request: Request,
  method: ClusteringMethod,
  place: Place,
  { byPasses, source }: { readonly byPasses: boolean; readonly source: string },
): void {
  const { name, needs } = method;
  const remedy = "fit a sample as a file, and place the other rows with kindred apply";
  const why = byPasses
    ? `${name} learns by passes over the rows, which are not all in memory`
    : `${name} is fitted on a sample, which may lack these rows`;
  refuse(request, ["hints", "mustLink", "cannotLink", "labels"], (given) => `${given}: ${why}; ${remedy}`);
  if (needs.pairs === "required") throw optionError(`${name} needs pairs of rows; ${remedy}`);
  requireNeeds(method, request, `${option("known")}, the column with the known groups of some rows`);
  refuse(
    request,
    ["report", "show"],
    (given) => `${given}: it shows the rows, which are not all in memory; ${remedy}`,
  );
  if (request.append === true) {
    if (place === "engine") throw optionError(ENGINE_APPENDS);
    refuseDropped(request.missing, "of a stream");
  }
  if (place === "stream" && source === "-") {
    const times = byPasses ? "several times" : "twice: for the sample and for the labels";
    throw optionError(`standard input can be read only once, and ${name} reads it ${times}`);
  }
}

const ENGINE_APPENDS = `${option("append")} is for files: an engine writes all columns with the clusters, unless --id is given`;

/** A copy of the rows leaves none out, so a row must not be dropped before it has a label. */
export function refuseDropped(missing: string | undefined, where: string): void {
  if (missing !== "drop") return;
  throw optionError(
    `${option("append")} copies all rows, but ${option("missing")} drop leaves rows out ${where}; leave one of them out`,
  );
}

/** The options of a method in a request, by their names. */
export function ownOptions(rules: OpenMethod["options"], request: object): Record<string, unknown> {
  const given = request as Readonly<Record<string, unknown>>;
  const names = shownOptions(rules).map(({ name }) => name);
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}
