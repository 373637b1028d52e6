import { neighborLayout } from "kindred/embed";
import { matrix, takeRows, type Matrix } from "kindred/matrix";
import type { Layout, PathQuestion, Told } from "../protocol.ts";
import { metricSpace } from "./metricSpace.ts";
import { numberRows, spread } from "./rows.ts";

/** Maximum number of rows in the layout: more take minutes. */
const MOST = 30_000;

/** Rows are drawn as marks: they keep nearly a unit of the layout's scale, so that a group is no blot. */
const APART = 0.7;

/** The neighbour layout in the metric in use; for very many rows only evenly spaced ones have a position. */
export function layout(asked: PathQuestion, onProgress: (told: Told) => void): Layout {
  const { X, prepared } = numberRows(asked);
  const { learned } = asked;
  const used = learned && {
    metric: matrix(X.cols, X.cols, learned.metric),
    labels: learned.labels,
  };
  const { space } = metricSpace(X, prepared.names, used);
  const count = Math.min(MOST, space.rows);
  const rows = Int32Array.from({ length: count }, (_, i) => Math.floor((i * space.rows) / count));
  const laid = neighborLayout(count < space.rows ? takeRows(space, rows) : space, {
    seed: asked.seed,
    minDistance: APART,
    onProgress: ({ fraction, label }) => onProgress({ fraction, label }),
  });
  const xy = new Float32Array(2 * space.rows).fill(Number.NaN);
  const { embedding } = laid;
  const unit = spreadOf(embedding);
  rows.forEach((row, i) => {
    xy[2 * row] = embedding.data[2 * i] / unit;
    xy[2 * row + 1] = embedding.data[2 * i + 1] / unit;
  });
  const told = (value: number): string => value.toLocaleString("en");
  return {
    xy: spread(xy, 2, prepared),
    axes: ["Neighbour layout: near rows are similar, long distances mean little", ""],
    notes:
      count < space.rows
        ? [
            `${told(count)} of ${told(space.rows)} rows are in the layout; the others are not drawn in this view.`,
          ]
        : [],
  };
}

/** Scaled to standard deviation 1, so a change of view is not a jump. */
function spreadOf({ data, rows, cols }: Matrix): number {
  const mean = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) mean[p % cols] += data[p] / rows;
  let squares = 0;
  for (let p = 0; p < data.length; p++) squares += (data[p] - mean[p % cols]) ** 2;
  return Math.sqrt(squares / data.length) || 1;
}
