import { optionError } from "../core/errors.ts";
import { writeCsv, type Scaling } from "../data/index.ts";
import { engine, threads } from "../matrix/index.ts";
import {
  columnScaling,
  columnStatistics,
  kmeansStream,
  rowBatches,
  scaledBatches,
  type BatchOptions,
  type KmeansStream,
  type RowBatch,
} from "../scale/index.ts";
import type { ClusterOptions } from "./commands/cluster.ts";
import { clusterReport, type ClusterResult } from "./clusterReport.ts";
import { readMetricFile, underMetric } from "./metricFile.ts";
import { clusterModel } from "./modelFile.ts";
import { outputFile } from "./outputFile.ts";
import { progressLine } from "./progressLine.ts";
import { tell, writeOut } from "./stdout.ts";
import { requireReopenable, streamOptions } from "./streamInput.ts";

/** `kindred cluster` over rows that are never in memory at once; labels are written as they are found. */
export async function clusterStream(
  source: string,
  options: ClusterOptions,
  own: Record<string, unknown>,
): Promise<void> {
  checkUsage(source, options);
  const labelsFile =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const reading = streamOptions(source, options);
  const progress = progressLine();
  const { onProgress } = progress;
  const seed = options.seed ?? 0;
  const start = performance.now();
  let rows: Rows;
  let fitted: KmeansStream;
  let fitting: number;
  try {
    rows =
      options.metric === undefined
        ? await scaledRows(source, options, reading, onProgress)
        : measuredRows(source, options.metric, reading);
    fitting = performance.now();
    fitted = await kmeansStream(rows.pass, { clusters: options.clusters!, seed, ...own, onProgress });
  } finally {
    progress.done();
  }
  const end = performance.now();

  // Sizes are those of the labels that are written; without them, of the last pass.
  const sizes = options.out === undefined ? fitted.sizes : new Float64Array(fitted.clusters);
  const lines = labelLines(fitted, sizes);
  await labelsFile?.writeFrom(lines);
  const describe = (): ClusterResult => ({
    method: options.method,
    clusters: fitted.clusters,
    labels: [],
    sizes: Array.from(sizes),
    scores: null,
    converged: fitted.converged,
    iterations: fitted.iterations,
    objective: fitted.objective,
    certificate: null,
    details: { passes: fitted.passes },
    warnings: fitted.warnings,
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - start) / 1000,
    seed,
    scaling: { kind: rows.scaling.kind, batch: null, dropped: rows.dropped },
    data: {
      source,
      rows: fitted.rows,
      features: fitted.centers.cols,
      label: options.label ?? null,
      notes: [
        `streamed in ${fitted.passes} passes; the time includes reading`,
        ...(options.label === undefined
          ? []
          : [`"${options.label}" was set aside; kindred score compares the labels written with it`]),
        ...rows.notes,
      ],
    },
    engine: engine().name,
    threads: threads(),
  });
  if (options.out === "-") {
    await writeOut(lines);
    tell(clusterReport(describe(), undefined).trimEnd());
  }
  const result = describe();
  const { labels: _, ...told } = result;
  // Under a metric the centres are not rows of the data, which is what places new ones.
  const clustering = { ...fitted, labels: NONE, ...(options.metric === undefined && { nearest: {} }) };
  modelFile?.write([`${JSON.stringify(clusterModel(result, clustering, rows.scaling))}\n`]);
  if (options.json === true) await writeOut([`${JSON.stringify(told)}\n`]);
  else if (options.out !== "-") await writeOut([clusterReport(result, undefined)]);
  if (options.json === true) return;
  for (const file of [labelsFile, modelFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

const NONE = new Int32Array(0);

interface Rows {
  readonly pass: () => AsyncGenerator<RowBatch, void, undefined>;
  readonly scaling: Scaling;
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
}

/** The scaling takes a pass of its own. */
async function scaledRows(
  source: string,
  options: ClusterOptions,
  reading: BatchOptions,
  onProgress: BatchOptions["onProgress"],
): Promise<Rows> {
  const statistics = await columnStatistics(source, { ...reading, onProgress });
  const { scaling, notes } = columnScaling(statistics, options.scale ?? "zscore");
  return {
    pass: () => scaledBatches(source, scaling, reading),
    scaling,
    dropped: scaling.columns.filter((_, j) => !scaling.kept.includes(j)),
    notes,
  };
}

function measuredRows(source: string, path: string, reading: BatchOptions): Rows {
  const file = readMetricFile(path);
  const { method, rank } = file.metric;
  return {
    async *pass() {
      for await (const batch of rowBatches(source, reading)) {
        const X = underMetric({ ...batch, notes: [] }, file);
        yield { ...batch, names: Array.from({ length: X.cols }, (_, r) => `${method}${r + 1}`), X };
      }
    },
    scaling: file.scaling,
    dropped: [],
    notes: [`distances by the ${method} metric of ${file.path} (rank ${rank})`],
  };
}

function checkUsage(source: string, options: ClusterOptions): void {
  if (options.method !== "kmeans") {
    throw optionError(`${options.method} needs all rows at once; from a stream clusters --method kmeans`);
  }
  requireReopenable(source, "k-means over a stream reads it several times");
  if (options.report !== undefined)
    throw optionError("--report: a page needs all rows at once, not a stream");
}

async function* labelLines(fitted: KmeansStream, sizes: Float64Array): AsyncGenerator<string> {
  let header = true;
  for await (const { labels, ids } of fitted.labels()) {
    for (const label of labels) sizes[label]++;
    yield* writeCsv({ ids, columns: [{ name: "cluster", values: labels }] }, { header });
    header = false;
  }
}
