import type { OnProgress } from "../../core/index.ts";
import { double, progressGate } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { passCount, type Drawn, type RowPasses, type Sample } from "../../scale/internal.ts";
import { ROW } from "../dialect.ts";
import { answer, countOf, type EngineBatch } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { featureList, featuresOfLists, type FeatureList } from "../listBlocks.ts";
import { nearestCenter, SQUARE, X, comparedList, drawnOfList } from "./nearestCenter.ts";

/** The column of the random number of a row. */
export const U = "kindred_u";

/** Passes over a table of an engine. */
export interface EnginePasses extends RowPasses {
  /** The answer to one pass; undefined if it was stopped. */
  pass<R>(work: () => Promise<R>): Promise<R | undefined>;
}

/**
 * Rows drawn by an engine. The random number of a row is a hash of the row and the seed, so the draw does not
 * depend on order, partition or number of threads. Equal rows have the same number and are drawn together, as
 * one row with a count. If the number of drawn rows shows this, the hash covers all columns of the table,
 * which separates rows with the same features; if there are still too few rows, more are drawn.
 *
 * @param fractions what is done after each pass, where that is known
 */
export function enginePasses(
  name: string,
  table: EngineTable,
  { seed, onProgress }: { readonly seed: number; readonly onProgress?: OnProgress },
  fractions?: readonly number[],
): EnginePasses {
  const gate = progressGate(onProgress);
  const { report, count: passes, begin } = passCount(gate, fractions);
  const pass = async <R>(work: () => Promise<R>): Promise<R | undefined> => {
    const going = report();
    begin();
    return going ? work() : undefined;
  };
  const { engine, features, id, from } = table;
  const { dialect } = engine;
  const d = features.length;
  const xs = features.map((_, f) => X(f));
  const list = featureList(dialect, features);
  const values = list === undefined ? xs.map((x) => `min(${x})`) : [`any_value(${list.list}) as ${ROW}`];
  const drawnOf = (found: EngineBatch): DrawnRows => {
    const w = values.length;
    const numbers = found.columns as readonly Float64Array[];
    return {
      X: rowsOf(found.rows, numbers.slice(0, w), d, list),
      counts: numbers[w] ?? new Float64Array(0),
      keys: numbers[w + 1],
    };
  };
  const cells = table.cells ?? features.map(({ sql }) => sql);
  let by = [...cells, ...(id === undefined ? [] : [dialect.name(id)])];
  const uniform = (draw: number): string => `${dialect.uniform(by, seed + draw)} as ${U}`;

  const uniformSample = async (share: number, rows: number): Promise<Sample> => {
    const cells = list === undefined ? features.map(({ sql }, f) => `${sql} as ${X(f)}`) : [list.list];
    const drawn = [uniform(0), ...cells].join(", ");
    const found = await answer(
      engine,
      `select ${[...values, "count(*)"].join(", ")} from (select ${drawn} from ${from}) as kindred_drawn ` +
        `where ${U} < ${double(share)} group by ${U} order by ${U}`,
    );
    const { X: drawnRows, counts } = drawnOf(found);
    return { X: drawnRows, counts, share, rows };
  };
  return {
    name,
    gate,
    report,
    count: passes,
    pass,
    async sample(count) {
      const rows = await countOf(table);
      let share = Math.min(1, count / rows);
      for (let whole = false; ;) {
        const sample = await pass(() => uniformSample(share, rows));
        if (sample === undefined || share === 1) return sample;
        const distinct = sample.X.rows;
        if (!whole && clumped(sample)) {
          whole = true;
          by = [dialect.wholeRow];
        } else if (2 * distinct < count) {
          share = Math.min(1, (share * count) / Math.max(1, distinct));
        } else return sample;
      }
    },
    draw: (centers, threshold, limit, round) =>
      pass(async () => {
        const key = `min(${U} / ${SQUARE})`;
        const most = Math.min(threshold, Number.MAX_VALUE);
        const compared = comparedList(table, centers.rows);
        const drawn =
          compared === undefined
            ? `${nearestCenter(table, centers, [uniform(round), ...(list === undefined ? [] : [list.list])])} ` +
              `where ${SQUARE} > 0 and ${U} < ${double(most)} * ${SQUARE}`
            : drawnOfList(table, compared, centers, uniform(round), most);
        const found = await answer(
          engine,
          `select ${[...values, "count(*)", key].join(", ")} from ${drawn} ` +
            `group by ${U} order by ${key}, ${U} limit ${limit + 1}`,
        );
        return limited(drawnOf(found), threshold, limit);
      }),
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

interface DrawnRows {
  readonly X: Matrix;
  readonly counts: Float64Array;
  readonly keys: Float64Array | undefined;
}

function limited({ X: all, counts, keys }: DrawnRows, threshold: number, limit: number): Drawn {
  if (all.rows <= limit) return { X: all, counts, threshold };
  return {
    X: matrix(limit, all.cols, all.data.subarray(0, limit * all.cols)),
    counts: counts.subarray(0, limit),
    threshold: keys![limit],
  };
}

/** Rows from columns, or from one column of lists. */
export function rowsOf(
  rows: number,
  columns: readonly Float64Array[],
  d: number,
  list: FeatureList | undefined,
): Matrix {
  const drawn = matrix(rows, d);
  if (rows === 0) return drawn;
  if (list !== undefined) return matrix(rows, d, featuresOfLists(list, columns[0], rows));
  for (let f = 0; f < d; f++) {
    for (let i = 0; i < rows; i++) drawn.data[i * d + f] = columns[f][i];
  }
  return drawn;
}
