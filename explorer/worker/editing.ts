import type { Column, Table } from "kindred/data";
import { clusterRun, prepare, prepareNumbers, describedTable, type Prepared, type Run } from "kindred/run";
import { matrix, takeRows, type Matrix } from "kindred/matrix";
import { profilesOf, representativesOf, type Clustering } from "kindred/model";
import type { Edit, SolveQuestion, Told } from "../protocol.ts";
import type { NumberRows } from "./rows.ts";

/** A run with the merges and splits of a person, and notes about them. */
export async function edited(
  run: Run,
  asked: SolveQuestion,
  { X, prepared }: NumberRows,
  onProgress: (told: Told) => void,
): Promise<{ run: Run; warnings: string[] }> {
  const warnings: string[] = [];
  let labels: Int32Array = Int32Array.from(run.clustering.labels);
  for (const edit of asked.edits) {
    const clusters = 1 + labels.reduce((most, label) => Math.max(most, label), -1);
    const named = edit.kind === "merge" ? edit.clusters : [edit.cluster];
    const strange = named.find((cluster) => cluster >= clusters);
    if (strange !== undefined) {
      warnings.push(`There is no cluster ${strange} to ${edit.kind}: this step was skipped.`);
      continue;
    }
    if (edit.kind === "merge") labels = merged(labels, edit.clusters);
    else labels = await split(labels, edit, { asked, prepared, clusters, warnings, onProgress });
  }
  return { run: { ...run, clustering: described(run, labels, X, asked.names) }, warnings };
}

/** The merged clusters take the number of the first; later numbers move up. */
function merged(labels: Int32Array, clusters: readonly number[]): Int32Array {
  const first = Math.min(...clusters);
  const gone = new Set(clusters.filter((cluster) => cluster !== first));
  const next = (label: number): number => {
    if (gone.has(label)) return first;
    let lower = 0;
    for (const cluster of gone) if (cluster < label) lower++;
    return label - lower;
  };
  return labels.map((label) => (label < 0 ? label : next(label)));
}

interface Splitting {
  readonly asked: SolveQuestion;
  readonly prepared: Prepared;
  readonly clusters: number;
  readonly warnings: string[];
  readonly onProgress: (told: Told) => void;
}

/** Clusters the rows of one cluster: the largest part keeps its number, the others come last. */
async function split(
  labels: Int32Array,
  { cluster, into }: Extract<Edit, { kind: "split" }>,
  { asked, prepared, clusters, warnings, onProgress }: Splitting,
): Promise<Int32Array> {
  const rows = Int32Array.from(labels.keys()).filter((i) => labels[i] === cluster);
  if (rows.length < 3) {
    warnings.push(`Cluster ${cluster} has too few rows to be split.`);
    return labels;
  }
  const within = preparedWithin(asked, prepared, rows);
  const options = {
    method: "auto",
    seed: asked.seed,
    onProgress: ({ fraction, label }: Told) => onProgress({ fraction, label }),
  };
  let found = await clusterRun(within, { ...options, ...(into !== undefined && { clusters: into }) });
  if (found.clustering.clusters < 2) {
    warnings.push(
      `Nothing indicates groups inside cluster ${cluster}: it was halved because you asked for it.`,
    );
    found = await clusterRun(within, { ...options, clusters: 2 });
  }
  const { sizes, labels: parts } = found.clustering;
  const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const name = new Map(order.map((part, place) => [part, place === 0 ? cluster : clusters + place - 1]));
  const next = Int32Array.from(labels);
  rows.forEach((row, i) => (next[row] = name.get(parts[i]) ?? -1));
  return next;
}

/** Columns are weighted again among the rows of the cluster, unless they are unscaled numbers. */
function preparedWithin(asked: SolveQuestion, whole: Prepared, rows: Int32Array): Prepared {
  const { table, scale, weights, missing, off, seed } = asked;
  if (table.numbers !== undefined) {
    const { cols, data } = whole.X as Matrix;
    const X = matrix(rows.length, cols);
    rows.forEach((row, i) => X.data.set(data.subarray(row * cols, (row + 1) * cols), i * cols));
    const numbers = { X, names: whole.names, source: table.source, notes: [] };
    return prepareNumbers(numbers as never, { scale: "none" });
  }
  const part: Table = {
    source: table.source,
    rows: rows.length,
    columns: table.columns.map((column) => someRows(column, rows)),
    notes: [],
  };
  const ignore = off.filter((name) => table.columns.some((column) => column.name === name));
  return prepare(part, {
    ...(table.label !== undefined && { label: table.label }),
    ...(ignore.length > 0 && { ignore }),
    ...(scale !== "auto" && { scale }),
    ...(weights !== "auto" && { weights }),
    ...(missing === "refuse" && { missing }),
    seed,
  });
}

function someRows(column: Column, rows: Int32Array): Column {
  const { values, codes, cells, vectors } = column;
  const taken: Column = {
    ...column,
    ...(values !== undefined && { values: Float64Array.from(rows, (row) => values[row]) }),
    ...(codes !== undefined && { codes: Int32Array.from(rows, (row) => codes[row]) }),
    ...(cells !== undefined && { cells: Array.from(rows, (row) => cells[row]) }),
  };
  if (vectors === undefined) return stillVaries(taken);
  const { cols, data } = vectors;
  const own = matrix(rows.length, cols);
  rows.forEach((row, i) => own.data.set(data.subarray(row * cols, (row + 1) * cols), i * cols));
  return { ...taken, vectors: own };
}

/** A column may be constant within a cluster. */
function stillVaries(column: Column): Column {
  const list: ArrayLike<number> | undefined = column.codes ?? column.values;
  if (list === undefined) return column;
  const known = Array.from(list).filter(
    (value) => !Number.isNaN(value) && (column.codes === undefined || value >= 0),
  );
  if (known.length === 0) return { ...column, kind: "empty" };
  return known.every((value) => value === known[0]) ? { ...column, kind: "constant" } : column;
}

/** The page's view of a clustering, for other labels of the same rows. */
function described(
  { clustering, prepared, placed, examined }: Run,
  labels: Int32Array,
  X: Matrix,
  given?: readonly string[],
): Clustering {
  const clusters = 1 + labels.reduce((most, label) => Math.max(most, label), -1);
  const sizes: number[] = Array.from({ length: clusters }, () => 0);
  for (const label of labels) if (label >= 0) sizes[label]++;
  const { rows } = prepared;
  const own = rows === undefined ? labels : Int32Array.from(rows, (row) => labels[row]);
  const shown = examined === undefined ? X : takeRows(X, examined);
  const shownLabels = examined === undefined ? own : Int32Array.from(examined, (row) => own[row]);
  const shownRow = (i: number): number => {
    const row = examined?.[i] ?? i;
    return rows?.[row] ?? row;
  };
  const representatives = representativesOf(shown, shownLabels, clusters, placed).map((one) => ({
    cluster: one.cluster,
    typical: one.typical.map(shownRow),
    borderline: one.borderline.map(shownRow),
  }));
  const typical = representatives.map((one) => one.typical);
  const profiles = profilesOf(describedTable(prepared), labels, clusters, given, typical);
  const names = profiles.map(({ name }) => name);
  const { trust: _, ...rest } = clustering;
  return { ...rest, labels, clusters, sizes, names, profiles, representatives } as Clustering;
}
