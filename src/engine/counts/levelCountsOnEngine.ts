import { inputError, rule, double } from "../../core/internal.ts";
import { levelCounts } from "../../scale/index.ts";
import { checkedCuts, cutRules, pairsRule, requirePairCells } from "../../scale/internal.ts";
import type { LevelCounts, LevelScheme, Discretization } from "../../select/index.ts";
import { levelLayout, levelsOf } from "../../select/internal.ts";
import { blockCounts, blockTables, levelBlocks, levelTally, type LevelTally } from "./blockCounts.ts";
import { answer } from "../engine.ts";
import { engineBatches } from "../engineBatches.ts";
import { checkedTable, columnsRule, type EngineTable } from "../engineTable.ts";
import { labelledRows, levelSchemeOnEngine, type LabelledRows } from "./levelSchemeOnEngine.ts";
import { levelCountsRoute, routeRule, type Route } from "../route.ts";
import type { Label } from "../../score/index.ts";
import type { Dialect } from "../dialect.ts";

const RULES = {
  ...cutRules,
  pairs: pairsRule,
  columns: columnsRule,
  /** Default: the faster of the two, see docs/reference/engine-cost.md. */
  route: routeRule,
};

export type LevelCountsOnEngineOptions = rule.OptionsOf<typeof RULES>;

export interface LevelCountsOnEngine {
  readonly counts: LevelCounts;
  /** "push-down": the engine counted; "stream": the rows were streamed. */
  readonly route: Route;
  readonly notes: readonly string[];
}

/**
 * Levels, classes and pairs of a table on an engine, counted: the same integers as from `levelCounts`, for
 * `chowLiuSelectFromCounts`, `mrmrFromCounts`, `cfsFromCounts` and the other selections.
 *
 *     const table = await openEngineTable(engine, { query: "select * from 'data/*.parquet'" }, { label: "y" });
 *     const { counts } = await levelCountsOnEngine(table);
 *     const { names } = chowLiuSelectFromCounts(counts, { features: 30 });
 */
export async function levelCountsOnEngine(
  opened: EngineTable,
  options: LevelCountsOnEngineOptions = {},
): Promise<LevelCountsOnEngine> {
  const resolved = rule.resolveOptions("levelCountsOnEngine", options, RULES);
  const { pairs } = resolved;
  checkedCuts("levelCountsOnEngine", { discretize: options.discretize, bins: options.bins });
  const { table, statistics } =
    resolved.columns === undefined
      ? await checkedTable(opened)
      : { table: opened, statistics: resolved.columns };
  const rows = await labelledRows(table);
  const scheme = await levelSchemeOnEngine(rows, statistics, resolved);
  const layout = levelLayout(scheme.discretization);
  if (pairs) requirePairCells(layout);
  const K = scheme.classes.length;
  const blocks = levelBlocks(layout.levels, K);
  const tables = blockTables(blocks, K, pairs);
  const size = { features: layout.levels.length, tables: tables.length, classes: K };
  const route = resolved.route ?? levelCountsRoute(table.engine, size);
  if (route === "stream") {
    const counts = await levelCounts(() => engineBatches(table), scheme, { pairs });
    return { counts, route, notes: table.notes };
  }

  return {
    counts: await pushedDown(rows, scheme, tables, levelTally(layout, blocks, K, pairs)),
    route,
    notes: table.notes,
  };
}

async function pushedDown(
  { table, unlabelled }: LabelledRows,
  scheme: LevelScheme,
  tables: readonly (readonly number[])[],
  { blocks, add, ...tally }: LevelTally,
): Promise<LevelCounts> {
  const { engine, labelText, features } = table;
  const K = scheme.classes.length;
  const variables = featureVariables(scheme.discretization);
  if (K > 0) variables.push(classVariable(scheme.classes, engine.dialect));

  const values = features.map(({ sql }, f) => `${sql} as x${f}`);
  if (K > 0) values.push(`${labelText} as y`);
  const valueRows = `(select ${values.join(", ")} from ${table.from}) as kindred_values`;
  const combinations = blocks.map(
    (block, k) =>
      `${block.variables.map((v, p) => variables[v].times(block.weights[p])).join(" + ")} as b${k}`,
  );
  const blockRows = `(select ${combinations.join(", ")} from ${valueRows}) as kindred_blocks`;
  for await (const { blocks: numbers, counts, unseen } of blockCounts(engine, blockRows, blocks, tables)) {
    if (unseen > 0) throw await unseenValue(table, valueRows, variables);
    add(numbers, counts);
  }
  const rows = tally.margins.subarray(0, variables[0].levels).reduce((sum, count) => sum + count, 0);
  return { ...scheme, rows, unlabelled, ...tally };
}

async function unseenValue(
  { engine, features, source }: EngineTable,
  rows: string,
  variables: readonly SqlVariable[],
): Promise<Error> {
  for (const [f, { name }] of features.entries()) {
    const sql = `select x${f} from ${rows} where (${variables[f].times(1)}) is null limit 1`;
    const { columns } = await answer(engine, sql);
    if (columns.length === 0) continue;
    return inputError(
      `${source}: column "${name}" has the value ${columns[0][0]}, which is none of the levels of the scheme`,
    );
  }
  return inputError(`${source} has values that are none of the levels of the scheme`);
}

/** A variable with levels 0 .. L - 1 as an expression. */
interface SqlVariable {
  readonly levels: number;
  /** `weight` times the level of a row, a whole number; null if the value is not a level. */
  times(weight: number): string;
}

/** The levels of the features, whose values are the columns x0, x1, ..., as in `applyDiscretization`. */
function featureVariables(discretization: Discretization): SqlVariable[] {
  const { kind, cuts } = discretization;
  const levels = levelsOf(discretization);
  return cuts.map((own, f) => ({
    levels: levels[f],
    times: (weight) =>
      kind === "sigma"
        ? `case when x${f} < ${double(own[0])} then 0 when x${f} > ${double(own[1])} then ${2 * weight} else ${weight} end`
        : kind === "given"
          ? between(
              `x${f}`,
              own.slice(1),
              (level) => `case when x${f} = ${double(own[level])} then ${weight * level} end`,
            )
          : between(`x${f}`, own, (level) => String(weight * level)),
  }));
}

/** The classes, whose texts are the column y. */
function classVariable(classes: readonly Label[], { text }: Dialect): SqlVariable {
  return {
    levels: classes.length,
    times: (weight) =>
      `case y ${classes.map((label, c) => `when ${text(String(label))} then ${weight * c}`).join(" ")} end`,
  };
}

/** The result of `at` for the number of cuts <= x, by bisection. */
function between(x: string, cuts: readonly number[], at: (level: number) => string): string {
  const part = (low: number, high: number): string => {
    if (low === high) return at(low);
    const middle = (low + high) >> 1;
    return `case when ${x} < ${double(cuts[middle])} then ${part(low, middle)} else ${part(middle + 1, high)} end`;
  };
  return part(0, cuts.length);
}
