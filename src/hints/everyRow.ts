import type { Scaling } from "../data/index.ts";
import { matrix, takeRows, type Matrix } from "../matrix/index.ts";
import { placingOf, placingRule, type PlacingRule } from "../method/index.ts";
import { clusterMeans } from "../method/internal.ts";
import { dense, type Arranged } from "./arrange.ts";
import { choosePlacing } from "./choosePlacing.ts";
import { voteInto } from "./consensus.ts";
import type { Known } from "./known.ts";

/**
 * Labels of all rows, numbered by decreasing size, and the rule behind them. Rows outside the sample follow
 * the rule, except those that hints place elsewhere.
 */
export function everyRow(
  X: Matrix,
  rows: Arranged,
  learned: Int32Array,
  maps: readonly Matrix[],
  all: Known,
  K: number,
  usual?: ArrayLike<number>,
): { labels: Int32Array; count: number; placing: PlacingRule } {
  const known = Array.from({ length: rows.X.rows }, (_, p) => rows.rowOf(p));
  const found = dense(learned);
  const count = new Set(found).size;
  const sample = takeRows(X, known);
  const proposal = choosePlacing(
    sample,
    found,
    count,
    maps.map((map) => onColumns(map, rows.scaled.scaling, X.cols)),
  );
  let labels: Int32Array = new Int32Array(X.rows);
  if (rows.sampled) {
    labels = placingOf(placingRule(sample, found, count, proposal))(X).labels;
    known.forEach((row, p) => (labels[row] = found[p]));
    labels = voteInto([{ labels, weight: 1 }], all, K);
    const placed = new Set(known);
    for (const row of all.hinted) if (!placed.has(row)) known.push(row);
  } else known.forEach((row, p) => (labels[row] = found[p]));
  const order = bySize(labels, usual);
  labels = labels.map((label) => order.get(label)!);
  const kept = takeRows(X, known);
  const own = Int32Array.from(known, (row) => labels[row]);
  const centers = clusterMeans(kept, own, order.size);
  return {
    labels,
    count: order.size,
    placing: placingRule(
      kept,
      own,
      order.size,
      proposal.kind === "centers" ? { ...proposal, centers } : proposal,
    ),
  };
}

/** A map of scaled columns, converted to the original columns; centres do not affect distances. */
function onColumns(map: Matrix, { kept, groups: [{ scale }] }: Scaling, cols: number): Matrix {
  const whole = matrix(cols, map.cols);
  kept.forEach((column, f) => {
    for (let r = 0; r < map.cols; r++)
      whole.data[column * map.cols + r] = map.data[f * map.cols + r] / (scale[f] || 1);
  });
  return whole;
}

/** Ties in the order of the partition without hints, so that answers which change nothing leave all numbers. */
function bySize(labels: Int32Array, usual?: ArrayLike<number>): Map<number, number> {
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  const place = (label: number): number => usual?.[labels.indexOf(label)] ?? label;
  const order = [...sizes.keys()].sort((a, b) => sizes.get(b)! - sizes.get(a)! || place(a) - place(b));
  return new Map(order.map((label, place) => [label, place]));
}
