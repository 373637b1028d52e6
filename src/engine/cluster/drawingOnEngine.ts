import { matrix, type Matrix } from "../../matrix/matrix.ts";
import type { DrawingSource, Drawn, Sample } from "../../scale/passes/kmeansParallelStart.ts";
import { double, type Dialect } from "../dialect.ts";
import { answer, type EngineBatch } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { nearestCenter, SQUARE, X } from "./nearestCenter.ts";

/** The column of the random number of a row. */
export const U = "kindred_u";

/** A function of all columns of a row. */
export const WHOLE_ROW: Readonly<Record<Dialect["engine"], string>> = { duckdb: "*columns(*)", spark: "*" };

/**
 * Rows drawn by an engine. The random number of a row is a hash of the row and the seed, so the draw does not
 * depend on order, partition or number of threads. Equal rows have the same number and are drawn together, as
 * one row with a count. If the number of drawn rows shows this, the hash covers all columns of the table,
 * which separates rows with the same features; if there are still too few rows, more are drawn.
 *
 * @param pass called before each pass; false stops.
 */
export function drawingOnEngine(table: EngineTable, seed: number, pass: () => boolean): DrawingSource {
  const { engine, features, id, from } = table;
  const { dialect } = engine;
  const d = features.length;
  const xs = features.map((_, f) => X(f));
  const values = xs.map((x) => `min(${x})`);
  const cells = table.cells ?? features.map(({ sql }) => sql);
  let by = [...cells, ...(id === undefined ? [] : [dialect.name(id)])];
  const uniform = (draw: number): string => `${dialect.uniform(by, seed + draw)} as ${U}`;

  const uniformSample = async (share: number, rows: number): Promise<Sample | undefined> => {
    if (!pass()) return undefined;
    const drawn = [uniform(0), ...features.map(({ sql }, f) => `${sql} as ${X(f)}`)].join(", ");
    const found = await answer(
      engine,
      `select ${[...values, "count(*)"].join(", ")} from (select ${drawn} from ${from}) as kindred_drawn ` +
        `where ${U} < ${double(share)} group by ${U} order by ${U}`,
    );
    return { X: rowsOf(found, d), counts: counts(found, d), share, rows };
  };
  return {
    async sample(count) {
      const rows = Number((await answer(engine, `select count(*) from ${from}`)).columns[0][0]);
      let share = Math.min(1, count / rows);
      for (let whole = false; ;) {
        const sample = await uniformSample(share, rows);
        if (sample === undefined || share === 1) return sample;
        const distinct = sample.X.rows;
        if (!whole && clumped(sample)) {
          whole = true;
          by = [WHOLE_ROW[dialect.engine]];
        } else if (2 * distinct < count) {
          share = Math.min(1, (share * count) / Math.max(1, distinct));
        } else return sample;
      }
    },
    async draw(centers, threshold, limit, round) {
      if (!pass()) return undefined;
      const key = `min(${U} / ${SQUARE})`;
      const most = Math.min(threshold, Number.MAX_VALUE);
      const found = await answer(
        engine,
        `select ${[...values, "count(*)", key].join(", ")} from ${nearestCenter(table, centers, [uniform(round)])} ` +
          `where ${SQUARE} > 0 and ${U} < ${double(most)} * ${SQUARE} group by ${U} order by ${key}, ${U} limit ${limit + 1}`,
      );
      return limited(found, d, threshold, limit);
    },
  };
}

/**
 * Rows that were drawn together: fewer than independent ones would be (six standard deviations), or many
 * equal ones.
 */
function clumped({ X: { rows: distinct }, counts, share, rows }: Sample): boolean {
  const drawn = counts!.reduce((sum, count) => sum + count, 0);
  return Math.abs(drawn - share * rows) > 6 * Math.sqrt(share * rows) || drawn > 1.1 * distinct;
}

function limited(found: EngineBatch, d: number, threshold: number, limit: number): Drawn {
  const all = { X: rowsOf(found, d), counts: counts(found, d), threshold };
  if (found.rows <= limit) return all;
  return {
    X: matrix(limit, d, all.X.data.subarray(0, limit * d)),
    counts: all.counts.subarray(0, limit),
    threshold: (found.columns[d + 1] as Float64Array)[limit],
  };
}

function rowsOf({ rows, columns }: EngineBatch, d: number): Matrix {
  const drawn = matrix(rows, d);
  for (let f = 0; f < d; f++) {
    for (let i = 0; i < rows; i++) drawn.data[i * d + f] = (columns[f] as Float64Array)[i];
  }
  return drawn;
}

function counts({ rows, columns }: EngineBatch, d: number): Float64Array {
  return rows === 0 ? new Float64Array(0) : (columns[d] as Float64Array);
}
