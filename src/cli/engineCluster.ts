import { inputError, optionError } from "../core/errors.ts";
import { note, type Note } from "../core/notes.ts";
import type { Scaling } from "../data/index.ts";
import {
  answer,
  engineTable,
  scaledTable,
  transformedTable,
  writeLabels,
  type Engine,
  type EngineTable,
  type LabelTarget,
} from "../engine/index.ts";
import { requireFileName, requireLabelTarget } from "../engine/cluster/writeLabels.ts";
import { passClustering } from "../front/passes.ts";
import { setThreads } from "../matrix/index.ts";
import type { OpenMethod } from "../method/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import { columnScaling, type ColumnStatistics } from "../scale/index.ts";
import type { ClusterFlags } from "./commands/cluster.ts";
import { engineSource, engineTableOptions, routeText, withEngine } from "./options/engineInput.ts";
import { plainScaling, readMetricFile, requireColumns, type MetricFile } from "./options/metricFile.ts";
import { passInput } from "./options/passInput.ts";
import { scaleOfSums } from "./options/rows.ts";
import { ownOptions } from "./options/methodFlags.ts";
import { clusterJson } from "./output/clusterJson.ts";
import { clusterText, SCALING_NAMES } from "./output/clusterText.ts";
import { outputFile, requireDifferent } from "./output/outputFile.ts";
import { progressLine } from "./output/progressLine.ts";
import { tell, writeOut } from "./output/stdout.ts";
import { requirePasses, setAside } from "./streamedCluster.ts";

/** `kindred cluster` of a table that an engine has; the engine writes the labels. */
export async function clusterOnEngine(options: ClusterFlags, open: OpenMethod): Promise<void> {
  const elsewhere = await requirePasses(options, open, "on an engine");
  const target = checkedTarget(options);
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const metricFile = options.metric === undefined ? undefined : readMetricFile(options.metric);
  if (options.threads !== undefined) setThreads(options.threads);
  const own = ownOptions(elsewhere.options, options);
  const { method, clusters, seed = 0, label } = options;
  await withEngine(options, async (engine) => {
    const stop = endingBySignal(engine);
    const progress = progressLine();
    try {
      const begun = performance.now();
      progress.onProgress({ fraction: 0, label: "columns" });
      const opened = await engineTable(engine, engineSource(options), engineTableOptions(passInput(options)));
      const rows = metricFile === undefined ? scaled(opened, options) : measured(opened.table, metricFile);
      const writing = { replace: options.replace === true };
      if (target !== undefined) await requireLabelTarget(rows.table, target.to, writing);
      const fitting = performance.now();
      const { onProgress } = progress;
      const fit = await elsewhere.onEngine(rows.table, { ...own, clusters, seed, onProgress });
      const end = performance.now();
      progress.onProgress({ fraction: 0.99, label: "labels" });
      const sizes =
        target === undefined ? fit.sizes : await writeLabels(rows.table, fit.labelling, target.to, writing);
      progress.done();
      const clustering = passClustering(fit, {
        method,
        own,
        seed,
        scaling: rows.scaling,
        ...(rows.metric !== undefined && { metric: rows.metric.toJSON() }),
        sizes,
        notes: [
          note("reading", `${fit.passes} passes over the table`),
          ...opened.table.notes.map((message) => note("reading", message)),
          ...setAside(label),
          ...rows.notes,
        ],
      });
      const about = {
        source: opened.table.source,
        rows: fit.rows,
        features: fit.placing.means.cols,
        scaling: SCALING_NAMES[rows.scaling.kind],
        label: null,
        scores: null,
        seconds: (end - fitting) / 1000,
        readSeconds: (fitting - begun) / 1000,
        engine: `${engine.name}, ${routeText(fit.route)}`,
        threads: await threadsOf(engine),
        notes: [],
      };
      await modelFile?.write([`${JSON.stringify(clustering)}\n`]);
      if (options.json === true)
        return await writeOut([`${JSON.stringify(clusterJson(clustering, about))}\n`]);
      await writeOut([clusterText(clustering, about, fit.facts)]);
      if (target !== undefined) tell(`wrote ${target.told}`);
      if (modelFile !== undefined) tell(`wrote ${modelFile.path}`);
    } finally {
      progress.done();
      stop();
    }
  });
}

/** Ctrl-C ends the statement on the engine, so that what it was writing is taken back, and then the process. */
function endingBySignal(engine: Engine): () => void {
  const stop = (_: NodeJS.Signals, number: number): void => {
    const ended = (): never => process.exit(128 + number);
    // A moment for the statement to fail and be tidied up after.
    void engine.close().finally(() => setTimeout(ended, 100));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return () => process.off("SIGINT", stop).off("SIGTERM", stop);
}

interface Target {
  readonly to: LabelTarget;
  readonly told: string;
}

/** Where labels go, checked before long work. */
function checkedTarget(options: ClusterFlags): Target | undefined {
  const { out, writeTable, engine } = options;
  if (options.report !== undefined)
    throw optionError("--report: a page needs all rows at once, which an engine keeps");
  if (out !== undefined && writeTable !== undefined)
    throw optionError("--out and --write-table: labels are written once, give one of them");
  if (options.replace === true && writeTable === undefined)
    throw optionError("--replace is for --write-table; a file is replaced anyway, a folder never");
  requireDifferent({ "--out": out, "--model": options.model });
  if (writeTable !== undefined) {
    if (engine === "duckdb" && options.database === undefined) {
      throw optionError("--write-table needs --database, the file of DuckDB that keeps the table");
    }
    return { to: { table: writeTable }, told: `the table ${writeTable}` };
  }
  if (out === undefined) return undefined;
  if (out === "-") {
    throw optionError("--out -: the engine writes the labels; give a file (.parquet, .csv) or a folder/");
  }
  if (engine === "spark" || out.endsWith("/")) return { to: { folder: out }, told: out };
  requireFileName(out);
  outputFile(out, "--out");
  return { to: { file: out }, told: out };
}

interface Rows {
  readonly table: EngineTable;
  readonly scaling: Scaling;
  readonly metric?: Mahalanobis;
  readonly notes: readonly Note[];
}

function scaled(
  { table, statistics }: { readonly table: EngineTable; readonly statistics: ColumnStatistics },
  options: ClusterFlags,
): Rows {
  const { scaling, notes } = columnScaling(statistics, scaleOfSums(options));
  return {
    table: scaledTable(table, scaling),
    scaling,
    notes: notes.map((message) => note("scaling", message)),
  };
}

/** The features under a learned metric, which knows its columns by name. */
function measured(table: EngineTable, file: MetricFile): Rows {
  const { path, metric } = file;
  const scaling = plainScaling(file);
  const names = table.features.map(({ name }) => name);
  requireColumns({ source: table.source, names }, { path, scaling });
  const features = scaling.columns.map((name) => table.features[names.indexOf(name)]);
  if (scaling.groups.length !== 1) {
    throw inputError(`${path} was learned with a scaling within each batch, which needs the rows here`);
  }
  const scaledRows = scaledTable({ ...table, features }, scaling);
  const { method, rank, factor } = metric;
  const turned = Array.from({ length: factor.rows }, (_, r) => `${method}${r + 1}`);
  return {
    table: transformedTable(scaledRows, factor, turned),
    scaling,
    metric,
    notes: [note("metric", `distances by the ${method} metric of ${path} (rank ${rank})`)],
  };
}

async function threadsOf(engine: Engine): Promise<number | null> {
  if (engine.dialect.engine !== "duckdb") return null;
  return Number((await answer(engine, "select current_setting('threads')")).columns[0][0]);
}
