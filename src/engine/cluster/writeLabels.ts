import { inputError, optionError, requireLabelFile, rule, nodeModule } from "../../core/internal.ts";
import type { GaussianMixtureModel } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { compiledInParts, answer, type Engine, joinedBatches, type EngineBatch } from "../engine.ts";
import { columnsOf, tableName, type EngineTable } from "../engineTable.ts";
import { mostProbable } from "./mostProbable.ts";
import { CLUSTER, nearestCenter } from "./nearestCenter.ts";
import { putInPlace, requirePlace, requireTable, writeParquet, writeTable } from "../writeTable.ts";

/**
 * The rule for the cluster of a row: the nearest of the centres, the most probable component of a mixture,
 * or SQL.
 */
export type Labelling = { readonly centers: Matrix } | GaussianMixtureModel | RowClusters;

/** A subquery over the rows of the table, with the additional columns and `kindred_cluster`. */
export interface RowClusters {
  readonly clusters: number;
  clusterRows(carried: readonly string[]): string;
}

/**
 * Where labels go. A `file` ends in .parquet or .csv (DuckDB); a `folder` has Parquet files: with DuckDB one
 * folder for each cluster (cluster=0 ...), with Spark in its file system; a `table` belongs to the engine.
 */
export type LabelTarget =
  | { readonly file: string }
  | { readonly folder: string }
  | { readonly table: string };

const RULES = {
  /**
   * Columns beside the cluster: the id, if the table has one, or ("all") every column. Default: the id if
   * there is one.
   */
  columns: rule.oneOf(["id", "all"]),
  /** Name of the column of labels. */
  name: rule.given<string>(
    "the name of a column",
    (value) => typeof value === "string" && value !== "",
    "cluster",
  ),
  /** Whether to replace a table of that name. Files are replaced when the new one is complete. */
  replace: rule.flag(false),
};

export type WriteLabelsOptions = rule.OptionsOf<typeof RULES>;

/**
 * The engine writes the cluster of every row of the table, completely or not at all; the labels are not
 * transferred. Returns the number of rows of each cluster.
 */
export async function writeLabels(
  table: EngineTable,
  labelling: Labelling,
  to: LabelTarget,
  options: WriteLabelsOptions = {},
): Promise<Float64Array> {
  const { kept, name, replace } = await checkedLabels(table, to, options);
  const { engine } = table;
  const { dialect } = engine;
  const label = dialect.name(name);
  const carried = kept.map((column) => dialect.name(column));
  const rows = labelledRows(table, labelling, carried);
  const select = `select ${[...carried, `${CLUSTER} as ${label}`].join(", ")} from ${rows}`;
  const written = await compiledInParts(engine, () => write(engine, select, to, name, replace));
  const K = "clusters" in labelling ? labelling.clusters : labelling.centers.rows;
  const found = await answer(engine, `select ${label}, count(*) from ${written} group by ${label}`);
  const sizes = new Float64Array(K);
  for (let g = 0; g < found.rows; g++) sizes[Number(found.columns[0][g])] = Number(found.columns[1][g]);
  return sizes;
}

interface CheckedLabels {
  /** Columns beside the cluster. */
  readonly kept: readonly string[];
  readonly name: string;
  readonly replace: boolean;
}

/** Refuses names that labels cannot have or go to; for use before long work. */
export async function checkedLabels(
  table: EngineTable,
  to: LabelTarget,
  options: WriteLabelsOptions,
): Promise<CheckedLabels> {
  const { name, replace, ...resolved } = rule.resolveOptions("writeLabels", options, RULES);
  const { engine, id, source, from, shown = from } = table;
  const onSpark = engine.dialect.engine === "spark";
  const columns = resolved.columns ?? (id === undefined ? "all" : "id");
  if (columns === "id" && id === undefined)
    throw optionError('writeLabels: "columns" is "id", but the table was opened without one');
  if ("file" in to) {
    if (onSpark) throw optionError(`Spark writes labels to a table or a folder, not to a file (${to.file})`);
    requireLabelFile(to.file);
    requirePlace(to.file, "file");
  } else if ("table" in to) await requireTable(engine, to.table, replace);
  else if (!onSpark) requirePlace(to.folder, "folder");
  const kept = columns === "id" ? [id!] : (await columnsOf(engine, shown)).map((column) => column.name);
  const taken = kept.find((column) => column.toLowerCase() === name.toLowerCase());
  if (taken !== undefined) {
    throw inputError(
      `${source} has a column "${taken}" already, which is the name of the column of labels: ` +
        "rename it in a query, or leave it out",
    );
  }
  return { kept, name, replace };
}

function labelledRows(table: EngineTable, labelling: Labelling, carried: readonly string[]): string {
  if ("clusterRows" in labelling) return labelling.clusterRows(carried);
  // A mixture also has centres, but its clusters are not the nearest ones.
  if ("covariances" in labelling) return mostProbable(table, labelling, carried);
  return nearestCenter(table, labelling.centers, carried);
}

