import { optionError } from "../../core/internal.ts";
import type { LabelTarget } from "../../engine/index.ts";
import { requireFileName } from "../../engine/internal.ts";
import type { ClusterFlags } from "../commands/cluster.ts";
import { outputFile, requireDifferent } from "../output/outputFile.ts";
import { hasSetup } from "./engineInput.ts";

/** Where an engine writes labels, checked before long work. */
export function engineTarget(
  options: Pick<
    ClusterFlags,
    "out" | "writeTable" | "replace" | "engine" | "database" | "model" | "setup" | "setupFile"
  >,
): Target | undefined {
  const { out, writeTable, engine: name } = options;
  if (out !== undefined && writeTable !== undefined)
    throw optionError("--out and --write-table: give only one of them, labels are written once");
  if (options.replace === true && writeTable === undefined)
    throw optionError("--replace is for --write-table; a file is replaced anyway, a folder never");
  requireDifferent({ "--out": out, "--model": options.model });
  if (writeTable !== undefined) {
    if (name === "duckdb" && options.database === undefined && !hasSetup(options)) {
      throw optionError("--write-table needs --database, the DuckDB file for the table, or --setup");
    }
    return { to: { table: writeTable }, told: `the table ${writeTable}` };
  }
  if (out === undefined) return undefined;
  if (out === "-") {
    throw optionError("--out -: the engine writes the labels; give a file (.parquet, .csv) or a folder/");
  }
  if (name === "spark" && !/^(?:\/|\w+:)/.test(out)) {
    throw optionError(
      `--out ${out}: Spark would put it into the folder of its server; give a whole path or an address (s3://..., file:/...), or --write-table`,
    );
  }
  if (name === "spark" || out.endsWith("/")) return { to: { folder: out }, told: out };
  requireFileName(out);
  outputFile(out, "--out");
  return { to: { file: out }, told: out };
}

export interface Target {
  readonly to: LabelTarget;
  readonly told: string;
}
