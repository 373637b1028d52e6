/**
 * More rows than a method fits in reasonable time and memory: it is fitted on a sample, and places all rows.
 * The sample is uniform and depends only on the values of the rows, not on their order; rows named in hints
 * are in it.
 */
import type { OnProgress } from "../core/index.ts";
import { option, optionError } from "../core/internal.ts";
import type { Hints } from "../data/index.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import type { FitContext, FitOptions, Fitted, OpenMethod } from "../method/index.ts";
import { labelRows, quickPlacing } from "../method/internal.ts";
import { drawnRows } from "./drawnRows.ts";
import { onKeptRows } from "./keptRows.ts";

/** A fit on a sample: the labels are for all rows, everything else is for the sample. */
export interface SampledFit {
  readonly fitted: Fitted;
  /** The rows that were fitted. */
  readonly sample: Int32Array;
  /** What is to be said of how the others were placed. */
  readonly told?: string;
}

export async function fitBySample(
  { fit }: Pick<OpenMethod, "fit">,
  X: Matrix,
  size: number,
  options: FitOptions,
  context: FitContext,
  onProgress: OnProgress = () => true,
): Promise<SampledFit> {
  const named = namedRows(options);
  if (named.length > size / 2) {
    throw optionError(
      `the hints concern ${named.length} rows, more than half of the ${size} rows that are fitted; give ${option("sample")} ${4 * named.length} or fewer hints`,
      { option: "sample" },
    );
  }
  const sample = drawnRows(X, size, options.seed ?? 0, named);
  const { unhinted, tableRow = (row: number) => row, nameOf = String } = context;
  const Y = takeRows(X, sample);
  const { labels, clusters, drawing, ...found } = await fit(
    Y,
    onKeptRows(options, sample).options as FitOptions,
    {
      ...context,
      ...(unhinted !== undefined && { unhinted: { ...unhinted, X: takeRows(unhinted.X, sample) } }),
      tableRow: (row) => tableRow(sample[row]),
      nameOf: (row) => nameOf(sample[row]),
    },
  );
  const { rule: placing, told } = quickPlacing(found.placing, Y, labels, X.rows);
  const all = labelRows(
    placing,
    X,
    (done) => onProgress({ fraction: done / X.rows, label: "labels" }) !== false,
  );
  // The fitted rows keep their cluster, so hints hold.
  sample.forEach((row, i) => (all[row] = labels[i]));
  const sizes = new Float64Array(clusters);
  for (const label of all) if (label >= 0) sizes[label]++;
  // Plots of single rows would show the sample.
  const { tree: _, moved: __, ...drawn } = drawing;
  const fitted = { ...found, placing, labels: all, clusters, sizes, drawing: drawn };
  return { fitted, sample, ...(told !== undefined && { told }) };
}

/** The rows named in options. */
function namedRows({ hints, mustLink = [], cannotLink = [], labels = [] }: FitOptions): number[] {
  const { pairs = [], groups = [], labels: known = [], not = [] } = (hints ?? {}) as Partial<Hints>;
  const rows = new Set<number>([...mustLink.flat(), ...cannotLink.flat(), ...groups.flat()]);
  for (const { a, b } of pairs) rows.add(a).add(b);
  for (const { row } of known) rows.add(row);
  for (const { row, rows: others = [] } of not) [row, ...others].forEach((one) => rows.add(one));
  labels.forEach((label, row) => {
    if (label !== "" && label !== "-1") rows.add(row);
  });
  return [...rows];
}
