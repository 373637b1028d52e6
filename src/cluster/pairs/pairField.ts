import type { Random } from "../../core/index.ts";
import type { CheckedConstraints, Constraints, Pair } from "../../data/index.ts";
import { adjacency, type Adjacency } from "../../graph/index.ts";
import { groupMembers } from "./contracted.ts";

export interface PairCosts {
  /** U, n x K. */
  readonly row: Float64Array;
  /** M, must-links x K: the cost of a broken must-link for each end and cluster. */
  readonly must: Float64Array;
  /** C, cannot-links x K. */
  readonly cannot: Float64Array;
}

export function pairField(constraints: CheckedConstraints, pairs: Constraints, K: number) {
  const n = constraints.rows;
  const { mustLink, cannotLink } = pairs;
  const must = incidence(n, mustLink);
  const cannot = incidence(n, cannotLink);
  const { group } = constraints;
  const groups = groupMembers(group, constraints.groups).filter((rows) => rows.length > 1);
  const best = new Float64Array(K);

  /** out[k] = the cost of row i in cluster k while the others stay; pairs inside `g` count half. */
  const addRow = (costs: PairCosts, labels: Int32Array, i: number, g: number, out: Float64Array): void => {
    for (let k = 0; k < K; k++) out[k] += costs.row[i * K + k];
    for (let e = must.offsets[i]; e < must.offsets[i + 1]; e++) {
      const j = must.neighbors[e];
      // Within a group that moves as a whole, no must-link is broken.
      if (group[j] === g) continue;
      const at = must.edges[e] * K;
      const other = labels[j];
      for (let k = 0; k < K; k++) if (k !== other) out[k] += costs.must[at + k] + costs.must[at + other];
    }
    for (let e = cannot.offsets[i]; e < cannot.offsets[i + 1]; e++) {
      const other = labels[cannot.neighbors[e]];
      out[other] += costs.cannot[cannot.edges[e] * K + other];
    }
  };
  const ownCost = (costs: PairCosts, labels: Int32Array, rows: readonly number[], g: number): number => {
    let sum = 0;
    for (const i of rows) {
      const a = labels[i];
      sum += costs.row[i * K + a];
      for (let e = must.offsets[i]; e < must.offsets[i + 1]; e++) {
        const b = labels[must.neighbors[e]];
        const share = group[must.neighbors[e]] === g ? 0.5 : 1;
        const at = must.edges[e] * K;
        if (a !== b) sum += share * (costs.must[at + a] + costs.must[at + b]);
      }
      for (let e = cannot.offsets[i]; e < cannot.offsets[i + 1]; e++) {
        if (labels[cannot.neighbors[e]] === a) sum += costs.cannot[cannot.edges[e] * K + a];
      }
    }
    return sum;
  };
  const least = (): number => {
    let at = 0;
    for (let k = 1; k < K; k++) if (best[k] < best[at]) at = k;
    return at;
  };
  const better = (next: number, now: number): boolean =>
    now - next > 1e-12 * (Math.abs(now) + Math.abs(next));

  return {
    mustLink,
    cannotLink,
    energy(costs: PairCosts, labels: Int32Array) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += costs.row[i * K + labels[i]];
      mustLink.forEach(([i, j], p) => {
        if (labels[i] !== labels[j]) sum += costs.must[p * K + labels[i]] + costs.must[p * K + labels[j]];
      });
      cannotLink.forEach(([i, j], p) => {
        if (labels[i] === labels[j]) sum += costs.cannot[p * K + labels[i]];
      });
      return sum;
    },
    /** Sweeps over rows and groups until nothing moves (or a limit); returns the number of moves. */
    descend(costs: PairCosts, labels: Int32Array, stream: Random) {
      const order = stream.shuffle(Int32Array.from({ length: n }, (_, i) => i));
      let total = 0;
      for (let sweep = 0; sweep < SWEEPS; sweep++) {
        let moved = 0;
        for (const rows of groups) {
          best.fill(0);
          const g = group[rows[0]];
          for (const i of rows) addRow(costs, labels, i, g, best);
          const k = least();
          if (rows.every((i) => labels[i] === k)) continue;
          if (!better(best[k], ownCost(costs, labels, rows, g))) continue;
          for (const i of rows) labels[i] = k;
          moved++;
        }
        for (const i of order) {
          best.fill(0);
          addRow(costs, labels, i, -1, best);
          const k = least();
          if (k === labels[i] || !better(best[k], best[labels[i]])) continue;
          labels[i] = k;
          moved++;
        }
        total += moved;
        if (moved === 0) break;
      }
      return total;
    },
  };
}

/**
 * Soft pairs: the energy
 *
 *     E(l) = sum_i U[i, l_i] + sum_{must-links p = (i, j), l_i != l_j} (M[p, l_i] + M[p, l_j])
 *                            + sum_{cannot-links p = (i, j), l_i = l_j} C[p, l_i]
 *
 * and its descent by iterated conditional modes (J. Besag, 1986): each row, and each must-link group as a whole, moves
 * to the cluster that is best for it while the others stay. E never rises.
 */
export type PairField = ReturnType<typeof pairField>;

const SWEEPS = 50;

/** The pairs of each row, as edges between rows. */
function incidence(n: number, pairs: readonly Pair[]): Adjacency {
  const [from, to] = [0, 1].map((end) => Int32Array.from(pairs, (pair) => pair[end]));
  return adjacency({ nodes: n, from, to, weights: new Float64Array(pairs.length) });
}
