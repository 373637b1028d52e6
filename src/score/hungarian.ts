import { inputError, rule } from "../core/internal.ts";
import { transpose, type Matrix } from "../matrix/index.ts";
import { requireFinite, requireMatrix } from "../matrix/internal.ts";

/**
 * The linear assignment problem by successive shortest augmenting paths with potentials (H. W. Kuhn, 1955; J. Edmonds
 * and R. M. Karp, 1972; the rectangular form of F. Bourgeois and J.-C. Lassalle, 1971):
 *
 *     min sum_i C[i, sigma(i)]   over one-to-one sigma of the shorter side into the longer one,
 *
 * O(r^2 c) for r = min(rows, cols) and c = max(rows, cols). The potentials u, v prove the optimum:
 * u_i + v_j <= C_ij with equality on the assignment.
 */
export interface Assignment {
  /** The column of each row, -1 for the rows left over when there are more rows than columns. */
  readonly columns: Int32Array;
  readonly total: number;
}

export function hungarian(cost: Matrix, options?: { maximize?: boolean }): Assignment {
  const { maximize } = rule.resolveOptions("hungarian", options, { maximize: rule.flag(false) });
  requireMatrix(cost, "hungarian");
  if (cost.rows === 0 || cost.cols === 0) {
    throw inputError(`hungarian: the cost matrix is empty (${cost.rows} x ${cost.cols})`);
  }
  requireFinite(cost, "hungarian: the cost matrix");
  const tall = cost.rows > cost.cols;
  const oriented = tall ? transpose(cost) : cost;
  // Reduced costs are differences of sums of costs: near the end of the number range they would overflow.
  const scale = (maximize ? -1 : 1) * (cost.data.some((c) => Math.abs(c) > 1e150) ? 2 ** -600 : 1);
  const matched = assign(scale === 1 ? oriented : { ...oriented, data: oriented.data.map((c) => scale * c) });
  const columns = tall ? inverse(matched, cost.rows) : matched;
  let total = 0;
  for (let i = 0; i < columns.length; i++)
    if (columns[i] >= 0) total += cost.data[i * cost.cols + columns[i]];
  return { columns, total };
}

/** Needs rows <= cols. Column 0 of the work arrays is the root of the alternating tree, real columns count from 1. */
function assign(C: Matrix): Int32Array {
  const { rows, cols, data } = C;
  const u = new Float64Array(rows + 1);
  const v = new Float64Array(cols + 1);
  const rowOf = new Int32Array(cols + 1); // 0: free
  const parent = new Int32Array(cols + 1);
  const slack = new Float64Array(cols + 1);
  const inTree = new Uint8Array(cols + 1);
  for (let start = 1; start <= rows; start++) {
    rowOf[0] = start;
    slack.fill(Infinity);
    inTree.fill(0);
    let j0 = 0;
    do {
      inTree[j0] = 1;
      const i0 = rowOf[j0];
      const base = (i0 - 1) * cols - 1;
      let delta = Infinity;
      let j1 = 0;
      for (let j = 1; j <= cols; j++) {
        if (inTree[j] === 1) continue;
        const reduced = data[base + j] - u[i0] - v[j];
        if (reduced < slack[j]) {
          slack[j] = reduced;
          parent[j] = j0;
        }
        if (slack[j] < delta) {
          delta = slack[j];
          j1 = j;
        }
      }
      for (let j = 0; j <= cols; j++) {
        if (inTree[j] === 1) {
          u[rowOf[j]] += delta;
          v[j] -= delta;
        } else {
          slack[j] -= delta;
        }
      }
      j0 = j1;
    } while (rowOf[j0] !== 0);
    do {
      const before = parent[j0];
      rowOf[j0] = rowOf[before];
      j0 = before;
    } while (j0 !== 0);
  }
  const columns = new Int32Array(rows);
  for (let j = 1; j <= cols; j++) if (rowOf[j] > 0) columns[rowOf[j] - 1] = j - 1;
  return columns;
}

function inverse(columns: Int32Array, length: number): Int32Array {
  const rows = new Int32Array(length).fill(-1);
  for (let i = 0; i < columns.length; i++) rows[columns[i]] = i;
  return rows;
}
