import type { Points } from "./points.ts";

/** The rows that changed cluster in one assignment step. Other calls may move both arrays. */
export interface Moves {
  readonly count: number;
  /** The rows; their new clusters are in the labels of the points. */
  readonly rows: Int32Array;
  /** ||x - c_from||^2 - ||x - c_to||^2 > 0; for a row that had no cluster, -||x - c_to||^2. */
  readonly gains: Float64Array;
}

/** State of one run of Lloyd's algorithm between its assignment steps; the labels are those of the points. */
export interface Assigner {
  /** Begins a run without bounds, from the labels that the rows have by centres C, or with all labels -1. */
  reset(C?: Float64Array): void;
  /**
   * Gives each row the nearest of the K centres C. A row leaves its cluster only for a strictly nearer
   * centre, so ties cannot make the algorithm cycle; among equally near new centres, the first is taken.
   */
  assign(C: Float64Array): Moves;
  /** Gives row i the label `to` by other means, so its stored bounds are invalid. */
  relabeled(i: number, to: number): void;
}

/** Computes all distances at every step: the reference, and the method for sparse rows. */
export function fullAssigner(points: Points, K: number): Assigner {
  const n = points.rows;
  const block = Math.max(1, Math.min(n, Math.floor(65536 / K)));
  const D = new Float64Array(block * K);
  const rows = new Int32Array(n);
  const gains = new Float64Array(n);
  return {
    reset(C) {
      if (C === undefined) points.labels().fill(-1);
    },
    assign(C) {
      const labels = points.labels();
      let count = 0;
      for (let first = 0; first < n; first += block) {
        const last = Math.min(n, first + block);
        points.distances(first, last, C, K, D);
        for (let i = first, at = 0; i < last; i++, at += K) {
          const own = labels[i];
          const before = own < 0 ? Infinity : D[at + own];
          let nearest = own;
          let least = before;
          for (let k = 0; k < K; k++) {
            if (D[at + k] < least) {
              least = D[at + k];
              nearest = k;
            }
          }
          if (nearest === own) continue;
          labels[i] = nearest;
          rows[count] = i;
          gains[count++] = own < 0 ? -least : before - least;
        }
      }
      return { count, rows, gains };
    },
    relabeled(i, to) {
      points.labels()[i] = to;
    },
  };
}
