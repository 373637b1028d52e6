import { convexPath } from "kindred/convex";
import { methodNamed } from "kindred/run";
import { matrix } from "kindred/matrix";
import { GAMMA, type FusionPath, type PathQuestion, type Told } from "../protocol.ts";
import { equivalent } from "./equivalent.ts";
import { metricSpace } from "./metricSpace.ts";
import { numberRows } from "./rows.ts";

type Step = FusionPath["steps"][number];

/** For every solve: the eye does not need more. */
const TOLERANCE = 1e-4;

/** Follows the clusterpath in the metric in use, and projects the centres of every step. */
export function fusionPath(asked: PathQuestion, onProgress: (told: Told) => void): FusionPath {
  const { X, prepared } = numberRows(asked);
  const { names } = prepared;
  const d = X.cols;
  const learned = asked.learned && {
    metric: matrix(d, d, asked.learned.metric),
    labels: asked.learned.labels,
  };
  const { space, view, project } = metricSpace(X, names, learned);
  const steps: Step[] = [];
  // The Euclidean penalty does not depend on the axes, so rows move straight towards each other.
  const path = convexPath(space, {
    norm: 2,
    tolerance: TOLERANCE,
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
    ...(learned === undefined && { equivalent: oneStep(asked) }),
  };
}

/** Convex clustering at one gamma, where every component is a cluster. */
function oneStep(asked: PathQuestion): { command: string; code: string } {
  const own = { norm: 2, join: true, tolerance: TOLERANCE, protocol: "strict", gamma: GAMMA };
  return equivalent(
    { ...asked, method: "cc", own, edits: [], same: [], different: [], statements: [] },
    methodNamed("cc"),
  );
}
