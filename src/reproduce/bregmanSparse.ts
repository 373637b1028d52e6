import { bregmanKmeans } from "../cluster/bregmanKmeans.ts";
import { constrainedKmeans } from "../cluster/constrainedKmeans.ts";
import { kmeans } from "../cluster/kmeans.ts";
import { progressGate, type OnProgress } from "../core/progress.ts";
import { listData, namedData } from "../data/named.ts";
import { samplePairs } from "../data/sampleConstraints.ts";
import { isSparse, toSparse, type Sparse } from "../matrix/sparse.ts";
import { bregman } from "../metric/bregman.ts";
import { encodeLabels } from "../score/labels.ts";
import { pairScores } from "../score/pairScores.ts";
import { aligned } from "./aligned.ts";
import { pause, seconds, spread, type Spread } from "./learners.ts";

/**
 * Wu et al. (2009), Table 3: F1 over pairs on sparse data with 500 must-links and 500 cannot-links. The text's WebKB, 20
 * Newsgroups and Reuters are other excerpts (19687, 47411 and 5189 words); ours are named for what they are.
 */
export const SPARSE_SETS = ["w1a", "w2a", "w6a", "webkb4", "20news-w1000", "reuters-r8"] as const;
export type SparseSet = (typeof SPARSE_SETS)[number];

const COLUMNS = [
  "k-means",
  "k-means, cosine",
  "Ck-means",
  "Ck-means, cosine",
  "Bk-means",
  "Bk-means, enforced",
] as const;
type Column = (typeof COLUMNS)[number];

const PUBLISHED: Readonly<Record<SparseSet, readonly number[]>> = {
  w1a: [76.68, 76.87, 87.04, 87.14, 93.43],
  w2a: [72.59, 73.47, 97.23, 97.14, 96.92],
  w6a: [76.52, 77.16, 76.52, 75.32, 98.64],
  webkb4: [35.78, 35.18, 70.84, 75.84, 73.94],
  "20news-w1000": [16.54, 18.87, 19.12, 20.08, 25.17],
  "reuters-r8": [43.88, 45.42, 56.0, 58.24, 64.51],
};

export interface SparseReport {
  readonly runs: number;
  readonly sets: readonly SparseSetReport[];
  readonly skipped: readonly { readonly set: SparseSet; readonly why: string }[];
  readonly complete: boolean;
}

export interface SparseSetReport {
  readonly set: SparseSet;
  readonly rows: number;
  readonly features: number;
  readonly classes: number;
  /** Everything in one cluster. */
  readonly oneCluster: number;
  readonly cells: readonly SparseCell[];
}

export interface SparseCell {
  readonly column: Column;
  readonly published?: number;
  readonly f1: Spread;
  /** CPU seconds of a run. */
  readonly seconds: number;
  /** Megabytes that the process held after it, where that is known. */
  readonly megabytes?: number;
}

export interface SparseReproduction {
  readonly sets?: readonly SparseSet[];
  readonly runs?: number;
  readonly folder?: string;
  readonly onProgress?: OnProgress;
}

