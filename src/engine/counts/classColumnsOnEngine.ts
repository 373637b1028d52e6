import { MOST_LEVELS } from "../../select/internal.ts";
import type { ClassColumnStatistics } from "../../scale/index.ts";
import { mergeClassColumnStatistics } from "../../scale/internal.ts";
import { checkedTable, type EngineTable } from "../engineTable.ts";
import { tooManyClasses } from "./levelSchemeOnEngine.ts";
import { grouped, keyOf } from "../momentSums.ts";
import { AGGREGATES } from "../route.ts";

/** Statistics of a table with notes about its rows. */
export interface ClassColumnsOnEngine {
  readonly statistics: ClassColumnStatistics;
  readonly notes: readonly string[];
}

/**
 * Range, mean and spread of every column in each class of a table on an engine, computed there: the same as
 * `classColumnStatistics` from the same rows, for `gaussianNaiveBayesFromColumns`.
 *
 *     const table = await openEngineTable(engine, { query: "select * from 'data/*.parquet'" }, { label: "y" });
 *     const { statistics } = await classColumnsOnEngine(table);
 *     const classifier = gaussianNaiveBayesFromColumns(statistics);
 */
export async function classColumnsOnEngine(opened: EngineTable): Promise<ClassColumnsOnEngine> {
  const table = opened.missing === undefined ? opened : (await checkedTable(opened)).table;
  const names = table.features.map(({ name }) => name);
  const groups = new Map<string | null, Group>();
  const width = Math.floor(AGGREGATES[table.engine.dialect.engine] / PARTS.length);
  for (let first = 0; first < names.length; first += width) {
    const own = names.slice(first, first + width).map((_, k) => first + k);
    // Engines find variances about a running mean, so no shift is needed.
    const answer = await grouped(table, new Float64Array(names.length), table.labelText, own, {
      sums: ["count(*)", ...own.flatMap((f) => PARTS.map((part) => `${SQL[part]}(x${f})`))],
      most: MOST_LEVELS,
    });
    if (answer.rows > MOST_LEVELS) throw tooManyClasses(table);
    for (let g = 0; g < answer.rows; g++) {
      const key = keyOf(answer, g);
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = emptyGroup(Number(answer.columns[1][g]))));
      own.forEach((_, k) => {
        PARTS.forEach((part, p) => {
          group[part].push(Number(answer.columns[2 + PARTS.length * k + p][g]));
        });
      });
    }
  }
  const each = Array.from(groups, ([label, { rows, min, max, mean, variance }]): ClassColumnStatistics => {
    const squares = variance.map((value) => value * rows);
    // The label of rows without a class may be null or empty.
    return { names, groups: [{ label: label || null, rows, min, max, mean, squares }] };
  });
  return { statistics: each.reduce(mergeClassColumnStatistics), notes: table.notes };
}

const SQL = { min: "min", max: "max", mean: "avg", variance: "var_pop" } as const;
const PARTS = ["min", "max", "mean", "variance"] as const;

type Group = { readonly rows: number } & Record<(typeof PARTS)[number], number[]>;

function emptyGroup(rows: number): Group {
  return { rows, min: [], max: [], mean: [], variance: [] };
}
