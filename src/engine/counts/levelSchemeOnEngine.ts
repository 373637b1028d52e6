import { inputError } from "../../core/internal.ts";
import { levelSchemeFromColumns, type ColumnStatistics } from "../../scale/index.ts";
import type { CutOptions } from "../../scale/internal.ts";
import { encodeLabels, type Label } from "../../score/index.ts";
import type { Discretization, LevelScheme } from "../../select/index.ts";
import { checkGiven, MOST_GIVEN, MOST_LEVELS } from "../../select/internal.ts";
import { columnSums } from "../columnSums.ts";
import { answer } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";

/** The rows of known class of a table. */
export interface LabelledRows {
  readonly table: EngineTable;
  /** In the order of `encodeLabels`; none if the table has no labels, and all its rows are counted. */
  readonly classes: readonly Label[];
  readonly unlabelled: number;
}

export async function labelledRows(table: EngineTable): Promise<LabelledRows> {
  const { engine, labelText } = table;
  if (labelText === undefined) return { table, classes: [], unlabelled: 0 };
  const found = await answer(
    engine,
    `select y, count(*) as n from (select ${labelText} as y from ${table.from}) as kindred_labels ` +
      `group by y limit ${MOST_LEVELS + 1}`,
  );
  if (found.rows > MOST_LEVELS) throw tooManyClasses(table);
  // A column of only nulls need not be known as text.
  const labels = Array.from({ length: found.rows }, (_, p) => textOrNull(found.columns[0][p]));
  const { classes } = encodeLabels(labels);
  const known = new Set(classes.map(String));
  const counted = (label: string | null): boolean => label !== null && known.has(label);
  const unlabelled = labels.reduce(
    (sum, label, p) => sum + (counted(label) ? 0 : Number(found.columns[1][p])),
    0,
  );
  if (classes.length === 0 || unlabelled === 0) return { table, classes, unlabelled: 0 };
  const unknown = known.has("-1") ? "('')" : "('', '-1')";
  const from = `(select * from ${table.from} where (${labelText}) not in ${unknown}) as kindred_known`;
  return { table: { ...table, from }, classes, unlabelled };
}

export function tooManyClasses({ source, label }: EngineTable): Error {
  return inputError(
    `${source}: the label "${label}" has more than ${MOST_LEVELS} different values; ` +
      `group them into a few classes first`,
  );
}

/** The cuts and classes for counting: the same as from `levelScheme`. */
export async function levelSchemeOnEngine(
  { table, classes, unlabelled }: LabelledRows,
  columns: ColumnStatistics,
  { discretize, bins }: CutOptions,
): Promise<LevelScheme> {
  if (discretize === "given") {
    return { discretization: await givenValues(table, columns.rows - unlabelled), classes };
  }
  const known = unlabelled === 0 ? columns : (await columnSums(table, false)).statistics;
  const { discretization } = levelSchemeFromColumns(
    { names: known.names, groups: [{ label: null, ...known }] },
    { discretize, bins },
  );
  return { discretization, classes };
}

async function givenValues({ engine, from, features }: EngineTable, rows: number): Promise<Discretization> {
  const cuts: number[][] = [];
  for (const { name, sql } of features) {
    const { columns } = await answer(
      engine,
      `select distinct x from (select ${sql} as x from ${from}) as kindred_values limit ${MOST_GIVEN + 1}`,
    );
    // 0 and -0 are one value.
    const values = [...new Set(Array.from(columns[0] as Float64Array, (value) => value + 0))];
    checkGiven(values, rows, name);
    cuts.push(values.sort((a, b) => a - b));
  }
  return { kind: "given", columns: features.map(({ name }) => name), cuts };
}

function textOrNull(value: number | string | null): string | null {
  return typeof value === "string" ? value : null;
}
