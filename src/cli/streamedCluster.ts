import { optionError } from "../core/errors.ts";
import { note, type Note } from "../core/notes.ts";
import type { OnProgress } from "../core/progress.ts";
import type { Scaling } from "../data/index.ts";
import { writeCsv } from "./output/csvOutput.ts";
import { passClustering } from "../front/passes.ts";
import { methods } from "../front/methods.ts";
import { engine, threads } from "../matrix/index.ts";
import type { Elsewhere, OpenMethod, StreamFit } from "../method/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import { columnScaling, columnStatistics, scaledBatches, type RowBatch } from "../scale/index.ts";
import type { ClusterFlags } from "./commands/cluster.ts";
import { plainScaling, readMetricFile, underMetric } from "./options/metricFile.ts";
import { passInput } from "./options/passInput.ts";
import { scaleOfSums } from "./options/rows.ts";
import { outputFile, type OutputFile } from "./output/outputFile.ts";
import { clusterJson } from "./output/clusterJson.ts";
import { clusterText, SCALING_NAMES } from "./output/clusterText.ts";
import { ownOptions } from "./options/methodFlags.ts";
import { progressLine } from "./output/progressLine.ts";
import { tell, writeOut } from "./output/stdout.ts";
import { requireReopenable, streamOptions } from "./options/streamInput.ts";
import { passesText, withStream, type StreamSource } from "../rows/index.ts";

/** `kindred cluster` over rows that are never in memory at once; labels are written as they are found. */
export async function clusterStream(source: string, options: ClusterFlags, open: OpenMethod): Promise<void> {
  const elsewhere = await requirePasses(options, open, "from a stream");
  requireReopenable(source, `${options.method} over a stream reads it several times`);
  if (options.report !== undefined) {
    throw optionError("--report: a page needs all rows at once, not a stream");
  }
  const labelsFile =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  await withStream(source, streamOptions(source, passInput(options)), (stream) =>
    clusterBatches(stream, options, elsewhere, { labelsFile, modelFile }),
  );
}

/** Refuses what needs all rows at once; pairs name single rows. */
export async function requirePasses(
  { method, mustLink, cannotLink }: ClusterFlags,
  { elsewhere }: OpenMethod,
  where: string,
): Promise<Elsewhere> {
  if (elsewhere === undefined) {
    const opened = await Promise.all(methods.map(async (known) => ({ known, open: await known.open() })));
    const able = opened.filter(({ open }) => open.elsewhere !== undefined).map(({ known }) => known.name);
    throw optionError(`${method} needs all rows at once; ${where}, --method can be ${able.join(", ")}`);
  }
  const given =
    mustLink !== undefined ? "--must-link" : cannotLink !== undefined ? "--cannot-link" : undefined;
  if (given !== undefined) throw optionError(`${given}: pairs need all rows at once`);
  return elsewhere();
}

async function clusterBatches(
  stream: StreamSource,
  options: ClusterFlags,
  elsewhere: Elsewhere,
  { labelsFile, modelFile }: { readonly labelsFile?: OutputFile; readonly modelFile?: OutputFile },
): Promise<void> {
  const progress = progressLine();
  const { onProgress } = progress;
  const begun = performance.now();
  const own = ownOptions(elsewhere.options, options);
  const { clusters, seed = 0 } = options;
  let rows: Rows;
  let fit: StreamFit;
  let fitting: number;
  try {
    rows =
      options.metric === undefined
        ? await scaledRows(stream, options, onProgress)
        : measuredRows(stream, options.metric);
    fitting = performance.now();
    fit = await elsewhere.stream(rows.pass, { ...own, clusters, seed, onProgress });
  } finally {
    progress.done();
  }
  const end = performance.now();

  // Sizes are those of the labels that are written; without them, of the last pass.
  const sizes = options.out === undefined ? Float64Array.from(fit.sizes) : new Float64Array(fit.clusters);
  const lines = labelLines(fit, sizes);
  await labelsFile?.write(lines);
  if (options.out === "-") await writeOut(lines);
  const { method, label } = options;
  const clustering = passClustering(fit, {
    method,
    own,
    seed,
    scaling: rows.scaling,
    ...(rows.metric !== undefined && { metric: rows.metric.toJSON() }),
    sizes,
    notes: [
      ...stream.notes(passesText(fit.passes)).map((message) => note("reading", message)),
      ...setAside(label),
      ...rows.notes,
    ],
  });
  const about = {
    source: stream.source,
    rows: fit.rows,
    features: fit.placing.means.cols,
    scaling: SCALING_NAMES[rows.scaling.kind],
    label: null,
    scores: null,
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - begun) / 1000,
    engine: engine().name,
    threads: threads(),
    notes: [],
  };
  await modelFile?.write([`${JSON.stringify(clustering)}\n`]);
  if (options.json === true) return writeOut([`${JSON.stringify(clusterJson(clustering, about))}\n`]);
  const report = clusterText(clustering, about, fit.facts);
  if (options.out === "-") tell(report.trimEnd());
  else await writeOut([report]);
  for (const file of [labelsFile, modelFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

/** The classes are not read while labels are found. */
export function setAside(label: string | undefined): Note[] {
  if (label === undefined) return [];
  return [note("label", `"${label}" was set aside; kindred score compares the labels written with it`)];
}

interface Rows {
  readonly pass: () => AsyncGenerator<RowBatch, void, undefined>;
  readonly scaling: Scaling;
  readonly metric?: Mahalanobis;
  readonly notes: readonly Note[];
}

/** The scaling takes a pass of its own. */
async function scaledRows(
  stream: StreamSource,
  options: ClusterFlags,
  onProgress: OnProgress,
): Promise<Rows> {
  const statistics = await columnStatistics(() => stream.batches(onProgress));
  const { scaling, notes } = columnScaling(statistics, scaleOfSums(options));
  return {
    pass: () => scaledBatches(() => stream.batches(), scaling),
    scaling,
    notes: notes.map((message) => note("scaling", message)),
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
    scaling: plainScaling(file),
    metric: file.metric,
    notes: [note("metric", `distances by the ${method} metric of ${file.path} (rank ${rank})`)],
  };
}

/** The labels of all rows, as CSV; counts the rows of each cluster. */
export async function* labelLines(fit: StreamFit, sizes: Float64Array): AsyncGenerator<string> {
  let header = true;
  for await (const { labels, ids } of fit.labels()) {
    for (const label of labels) sizes[label]++;
    yield* writeCsv({ ids, columns: [{ name: "cluster", values: labels }] }, { header });
    header = false;
  }
}
