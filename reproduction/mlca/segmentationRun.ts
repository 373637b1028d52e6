import { KindredError } from "kindred";
import { predictPartition } from "kindred/cluster";
import { samplePairs, scale } from "kindred/data";
import { matrix, type Matrix } from "kindred/matrix";
import { mlcaUnivariate } from "kindred/metric";
import { deltaLoss, randLoss } from "kindred/score";
import { LEARNERS, spread, stopwatch, type Training } from "../learners.ts";
import { imageCut } from "./imageCut.ts";
import type { Column } from "./mlcaTables.ts";
import { collage, FEATURES, foregroundImage, type LabelledImage, PIXELS } from "./segmentation.ts";

/** Sections 5.2 (foreground, two clusters) and 5.3 (three of several textures that all images share). */
export type Scene = "foreground" | "collage";

const SCENES: Readonly<
  Record<Scene, { title: string; classes: number; image: (seed: number) => LabelledImage }>
> = {
  foreground: { title: "foreground and background", classes: 2, image: foregroundImage },
  collage: { title: "three of six textures in each image", classes: 6, image: collage },
};

export type SegmentationMethod = Column | "univariate" | "ncuts";
const SEGMENTATION_METHODS =
  "univariate mlca ncuts euclidean lajugie kissme xqda itml pcca lmnn lda rca".split(
    " ",
  ) as SegmentationMethod[];

export const IMAGES = { train: 20, test: 20, quickTrain: 6, quickTest: 6, pairs: 2000, restarts: 5 } as const;

export type SegmentationCell = ReturnType<typeof runSegmentationTask>;
export type SegmentationReport = ReturnType<typeof segmentationReport>;

/** One method on one kind of images: plain data in, plain data out. */
export interface SegmentationTask {
  readonly kind: "mlca segmentation";
  readonly scene: Scene;
  readonly method: SegmentationMethod;
  /** Fewer images. */
  readonly quick: boolean;
  readonly seed: number;
}

type SegmentationOptions = Pick<SegmentationTask, "quick" | "seed"> & {
  readonly methods?: readonly SegmentationMethod[];
};

export function segmentationTasks(
  scene: Scene,
  { quick, seed, methods = SEGMENTATION_METHODS }: SegmentationOptions,
): SegmentationTask[] {
  return methods
    .filter((method) => method !== "univariate" || SCENES[scene].classes === 2)
    .map((method): SegmentationTask => ({ kind: "mlca segmentation", scene, method, quick, seed }));
}

/**
 * The pixels of all training images are stacked, with shared classes; each test image is clustered
 * separately.
 */
export function runSegmentationTask({ scene, method, quick, seed }: SegmentationTask) {
  const { image } = SCENES[scene];
  const { trainImages, testImages } = imageCounts(quick);
  const first = 1000 * seed; // training images, then the test images, each with a seed of its own
  const stacked = stack(Array.from({ length: trainImages }, (_, i) => image(first + i)));
  const tests = Array.from({ length: testImages }, (_, i) => image(first + trainImages + i));
  const scaled = scale(stacked.X, "zscore");
  const { labels } = stacked;
  const pairs = samplePairs(labels, { mustLink: IMAGES.pairs, cannotLink: IMAGES.pairs, seed });
  const clock = stopwatch();
  try {
    const partition = learn(method, { X: scaled.X, labels, pairs });
    const seconds = clock();
    const parts = tests.map((one) => ({
      labels: partition({ ...one, X: scaled.apply(one.X) }),
      truth: one.labels,
    }));
    return {
      method,
      delta: spread(parts.map((part) => deltaLoss(part.labels, part.truth))),
      randLoss: spread(parts.map((part) => randLoss(part.labels, part.truth))),
      seconds,
    };
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    return { method, seconds: clock(), failure: error.message };
  }
}

export function segmentationReport(scene: Scene, quick: boolean, cells: readonly SegmentationCell[]) {
  const { trainImages, testImages } = imageCounts(quick);
  return {
    task: scene,
    title: SCENES[scene].title,
    trainImages,
    testImages,
    rows: trainImages * PIXELS,
    features: FEATURES.length,
    cells,
  };
}

function imageCounts(quick: boolean): { readonly trainImages: number; readonly testImages: number } {
  return quick
    ? { trainImages: IMAGES.quickTrain, testImages: IMAGES.quickTest }
    : { trainImages: IMAGES.train, testImages: IMAGES.test };
}

type Partition = (image: LabelledImage) => Int32Array;

/** By the sign, or by k-means or cuts with the number of textures in the image, which the text assumes to be known. */
function learn(method: SegmentationMethod, training: Training): Partition {
  const count = ({ labels }: LabelledImage): number => new Set(labels).size;
  if (method === "ncuts") return (image) => imageCut(image, count(image));
  if (method === "univariate") {
    const model = mlcaUnivariate(training.X, training.labels);
    return ({ X }) => model.predict(X);
  }
  const metric = LEARNERS[method][0].learn(training);
  return (image) =>
    predictPartition(metric, image.X, { clusters: count(image), restarts: IMAGES.restarts }).labels;
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
