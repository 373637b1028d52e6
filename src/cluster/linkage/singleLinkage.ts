import { joinGroups } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { Merges } from "./linkageChain.ts";
import { withPoints } from "../kmeans/withPoints.ts";

/**
 * Single linkage: its merges are the edges of a minimum spanning tree by rising length (Gower and Ross 1969).
 * The tree comes from a k-d tree in few dimensions, otherwise from Prim's algorithm; both need memory
 * proportional to n d.
 */
export function singleLinkage(X: Matrix): Merges {
  const tree = X.cols <= 6 && X.rows >= 500 ? fromTree(X) : prim(X);
  return { ...tree, heights: tree.heights.map(Math.sqrt) };
}

function fromTree(X: Matrix): Merges {
  const { from, to, distances } = joinGroups(
    X,
    Int32Array.from({ length: X.rows }, (_, i) => i),
  );
  return { from, to, heights: distances };
}

/** The tree grows by the row that is nearest to it. */
function prim(X: Matrix): Merges {
  const { rows: n, cols: d, data } = X;
  const outside = Int32Array.from({ length: n - 1 }, (_, i) => i + 1);
  const nearest = new Int32Array(n);
  const squares = new Float64Array(n).fill(Infinity);
  const distances = new Float64Array(n);
  const from = new Int32Array(n - 1);
  const to = new Int32Array(n - 1);
  const heights = new Float64Array(n - 1);
  withPoints(X, (points) => {
    for (let m = 0, added = 0; m < n - 1; m++) {
      points.distances(0, n, data.subarray(added * d, (added + 1) * d), 1, distances);
      const count = n - 1 - m;
      let best = 0;
      for (let p = 0; p < count; p++) {
        const i = outside[p];
        if (distances[i] < squares[i]) {
          squares[i] = distances[i];
          nearest[i] = added;
        }
        if (squares[i] < squares[outside[best]]) best = p;
      }
      added = outside[best];
      outside[best] = outside[count - 1];
      from[m] = nearest[added];
      to[m] = added;
      heights[m] = squares[added];
    }
  });
  return { from, to, heights };
}
