import type { BregmanPoints } from "./bregmanPoints.ts";
import type { ConstrainedAssigner } from "../pairs/constrainedAssignment.ts";

/** The groups with cannot-links, and their assigner. */
export interface BoundGroups {
  readonly groups: Int32Array;
  readonly assigner: ConstrainedAssigner;
}

/** One run of Bregman k-means: its best iterate. */
export interface BregmanRun {
  /** The cluster of each must-link group. */
  readonly labels: Int32Array;
  /** K x m, in the projected space. */
  readonly centers: Float64Array;
  readonly objective: number;
  readonly history: readonly number[];
  /** No group moves any more. */
  readonly converged: boolean;
  /** Iterations that raised E by more than rounding; 0 for the divergence. */
  readonly rises: number;
}

/** Alternates assignment and means from given centres; groups with cannot-links are assigned together. */
export function bregmanLloyd(
  points: BregmanPoints,
  initial: Float64Array,
  bound: BoundGroups,
  maxIterations: number,
  report: (iteration: number, objective: number) => boolean,
): BregmanRun {
  const m = points.means.cols;
  const K = initial.length / m;
  const centers = initial.slice();
  const labels = new Int32Array(points.groups).fill(-1);
  const D = new Float64Array(points.groups * K);
  const isBound = new Uint8Array(points.groups);
  for (const g of bound.groups) isBound[g] = 1;
  const nodeLabels = new Int32Array(bound.groups.length).fill(-1);
  const nodeCosts = new Float64Array(bound.groups.length * K);
  const history: number[] = [];
  let best: { labels: Int32Array; centers: Float64Array; objective: number } | undefined;
  let converged = false;
  let rises = 0;
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    points.costs(centers, D);
    let moved = assignFree(D, K, labels, isBound);
    bound.groups.forEach((g, v) => nodeCosts.set(D.subarray(g * K, (g + 1) * K), v * K));
    if (bound.groups.length > 0) moved += bound.assigner.assign(nodeCosts, nodeLabels);
    bound.groups.forEach((g, v) => (labels[g] = nodeLabels[v]));
    if (moved === 0) {
      converged = true;
      break;
    }
    fillEmpty(D, K, labels, isBound);
    takeMeans(points, labels, centers);
    const objective = points.objective(labels, centers);
    if (history.length > 0 && objective > history[history.length - 1] * (1 + 1e-10)) rises++;
    history.push(objective);
    if (best === undefined || objective <= best.objective) {
      best = { labels: labels.slice(), centers: centers.slice(), objective };
    }
    if (!report(iteration, objective)) break;
  }
  return { ...best!, history, converged, rises };
}

/** A group moves only if the gain exceeds rounding; returns the number of moves. */
function assignFree(D: Float64Array, K: number, labels: Int32Array, isBound: Uint8Array): number {
  let moved = 0;
  for (let g = 0; g < labels.length; g++) {
    if (isBound[g] === 1) continue;
    let nearest = 0;
    for (let k = 1; k < K; k++) if (D[g * K + k] < D[g * K + nearest]) nearest = k;
    if (labels[g] >= 0 && !(D[g * K + nearest] < D[g * K + labels[g]] * (1 - 1e-10))) continue;
    labels[g] = nearest;
    moved++;
  }
  return moved;
}

/** An empty cluster takes the free group with the largest cost: its new mean costs less. */
function fillEmpty(D: Float64Array, K: number, labels: Int32Array, isBound: Uint8Array): void {
  const counts = new Int32Array(K);
  for (const k of labels) counts[k]++;
  for (let k = 0; k < K; k++) {
    if (counts[k] > 0) continue;
    let farthest = -1;
    for (let g = 0; g < labels.length; g++) {
      if (isBound[g] === 1 || counts[labels[g]] < 2) continue;
      if (farthest < 0 || D[g * K + labels[g]] > D[farthest * K + labels[farthest]]) farthest = g;
    }
    if (farthest < 0) continue;
    counts[labels[farthest]]--;
    labels[farthest] = k;
    counts[k]++;
  }
}

/** Arithmetic means of the clusters; an empty one keeps its centre. */
function takeMeans(points: BregmanPoints, labels: Int32Array, centers: Float64Array): void {
  const { means, masses } = points;
  const m = means.cols;
  const K = centers.length / m;
  const mass = new Float64Array(K);
  for (let g = 0; g < labels.length; g++) mass[labels[g]] += masses[g];
  for (let k = 0; k < K; k++) if (mass[k] > 0) centers.fill(0, k * m, (k + 1) * m);
  for (let g = 0; g < labels.length; g++) {
    const share = masses[g] / mass[labels[g]];
    for (let j = 0, p = g * m, q = labels[g] * m; j < m; j++, p++, q++) centers[q] += share * means.data[p];
  }
}
