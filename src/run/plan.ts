import {
  fileError,
  hasWildcard,
  nodeModule,
  option,
  optionError,
  pathExists,
  requireLabelFile,
  rule,
} from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import type { LabelTarget } from "../engine/index.ts";
import type { ClusteringMethod, Elsewhere, OpenMethod } from "../method/index.ts";
import { defaultMethod, knowsRows, methodNamed, requireNeeds } from "./methods.ts";
import {
  OF_ANY_KIND,
  OF_ENGINES,
  OF_FILES,
  type EngineWords,
  type Request,
  type RowsRequest,
  type TableRequest,
} from "./request.ts";

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
  // Passes over all rows learn nothing from some; hinted rows are in a sample.
  const byPasses =
    place !== "memory" &&
    open.elsewhere !== undefined &&
    request.sample === undefined &&
    namedRowFiles(request).length === 0 &&
    (place !== "engine" || !isOfAnyKind(request));
  const passes = byPasses ? await open.elsewhere!() : undefined;
  const own = ownOptions(passes?.options ?? open.options, request);
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
  if (place !== "memory" && request.weight !== undefined) {
    throw optionError(`${option("weight")} is for rows in memory; leave it out with ${option(place)}`);
  }
  const target = place === "engine" ? engineTarget(request) : undefined;
  return {
    request,
    method,
    open,
    own,
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
  if (request.embed === undefined) {
    const why = (name: string): string => `${name} is for ${option("embed")}: give it the model`;
    refuse(request, ["embedUrl", "embedColumn", "embedCache"], why);
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
  const { name } = method;
  const remedy = "fit a sample as a file, and place the other rows with kindred apply";
  const files = namedRowFiles(request);
  if (files.length > 0 && request.id === undefined) {
    throw optionError(
      `${option(files[0])}: rows that are not all in memory are called by their ids; give ${option("id")}, their column`,
    );
  }
  const given = files.find((file) => typeof request[file] !== "string" || request[file] === "-");
  if (given !== undefined) {
    throw optionError(`${option(given)} is read twice where rows are not all in memory: give a file`);
  }
  requireNeeds(method, request, `${option("known")}, the column with the known groups of some rows`);
  refuse(
    request,
    ["report", "show"],
    (given) => `${given}: it shows the rows, which are not all in memory; ${remedy}`,
  );
  refuse(request, ["embed"], (given) => `${given}: the rows must be in memory; ${remedy}`);
  if (request.append === true) {
    if (place === "engine") {
      throw optionError(
        `${option("append")} is for files: an engine writes all columns with the clusters, unless --id is given`,
      );
    }
    refuseDropped(request.missing, "of a stream");
  }
  if (place === "stream" && source === "-") {
    const times = byPasses ? "several times" : "twice: for the sample and for the labels";
    throw optionError(`standard input can be read only once, and ${name} reads it ${times}`);
  }
}

/** What a request knows of rows by their names. */
export function namedRowFiles(request: Request) {
  return (["hints", "mustLink", "cannotLink", "labels"] as const).filter(
    (name) => request[name] !== undefined,
  );
}

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
  const names = rule.shownOptions(rules).map(({ name }) => name);
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}

/** Where the rows of a request are. */
export type Place = "memory" | "stream" | "engine";

/** Rows that come through a pipe need no "-". */
export function sourcesOf(given: readonly string[], { engine }: RowsRequest): readonly string[] {
  if (given.length > 0 || engine !== undefined) return given;
  return nodeModule<{ stdin?: { isTTY?: boolean } }>("process")?.stdin?.isTTY === true ? given : ["-"];
}

/** Where the rows are; wrong combinations of options are refused here, before anything is read. */
export function placeOf(sources: readonly string[], request: RowsRequest): Place {
  if (isOnEngine(sources, request)) return "engine";
  const [source] = sources;
  const isPattern = !pathExists(source) && hasWildcard(source);
  return sources.length === 1 && (request.stream === true || isPattern) ? "stream" : "memory";
}

/** Whether a request says what columns become that are no plain numbers. */
function isOfAnyKind(request: Request): boolean {
  return request.missing === "fill" || OF_ANY_KIND.some((name) => request[name] !== undefined);
}

