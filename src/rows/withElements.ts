import { inputError, knownNames } from "../core/internal.ts";
import type { EngineTable } from "../engine/index.ts";
import { columnsOf } from "../engine/internal.ts";
import type { TableSpace } from "../model/index.ts";
import { usedColumns } from "../model/internal.ts";

/**
 * A table with the numbers of its vectors that a model names ("v 1", "v 2", ...) as columns beside the
 * others: a model of the sums of an engine knows them by these names. A table without a column that the
 * model needs is refused.
 */
export async function withElements(
  table: EngineTable,
  { columns: records, space }: TableSpace,
): Promise<EngineTable> {
  const { engine, from, source, shown = from } = table;
  const { dialect } = engine;
  const columns = await columnsOf(engine, from);
  const known = new Set(columns.map(({ name }) => name.toLowerCase()));
  const parts = new Map(records.map(({ name, reading }) => [name, reading.columns] as const));
  const elements: string[] = [];
  for (const name of usedColumns(space)) {
    if (known.has(name.toLowerCase()) || parts.get(name) !== undefined) continue;
    const [, vector, number] = /^(.*) ([1-9]\d*)$/s.exec(name) ?? [];
    const column = columns.find((one) => one.kind === "vector" && one.name === vector);
    if (column === undefined || Number(number) > (column.dimension ?? Infinity)) {
      const names = columns.map((one) => one.name);
      throw inputError(
        `${source} has no column "${name}", which the model needs; ${knownNames(name, names, "columns")}`,
        { code: "column-absent", column: name },
      );
    }
    const element = dialect.element(dialect.name(vector), Number(number) - 1);
    elements.push(`cast(${element} as double) as ${dialect.name(name)}`);
  }
  if (elements.length === 0) return table;
  return { ...table, from: `(select *, ${elements.join(", ")} from ${from}) as kindred_elements`, shown };
}
