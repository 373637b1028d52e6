import type { Note } from "../core/index.ts";
import { note } from "../core/internal.ts";
import { columnRecord } from "../data/index.ts";
import { followsColumn } from "../features/index.ts";
import { isSparse, takeRows, type Matrix, type Sparse } from "../matrix/index.ts";
import { placingOf, type Fitted, type Placed, type PlacingRule } from "../method/index.ts";
import { clusteringOf, profilesOf, representativesOf, type Trust } from "../model/index.ts";
import { spareNames } from "../model/internal.ts";
import type { ClusterOptions, Run } from "./cluster.ts";
import { drawnRows } from "./drawnRows.ts";
import { describedTable, type Prepared } from "./prepare.ts";
import { sampleNote } from "./sampleSize.ts";

/** A clustering of a table from the result of a method on its numbers. */
export function described(prepared: Prepared, fitted: Fitted, about: Description): Run {
  const { table, X, rows, space } = prepared;
  const { placing, clusters } = fitted;
  const labels = rows === undefined ? fitted.labels : spreadLabels(fitted.labels, rows, table.rows);
  // Of very many rows, only the fitted ones are examined, or as many as a rule that compares rows places soon.
  const { sample } = about;
  const examined = sample ?? (comparesRows(placing) ? examinedRows(X) : undefined);
  const shown = examined === undefined || isSparse(X) ? X : takeRows(X, examined);
  const shownLabels = examined === undefined ? fitted.labels : takeLabels(fitted.labels, examined);
  const shownRow = (i: number): number => {
    const row = examined?.[i] ?? i;
    return rows?.[row] ?? row;
  };
  const placed = isSparse(shown) ? nowhere(fitted.labels) : placingOf(placing)(shown);
  const found = fitted as Fitted & {
    readonly trust?: Trust;
    readonly names?: readonly (string | undefined)[];
  };
  const representatives = isSparse(shown)
    ? Array.from({ length: clusters }, (_, k) => ({ cluster: k, typical: [], borderline: [] }))
    : representativesOf(shown, shownLabels, clusters, placed).map(({ cluster: k, typical, borderline }) => ({
        cluster: k,
        typical: typical.map(shownRow),
        borderline: borderline.map(shownRow),
      }));
  const profiles = profilesOf(
    describedTable(prepared),
    labels,
    clusters,
    about.options.names ?? found.names,
    representatives.map(({ typical }) => typical),
  );
  const notes: Note[] = [
    ...table.notes,
    ...prepared.notes,
    ...(sample === undefined ? [] : [sampleNote({ name: about.method }, sample.length, X.rows)]),
    ...(about.told === undefined ? [] : [note("placed-by-points", about.told)]),
    ...fitted.warnings.map((message) => note("method", message)),
    ...otherNumber(about.options.clusters, clusters, fitted),
    ...spareNames(about.options.names, clusters),
    ...(space.kind === "features" && space.metric === undefined
      ? followsColumn(fitted.labels, describedTable(prepared), {
          ...prepared,
          record: space.record,
        })
      : []),
  ];
  const clustering = clusteringOf(
    {
      method: about.method,
      options: plain(about.own),
      seed: about.seed,
      clusters,
      sizes: sizesOf(labels, clusters),
      names: profiles.map(({ name }) => name),
      columns: table.columns.map(columnRecord),
      space,
      placing,
      relevance: relevanceOf(prepared, fitted),
      proof: {
        converged: fitted.converged,
        objective: fitted.objective ?? null,
        iterations: fitted.iterations ?? null,
        certificate: fitted.certificate ?? null,
      },
      ...(found.trust !== undefined && { trust: found.trust }),
      notes,
      profiles,
      representatives,
      details: fitted.details,
    },
    labels,
  );
  return {
    clustering,
    prepared,
    fitted,
    placed,
    ...(examined !== undefined && { examined }),
    ...(sample !== undefined && { sample }),
  };
}

interface Description {
  readonly method: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly seed: number | null;
  readonly options: Pick<ClusterOptions, "clusters" | "names">;
  readonly sample?: Int32Array;
  /** How the rows that were not fitted were placed, if not by the method's own rule. */
  readonly told?: string;
}

/** Whether each row is compared with many others. */
function comparesRows({ kind }: PlacingRule): boolean {
  return kind === "rows" || kind === "density" || kind === "kernel-kmeans" || kind === "cpd-uml";
}

/** Number of rows of which some illustrate their cluster. */
const EXAMINED = 100_000;

function examinedRows(X: Matrix | Sparse): Int32Array | undefined {
  return isSparse(X) || X.rows <= EXAMINED ? undefined : drawnRows(X, EXAMINED, 0);
}

function takeLabels(labels: Int32Array, rows: Int32Array): Int32Array {
  return Int32Array.from(rows, (row) => labels[row]);
}

function otherNumber(asked: number | undefined, made: number, { warnings }: Fitted): Note[] {
  if (asked === undefined || made === asked || warnings.length > 0) return [];
  return [
    note("other-number", `${asked} clusters were asked for, the result has ${made}`, { option: "clusters" }),
  ];
}

/** Share of each column in the mean squared distance, under the learned metric if there is one. */
function relevanceOf({ X, sources }: Prepared, { metric }: Fitted): { column: string; share: number }[] {
  if (isSparse(X)) return [];
  const { rows, cols, data } = X;
  const shares = new Map<string, number>(sources.map((name) => [name, 0]));
  const usable = metric !== undefined && metric.rows === cols && metric.cols === cols;
  let sum = 0;
  for (let f = 0; f < cols; f++) {
    let mean = 0;
    let squares = 0;
    for (let i = 0; i < rows; i++) {
      const from = data[i * cols + f] - mean;
      mean += from / (i + 1);
      squares += from * (data[i * cols + f] - mean);
    }
    const share = (squares / rows) * (usable ? Math.max(0, metric.data[f * cols + f]) : 1);
    sum += share;
    shares.set(sources[f], shares.get(sources[f])! + share);
  }
  return Array.from(shares, ([column, share]) => ({ column, share: sum > 0 ? share / sum : 0 })).sort(
    (a, b) => b.share - a.share,
  );
}

/** The labels of all rows of the table; -1 for rows that were dropped. */
export function spreadLabels(labels: Int32Array, rows: Int32Array, n: number): Int32Array {
  const all = new Int32Array(n).fill(-1);
  rows.forEach((row, i) => (all[row] = labels[i]));
  return all;
}

function sizesOf(labels: Int32Array, clusters: number): number[] {
  const sizes = Array.from({ length: clusters }, () => 0);
  for (const label of labels) if (label >= 0) sizes[label]++;
  return sizes;
}

function nowhere(labels: Int32Array): Placed {
  const far = new Float64Array(labels.length).fill(Infinity);
  return { labels, distances: far, next: new Int32Array(labels.length).fill(-1), nextDistances: far };
}

/** Options in a form for files. */
function plain(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) => ["string", "number", "boolean"].includes(typeof value) || Array.isArray(value),
    ),
  );
}
