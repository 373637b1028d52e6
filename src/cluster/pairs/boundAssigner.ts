import type { Assigner, Points } from "../kmeans/points.ts";
import type { ConstrainedAssigner } from "./constrainedAssignment.ts";

/**
 * The assignment rule of Lloyd's algorithm under cannot-links: groups without them take the nearest centre, and the
 * constrained assigner improves the labels of the others, the nodes of the exclusion graph. Both lower E.
 *
 * @param points must-link groups as points with masses
 * @param groups the group of each node
 */
export function boundAssigner(
  points: Points,
  masses: Float64Array,
  groups: Int32Array,
  free: Assigner,
  constrained: ConstrainedAssigner,
): Assigner {
  const count = groups.length;
  if (count === 0) return free;
  const bound = points.take(groups);
  const node = new Int32Array(points.rows).fill(-1);
  groups.forEach((g, v) => (node[g] = v));
  const nodeLabels = new Int32Array(count).fill(-1);
  const rows = new Int32Array(points.rows);
  const gains = new Float64Array(points.rows);
  return {
    reset(C) {
      free.reset(C);
      nodeLabels.fill(-1);
    },
    assign(C) {
      const K = C.length / points.cols;
      const moves = free.assign(C);
      let moved = 0;
      for (let e = 0; e < moves.count; e++) {
        if (node[moves.rows[e]] >= 0) continue;
        rows[moved] = moves.rows[e];
        gains[moved++] = moves.gains[e];
      }
      const D = new Float64Array(count * K);
      bound.distances(0, count, C, K, D);
      const before = nodeLabels.slice();
      constrained.assign(
        D.map((distance, p) => distance * masses[groups[Math.floor(p / K)]]),
        nodeLabels,
      );
      groups.forEach((g, v) => {
        const to = nodeLabels[v];
        if (points.labels()[g] !== to) free.relabeled(g, to);
        if (before[v] === to) return;
        rows[moved] = g;
        gains[moved++] = (before[v] < 0 ? 0 : D[v * K + before[v]]) - D[v * K + to];
      });
      return { count: moved, rows, gains };
    },
    relabeled(i, to) {
      free.relabeled(i, to);
      if (node[i] >= 0) nodeLabels[node[i]] = to;
    },
    // A cluster without mass may hold massless groups that a cannot-link keeps apart from this one.
    allows: (i, k) => node[i] < 0 || !nodeLabels.includes(k),
  };
}
