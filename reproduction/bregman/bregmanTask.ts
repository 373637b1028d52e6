import { namedData, scale } from "kindred/data";
import { isSparse, type Matrix, type Sparse, toDense, toSparse } from "kindred/matrix";
import { encodeLabels } from "kindred/score";
import { where } from "../knownSets.ts";
import { bregmanRun, type BregmanRunResult } from "./bregmanRun.ts";
import { runSparseCell, type SparseColumn, type SparseRun, type SparseSet } from "./bregmanSparseCell.ts";
import { type BregmanSet, type Budget, DATA } from "./bregmanTables.ts";

/** One run of Table 2, all methods: plain data in, plain data out. */
export interface BregmanTask {
  readonly kind: "bregman";
  readonly set: BregmanSet;
  readonly budget: Budget;
  readonly run: number;
  readonly folder?: string;
}

/** One run of one cell of Table 3. */
export interface SparseTask {
  readonly kind: "bregman sparse";
  readonly set: SparseSet;
  readonly column: SparseColumn;
  readonly run: number;
  readonly folder?: string;
}

export async function runBregmanTask({ set, budget, run, folder }: BregmanTask): Promise<BregmanRunResult> {
  const { X, truth, classes } = await denseSet(set, folder);
  return bregmanRun(X, truth, classes, budget, run);
}

export async function runSparseTask({ set, column, run, folder }: SparseTask): Promise<SparseRun> {
  const { X, truth, classes } = await sparseSet(set, folder);
  return runSparseCell(X, truth, classes, column, run);
}

export async function denseSet(
  set: BregmanSet,
  folder: string | undefined,
): Promise<{ X: Matrix; truth: Int32Array; classes: number }> {
  const { X, label } = await namedData(DATA[set], where(folder));
  const { codes, classes } = encodeLabels(label!.values);
  return { X: scale(isSparse(X) ? toDense(X) : X).X, truth: codes, classes: classes.length };
}

export async function sparseSet(
  set: SparseSet,
  folder: string | undefined,
): Promise<{ X: Sparse; truth: Int32Array; classes: number }> {
  const { X, label } = await namedData(set, where(folder));
  const { codes, classes } = encodeLabels(label!.values);
  return { X: isSparse(X) ? X : toSparse(X), truth: codes, classes: classes.length };
}
