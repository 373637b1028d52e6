/**
 * Labels that SQL cannot express: the rows are streamed in batches, and their labels are written back. DuckDB
 * returns rows in no stable order, so they are first written to a file with a number each; the labels are
 * joined by that number.
 */
import { inputError, nodeModule } from "../../core/internal.ts";
import { joinedBatches, type EngineBatch } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { CLUSTER } from "./nearestCenter.ts";
import { checkedLabels, writeLabels, type LabelTarget, type WriteLabelsOptions } from "./writeLabels.ts";

/** The label of every row of a batch, -1 for a row in no cluster. */
export type PlaceRows = (batch: EngineBatch) => ArrayLike<number>;

const NUMBER = "kindred_number";

/** Number of rows placed at once. */
const AT_ONCE = 16_384;

/** @param onRows receives the number of rows placed so far. */
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