export async function reproduceBregmanSparse(options: SparseReproduction = {}): Promise<SparseReport> {
  const { sets = SPARSE_SETS, runs = 1, folder } = options;
  const report = progressGate(options.onProgress);
  const where = folder === undefined ? {} : { folder };
  const known = new Set((await listData(where)).map(({ name }) => name));
  const done: SparseSetReport[] = [];
  const skipped: SparseReport["skipped"][number][] = [];
  for (const [s, set] of sets.entries()) {
    if (!known.has(set)) {
      skipped.push({
        set,
        why: `there is no data set "${set}"; --data or KINDRED_DATA names a folder that has it`,
      });
      continue;
    }
    const table = await namedData(set, where);
    const X = isSparse(table.X) ? table.X : toSparse(table.X);
    const truth = encodeLabels(table.label!.values);
    const found = new Map<Column, { f1: number[]; seconds: number[]; megabytes: number }>();
    for (let run = 0; run < runs; run++) {
      for (const [c, column] of COLUMNS.entries()) {
        await pause();
        const fraction = (s + (run + c / COLUMNS.length) / runs) / sets.length;
        if (!report({ fraction, label: `${set}, ${column}, run ${run + 1} of ${runs}` })) break;
        const began = seconds();
        const labels = cluster(X, truth.codes, truth.classes.length, column, run);
        const cell = found.get(column) ?? { f1: [], seconds: [], megabytes: 0 };
        cell.seconds.push(seconds() - began);
        cell.f1.push(100 * pairScores(labels, truth.codes).f1);
        cell.megabytes = Math.max(cell.megabytes, residentMegabytes() ?? 0);
        found.set(column, cell);
      }
    }
    done.push({
      set,
      rows: X.rows,
      features: X.cols,
      classes: truth.classes.length,
      oneCluster: 100 * pairScores(new Int32Array(X.rows), truth.codes).f1,
      cells: COLUMNS.flatMap((column, c): SparseCell[] => {
        const cell = found.get(column);
        if (cell === undefined) return [];
        return [
          {
            column,
            ...(c < PUBLISHED[set].length && { published: PUBLISHED[set][c] }),
            f1: spread(cell.f1),
            seconds: spread(cell.seconds).mean,
            ...(cell.megabytes > 0 && { megabytes: cell.megabytes }),
          },
        ];
      }),
    });
    if (report.stopped) break;
  }
  return { runs, sets: done, skipped, complete: !report.stopped };
}

function cluster(X: Sparse, truth: Int32Array, clusters: number, column: Column, seed: number): Int32Array {
  const pairs = samplePairs(truth, { mustLink: 500, cannotLink: 500, seed });
  const options = { clusters, restarts: 1, seed };
  if (column === "k-means") return kmeans(X, options).labels;
  if (column === "Ck-means") return constrainedKmeans(X, { ...options, ...pairs }).labels;
  const rows = unitRows(X);
  if (column === "k-means, cosine") return kmeans(rows, options).labels;
  if (column === "Ck-means, cosine") return constrainedKmeans(rows, { ...options, ...pairs }).labels;
  const enforce = column === "Bk-means, enforced" ? { enforce: pairs } : {};
  return bregmanKmeans(rows, bregman(rows, pairs), { ...options, ...enforce }).labels;
}

/** Rows of length 1: squared distances are then 2 - 2 cosine. */
function unitRows(X: Sparse): Sparse {
  const values = X.values.slice();
  for (let i = 0; i < X.rows; i++) {
    let square = 0;
    for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) square += values[p] * values[p];
    if (square === 0) continue;
    for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) values[p] /= Math.sqrt(square);
  }
  return { ...X, values };
}

function residentMegabytes(): number | undefined {
  const host = globalThis as { process?: { memoryUsage?: () => { rss: number } } };
  const usage = host.process?.memoryUsage?.();
  return usage === undefined ? undefined : usage.rss / 1e6;
}

export function bregmanSparseText({ runs, sets, skipped, complete }: SparseReport): string[] {
  return [
    "Wu, Jin, Hoi, Zhu and Yu 2009, learning Bregman distance functions, Table 3",
    "",
    `F1 over all pairs of rows, in percent; means over ${runs} ${runs === 1 ? "run" : "runs"} with 500 must-links and 500`,
    "cannot-links, one k-means++ start each. Rows stay sparse; no matrix of columns x columns is made. cosine, Bk-means: rows",
    "of length 1. webkb4, 20news-w1000 and reuters-r8 are other excerpts than the text's. seconds: CPU time of one run,",
    "learning included; memory: of the whole process after it.",
    "",
    ...sets.flatMap(({ set, rows, features, classes, oneCluster, cells }) => [
      `${set}: ${rows} rows, ${features} features, ${classes} classes; one cluster: F1 ${oneCluster.toFixed(1)}`,
      ...aligned([
        ["", "text", "ours", "seconds", "memory"],
        ...cells.map(({ column, published, f1, seconds: used, megabytes }) => [
          column,
          published?.toFixed(1) ?? "",
          f1.mean.toFixed(1),
          used.toFixed(1),
          megabytes === undefined ? "" : `${megabytes.toFixed(0)} MB`,
        ]),
      ]).map((line) => `  ${line}`),
      "",
    ]),
    ...skipped.map(({ set, why }) => `${set} is skipped: ${why}`),
    ...(complete ? [] : ["stopped before the end: what is missing was not run"]),
  ];
}
