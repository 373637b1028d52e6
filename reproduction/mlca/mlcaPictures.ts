import { kmeans, predictPartition } from "kindred/cluster";
import { scale } from "kindred/data";
import type { Matrix } from "kindred/matrix";
import { mlca, mlcaUnivariate } from "kindred/metric";
import { groupColor, panelsSvg, pointsFrom, type PointPanel, rgb } from "../panelsSvg.ts";
import { drawSets } from "./mlcaSynthetic.ts";
import { GEOMETRIES } from "./mlcaTables.ts";
import { foregroundImage } from "./segmentation.ts";
import { IMAGES, stack } from "./segmentationRun.ts";

/** Figure 2: test rows of Table 1, their categories and k-means, as they are and as MLCA sees them. */
export function categoriesSvg(): string {
  const { train, test } = drawSets("1", GEOMETRIES[0], 1);
  const metric = mlca(train.X, train.labels);
  const seen = metric.transform(test.X);
  const before = kmeans(test.X, { clusters: 3, seed: 1 }).labels;
  const after = predictPartition(metric, test.X, { clusters: 3, seed: 1 }).labels;
  const drawn = (X: Matrix, groups: ArrayLike<number>): PointPanel["points"] =>
    pointsFrom(X, groups).filter((_, i) => i % EVERY === 0);
  return panelsSvg("Six Gaussians in three categories, before and after learning", [
    { title: "categories, columns 1 and 2", points: drawn(test.X, test.labels) },
    { title: "k-means", points: drawn(test.X, inOrder(before)) },
    { title: "categories, as MLCA sees them", points: drawn(seen, test.labels) },
    { title: "k-means there", points: drawn(seen, inOrder(after)) },
  ]);
}

/** Of 3000 rows every fifth is drawn. */
const EVERY = 5;

/** Figure 3, of generated images: the image, its segments, univariate and multivariate MLCA. */
export function segmentsSvg(): string {
  const images = Array.from({ length: IMAGES.train }, (_, i) => foregroundImage(1000 + i));
  const { X, labels } = stack(images);
  const scaled = scale(X, "zscore");
  const [sign, metric] = [mlcaUnivariate(scaled.X, labels), mlca(scaled.X, labels)];
  const panels = [0, 1, 2].flatMap((i) => {
    const { X: pixels, labels: truth, width } = foregroundImage(1000 + IMAGES.train + i);
    const Z = scaled.apply(pixels);
    const parts: [string, ArrayLike<number>][] = [
      ["segments", truth],
      ["univariate MLCA", sign.predict(Z)],
      ["multivariate MLCA", predictPartition(metric, Z, { clusters: 2, restarts: IMAGES.restarts }).labels],
    ];
    return [
      { title: `image ${i + 1}`, width, cells: colors(pixels) },
      ...parts.map(([title, part]) => ({ title, width, cells: inOrder(part).map(groupColor) })),
    ];
  });
  return panelsSvg("Generated images and their segments", panels, 4);
}

/** Groups by the order of their first members. */
function inOrder(labels: ArrayLike<number>): number[] {
  const order = new Map<number, number>();
  return Array.from(labels, (label) => {
    if (!order.has(label)) order.set(label, order.size);
    return order.get(label)!;
  });
}

/** The first three columns are red, green and blue, about 0 to 1. */
function colors(X: Matrix): string[] {
  const at = (p: number, c: number): number => X.data[p * X.cols + c];
  return Array.from({ length: X.rows }, (_, p) => rgb(at(p, 0), at(p, 1), at(p, 2)));
}
