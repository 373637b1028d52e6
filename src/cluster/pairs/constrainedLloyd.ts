import type { ConstrainedAssigner } from "./constrainedAssignment.ts";
import type { Assigner } from "../kmeans/assigner.ts";
import type { LloydOptions, LloydRun } from "../kmeans/lloyd.ts";
import type { Points } from "../kmeans/points.ts";

/** Contracted groups, some of them (nodes of the exclusion graph) bound by cannot-links. */
export interface BoundPoints {
  readonly all: Points;
  readonly masses: Float64Array;
  /** The group of each node. */
  readonly groups: Int32Array;
  /** The rows of these groups. */
  readonly bound: Points;
}

/**
 * Lloyd's algorithm in which free groups take the nearest centre and the constrained assigner improves the
 * labels of bound groups. Both lower E, and so do the means: E never rises.
 */
export function constrainedLloyd(
  { all, masses, groups, bound }: BoundPoints,
  initial: Float64Array,
  free: Assigner,
  constrained: ConstrainedAssigner,
  options: LloydOptions,
): LloydRun {
  const d = all.cols;
  const K = initial.length / d;
  const n = all.rows;
  const count = groups.length;
  const isBound = new Uint8Array(n);
  for (const g of groups) isBound[g] = 1;
  const labels = new Int32Array(n).fill(-1);
  const nodeLabels = new Int32Array(count).fill(-1);
  const before = new Int32Array(count);
  const D = new Float64Array(count * K);
  const sums = new Float64Array(K * d);
  const mass = new Float64Array(K);
  const sizes = new Int32Array(K);
  const history: number[] = [];
  let centers: Float64Array = initial.slice();
  let objective = 0;
  let fresh = false;

  const add = (g: number, k: number, sign: 1 | -1): void => {
    all.add(g, sign * masses[g], sums, k * d);
    mass[k] += sign * masses[g];
    sizes[k] += sign;
  };
  const recount = (): void => {
    sums.fill(0);
    mass.fill(0);
    sizes.fill(0);
    for (let g = 0; g < n; g++) add(g, labels[g], 1);
    fresh = true;
  };
  /** One assignment step; returns the number of groups that moved and lowers `objective`. */
  const assign = (): number => {
    const earlier = labels.slice();
    const moves = free.assign(centers);
    const now = all.labels();
    let moved = 0;
    for (let e = 0; e < moves.count; e++) {
      const g = moves.rows[e];
      labels[g] = now[g];
      if (isBound[g] === 1) continue;
      objective -= masses[g] * moves.gains[e];
      if (earlier[g] >= 0) add(g, earlier[g], -1);
      add(g, labels[g], 1);
      moved++;
    }
    if (count > 0) moved += assignBound();
    if (moved > 0) fresh = false;
    return moved;
  };
  const assignBound = (): number => {
    bound.distances(0, count, centers, K, D);
    for (let v = 0, at = 0; v < count; v++) {
      for (let k = 0; k < K; k++) D[at++] *= masses[groups[v]];
    }
    before.set(nodeLabels);
    const changed = constrained.assign(D, nodeLabels);
    for (let v = 0; v < count; v++) {
      const g = groups[v];
      const to = nodeLabels[v];
      if (labels[g] !== to) {
        labels[g] = to;
        free.relabeled(g, to);
      }
      if (before[v] === to) continue;
      objective += D[v * K + to];
      if (before[v] >= 0) {
        objective -= D[v * K + before[v]];
        add(g, before[v], -1);
      }
      add(g, to, 1);
    }
    return changed;
  };
  const means = (): Float64Array => {
    const next = centers.slice();
    for (let k = 0; k < K; k++) {
      if (!(mass[k] > 0) || sizes[k] === 0) continue;
      for (let p = k * d; p < (k + 1) * d; p++) next[p] = sums[p] / mass[k];
    }
    return next;
  };
  /** An empty cluster takes the group with the largest cost: no cannot-link can forbid this. */
  const fillEmpty = (): void => {
    if (!sizes.includes(0)) return;
    const costs = new Float64Array(n);
    all.ownDistances(centers, undefined, undefined, costs);
    for (let k = 0; k < K; k++) {
      if (sizes[k] > 0) continue;
      let costliest = -1;
      let most = 0;
      for (let g = 0; g < n; g++) {
        if (masses[g] * costs[g] > most && sizes[labels[g]] > 1) {
          most = masses[g] * costs[g];
          costliest = g;
        }
      }
      if (costliest < 0) return;
      objective -= most;
      costs[costliest] = 0;
      add(costliest, labels[costliest], -1);
      labels[costliest] = k;
      add(costliest, k, 1);
      free.relabeled(costliest, k);
      if (isBound[costliest] === 1) nodeLabels[groups.indexOf(costliest)] = k;
      centers.fill(0, k * d, (k + 1) * d);
      all.add(costliest, 1, centers, k * d);
    }
  };

  free.reset();
  for (let iteration = 1; iteration <= options.maxIterations; iteration++) {
    const start = objective;
    let moved = assign();
    if (moved === 0 && !fresh) {
      // Sums that are updated move by move carry rounding errors: convergence must hold for recomputed means.
      recount();
      centers = means();
      moved = assign();
    }
    if (moved === 0) {
      history.push(Math.max(0, objective));
      return { labels, centers, history, converged: true };
    }
    fillEmpty();
    const next = means();
    for (let k = 0; k < K; k++) {
      let squared = 0;
      for (let p = k * d; p < (k + 1) * d; p++) squared += (next[p] - centers[p]) ** 2;
      objective -= mass[k] * squared;
    }
    centers = next;
    history.push(Math.max(0, objective));
    if (options.tolerance > 0 && iteration > 1 && start - objective <= options.tolerance * start) {
      return { labels, centers, history, converged: true };
    }
    if (!options.report(iteration, objective)) break;
  }
  return { labels, centers, history, converged: false };
}
