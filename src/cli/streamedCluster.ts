import { optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import type { Scaling } from "../data/index.ts";
import { writeCsv } from "./csvOutput.ts";
import { engine, threads } from "../matrix/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import {
  columnScaling,
  columnStatistics,
  convexStream,
  gaussianMixtureStream,
  kmeansStream,
  scaledBatches,
  type ConvexStream,
  type GaussianMixtureStream,
  type KmeansStream,
  type RowBatch,
} from "../scale/index.ts";
import type { ClusterOptions } from "./commands/cluster.ts";
import { clusterReport, type ClusterResult } from "./clusterReport.ts";
import { readMetricFile, underMetric } from "./metricFile.ts";
import { clusterModel } from "./modelFile.ts";
import { outputFile, type OutputFile } from "./outputFile.ts";
import { elsewhere } from "./methods/cc.ts";
import { passClustering, passResult, requirePasses } from "./passClustering.ts";
import { progressLine } from "./progressLine.ts";
import { tell, writeOut } from "./stdout.ts";
import { requireReopenable, streamOptions } from "./streamInput.ts";
import { passesText, withStream, type StreamSource } from "./streamSource.ts";

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
  await withStream(source, streamOptions(source, options), (stream) =>
    clusterBatches(stream, options, own, { labelsFile, modelFile }),
  );
}

async function clusterBatches(
  stream: StreamSource,
  options: ClusterOptions,
  own: Record<string, unknown>,
  { labelsFile, modelFile }: { readonly labelsFile?: OutputFile; readonly modelFile?: OutputFile },
): Promise<void> {
  const progress = progressLine();
  const { onProgress } = progress;
  const start = performance.now();
  let rows: Rows;
  let fitted: Fitted;
  let fitting: number;
  try {
    rows =
      options.metric === undefined
        ? await scaledRows(stream, options, onProgress)
        : measuredRows(stream, options.metric);
    fitting = performance.now();
    fitted = await fit(rows.pass, options, { ...own, onProgress });
  } finally {
    progress.done();
  }
  const times = [start, fitting, performance.now()] as const;

  // Sizes are those of the labels that are written; without them, of the last pass.
  const sizes = options.out === undefined ? fitted.sizes : new Float64Array(fitted.clusters);
  const lines = labelLines(fitted, sizes);
  await labelsFile?.write(lines);
  const { details } = passClustering(fitted);
  const describe = (): ClusterResult =>
    passResult(fitted, options, {
      ...rows,
      sizes,
      source: stream.source,
      notes: [...stream.notes(passesText(fitted.passes)), ...rows.notes],
      times,
      engine: engine().name,
      threads: threads(),
    });
  if (options.out === "-") {
    await writeOut(lines);
    tell(clusterReport(describe(), undefined, details?.lines).trimEnd());
  }
  const result = describe();
  const { labels: _, ...told } = result;
  const model = clusterModel(result, passClustering(fitted), rows.scaling, rows.metric);
  await modelFile?.write([`${JSON.stringify(model)}\n`]);
  if (options.json === true) return writeOut([`${JSON.stringify(told)}\n`]);
  if (options.out !== "-") await writeOut([clusterReport(result, undefined, details?.lines)]);
  for (const file of [labelsFile, modelFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

type Fitted = KmeansStream | GaussianMixtureStream | ConvexStream;

function fit(
  pass: Rows["pass"],
  { method, clusters, seed = 0 }: ClusterOptions,
  own: Record<string, unknown> & { readonly onProgress: OnProgress },
): Promise<Fitted> {
  if (method === "cc") return convexStream(pass, elsewhere({ clusters, own, onProgress: own.onProgress }));
  const options = { clusters: clusters!, seed, ...own };
  return method === "gmm" ? gaussianMixtureStream(pass, options) : kmeansStream(pass, options);
}

interface Rows {
  readonly pass: () => AsyncGenerator<RowBatch, void, undefined>;
  readonly scaling: Scaling;
  readonly metric?: Mahalanobis;
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
}

/** The scaling takes a pass of its own. */
async function scaledRows(
  stream: StreamSource,
  options: ClusterOptions,
  onProgress: OnProgress,
): Promise<Rows> {
  const statistics = await columnStatistics(() => stream.batches(onProgress));
  const { scaling, notes } = columnScaling(statistics, options.scale ?? "zscore");
  return {
    pass: () => scaledBatches(() => stream.batches(), scaling),
    scaling,
    dropped: scaling.columns.filter((_, j) => !scaling.kept.includes(j)),
    notes,
  };
}

function measuredRows(stream: StreamSource, path: string): Rows {
  const file = readMetricFile(path);
  const { method, rank } = file.metric;
  return {
    async *pass() {
      for await (const { release, ...batch } of stream.batches()) {
        const X = underMetric({ ...batch, notes: [] }, file);
        release?.();
        yield { ...batch, names: Array.from({ length: X.cols }, (_, r) => `${method}${r + 1}`), X };
      }
    },
    scaling: file.scaling,
    metric: file.metric,
    dropped: [],
    notes: [`distances by the ${method} metric of ${file.path} (rank ${rank})`],
  };
}

function checkUsage(source: string, options: ClusterOptions): void {
  requirePasses(options, "from a stream");
  requireReopenable(source, `${options.method} over a stream reads it several times`);
  if (options.report !== undefined)
    throw optionError("--report: a page needs all rows at once, not a stream");
}

async function* labelLines(fitted: Fitted, sizes: Float64Array): AsyncGenerator<string> {
  let header = true;
  for await (const { labels, ids } of fitted.labels()) {
    for (const label of labels) sizes[label]++;
    yield* writeCsv({ ids, columns: [{ name: "cluster", values: labels }] }, { header });
    header = false;
  }
}
