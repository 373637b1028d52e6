import { typeLike, typeTable } from "../../src/data/internal.ts";
import { answer, duckdb, duckdbDialect, engineCells, type Engine } from "../../src/engine/index.ts";
import { oneStatement } from "../../src/engine/engine.ts";
import { modelSql, tableReference, type Clustering } from "../../src/model/index.ts";
import { recordsOf } from "../../src/model/internal.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { dice, fault, type Dice, type Outcome } from "./dice.ts";

const METHODS = ["kmeans", "gmm", "mixed", "k-medoids", "ward", "single", "spectral"] as const;
const NAMES =
  `x,kindred_x0,kindred_row,kindred_c,kindred_table,cluster,a b,a.b,select,é,q"uote,it's,back\`tick,semi;colon,--,/* */,$$,a\\,\n,kindred_v_x,ß,%s`.split(
    ",",
  );
const LEVELS =
  `red,Red ,blue,it's,q",back\\slash,\\',; drop table victim; --,$$,null,NA,2.50,-1,1e5,\n,a b,a_b,a-b,é,,/*,%,_,'' or 1=1`.split(
    ",",
  );
const NUMBERS = [0, -0, 1e-300, 900, -900, 1e5, 5e-324, 0.1 + 0.2];
/** The model may refuse them; the query must not. */
const FAR = [1e16, 1e300, -1e300, Number.MAX_VALUE];

let engine: Promise<Engine> | undefined;

/** The SQL of a model is one statement in every dialect, and in DuckDB places hostile rows as the model does. */
export async function sqlCase(seed: number, announce?: (tried: string) => void): Promise<Outcome> {
  const roll = dice(seed);
  const method = roll.pick(METHODS);
  const columns = [...new Set(Array.from({ length: 2 + roll.below(5) }, () => roll.pick(NAMES)))]
    // DuckDB folds the case of names.
    .filter((name, j, all) => all.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === j)
    .map((name) => ({ name, levels: roll.chance(0.4) ? levelsOf(roll) : undefined }));
  const table = roll.pick(["t", "sel ect", 'ta"ble', "t'; drop table victim; --"]);
  const tried = `${method} on ${JSON.stringify(columns)} of ${JSON.stringify(table)}`;
  announce?.(tried);
  try {
    const duck = await (engine ??= duckdb({ threads: 1 }));
    const from = tableReference(table, "duckdb");
    const { name: quoted, text } = duckdbDialect;
    const types = columns.map(({ name, levels }) => `${quoted(name)} ${levels ? "varchar" : "double"}`);
    const insert = (cell: (column: (typeof columns)[number]) => string | number | null): string =>
      `(${columns.map((column) => written(cell(column), text)).join(", ")})`;
    const plain = Array.from({ length: 30 + roll.below(90) }, (_, i) =>
      insert(({ levels }) => {
        if (roll.chance(0.05)) return null;
        return levels ? levels[roll.chance(0.9) ? i % levels.length : 0] : 5 * (i % 3) + roll.share();
      }),
    );
    await duck.run(`create or replace table ${from} (${types.join(", ")})`);
    await duck.run(`insert into ${from} values ${plain.join(", ")}`);
    const rows = engineCells(await answer(duck, `select * from ${from}`), "rows");
    const model = await cluster(typeTable(rows, { vector: "none" }), {
      method: method as MethodName,
      clusters: 3,
    });
    const numbers = roll.chance(0.2) ? [...NUMBERS, ...FAR] : NUMBERS;
    const hostile = Array.from({ length: 20 }, () =>
      insert(({ levels }) =>
        roll.pick<string | number | null>(levels ? [...LEVELS, null] : [...numbers, null]),
      ),
    );
    await duck.run(`insert into ${from} values ${hostile.join(", ")}`);
    for (const dialect of ["spark", "postgres"] as const) {
      oneStatement(
        modelSql(model, dialect, tableReference(table, dialect)),
        dialect === "spark" ? "spark" : "duckdb",
      );
    }
    return { tried, wrong: await misplaced(duck, model, from, columns.length) };
  } catch (error) {
    return { tried, wrong: (error as { code?: string }).code === "no-sql" ? undefined : fault(error) };
  }
}

function levelsOf(roll: Dice): string[] {
  return [...new Set(Array.from({ length: 2 + roll.below(4) }, () => roll.pick(LEVELS)))];
}

function written(cell: string | number | null, text: (value: string) => string): string {
  if (cell === null) return "null";
  return typeof cell === "string" ? text(cell) : `${cell.toExponential()}::double`;
}

/** What is wrong with the answer of DuckDB; ties may go either way. */
async function misplaced(
  duck: Engine,
  model: Clustering,
  from: string,
  width: number,
): Promise<string | undefined> {
  const added = { cluster: "fuzz_c", distance: "fuzz_d", second: "fuzz_n" };
  const query = oneStatement(modelSql(model, "duckdb", from, added), "duckdb");
  const found = await answer(duck, query).catch((error: Error) => error.message);
  if (typeof found === "string") return `the query fails: ${found}`;
  if (found.names.length !== width + 3) return `columns ${JSON.stringify(found.names)}`;
  const { labels, distances, nextDistances } = model.assign(
    typeLike(engineCells(found, "rows"), recordsOf(model)),
  );
  const clusters = found.columns[width];
  for (let i = 0; i < found.rows; i++) {
    const label = clusters[i] === null || Number.isNaN(Number(clusters[i])) ? -1 : Number(clusters[i]);
    const tie = Math.abs(nextDistances[i] - distances[i]) <= 1e-9 * Math.abs(distances[i]);
    if (label === labels[i] || tie) continue;
    const row = found.columns.map((column) => column[i]);
    return `row ${JSON.stringify(row)} is in cluster ${labels[i]}, and by SQL in ${label}`;
  }
  return undefined;
}
