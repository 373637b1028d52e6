import { existsSync } from "node:fs";
import { hasWildcard, sourceFiles } from "../core/sourceFiles.ts";
import { note } from "../core/notes.ts";
import { fileError, optionError } from "../core/errors.ts";
import { typeTable } from "../data/columns/index.ts";
import { cellBatches } from "../data/columns/cells/readCells.ts";
import { memoryLimit } from "../data/columns/cells/memoryLimit.ts";
import { passClustering } from "../front/passes.ts";
import { engine, threads } from "../matrix/index.ts";
import type { OpenMethod, StreamFit } from "../method/index.ts";
import { clusteringOf } from "../model/index.ts";
import { openFeatureStream, passesText, type FeatureStream } from "../rows/index.ts";
import type { ClusterFlags } from "./commands/cluster.ts";
import { ownOptions } from "./options/methodFlags.ts";
import { readingOf, textOption } from "./options/tableInput.ts";
import { clusterJson } from "./output/clusterJson.ts";
import { clusterText, columnText, spaceText } from "./output/clusterText.ts";
import { outputFile } from "./output/outputFile.ts";
import { progressLine } from "./output/progressLine.ts";
import { tell, writeOut } from "./output/stdout.ts";
import { labelLines, requirePasses, setAside } from "./streamedCluster.ts";

/** Rows that tell whether a stream has anything but numbers. */
const LOOKED_AT = 2000;

/** Whether a stream has columns that are not plain numbers, by its first rows. */
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
  if (typeof first !== "string" || /\.(?:libsvm|svm|svmlight|parquet|arrow|feather)(?:\.gz)?$/i.test(first))
    return false;
  const reading = readingOf(options);
  for await (const raw of cellBatches(first, { ...reading, memory: memoryLimit() }, LOOKED_AT)) {
    const { columns } = typeTable(raw, { ...reading, vector: "none" });
    const aside = new Set([options.label, options.id, ...(options.ignore ?? [])]);
    return columns.some(
      ({ name, kind, levels, reading: read }) =>
        !aside.has(name) &&
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
        ),
    );
  }
  return false;
}

/** `kindred cluster --stream` of files of any columns: decided by a sample, checked on all rows, clustered by passes. */
export async function clusterMixedStream(
  source: string,
  options: ClusterFlags,
  open: OpenMethod,
): Promise<void> {
  const elsewhere = await requirePasses(options, open, "from a stream");
  if (options.report !== undefined)
    throw optionError("--report: a page needs all rows at once, not a stream");
  const labelsFile =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const progress = progressLine();
  const { onProgress } = progress;
  const own = ownOptions(elsewhere.options, options);
  const { clusters, seed = 0, label, id, use, ignore, scale, missing, weights } = options;
  const begun = performance.now();
  let stream: FeatureStream;
  let fit: StreamFit;
  let fitting: number;
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
    fitting = performance.now();
    fit = await elsewhere.stream(() => stream.batches(), { ...own, clusters, seed, onProgress });
  } finally {
    progress.done();
  }
  const end = performance.now();
  const sizes = options.out === undefined ? Float64Array.from(fit.sizes) : new Float64Array(fit.clusters);
  const lines = labelLines(fit, sizes);
  await labelsFile?.write(lines);
  if (options.out === "-") await writeOut(lines);
  const { space, columns, table, learned } = stream;
  const {
    toJSON: _,
    assign: __,
    labels: ___,
    ...plain
  } = passClustering(fit, {
    method: options.method,
    own,
    seed,
    scaling: { kind: "none", columns: [], kept: [], centered: false, groups: [] },
    sizes,
    notes: [
      ...stream.notes(passesText(fit.passes)).map((message) => note("reading", message)),
      ...setAside(label),
      note(
        "sampled",
        `columns were decided by ${table.rows} of ${stream.rows} rows, and checked on all of them`,
      ),
      ...stream.checked,
      ...learned.notes,
    ],
  });
  const clustering = clusteringOf({ ...plain, columns, space }, new Int32Array(0));
  const about = {
    source,
    rows: fit.rows,
    features: fit.placing.means.cols,
    scaling: spaceText(space),
    label: null,
    scores: null,
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - begun) / 1000,
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
