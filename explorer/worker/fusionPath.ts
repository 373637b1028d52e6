import { convexPath } from "kindred/convex";
import { matrix } from "kindred/matrix";
import type { FusionPath, PathQuestion, Told } from "../protocol.ts";
import { metricSpace } from "./metricSpace.ts";
import { scaledRows } from "./solve.ts";

type Step = FusionPath["steps"][number];

/** Follows the clusterpath in the metric in use, and projects the centres of every step. */
export function fusionPath(asked: PathQuestion, onProgress: (told: Told) => void): FusionPath {
  const { scaled } = scaledRows(asked);
  const { X, names } = scaled;
  const d = X.cols;
  const learned = asked.learned && {
    metric: matrix(d, d, asked.learned.metric),
    labels: asked.learned.labels,
  };
  const { space, view, project } = metricSpace(X, names, learned);
  const steps: Step[] = [];
  // The Euclidean penalty does not depend on the axes, so that rows move straight towards each other.
  const path = convexPath(space, {
    norm: 2,
    tolerance: 1e-4,
    scale: "none",
    join: true,
    ratio: 1.2,
    onProgress: ({ fraction, label }) => onProgress({ fraction, label }),
    onStep: ({ gamma, clusters, labels }, centers) =>
      steps.push({ gamma, clusters, labels, xy: project(centers) }),
  });
  steps.sort((a, b) => a.gamma - b.gamma);
  const apart: Step = {
    gamma: 0,
    clusters: X.rows,
    labels: Int32Array.from({ length: X.rows }, (_, i) => i),
    xy: view.xy,
  };
  const whole = steps.findIndex(({ clusters }) => clusters === path.components);
  return {
    steps: [apart, ...(whole < 0 ? steps : steps.slice(0, whole + 1))],
    axes: view.axes,
    warnings: path.warnings,
  };
}