/** Sums over rows that are not all in memory need plain numbers in every cell. */
export function requirePlainNumbers(request: TableRequest): void {
  if (request.missing === "fill") {
    throw optionError(`${option("missing")} fill needs all rows at once; give drop or refuse`);
  }
  const wrong = "needs all rows at once: a stream or an engine has columns of plain numbers";
  refuse(request, OF_ANY_KIND, (name) => `${name} ${wrong}`);
}

/** Whether the rows of a request are on an engine; wrong combinations of options are refused here. */
function isOnEngine(sources: readonly string[], request: RowsRequest): boolean {
  const { engine, query, table, database, setupFile, remote } = request;
  const [source] = sources;
  if (engine === undefined) {
    refuse(request, OF_ENGINES, (name) => `${name} is for --engine duckdb or spark`);
    if (source === undefined) {
      throw optionError("give a file or the name of a data set, or --engine with --query or --table");
    }
    return false;
  }
  if (source !== undefined) {
    throw optionError(
      `--engine ${engine} takes its rows from --query or --table, not from "${source}"` +
        (engine === "duckdb" ? `; of a file: --query "select * from '${source}'"` : ""),
    );
  }
  if ((query === undefined) === (table === undefined)) {
    throw optionError(
      query === undefined
        ? `--engine ${engine} needs --query or --table`
        : "--query and --table: give one of them",
    );
  }
  const others = engine === "spark" ? ["database", "memory"] : ["remote"];
  refuse(request, others, (name) => `${name} is not for the engine ${engine}`);
  if (engine === "duckdb" && table !== undefined && database === undefined && !hasSetup(request)) {
    throw optionError(
      "--table needs --database, the DuckDB file that has it, or --setup, which attaches another",
    );
  }
  if (setupFile !== undefined && !pathExists(setupFile)) throw fileError(`there is no file ${setupFile}`);
  // DuckDB would make an empty one.
  if (database !== undefined && !pathExists(database)) throw fileError(`there is no database ${database}`);
  if (engine === "spark" && remote === undefined) {
    throw optionError("--engine spark needs --remote, such as sc://localhost:15002");
  }
  refuse(
    request,
    [...OF_FILES.filter((name) => name !== "vector"), "stream"],
    (name) => `${name}: not for tables of the engine ${engine}; a query can do the like`,
  );
  return true;
}

/** Where an engine writes the labels, for people and for the engine. */
export interface EngineTarget {
  readonly to: LabelTarget;
  readonly name: string;
}

/** The place of the labels that a request names, checked before long work; undefined if they are not written. */
export function engineTarget(
  request: EngineWords & { readonly out?: string; readonly writeTable?: string; readonly replace?: boolean },
): EngineTarget | undefined {
  const { out, writeTable, engine, replace, database } = request;
  if (out !== undefined && writeTable !== undefined)
    throw optionError("--out and --write-table: give only one of them, labels are written once");
  if (replace === true && writeTable === undefined)
    throw optionError("--replace is for --write-table; a file is replaced anyway, a folder never");
  if (writeTable !== undefined) {
    if (engine === "duckdb" && database === undefined && !hasSetup(request)) {
      throw optionError("--write-table needs --database, the DuckDB file for the table, or --setup");
    }
    return { to: { table: writeTable }, name: `the table ${writeTable}` };
  }
  if (out === undefined) return undefined;
  if (out === "-") {
    throw optionError("--out -: the engine writes the labels; give a file (.parquet, .csv) or a folder/");
  }
  if (engine === "spark" && !/^(?:\/|\w+:)/.test(out)) {
    throw optionError(
      `--out ${out}: Spark would put it into the folder of its server; give a whole path or an address (s3://..., file:/...), or --write-table`,
    );
  }
  if (engine === "spark" || out.endsWith("/")) return { to: { folder: out }, name: out };
  requireLabelFile(out);
  return { to: { file: out }, name: out };
}

/** Whether statements run first, which may attach databases. */
function hasSetup({ setup, setupFile }: EngineWords): boolean {
  return setup !== undefined || setupFile !== undefined;
}

/** Refuses the first of these options that is given. */
export function refuse(request: object, names: readonly string[], why: (option: string) => string): void {
  const given = request as Readonly<Record<string, unknown>>;
  const name = names.find((one) => given[one] !== undefined);
  if (name !== undefined) throw optionError(why(option(name)));
}
