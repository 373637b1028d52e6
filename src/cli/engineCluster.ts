import { inputError, optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import type { Scaling } from "../data/index.ts";
import {
  answer,
  convexOnEngine,
  engineBatches,
  engineTable,
  kmeansOnEngine,
  scaledTable,
  transformedTable,
  writeLabels,
  type Engine,
  type EngineTable,
  type LabelTarget,
} from "../engine/index.ts";
import { requireFileName, requireLabelTarget } from "../engine/writeLabels.ts";
import { setThreads } from "../matrix/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import { columnScaling, gaussianMixtureStream, type ColumnStatistics } from "../scale/index.ts";
import type { ClusterOptions } from "./commands/cluster.ts";
import { clusterReport } from "./clusterReport.ts";
import { engineSource, engineTableOptions, routeText, withEngine } from "./engineInput.ts";
import { readMetricFile, requireColumns, type MetricFile } from "./metricFile.ts";
import { clusterModel } from "./modelFile.ts";
import { outputFile, requireDifferent } from "./outputFile.ts";
import { elsewhere } from "./methods/cc.ts";
import { passClustering, passResult, requirePasses, type PassFit } from "./passClustering.ts";
import { progressLine } from "./progressLine.ts";
import { tell, writeOut } from "./stdout.ts";

/** `kindred cluster` of a table that an engine has; the engine writes the labels. */
export async function clusterOnEngine(options: ClusterOptions, own: Record<string, unknown>): Promise<void> {
  const target = checkedTarget(options);
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const metricFile = options.metric === undefined ? undefined : readMetricFile(options.metric);
  if (options.threads !== undefined) setThreads(options.threads);
  await withEngine(options, async (engine) => {
    const end = endingBySignal(engine);
    const progress = progressLine();
    try {
      const start = performance.now();
      progress.onProgress({ fraction: 0, label: "columns" });
      const opened = await engineTable(engine, engineSource(options), engineTableOptions(options));
      const rows = metricFile === undefined ? scaled(opened, options) : measured(opened.table, metricFile);
      const writing = { replace: options.replace === true };
      if (target !== undefined) await requireLabelTarget(rows.table, target.to, writing);
      const fitting = performance.now();
      const { fit, route } = await fitted(rows.table, options, { ...own, onProgress: progress.onProgress });
      const times = [start, fitting, performance.now()] as const;
      progress.onProgress({ fraction: 0.99, label: "labels" });
      const sizes =
        target === undefined
          ? fit.sizes
          : await writeLabels(
              rows.table,
              fit.method === "kmeans" ? { centers: fit.centers } : fit,
              target.to,
              writing,
            );
      progress.done();
      const result = passResult(fit, options, {
        ...rows,
        sizes,
        source: opened.table.source,
        notes: [`${fit.passes} passes over the table`, ...opened.table.notes, ...rows.notes],
        times,
        engine: `${engine.name}, ${route}`,
        threads: await threadsOf(engine),
      });
      const clustering = passClustering(fit);
      const model = clusterModel(result, clustering, rows.scaling, rows.metric);
      await modelFile?.write([`${JSON.stringify(model)}\n`]);
      const { labels: _, ...told } = result;
      if (options.json === true) return await writeOut([`${JSON.stringify(told)}\n`]);
      await writeOut([clusterReport(result, undefined, clustering.details?.lines)]);
      if (target !== undefined) tell(`wrote ${target.told}`);
      if (modelFile !== undefined) tell(`wrote ${modelFile.path}`);
    } finally {
      progress.done();
      end();
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
function checkedTarget(options: ClusterOptions): Target | undefined {
  const { out, writeTable, engine } = options;
  requirePasses(options, "on an engine");
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
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
}

function scaled(
  { table, statistics }: { readonly table: EngineTable; readonly statistics: ColumnStatistics },
  options: ClusterOptions,
): Rows {
  const { scaling, notes } = columnScaling(statistics, options.scale ?? "zscore");
  return {
    table: scaledTable(table, scaling),
    scaling,
    dropped: scaling.columns.filter((_, j) => !scaling.kept.includes(j)),
    notes,
  };
}

/** The features under a learned metric, which knows its columns by name. */
function measured(table: EngineTable, { path, scaling, metric }: MetricFile): Rows {
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
    dropped: [],
    notes: [`distances by the ${method} metric of ${path} (rank ${rank})`],
  };
}

/** A mixture streams the rows: its sums are K d^2, more than the rows are wide. */
async function fitted(
  table: EngineTable,
  { method, clusters, seed = 0 }: ClusterOptions,
  own: Record<string, unknown> & { readonly onProgress: OnProgress },
): Promise<{ readonly fit: PassFit; readonly route: string }> {
  if (method === "cc") {
    const fit = await convexOnEngine(table, elsewhere({ clusters, own, onProgress: own.onProgress }));
    return { fit, route: routeText("push-down") };
  }
  const options = { clusters: clusters!, seed, ...own };
  if (method === "gmm") {
    const fit = await gaussianMixtureStream(() => engineBatches(table), options);
    return { fit, route: routeText("stream") };
  }
  const fit = await kmeansOnEngine(table, options);
  return { fit, route: routeText(fit.route) };
}

async function threadsOf(engine: Engine): Promise<number | null> {
  if (engine.dialect.engine !== "duckdb") return null;
  return Number((await answer(engine, "select current_setting('threads')")).columns[0][0]);
}
