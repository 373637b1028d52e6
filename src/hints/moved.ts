import { hungarian } from "../score/index.ts";
import { dense, type Arranged } from "./arrange.ts";
import type { Fit } from "./decide.ts";
import { rowShares } from "./doubt.ts";
import type { Known } from "./known.ts";
import { spreadOut } from "./posterior.ts";

export interface MovedRow {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  /** "hint": a hint names this row; "vote": the learned vote places it there, with this share. */
  readonly why: "hint" | "vote";
  readonly share: number;
}

/** Rows in another cluster than without hints, with the clusters of those renamed to match. */
export function movedRows(
  rows: Arranged,
  given: ArrayLike<number> | undefined,
  labels: Int32Array,
  count: number,
  fit: Fit,
  all: Known,
): MovedRow[] {
  const n = labels.length;
  const from = new Int32Array(n).fill(-1);
  if (given !== undefined) from.set(dense(Int32Array.from(given)));
  else fit.usual.labels.forEach((label, p) => (from[rows.rowOf(p)] = label));
  const width = Math.max(count, from.reduce((a, b) => Math.max(a, b), 0) + 1);
  const costs = { rows: width, cols: width, data: new Float64Array(width * width) };
  for (let i = 0; i < n; i++) if (from[i] >= 0) costs.data[from[i] * width + labels[i]]--;
  const { columns } = hungarian(costs);
  const hinted = new Uint8Array(n);
  for (const row of all.hinted) hinted[row] = 1;
  const placed = Int32Array.from(fit.labels, (_, p) => labels[rows.rowOf(p)]);
  const shares = rowShares(placed, spreadOut(fit.members));
  const moved: MovedRow[] = [];
  for (let i = 0; i < n; i++) {
    if (from[i] < 0 || columns[from[i]] === labels[i]) continue;
    moved.push({
      row: i,
      from: columns[from[i]],
      to: labels[i],
      why: hinted[i] === 1 ? "hint" : "vote",
      share: rows.placeOf(i) < 0 || fit.guarded ? 1 : shares[rows.placeOf(i)],
    });
  }
  return moved;
}
