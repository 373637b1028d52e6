import { predictPartition } from "../cluster/predictPartition.ts";
import { KindredError } from "../core/errors.ts";
import { samplePairs } from "../data/sampleConstraints.ts";
import { scale } from "../data/scaling.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { mlcaUnivariate } from "../metric/mlcaUnivariate.ts";
import { deltaLoss } from "../score/deltaLoss.ts";
import { randLoss } from "../score/rand.ts";
import { LEARNERS, pause, seconds, spread, type Spread, type Training } from "./learners.ts";
import type { Column } from "./mlcaTables.ts";
import { collage, foregroundImage, type LabelledImage } from "./segmentation.ts";

/** Sections 5.2 (foreground, two clusters) and 5.3 (three of several textures that all images share). */
export type SegmentationTask = "foreground" | "collage";

const TASKS: Readonly<
  Record<SegmentationTask, { title: string; classes: number; image: (seed: number) => LabelledImage }>
> = {
  foreground: { title: "foreground and background", classes: 2, image: foregroundImage },
  collage: { title: "three of six textures in each image", classes: 6, image: collage },
};

export type SegmentationMethod = Column | "univariate";
export const SEGMENTATION_METHODS: readonly SegmentationMethod[] = [
  "univariate",
  "mlca",
  "euclidean",
  "lajugie",
  "kissme",
  "xqda",
  "itml",
  "pcca",
  "lda",
  "rca",
];

export const IMAGES = { train: 20, test: 20, quickTrain: 6, quickTest: 6, pairs: 2000, restarts: 5 } as const;

export interface SegmentationCell {
  readonly method: SegmentationMethod;
  /** Over the test images; absent if the method failed. */
  readonly delta?: Spread;
  readonly randLoss?: Spread;
  readonly seconds: number;
  /** Why it failed. */
  readonly failure?: string;
}

export interface SegmentationReport {
  readonly task: SegmentationTask;
  readonly title: string;
  readonly trainImages: number;
  readonly testImages: number;
  readonly rows: number;
  readonly features: number;
  readonly cells: readonly SegmentationCell[];
}

export interface SegmentationOptions {
  /** Fewer images. */
  readonly quick: boolean;
  readonly seed: number;
  readonly methods?: readonly SegmentationMethod[];
  /** After each method; returning false ends it. */
  readonly onDone?: (method: SegmentationMethod) => boolean;
}

/** The pixels of all training images are stacked, their classes shared; each test image is clustered by itself. */
export async function runSegmentation(
  task: SegmentationTask,
  options: SegmentationOptions,
): Promise<SegmentationReport> {
  const { quick, seed, methods = SEGMENTATION_METHODS, onDone } = options;
  const { title, image, classes } = TASKS[task];
  const trainImages = quick ? IMAGES.quickTrain : IMAGES.train;
  const testImages = quick ? IMAGES.quickTest : IMAGES.test;
  const first = 1000 * seed; // training images, then the test images, each with a seed of its own
  const stacked = stack(Array.from({ length: trainImages }, (_, i) => image(first + i)));
  const tests = Array.from({ length: testImages }, (_, i) => image(first + trainImages + i));
  const scaled = scale(stacked.X, "zscore");
  const { labels } = stacked;
  const pairs = samplePairs(labels, { mustLink: IMAGES.pairs, cannotLink: IMAGES.pairs, seed });
  const training = { X: scaled.X, labels, pairs };
  const test = tests.map((one) => ({ X: scaled.apply(one.X), labels: one.labels }));
  const cells: SegmentationCell[] = [];
  for (const method of methods) {
    if (method === "univariate" && classes !== 2) continue;
    const start = seconds();
    try {
      const partition = learn(method, training);
      const took = seconds() - start;
      const parts = test.map(({ X, labels: truth }) => ({ labels: partition(X, truth), truth }));
      cells.push({
        method,
        delta: spread(parts.map((part) => deltaLoss(part.labels, part.truth))),
        randLoss: spread(parts.map((part) => randLoss(part.labels, part.truth))),
        seconds: took,
      });
    } catch (error) {
      if (!(error instanceof KindredError)) throw error;
      cells.push({ method, seconds: seconds() - start, failure: error.message });
    }
    await pause();
    if (onDone?.(method) === false) break;
  }
  return {
    task,
    title,
    trainImages,
    testImages,
    rows: stacked.X.rows,
    features: stacked.X.cols,
    cells,
  };
}

type Partition = (X: Matrix, truth: Int32Array) => Int32Array;

/** By the sign, or by k-means with as many clusters as the image has textures, which the text takes for given. */
function learn(method: SegmentationMethod, training: Training): Partition {
  if (method === "univariate") {
    const model = mlcaUnivariate(training.X, training.labels);
    return (Y) => model.predict(Y);
  }
  const metric = LEARNERS[method][0].learn(training);
  return (Y, truth) =>
    predictPartition(metric, Y, { clusters: new Set(truth).size, restarts: IMAGES.restarts }).labels;
}

export function stack(images: readonly Pick<LabelledImage, "X" | "labels">[]): {
  X: Matrix;
  labels: Int32Array;
} {
  const rows = images.reduce((sum, { X }) => sum + X.rows, 0);
  const X = matrix(rows, images[0].X.cols);
  const labels = new Int32Array(rows);
  let at = 0;
  for (const image of images) {
    X.data.set(image.X.data, at * X.cols);
    labels.set(image.labels, at);
    at += image.X.rows;
  }
  return { X, labels };
}
