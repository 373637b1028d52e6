import { random } from "kindred";
import { predictPartition } from "kindred/cluster";
import { samplePairs } from "kindred/data";
import { matrix, type Matrix, takeRows } from "kindred/matrix";
import type { Mahalanobis } from "kindred/metric";
import { deltaLoss } from "kindred/score";
import { LEARNERS, spread, stopwatch, type Training } from "../learners.ts";
import {
  type Column,
  COLUMNS,
  GEOMETRIES,
  type Geometry,
  LABEL_NOISE,
  type MlcaTable,
  PROTOCOL,
  SYNTHETIC,
} from "./mlcaTables.ts";

/** Six Gaussians in three categories, with some wrong labels. */
export interface Mixture {
  readonly X: Matrix;
  readonly labels: Int32Array;
}

export function mixture(
  { centers, deviation }: Pick<Geometry, "centers" | "deviation">,
  sizes: readonly number[],
  labelNoise: number,
  seed: number,
): Mixture {
  const draw = random(seed);
  const d = centers[0].length;
  const n = sizes.reduce((sum, size) => sum + size, 0);
  const X = matrix(n, d);
  const labels = new Int32Array(n);
  let i = 0;
  for (let c = 0; c < sizes.length; c++) {
    for (let member = 0; member < sizes[c]; member++, i++) {
      const center = centers[2 * c + (2 * member < sizes[c] ? 0 : 1)];
      for (let f = 0; f < d; f++) X.data[i * d + f] = center[f] + deviation * draw.normal();
      labels[i] = c;
    }
  }
  const k = sizes.length;
  for (const row of draw.sample(Math.round(labelNoise * n), n)) {
    labels[row] = (labels[row] + 1 + draw.integer(k - 1)) % k;
  }
  return { X, labels };
}

/** One column of one table, one seed: plain data in, plain data out. */
export interface SyntheticTask {
  readonly kind: "mlca synthetic";
  readonly table: MlcaTable;
  /** Its name. */
  readonly geometry: string;
  readonly column: Column;
  readonly seed: number;
  /** Defaults instead of a choice, LMNN on a sample of the rows. */
  readonly quick: boolean;
}

export type SyntheticFit = ReturnType<typeof runSyntheticTask>;
export type SyntheticCell = ReturnType<typeof syntheticCells>[number];

export interface SyntheticOptions {
  readonly columns?: readonly Column[];
  readonly seeds: number;
  readonly quick: boolean;
}

/** The sets of one seed: each comes from its own random stream. */
export function drawSets(table: MlcaTable, geometry: Geometry, seed: number) {
  const { train, test, noisy } = SYNTHETIC[table];
  const noise = noisy ? LABEL_NOISE : 0;
  return {
    train: mixture(geometry, train, noise, 3 * seed),
    validation: mixture(geometry, test, noise, 3 * seed + 1),
    test: mixture(geometry, test, noise, 3 * seed + 2),
  };
}

export function syntheticTasks(
  table: MlcaTable,
  geometry: string,
  { seeds, quick, columns = COLUMNS }: SyntheticOptions,
): SyntheticTask[] {
  return Array.from({ length: seeds }, (_, s) => s + 1).flatMap((seed) =>
    columns
      // LMNN takes many times as long as all others together.
      .filter((column) => column !== "lmnn" || quick || seed === 1)
      .map((column): SyntheticTask => ({ kind: "mlca synthetic", table, geometry, column, seed, quick })),
  );
}

export function runSyntheticTask(task: SyntheticTask) {
  const { table, column, seed, quick } = task;
  const geometry = GEOMETRIES.find(({ name }) => name === task.geometry)!;
  warmUp(column, geometry);
  const { train, validation, test } = drawSets(table, geometry, seed);
  const pairs = samplePairs(train.labels, { mustLink: PROTOCOL.pairs, cannotLink: PROTOCOL.pairs, seed });
  const training = { ...train, pairs };
  const data = column === "lmnn" && quick ? fewer(training, PROTOCOL.quickLmnnRows, seed) : training;
  const settings = quick ? LEARNERS[column].slice(0, 1) : LEARNERS[column];
  let best: { metric: Mahalanobis; name: string; seconds: number; loss: number } | undefined;
  for (const { name, learn } of settings) {
    const clock = stopwatch();
    const metric = learn(data);
    const seconds = clock();
    const loss = settings.length === 1 ? 0 : partitionLoss(metric, validation, seed);
    if (best === undefined || loss < best.loss) best = { metric, name, seconds, loss };
  }
  const { metric, name, seconds } = best!;
  const { converged } = metric;
  // The choice of the validation set is "" for the defaults.
  return { delta: partitionLoss(metric, test, seed), seconds, setting: name, converged };
}

/** The columns of one table from its finished tasks. */
export function syntheticCells(
  done: readonly { readonly task: SyntheticTask; readonly result: SyntheticFit }[],
) {
  return COLUMNS.flatMap((column) => {
    const own = done.filter(({ task }) => task.column === column);
    if (own.length === 0) return [];
    const { quick } = own[0].task;
    const fits = own.map(({ result }) => result);
    const settings: Record<string, number> = {};
    for (const { setting } of fits)
      if (!quick && setting !== "") settings[setting] = (settings[setting] ?? 0) + 1;
    return [
      {
        column,
        delta: spread(fits.map(({ delta }) => delta)),
        seconds: spread(fits.map(({ seconds }) => seconds)),
        /** The choices of the validation set, and their counts; empty if there was no choice. */
        settings,
        /** Fits that did not converge. */
        unconverged: fits.filter(({ converged }) => !converged).length,
        /** Number of training rows, if not all. */
        ...(column === "lmnn" && quick && { rows: PROTOCOL.quickLmnnRows }),
      },
    ];
  });
}

/** A first fit of a few rows, so no time includes the loading of kernels. */
function warmUp(column: Column, geometry: Geometry): void {
  const few = mixture(geometry, [40, 40, 40], 0, 0);
  const pairs = samplePairs(few.labels, { mustLink: 50, cannotLink: 50, seed: 0 });
  LEARNERS[column][0].learn({ ...few, pairs });
}

/** Delta of k-means under the metric; the labels, including wrong ones, are the truth, as in the text. */
function partitionLoss(metric: Mahalanobis, { X, labels }: Mixture, seed: number): number {
  const { restarts } = PROTOCOL;
  return deltaLoss(predictPartition(metric, X, { clusters: 3, restarts, seed }).labels, labels);
}

function fewer({ X, labels, pairs }: Training, rows: number, seed: number): Training {
  const chosen = random(seed).sample(Math.min(rows, X.rows), X.rows);
  return { X: takeRows(X, chosen), labels: Int32Array.from(chosen, (i) => labels[i]), pairs };
}