/** Returns the FROM clause for reading it. */
async function write(
  engine: Engine,
  select: string,
  to: LabelTarget,
  name: string,
  replace: boolean,
): Promise<string> {
  const { dialect } = engine;
  if ("table" in to) {
    await writeTable(engine, to.table, select, { replace });
    return tableName(to.table, dialect);
  }
  if ("folder" in to) {
    if (dialect.engine === "spark") {
      await writeParquet(engine, to.folder, select);
      return `parquet.${dialect.name(to.folder)}`;
    }
    await writeParquet(engine, to.folder, select, { partition: [name] });
    return `read_parquet(${dialect.text(`${to.folder.replace(/\/+$/, "")}/*/*.parquet`)}, hive_partitioning = true)`;
  }
  if (to.file.endsWith(".parquet")) {
    await writeParquet(engine, to.file, select);
    return `read_parquet(${dialect.text(to.file)})`;
  }
  await putInPlace(to.file, "file", (place) =>
    engine.run(`copy (${select}) to ${dialect.text(place)} (format csv, header true)`),
  );
  return `read_csv(${dialect.text(to.file)}, header = true)`;
}

/** The label of every row of a batch, -1 for a row in no cluster. */
export type PlaceRows = (batch: EngineBatch) => ArrayLike<number>;

const NUMBER = "kindred_number";

/** Number of rows placed at once. */
const AT_ONCE = 16_384;

/**
 * Labels that SQL cannot express: the rows are streamed in batches, and their labels are written back. DuckDB
 * returns rows in no stable order, so they are first written to a file with a number each; the labels are
 * joined by that number.
 *
 * @param onRows receives the number of rows placed so far.
 */
export async function writeFoundLabels(
  table: EngineTable,
  clusters: number,
  place: PlaceRows,
  to: LabelTarget,
  { onRows, ...options }: WriteLabelsOptions & { readonly onRows?: (rows: number) => void } = {},
): Promise<Float64Array> {
  const { engine, from } = table;
  const { dialect } = engine;
  const fs = nodeModule<typeof import("node:fs")>("fs");
  const os = nodeModule<typeof import("node:os")>("os");
  const paths = nodeModule<typeof import("node:path")>("path");
  if (dialect.engine !== "duckdb" || fs === undefined || os === undefined || paths === undefined) {
    throw inputError(
      "labels found locally can only be written back to DuckDB; Spark itself places a model whose clusters have centres",
      { code: "no-sql" },
    );
  }
  await checkedLabels(table, to, options);
  const beside = "file" in to ? to.file : "folder" in to ? to.folder.replace(/\/+$/, "") : undefined;
  const local = beside !== undefined && !/^\w+:\/\//.test(beside);
  const folder = fs.mkdtempSync(
    paths.join(local ? paths.dirname(paths.resolve(beside)) : os.tmpdir(), ".kindred-rows-"),
  );
  // Also if a signal ends the process.
  const remove = (): void => fs.rmSync(folder, { recursive: true, force: true });
  const host = nodeModule<typeof import("node:process")>("process");
  host?.once("exit", remove);
  try {
    const [rows, labels] = ["rows.parquet", "labels.csv"].map((name) => paths.join(folder, name));
    const numbered = `select *, row_number() over () as ${NUMBER} from ${from}`;
    await engine.run(`copy (${numbered}) to ${dialect.text(rows)} (format parquet)`);
    const stored = `read_parquet(${dialect.text(rows)})`;
    const file = fs.openSync(labels, "w");
    try {
      let done = 0;
      for await (const batch of atOnce(engine.query(`select * from ${stored}`))) {
        const found = place(batch);
        const numbers = batch.columns[batch.names.indexOf(NUMBER)];
        const lines = Array.from(numbers as Float64Array, (number, i) => `${number},${found[i]}\n`);
        fs.writeSync(file, lines.join(""));
        onRows?.((done += batch.rows));
      }
    } finally {
      fs.closeSync(file);
    }
    const types = `{${dialect.text(NUMBER)}: 'bigint', ${dialect.text(CLUSTER)}: 'integer'}`;
    const read = `read_csv(${dialect.text(labels)}, header = false, columns = ${types})`;
    const joined = `${stored} join ${read} using (${NUMBER})`;
    const clusterRows = (carried: readonly string[]): string =>
      `(select ${[...carried, CLUSTER].join(", ")} from ${joined}) as kindred_labelled`;
    return await writeLabels(table, { clusters, clusterRows }, to, options);
  } finally {
    host?.off("exit", remove);
    remove();
  }
}

async function* atOnce(batches: AsyncIterable<EngineBatch>): AsyncGenerator<EngineBatch> {
  let kept: EngineBatch[] = [];
  let rows = 0;
  for await (const batch of batches) {
    kept.push(batch);
    rows += batch.rows;
    if (rows < AT_ONCE) continue;
    yield joinedBatches(kept);
    for (const { release } of kept) release?.();
    kept = [];
    rows = 0;
  }
  if (rows > 0) yield joinedBatches(kept);
}
