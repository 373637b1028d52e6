/**
 * Rows written by the engine itself, completely or not at all: a reader of the table finds the old rows, the
 * new ones or no table, whatever happens to the engine or to this process. DuckDB does so with every
 * statement. Spark does not: an interrupted CREATE TABLE AS may leave files under the table's name, so the
 * rows first go to a table of another name, which is then renamed.
 */
import { inputError, rule, fileError, nodeModule } from "../core/internal.ts";
import type { Dialect } from "./dialect.ts";
import { answer, isLost, type Engine, withSetting } from "./engine.ts";
import { tableName } from "./engineTable.ts";

const TABLE_RULES = {
  /** Whether to replace a table of that name; otherwise it is an error. */
  replace: rule.flag(false),
};

const PARQUET_RULES = {
  /** The columns whose values divide the rows into folders (column=value). */
  partition: rule.given<readonly string[]>(
    "an array of column names",
    (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    [],
  ),
};

export type WriteTableOptions = rule.OptionsOf<typeof TABLE_RULES>;
export type WriteParquetOptions = rule.OptionsOf<typeof PARQUET_RULES>;

/** Writes the rows of a query as a table. */
export async function writeTable(
  engine: Engine,
  name: string,
  select: string,
  options: WriteTableOptions = {},
): Promise<void> {
  const { replace } = rule.resolveOptions("writeTable", options, TABLE_RULES);
  const target = tableName(name, engine.dialect);
  const taken = await requireTable(engine, name, replace);
  if (engine.dialect.engine === "duckdb") {
    await engine.run(`create ${replace ? "or replace " : ""}table ${target} as ${select}`);
    return;
  }
  await sweep(engine, name);
  const staging = besides(name, STAGING);
  const create = (): Promise<void> =>
    stagedAs(engine, staging, `create table ${tableName(staging, engine.dialect)} as ${select}`);
  await (BEFORE_4.test(engine.name) ? withSetting(engine, OWN_FORMAT, create) : create());
  try {
    if (!taken) return await rename(engine, staging, name);
    const old = besides(name, REPLACED);
    await rename(engine, name, old);
    try {
      await rename(engine, staging, name);
    } catch (error) {
      await rename(engine, old, name);
      throw error;
    }
    await engine.run(`drop table ${tableName(old, engine.dialect)}`);
  } catch (error) {
    if (!isLost(error)) await drop(engine, staging);
    throw error;
  }
}

/** Refuses the name of an existing table, unless it is replaced; returns whether there is one. */
export async function requireTable(engine: Engine, name: string, replace: boolean): Promise<boolean> {
  const taken = await exists(engine, tableName(name, engine.dialect));
  if (taken && !replace)
    throw inputError(`there is a table ${name} already: choose another name, or replace it`);
  return taken;
}

/**
 * Writes the rows of a query as Parquet: with DuckDB a file, or a folder if there are partition columns; with
 * Spark a folder in the file system of the cluster, which is complete if it holds a file _SUCCESS. A file is
 * replaced when the new one is complete; a folder has to be new or empty.
 */
export async function writeParquet(
  engine: Engine,
  path: string,
  select: string,
  options: WriteParquetOptions = {},
): Promise<void> {
  const { partition } = rule.resolveOptions("writeParquet", options, PARQUET_RULES);
  try {
    if (engine.dialect.engine === "duckdb") await copyTo(engine, path, select, partition);
    else await externalTable(engine, path, select, partition);
  } catch (error) {
    if (!/non-empty directory|is not empty/.test((error as Error).message)) throw error;
    throw inputError(`the folder ${path} is not empty: choose another`);
  }
}

async function copyTo(
  { dialect, run }: Engine,
  path: string,
  select: string,
  partition: readonly string[],
): Promise<void> {
  const way = partition.length === 0 ? "" : `, partition_by (${listed(partition, dialect)})`;
  await putInPlace(path, partition.length === 0 ? "file" : "folder", (place) =>
    run(`copy (${select}) to ${dialect.text(place)} (format parquet${way})`),
  );
}

/** An external table: when it is dropped, its files stay. */
async function externalTable(
  engine: Engine,
  path: string,
  select: string,
  partition: readonly string[],
): Promise<void> {
  const { dialect } = engine;
  const staging = besides("parquet", STAGING);
  const by = partition.length === 0 ? "" : ` partitioned by (${listed(partition, dialect)})`;
  const place = `using parquet${by} location ${dialect.text(path)}`;
  await stagedAs(engine, staging, `create table ${dialect.name(staging)} ${place} as ${select}`);
  await engine.run(`drop table ${dialect.name(staging)}`);
}

function listed(columns: readonly string[], dialect: Dialect): string {
  return columns.map((column) => dialect.name(column)).join(", ");
}

const BEFORE_4 = /^Spark [123]\./;
/** Tables have the format of the catalog, as from Spark 4 on, and not that of Hive, which may be absent. */
const OWN_FORMAT = ["spark.sql.legacy.createHiveTableByDefault", "false", "true"] as const;

const STAGING = "kindred";
const REPLACED = "kindred_old";
const DAY = 86_400_000;

/** A unique name in the same schema that contains the time. */
function besides(name: string, purpose: string): string {
  const random = Math.floor(Math.random() * 36 ** 6).toString(36);
  return `${name}__${purpose}_${Date.now().toString(36)}_${random}`;
}

async function stagedAs(engine: Engine, staging: string, statement: string): Promise<void> {
  try {
    await engine.run(statement);
  } catch (error) {
    if (!isLost(error)) await drop(engine, staging);
    throw error;
  }
}

/** Cleaning up after a failure: the caller gets the original error. */
async function drop(engine: Engine, name: string): Promise<void> {
  await engine.run(`drop table if exists ${tableName(name, engine.dialect)}`).catch(() => undefined);
}

async function rename(engine: Engine, from: string, to: string): Promise<void> {
  // The catalog stays the same, and Spark does not accept it a second time.
  const parts = to.split(".");
  const within = (parts.length > 2 ? parts.slice(1) : parts).join(".");
  await engine.run(
    `alter table ${tableName(from, engine.dialect)} rename to ${tableName(within, engine.dialect)}`,
  );
}

async function exists(engine: Engine, target: string): Promise<boolean> {
  try {
    await engine.run(engine.dialect.describe(target));
    return true;
  } catch (error) {
    if (/TABLE_OR_VIEW_NOT_FOUND|Table with name .* does not exist/.test((error as Error).message))
      return false;
    throw error;
  }
}

/** Drops leftovers of killed writers of the same table, after a safe time. */
async function sweep(engine: Engine, name: string): Promise<void> {
  const parts = name.split(".");
  const table = parts.pop()!;
  const schema = parts.length === 0 ? "" : ` in ${tableName(parts.join("."), engine.dialect)}`;
  const pattern = engine.dialect.text(`*__${STAGING}_*`);
  const { names, columns } = await answer(engine, `show tables${schema} like ${pattern}`);
  const found = (columns[names.indexOf("tableName")] ?? []) as readonly string[];
  for (const left of found) {
    const [own, made] = left.split(`__${STAGING}_`);
    const age = Date.now() - Number.parseInt(made.split("_")[0], 36);
    if (own === table.toLowerCase() && age > DAY) await drop(engine, [...parts, left].join("."));
  }
}

/**
 * Writes a file or folder of this machine under another name and renames it when it is complete: a reader
 * sees the old one, the new one or none, and a failure leaves nothing. Addresses (s3://...) are written
 * directly, because their stores write completely or not at all.
 */
export async function putInPlace(
  path: string,
  kind: "file" | "folder",
  write: (path: string) => Promise<void>,
): Promise<void> {
  const fs = nodeModule<typeof import("node:fs")>("fs");
  const paths = nodeModule<typeof import("node:path")>("path");
  if (fs === undefined || paths === undefined || isAddress(path)) return write(path);
  const target = paths.resolve(path);
  requirePlace(path, kind);
  const random = Math.floor(Math.random() * 36 ** 8).toString(36);
  const temporary = paths.join(paths.dirname(target), `.${paths.basename(target)}.${random}.tmp`);
  try {
    await write(temporary);
    if (kind === "folder" && fs.existsSync(target)) fs.rmdirSync(target);
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Refuses a name that cannot be written to, before long work. */
export function requirePlace(path: string, kind: "file" | "folder"): void {
  const fs = nodeModule<typeof import("node:fs")>("fs");
  const paths = nodeModule<typeof import("node:path")>("path");
  if (fs === undefined || paths === undefined || isAddress(path)) return;
  const target = paths.resolve(path);
  const parent = paths.dirname(target);
  if (!fs.existsSync(parent))
    throw fileError(`${path} cannot be written: the folder ${parent} does not exist`);
  const existing = fs.statSync(target, { throwIfNoEntry: false });
  if (kind === "file" && existing?.isDirectory()) throw fileError(`${path} is a folder, not a file`);
  if (kind === "file" || existing === undefined) return;
  if (!existing.isDirectory()) throw fileError(`${path} is a file, not a folder`);
  if (fs.readdirSync(target).length > 0) throw inputError(`the folder ${path} is not empty: choose another`);
}

function isAddress(path: string): boolean {
  return /^\w+:\/\//.test(path);
}
