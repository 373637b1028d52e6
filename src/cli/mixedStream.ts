import { existsSync } from "node:fs";
import { fileError, hasWildcard, note, option, optionError, sourceFiles } from "../core/internal.ts";
import {
  cellBatches,
  isParquetOfNumbers,
  memoryLimit,
  openSource,
  rawParts,
  typeTable,
} from "../data/internal.ts";
import { engine, threads } from "../matrix/index.ts";
import type { ClusteringMethod } from "../method/index.ts";
import { clusteringOf } from "../model/index.ts";
import {
  clusterRows,
  openFeatureStream,
  passesOf,
  streamRows,
  type ClusteredRows,
  type FeatureStream,
} from "../rows/index.ts";
import type { ClusterFlags } from "./commands/cluster.ts";
import { ownOptions } from "./options/methodFlags.ts";
import { readingOf, textOption } from "./options/tableInput.ts";
import { clusterJson } from "./output/clusterJson.ts";
import { clusterText, columnText, spaceText } from "./output/clusterText.ts";
import { outputFile } from "./output/outputFile.ts";
import { progressLine } from "./output/progressLine.ts";
import { tell, writeOut } from "./output/stdout.ts";
import { setAside } from "./clusterElsewhere.ts";
import { refuseDropped } from "./output/append.ts";
import { labelRows } from "./output/labelRows.ts";

/** Number of rows that decide whether a stream has only numbers. */
const LOOKED_AT = 2000;

/** Whether a stream has columns other than plain numbers, or gaps to fill, judged by its first rows. */
export async function isMixedStream(source: string, options: ClusterFlags): Promise<boolean> {
  if (
    source === "-" ||
    options.strict === true ||
    options.metric !== undefined ||
    options.format === "libsvm"
  )
    return false;
  if (!hasWildcard(source) && !existsSync(source)) {
    throw fileError(`there is no file ${source}; a stream is read from files or from - (standard input)`);
  }
  const asked = [options.as, options.na, options.weights, options.text, options.vector, options.use];
  if (asked.some((given) => given !== undefined) || options.missing === "fill") return true;
  const [first] = await sourceFiles(source);
  if (typeof first !== "string" || /\.(?:libsvm|svm|svmlight)(?:\.gz)?$/i.test(first)) return false;
  const aside = new Set(
    [options.label, options.id, ...(options.ignore ?? [])].filter((name) => name !== undefined),
  );
  if (await isNumbersByDirectory(first, aside)) return false;
  const reading = readingOf(options);
  for await (const whole of cellBatches(first, { ...reading, memory: memoryLimit() }, LOOKED_AT)) {
    const [raw] = rawParts(whole, LOOKED_AT);
    const { columns } = typeTable(raw, { ...reading, vector: "none" });
    const filled = options.missing === undefined;
    return columns.some(({ name, kind, levels, missing, reading: read }) => {
      if (aside.has(name)) return false;
      if (filled && missing > 0) return true;
      return (
        kind !== "number" &&
        kind !== "constant" &&
        !(
          kind === "ordered" &&
          (levels ?? []).every((level) => level.trim() !== "" && Number.isFinite(Number(level)))
        ) &&
        !(
          kind === "id" &&
          read.form === undefined &&
          raw.columns.find((own) => own.name === name)?.codes === undefined
        )
      );
    });
  }
  return false;
}

/** A Parquet file declares its columns, so none of its rows need to be read. */
async function isNumbersByDirectory(path: string, aside: ReadonlySet<string>): Promise<boolean> {
  if (!/\.parquet$/i.test(path)) return false;
  const { reader, slices } = await openSource(path, undefined);
  try {
    return slices !== undefined && (await isParquetOfNumbers(slices, aside));
  } catch {
    return false; // what is wrong with the file is told when its rows are read
  } finally {
    await reader.close();
  }
}

/**
 * `kindred cluster --stream` for files with columns of any kind: a sample decides, all rows are checked, and
 * passes cluster them.
 */
export async function clusterMixedStream(
  source: string,
  options: ClusterFlags,
  method: ClusteringMethod,
): Promise<void> {
  const { options: rules } = await passesOf(method, "stream");
  if (options.report !== undefined)
    throw optionError(`${option("report")}: a page needs all rows at once, not a stream`);
  if (options.append === true) refuseDropped(options.missing, "of a stream");
  const labelsFile =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const progress = progressLine();
  const { onProgress } = progress;
  const { clusters, seed = 0, label, id, use, ignore, scale, missing, weights } = options;
  let stream: FeatureStream;
  let found: ClusteredRows;
  try {
    const given = { use, ignore, scale, missing, weights, text: textOption(options), seed };
    const features = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    stream = await openFeatureStream(source, {
      reading: readingOf(options),
      features,
      ...(label !== undefined && { label }),
      ...(id !== undefined && { id }),
      onProgress,
    });
    found = await clusterRows(streamRows(stream), method, {
      clusters,
      seed,
      ...(options.names !== undefined && { names: options.names }),
      measure: { scale: "none" },
      own: ownOptions(rules, options),
      onProgress,
    });
  } finally {
    progress.done();
  }
  const { fit } = found;
  let sizes: Float64Array | undefined;
  if (options.out !== undefined) {
    sizes = new Float64Array(fit.clusters);
    const copy = options.append === true ? { source, options, names: found.names } : undefined;
    const lines = labelRows(fit.labels!(), sizes, copy);
    await (labelsFile === undefined ? writeOut(lines) : labelsFile.write(lines));
  }
  const { space, columns, table, learned } = stream;
  const said = `columns were decided by ${table.rows} of ${stream.rows} rows, and checked on all of them`;
  const plain = found.clustering({
    sizes,
    notes: [...setAside(label), note("sampled", said), ...stream.checked, ...learned.notes],
  });
  const clustering = clusteringOf({ ...plain, columns, space }, new Int32Array(0));
  const about = {
    source,
    rows: fit.rows,
    features: fit.placing.means.cols,
    scaling: spaceText(space),
    label: null,
    scores: null,
    seconds: found.seconds,
    readSeconds: found.readSeconds,
    engine: engine().name,
    threads: threads(),
    notes: [],
  };
  await modelFile?.write([`${JSON.stringify(clustering)}\n`]);
  if (options.json === true)
    return writeOut([`${JSON.stringify(clusterJson(clustering, about, learned.columns))}\n`]);
  const report = `${columnText(table, learned)}\n\n${clusterText(clustering, about, fit.facts)}`;
  if (options.out === "-") tell(report.trimEnd());
  else await writeOut([report]);
  for (const file of [labelsFile, modelFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}
