import { double, inputError, numericError } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { FarRow, GroupedSums } from "../../scale/internal.ts";
import { ROW } from "../dialect.ts";
import { answer } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { listBlocks, type FeatureList } from "../listBlocks.ts";
import { rowsOf } from "./enginePasses.ts";
import { CLUSTER, nearestCenter, SQUARE, X, comparedList, nearestOfList } from "./nearestCenter.ts";

/**
 * The sums for a step of k-means (see scale/passes/groupedSums.ts), computed by the engine in one pass.
 *
 * @param rows of the table; only a table of lists on Spark needs to know.
 */
export async function groupedSumsOnEngine(
  table: EngineTable,
  centers: Matrix,
  shift: Float64Array,
  rows = 0,
): Promise<GroupedSums> {
  const { rows: K, cols: d } = centers;
  const list = comparedList(table, K);
  const nearest =
    list === undefined ? nearestCenter(table, centers) : nearestOfList(table, list, centers, rows);
  const counts = new Float64Array(K);
  const squares = new Float64Array(K);
  const about = matrix(K, d);
  const parts = (list === undefined ? columnParts : listParts(list))(nearest, shift);
  const found = await answer(table.engine, parts.sql);
  const column = (j: number): Float64Array => found.columns[j] as Float64Array;
  for (let g = 0; g < found.rows; g++) {
    const [k, first] = [column(0)[g], column(1)[g]];
    if (Number.isNaN(k)) {
      throw inputError(
        `${table.source} returns other rows each time it is read; write them to a table first`,
      );
    }
    counts[k] = column(2)[g];
    squares[k] = column(3)[g];
    for (let j = 0; j < parts.width && first + j < d; j++) {
      about.data[k * d + first + j] = column(4 + j)[g];
    }
  }
  if (!squares.every(Number.isFinite)) {
    throw numericError("the sum of squared distances exceeds the number range; scale the data first");
  }
  const farthest = counts.includes(0) ? await farthestRows(table, nearest, K, list) : [];
  return { centers, shift, counts, sums: about, squares, farthest };
}

/** Sums of `width` features from a first one, by cluster: cluster, first feature, rows, squares, sums. */
interface Parts {
  readonly sql: string;
  readonly width: number;
}

function columnParts(nearest: string, shift: Float64Array): Parts {
  const sums = Array.from(shift, (s, f) => `sum(${X(f)}${s === 0 ? "" : ` - ${double(s)}`})`);
  const asked = [CLUSTER, "0", "count(*)", `sum(${SQUARE})`, ...sums].join(", ");
  return { sql: `select ${asked} from ${nearest} group by ${CLUSTER}`, width: sums.length };
}

const LIST_WIDTH = 8;

function listParts(list: FeatureList): (nearest: string, shift: Float64Array) => Parts {
  return (nearest, shift) => {
    const blocks = listBlocks(list, LIST_WIDTH, (f) => [shift[f]]);
    const zs = Array.from(
      { length: LIST_WIDTH },
      (_, j) => `${blocks.feature(j)} - ${blocks.given(j, 0)} as z${j}`,
    );
    const cells = `(select ${[CLUSTER, SQUARE, `${blocks.first} as b`, ...zs].join(", ")} from ${nearest} ${blocks.view})`;
    const asked = [CLUSTER, "b", "count(*)", `sum(${SQUARE})`, ...zs.map((_, j) => `sum(z${j})`)].join(", ");
    return {
      sql: `select ${asked} from ${cells} as kindred_cells group by ${CLUSTER}, b`,
      width: LIST_WIDTH,
    };
  };
}

/** Only for clusters without rows: a separate pass. */
async function farthestRows(
  table: EngineTable,
  nearest: string,
  K: number,
  list: FeatureList | undefined,
): Promise<FarRow[]> {
  const xs = list === undefined ? table.features.map((_, f) => X(f)) : [list.list];
  const shown = list === undefined ? xs : [`${list.list} as ${ROW}`];
  const found = await answer(
    table.engine,
    `select ${[CLUSTER, SQUARE, ...shown].join(", ")} from ${nearest} ` +
      `order by ${[`${SQUARE} desc`, ...xs].join(", ")} limit ${2 * K}`,
  );
  const [cluster, square, ...cells] = found.columns as readonly Float64Array[];
  const { cols: d, data } = rowsOf(found.rows, cells, table.features.length, list);
  return Array.from({ length: found.rows }, (_, i) => ({
    cluster: cluster[i],
    square: square[i],
    row: Array.from(data.subarray(i * d, (i + 1) * d)),
  }));
}
