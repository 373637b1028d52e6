import type { Note } from "../core/index.ts";
import { note, option, optionError } from "../core/internal.ts";
import { requireMatrix } from "../metric/index.ts";
import { requireLabelTarget } from "../engine/internal.ts";
import { engine, setThreads, threads } from "../matrix/index.ts";
import type { ClusteringMethod } from "../method/index.ts";
import { clusterRows, passesOf, type Measure, type SummedRows } from "../rows/index.ts";
import type { ClusterFlags } from "./commands/cluster.ts";
import { plainScaling, readMetricFile } from "./options/metricFile.ts";
import { ownOptions } from "./options/methodFlags.ts";
import { engineTarget } from "./options/engineTarget.ts";
import { scaleOfSums, withRows } from "./options/rows.ts";
import { requireReopenable } from "./options/streamInput.ts";
import { clusterJson } from "./output/clusterJson.ts";
import { clusterText, SCALING_NAMES } from "./output/clusterText.ts";
import { refuseDropped } from "./output/append.ts";
import { labelRows } from "./output/labelRows.ts";
import { outputFile } from "./output/outputFile.ts";
import { progressLine } from "./output/progressLine.ts";
import { tell, writeOut } from "./output/stdout.ts";

/**
 * `kindred cluster` for rows that do not fit into memory; labels are written as they are found, or by the
 * engine.
 */
export async function clusterElsewhere(
  sources: readonly string[],
  options: ClusterFlags,
  method: ClusteringMethod,
  kind: SummedRows["kind"],
): Promise<void> {
  const { options: rules } = await passesOf(method, kind);
  refuse(sources, options, kind);
  const { out, clusters, seed } = options;
  const target = kind === "engine" ? engineTarget(options) : undefined;
  const labelsFile =
    kind === "engine" || out === undefined || out === "-" ? undefined : outputFile(out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const measure = measureOf(options);
  if (options.threads !== undefined) setThreads(options.threads);
  const writing = { replace: options.replace === true };
  const progress = progressLine();
  const { onProgress } = progress;
  try {
    await withRows(sources, options, onProgress, async (rows) => {
      // Rows in memory take another path.
      const found = await clusterRows(rows as SummedRows, method, {
        clusters,
        seed,
        ...(options.names !== undefined && { names: options.names }),
        measure,
        own: ownOptions(rules, options),
        onProgress,
        onMeasured: async ({ table }) => {
          if (target !== undefined) await requireLabelTarget(table!, target.to, writing);
        },
      });
      const { fit } = found;
      if (target !== undefined) onProgress({ fraction: 0.99, label: "labels" });
      else progress.done();
      let sizes = target === undefined ? undefined : await fit.write!(target.to, writing);
      progress.done();
      if (kind === "stream" && out !== undefined) {
        const counted = new Float64Array(fit.clusters);
        const copy =
          options.append === true ? { source: sources[0], options, names: found.names } : undefined;
        const lines = labelRows(fit.labels!(), counted, copy);
        await (labelsFile === undefined ? writeOut(lines) : labelsFile.write(lines));
        sizes = counted;
      }
      const clustering = found.clustering({ sizes, notes: setAside(options.label) });
      const about = {
        source: found.source,
        rows: fit.rows,
        features: fit.placing.means.cols,
        scaling: SCALING_NAMES[found.scaling.kind],
        label: null,
        scores: null,
        seconds: found.seconds,
        readSeconds: found.readSeconds,
        engine: fit.engine ?? engine().name,
        threads: fit.threads === undefined ? threads() : fit.threads,
        notes: [],
      };
      await modelFile?.write([`${JSON.stringify(clustering)}\n`]);
      if (options.json === true) {
        return writeOut([`${JSON.stringify(clusterJson(clustering, about))}\n`]);
      }
      const report = clusterText(clustering, about, fit.facts);
      if (out === "-") tell(report.trimEnd());
      else await writeOut([report]);
      for (const written of [labelsFile?.path, target?.told, modelFile?.path]) {
        if (written !== undefined) tell(`wrote ${written}`);
      }
    });
  } finally {
    progress.done();
  }
}

/** Options that need all rows at once; pairs name single rows. */
function refuse(sources: readonly string[], options: ClusterFlags, kind: SummedRows["kind"]): void {
  for (const name of ["mustLink", "cannotLink"] as const) {
    if (options[name] !== undefined) throw optionError(`${option(name)}: pairs need all rows at once`);
  }
  if (kind === "stream")
    requireReopenable(sources[0], `${options.method} over a stream reads it several times`);
  if (options.append === true) {
    if (kind === "engine") throw optionError(ENGINE_APPENDS);
    refuseDropped(options.missing, "of a stream");
  }
  if (options.report === undefined) return;
  const where = kind === "stream" ? "not a stream" : "which an engine keeps";
  throw optionError(`${option("report")}: a page needs all rows at once, ${where}`);
}

function measureOf(options: ClusterFlags): Measure {
  if (options.metric === undefined) return { scale: scaleOfSums(options) };
  const file = readMetricFile(options.metric);
  const metric = requireMatrix(file.metric, "a stream or an engine");
  return { scaling: plainScaling(file), metric, source: file.path };
}

export const ENGINE_APPENDS: string = `${option("append")} is for files: an engine writes all columns with the clusters, unless --id is given`;

/** The classes are not read while labels are found. */
export function setAside(label: string | undefined): Note[] {
  if (label === undefined) return [];
  return [note("label", `"${label}" was set aside; kindred score compares the labels written with it`)];
}
