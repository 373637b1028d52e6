import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { fileError, option, optionError } from "../../core/internal.ts";
import type { Engine, EngineSource, EngineTableOptions } from "../../engine/index.ts";
import type { PassOptions } from "./passInput.ts";
import { wholeText } from "./wholeText.ts";

/** The options of a command for tables on an engine. */
export interface EngineOptions {
  /** `duckdb` or `spark`; a command may have further names that are not for tables. */
  readonly engine?: string;
  readonly query?: string;
  readonly table?: string;
  readonly database?: string;
  readonly remote?: string;
  readonly memory?: string;
  readonly setup?: string;
  readonly setupFile?: string;
  readonly stream?: boolean;
  readonly threads?: number;
}

const ENGINES = ["duckdb", "spark"] as const;

/** @param own further values of --engine in the command, and their purpose. */
export function engineOptions(
  command: Command,
  own: { readonly names: readonly string[]; readonly use: string } = { names: [], use: "" },
): void {
  command
    .optionsGroup("Databases and engines:")
    .addOption(
      new Option("--engine <name>", `${own.use}duckdb, spark: work on their tables`).choices([
        ...own.names,
        ...ENGINES,
      ]),
    )
    .option("--query <sql>", "with --engine: the rows of this query, such as: select * from 'a.parquet'")
    .option("--table <name>", "with --engine: the rows of this table")
    .option("--database <file>", "database file of DuckDB, for --table")
    .option("--memory <amount>", 'memory limit of DuckDB, such as "512MB" (default: 80 % of all)')
    .option("--setup <sql>", "with --engine: SQL statements to run first: install, load, attach, use, set")
    .option("--setup-file <file>", "with --engine: the same from a file, for statements with passwords")
    .option(
      "--remote <url>",
      "Spark server: sc://host:15002 (its token: KINDRED_SPARK_TOKEN, or ;token= in it)",
    )
    .optionsGroup("Options:");
}

/** The argument for data that may also be a table of an engine. */
export const OPTIONAL_DATA = "[data...]";

/** Whether the rows are on an engine; wrong combinations of options are refused here. */
export function isOnEngine(source: string | undefined, options: EngineOptions & PassOptions): boolean {
  const { engine, query, table, database, remote, memory, setup, setupFile } = options;
  const on = ENGINES.find((name) => name === engine);
  if (on === undefined) {
    const given = { query, table, database, remote, memory, setup, setupFile };
    const needless = Object.entries(given).find(([, value]) => value !== undefined);
    if (needless !== undefined) throw optionError(`${option(needless[0])} is for --engine duckdb or spark`);
    if (source === undefined) {
      throw optionError("give a file or the name of a data set, or --engine with --query or --table");
    }
    return false;
  }
  if (source !== undefined) {
    throw optionError(
      `--engine ${on} takes its rows from --query or --table, not from "${source}"` +
        (on === "duckdb" ? `; of a file: --query "select * from '${source}'"` : ""),
    );
  }
  if ((query === undefined) === (table === undefined)) {
    throw optionError(
      query === undefined
        ? `--engine ${on} needs --query or --table`
        : "--query and --table: give one of them",
    );
  }
  const misplaced = {
    "--database": database !== undefined && on === "spark",
    "--memory": memory !== undefined && on === "spark",
    "--remote": remote !== undefined && on === "duckdb",
  };
  for (const [name, given] of Object.entries(misplaced)) {
    if (given) throw optionError(`${name} is not for the engine ${on}`);
  }
  if (on === "duckdb" && table !== undefined && database === undefined && !hasSetup(options)) {
    throw optionError(
      "--table needs --database, the DuckDB file that has it, or --setup, which attaches another",
    );
  }
  if (setupFile !== undefined && !existsSync(setupFile)) throw fileError(`there is no file ${setupFile}`);
  // DuckDB would make an empty one.
  if (database !== undefined && !existsSync(database)) throw fileError(`there is no database ${database}`);
  if (on === "spark" && remote === undefined) {
    throw optionError("--engine spark needs --remote, such as sc://localhost:15002");
  }
  refuseFileOptions(on, options);
  return true;
}

function refuseFileOptions(engine: string, options: EngineOptions & PassOptions): void {
  const refused = {
    "--batch": options.batch,
    "--categorical": options.categorical,
    "--format": options.format,
    "--header": options.header,
    "--delimiter": options.delimiter,
    "--decimal": options.decimal,
    "--data": options.data,
    "--stream": options.stream,
  };
  const given = Object.entries(refused).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw optionError(`${given[0]}: not for tables of the engine ${engine}; a query can do the like`);
}

/** The table that the options name, for `engineTable`. */
export function engineSource({ query, table }: EngineOptions): EngineSource {
  return query === undefined ? { table: table! } : { query };
}

export function engineTableOptions({ label, id, ignore, missing }: PassOptions): EngineTableOptions {
  return { label, id, ignore, missing: missing === "drop" ? "drop" : "refuse" };
}

/** Opens the engine, and closes it when `work` ends or the process is told to end. */
export async function withEngine<T>(
  options: EngineOptions,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await openEngine(options);
  const stop = endingBySignal(engine);
  try {
    return await work(engine);
  } finally {
    stop();
    await engine.close();
  }
}

/** Ctrl-C ends the statement on the engine, which undoes its writing, and then the process. */
function endingBySignal(engine: Engine): () => void {
  const stop = (_: NodeJS.Signals, number: number): void => {
    const ended = (): never => process.exit(128 + number);
    // Gives the statement time to fail and to be cleaned up.
    void engine.close().finally(() => setTimeout(ended, 100));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return () => process.off("SIGINT", stop).off("SIGTERM", stop);
}

async function openEngine(options: EngineOptions): Promise<Engine> {
  const { engine, database, memory, threads, remote } = options;
  const setup = setupOf(options);
  if (engine === "duckdb") {
    const { duckdb } = await import("../../engine/duckdb.ts");
    return duckdb({ database, memory, threads, setup });
  }
  const { spark } = await import("../../engine/spark.ts");
  return spark({ remote: withToken(remote!), setup });
}

/** Whether statements run first, which may attach databases. */
export function hasSetup({ setup, setupFile }: Pick<EngineOptions, "setup" | "setupFile">): boolean {
  return setup !== undefined || setupFile !== undefined;
}

/** Bytes of a file of statements. */
const MOST_SETUP = 1e8;

/** The file comes first, so that the statements can use what it attaches. */
function setupOf({ setup, setupFile }: EngineOptions): string | undefined {
  if (setupFile === undefined) return setup;
  const read = wholeText(setupFile, MOST_SETUP, "list of statements");
  return setup === undefined ? read : `${read}\n;\n${setup}`;
}

/** A token should not be on a command line, where every user of the machine can read it. */
function withToken(remote: string): string {
  const token = process.env.KINDRED_SPARK_TOKEN;
  if (token === undefined || token === "" || /;token=/.test(remote)) return remote;
  const slashed = /^sc:\/\/[^/]*$/.test(remote) ? `${remote}/` : remote;
  return `${slashed}${slashed.endsWith(";") ? "" : ";"}token=${encodeURIComponent(token)}`;
}
