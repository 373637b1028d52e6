import {
  fileError,
  hasWildcard,
  nodeModule,
  option,
  optionError,
  pathExists,
  requireLabelFile,
} from "../../core/internal.ts";
import type { LabelTarget } from "../../engine/index.ts";
import {
  OF_ANY_KIND,
  OF_ENGINES,
  OF_FILES,
  refuse,
  type EngineWords,
  type RowsRequest,
  type TableRequest,
} from "../request.ts";

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
  const pattern = hasWildcard(source) && !pathExists(source);
  return sources.length === 1 && (request.stream === true || pattern) ? "stream" : "memory";
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
