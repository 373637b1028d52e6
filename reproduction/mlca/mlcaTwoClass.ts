import { random } from "kindred";
import { kmeans, predictPartition } from "kindred/cluster";
import { scale } from "kindred/data";
import { type Matrix, takeRows } from "kindred/matrix";
import { mlca, mlcaUnivariate } from "kindred/metric";
import { accuracy, deltaLoss, encodeLabels, randLoss } from "kindred/score";
import { classedSet, knownSets, where } from "../knownSets.ts";
import { spread, type Spread } from "../learners.ts";
import { PROTOCOL } from "./mlcaTables.ts";

/** Section 4 against section 3 on sets of two classes: half of the rows of each class train, the others are clustered. */
export const TWO_CLASS_SETS = [
  { name: "breast", data: "breast-cancer-wisconsin" },
  { name: "pima", data: "diabetes" },
  { name: "ionosphere", data: "ionosphere" },
  { name: "sonar", data: "sonar" },
] as const;

export type TwoClassSet = (typeof TWO_CLASS_SETS)[number]["name"];

export const TWO_CLASS_METHODS = ["univariate", "mlca", "spectral", "uncentred", "euclidean"] as const;
export type TwoClassMethod = (typeof TWO_CLASS_METHODS)[number];

/** Accuracy is that of the best matching of clusters to classes. */
type Loss = "delta" | "rand" | "accuracy";

export type TwoClassRow = Awaited<ReturnType<typeof runTwoClassTask>>;

/** One set: plain data in, plain data out. */
export interface TwoClassTask {
  readonly kind: "mlca two classes";
  readonly set: TwoClassSet;
  readonly splits: number;
  readonly folder?: string;
}

export async function planTwoClass(splits: number = PROTOCOL.splits, folder?: string) {
  const known = await knownSets(
    TWO_CLASS_SETS.map(({ name }) => name),
    twoClassData,
    folder,
  );
  const common = { kind: "mlca two classes", splits, ...where(folder) } as const;
  return { tasks: known.sets.map((set): TwoClassTask => ({ ...common, set })), skipped: known.skipped };
}

export function twoClassData(set: TwoClassSet): string {
  return TWO_CLASS_SETS.find(({ name }) => name === set)!.data;
}

export async function runTwoClassTask({ set, splits, folder }: TwoClassTask) {
  const data = twoClassData(set);
  const { X, truth } = await classedSet(data, folder);
  return { name: set, data, rows: X.rows, features: X.cols, ...runSet(X, truth, splits) };
}

function runSet(X: Matrix, classes: readonly string[], splits: number) {
  const { codes } = encodeLabels(classes);
  const found = TWO_CLASS_METHODS.map(() => [] as Record<Loss, number>[]);
  for (let split = 1; split <= splits; split++) {
    const { train, test } = halves(codes, split);
    const truth = test.map((i) => codes[i]);
    const partitions = partitionsOf(
      takeRows(X, train),
      train.map((i) => codes[i]),
      takeRows(X, test),
      split,
    );
    TWO_CLASS_METHODS.forEach((method, m) => {
      const labels = partitions[method];
      found[m].push({
        delta: deltaLoss(labels, truth),
        rand: randLoss(labels, truth),
        accuracy: accuracy(labels, truth),
      });
    });
  }
  const over = (m: number, measure: Loss): Spread => spread(found[m].map((one) => one[measure]));
  const losses = TWO_CLASS_METHODS.map((method, m) => [
    method,
    { delta: over(m, "delta"), rand: over(m, "rand"), accuracy: over(m, "accuracy") },
  ]);
  return { losses: Object.fromEntries(losses) as Record<TwoClassMethod, Record<Loss, Spread>> };
}

function partitionsOf(
  train: Matrix,
  labels: readonly number[],
  test: Matrix,
  seed: number,
): Record<TwoClassMethod, Int32Array> {
  const scaled = scale(train, "zscore");
  const X = scaled.X;
  const Y = scaled.apply(test);
  const options = { clusters: 2, restarts: PROTOCOL.restarts, seed };
  const metric = mlca(X, labels);
  // z-scores are already centred, so "uncentred" uses the raw columns, only divided.
  const raw = mlca(scaleOnly(train, scaled.scaling.groups[0].scale, scaled.kept), labels, { center: false });
  return {
    univariate: mlcaUnivariate(X, labels).predict(Y),
    mlca: predictPartition(metric, Y, options).labels,
    spectral: predictPartition(metric, Y, { ...options, space: "spectral" }).labels,
    uncentred: predictPartition(raw, scaleOnly(test, scaled.scaling.groups[0].scale, scaled.kept), options)
      .labels,
    euclidean: kmeans(Y, options).labels,
  };
}

function scaleOnly(X: Matrix, scales: readonly number[], kept: readonly number[]): Matrix {
  const data = new Float64Array(X.rows * kept.length);
  for (let i = 0; i < X.rows; i++) {
    kept.forEach((f, g) => (data[i * kept.length + g] = X.data[i * X.cols + f] / scales[g]));
  }
  return { ...X, cols: kept.length, data };
}

/** Half of each class, by seed. */
export function halves(codes: ArrayLike<number>, seed: number): { train: number[]; test: number[] } {
  const draw = random(seed);
  const train: number[] = [];
  const test: number[] = [];
  const classes = Math.max(...Array.from(codes)) + 1;
  for (let c = 0; c < classes; c++) {
    const rows = draw.shuffle(Array.from(codes).flatMap((code, i) => (code === c ? [i] : [])));
    const half = Math.floor(rows.length / 2);
    train.push(...rows.slice(0, half));
    test.push(...rows.slice(half));
  }
  return { train: train.sort((a, b) => a - b), test: test.sort((a, b) => a - b) };
}
