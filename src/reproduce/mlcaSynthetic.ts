import { predictPartition } from "../cluster/predictPartition.ts";
import { random } from "../core/random.ts";
import { samplePairs } from "../data/sampleConstraints.ts";
import { matrix, takeRows, type Matrix } from "../matrix/matrix.ts";
import type { Mahalanobis } from "../metric/mahalanobis.ts";
import { deltaLoss } from "../score/deltaLoss.ts";
import { LEARNERS, pause, seconds, type Setting, spread, type Spread, type Training } from "./learners.ts";
import {
  COLUMNS,
  type Column,
  type Geometry,
  LABEL_NOISE,
  type MlcaTable,
  PROTOCOL,
  SYNTHETIC,
} from "./mlcaTables.ts";

/** Six Gaussians in three categories, and labels of which some are wrong. */
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

/** One column of one table. */
export interface SyntheticCell {
  readonly column: Column;
  readonly delta: Spread;
  readonly seconds: Spread;
  /** What the validation set chose, and how often; empty where there was nothing to choose. */
  readonly settings: Readonly<Record<string, number>>;
  /** Fits that did not converge. */
  readonly unconverged: number;
  /** Training rows, where they are not all. */
  readonly rows?: number;
}

export interface SyntheticOptions {
  readonly columns?: readonly Column[];
  readonly seeds: number;
  readonly quick: boolean;
  /** After each column of each seed; returning false ends it, and what is done is returned. */
  readonly onDone?: (column: Column, seed: number) => boolean;
}

/** The sets of one seed: each is drawn from a stream of its own. */
export interface Draw {
  readonly train: Mixture;
  readonly validation: Mixture;
  readonly test: Mixture;
}

export function drawSets(table: MlcaTable, geometry: Geometry, seed: number): Draw {
  const { train, test, noisy } = SYNTHETIC[table];
  const noise = noisy ? LABEL_NOISE : 0;
  return {
    train: mixture(geometry, train, noise, 3 * seed),
    validation: mixture(geometry, test, noise, 3 * seed + 1),
    test: mixture(geometry, test, noise, 3 * seed + 2),
  };
}

export async function runSynthetic(
  table: MlcaTable,
  geometry: Geometry,
  options: SyntheticOptions,
): Promise<SyntheticCell[]> {
  const { seeds, quick, columns = COLUMNS, onDone } = options;
  const found = new Map<Column, Fit[]>(columns.map((column) => [column, []]));
  warmUp(columns, geometry);
  let go = true;
  for (let seed = 1; go && seed <= seeds; seed++) {
    const { train, validation, test } = drawSets(table, geometry, seed);
    const pairs = samplePairs(train.labels, { mustLink: PROTOCOL.pairs, cannotLink: PROTOCOL.pairs, seed });
    const training = { ...train, pairs };
    for (const column of columns) {
      if (!go) break;
      // LMNN takes many times as long as all others together.
      if (column === "lmnn" && !quick && seed > 1) continue;
      const data = column === "lmnn" && quick ? fewer(training, PROTOCOL.quickLmnnRows, seed) : training;
      const settings = quick ? LEARNERS[column].slice(0, 1) : LEARNERS[column];
      found.get(column)!.push(fit(settings, data, validation, test, seed));
      await pause();
      go = onDone?.(column, seed) ?? true;
    }
  }
  return columns.flatMap((column): SyntheticCell[] => {
    const fits = found.get(column)!;
    if (fits.length === 0) return [];
    const settings: Record<string, number> = {};
    for (const { setting } of fits)
      if (!quick && setting !== "") settings[setting] = (settings[setting] ?? 0) + 1;
    return [
      {
        column,
        delta: spread(fits.map(({ delta }) => delta)),
        seconds: spread(fits.map((one) => one.seconds)),
        settings,
        unconverged: fits.filter(({ converged }) => !converged).length,
        ...(column === "lmnn" && quick && { rows: PROTOCOL.quickLmnnRows }),
      },
    ];
  });
}

/** A first fit of a few rows, so that no time includes the loading of kernels. */
function warmUp(columns: readonly Column[], geometry: Geometry): void {
  const few = mixture(geometry, [40, 40, 40], 0, 0);
  const pairs = samplePairs(few.labels, { mustLink: 50, cannotLink: 50, seed: 0 });
  for (const column of columns) LEARNERS[column][0].learn({ ...few, pairs });
}

interface Fit {
  readonly delta: number;
  readonly seconds: number;
  readonly setting: string;
  readonly converged: boolean;
}

function fit(
  settings: readonly Setting[],
  training: Training,
  validation: Mixture,
  test: Mixture,
  seed: number,
): Fit {
  let best: { metric: Mahalanobis; name: string; seconds: number; loss: number } | undefined;
  for (const { name, learn } of settings) {
    const start = seconds();
    const metric = learn(training);
    const took = seconds() - start;
    const loss = settings.length === 1 ? 0 : partitionLoss(metric, validation, seed);
    if (best === undefined || loss < best.loss) best = { metric, name, seconds: took, loss };
  }
  const { metric, name, seconds: took } = best!;
  return {
    delta: partitionLoss(metric, test, seed),
    seconds: took,
    setting: name,
    converged: metric.converged,
  };
}

/** Delta of k-means under the metric; the labels, wrong ones included, are the truth, as in the text. */
function partitionLoss(metric: Mahalanobis, { X, labels }: Mixture, seed: number): number {
  const { restarts } = PROTOCOL;
  return deltaLoss(predictPartition(metric, X, { clusters: 3, restarts, seed }).labels, labels);
}

function fewer({ X, labels, pairs }: Training, rows: number, seed: number): Training {
  const chosen = random(seed).sample(Math.min(rows, X.rows), X.rows);
  return { X: takeRows(X, chosen), labels: Int32Array.from(chosen, (i) => labels[i]), pairs };
}
