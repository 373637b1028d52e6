import { numericError } from "../../core/errors.ts";
import { matrix, type Matrix } from "../../matrix/matrix.ts";
import { groupedSums, type FarRow, type GroupedSums } from "../../scale/passes/groupedSums.ts";
import { double } from "../dialect.ts";
import { answer } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { CLUSTER, nearestCenter, SQUARE, X } from "./nearestCenter.ts";

/** The sums for a step of k-means (see scale/groupedSums.ts), computed by the engine in one pass. */
export async function groupedSumsOnEngine(
  table: EngineTable,
  centers: Matrix,
  shift: Float64Array,
): Promise<GroupedSums> {
  const { rows: K, cols: d } = centers;
  const nearest = nearestCenter(table, centers);
  const sums = Array.from(shift, (s, f) => `sum(${X(f)}${s === 0 ? "" : ` - ${double(s)}`})`);
  const found = await answer(
    table.engine,
    `select ${[CLUSTER, "count(*)", `sum(${SQUARE})`, ...sums].join(", ")} from ${nearest} group by ${CLUSTER}`,
  );
  const counts = new Float64Array(K);
  const squares = new Float64Array(K);
  const about = matrix(K, d);
  const column = (j: number): Float64Array => found.columns[j] as Float64Array;
  for (let g = 0; g < found.rows; g++) {
    const k = column(0)[g];
    counts[k] = column(1)[g];
    squares[k] = column(2)[g];
    for (let f = 0; f < d; f++) about.data[k * d + f] = column(3 + f)[g];
  }
  if (!squares.every(Number.isFinite)) {
    throw numericError("the sum of squared distances exceeds the number range; scale the data first");
  }
  const farthest = counts.includes(0) ? await farthestRows(table, nearest, K) : [];
  return groupedSums({ centers, shift, counts, sums: about, squares, farthest });
}

/** Only for clusters without rows: a separate pass. */
async function farthestRows(table: EngineTable, nearest: string, K: number): Promise<FarRow[]> {
  const xs = table.features.map((_, f) => X(f));
  const { rows, columns } = await answer(
    table.engine,
    `select ${[CLUSTER, SQUARE, ...xs].join(", ")} from ${nearest} ` +
      `order by ${[`${SQUARE} desc`, ...xs].join(", ")} limit ${2 * K}`,
  );
  const numbers = columns as readonly Float64Array[];
  return Array.from({ length: rows }, (_, i) => ({
    cluster: numbers[0][i],
    square: numbers[1][i],
    row: xs.map((_, f) => numbers[2 + f][i]),
  }));
}
