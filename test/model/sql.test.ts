import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns, type Table } from "../../src/data/index.ts";
import { readLike } from "../../src/data/columns/readColumns.ts";
import { answer, duckdb } from "../../src/engine/index.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { loadModel, modelSql, tableReference, type Clustering } from "../../src/model/index.ts";
import { shared } from "../../bench/shared.mjs";

const folder = mkdtempSync(join(tmpdir(), "kindred-"));
const file = join(folder, "it's rows.csv");
const source = random(5);
const lines = Array.from({ length: 400 }, (_, i) => {
  const group = i % 3;
  const amount = Math.exp(2 * group + source.normal());
  const change = 10 * (group - 1) ** 3 + source.normal();
  const plan = ["o'free", "basic", "pro"][source.uniform() < 0.9 ? group : source.integer(3)];
  return `${amount.toFixed(4)},${change.toFixed(4)},${plan}`;
});
writeFileSync(file, `amount "x",change,plan\n${lines.join("\n")}\n`.replace('amount "x"', '"amount ""x"""'));

test.each(["kmeans", "gmm", "ccml"])(
  "DuckDB labels rows by the SQL of a model of %s as the model does",
  async (method) => {
    const table = await readColumns(file);
    const found = await cluster(table, { method: method as MethodName, clusters: 3 });
    if (found.placing.kind === "rows") return;
    const engine = await duckdb();
    try {
      const from = `read_csv('${file.replaceAll("'", "''")}')`;
      const { columns } = await answer(
        engine,
        `select cluster, distance, second from (${modelSql(found, "duckdb", from)}) as q`,
      );
      const placed = found.assign(table);
      expect(Array.from(columns[0] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.labels));
      // The query of a mixture has densities in the place of distances.
      const centers = found.placing.kind === "centers";
      const apart = (columns[1] as readonly unknown[]).map((distance, i) =>
        centers ? Math.abs(Number(distance) - placed.distances[i]) : 0,
      );
      expect(Math.max(...apart)).toBeLessThan(5e-10);
      const next = Array.from(placed.next);
      expect(centers ? Array.from(columns[2] as ArrayLike<unknown>, Number) : next).toEqual(next);
    } finally {
      await engine.close();
    }
  },
);

// Few rows are terms of the query, many are its values.
test.each([
  ["few", { method: "single", clusters: 3, sample: 40 }],
  ["many", { method: "spectral", clusters: 3 }],
] as const)("a model that knows %s rows is SQL too: the nearest of them", async (_, options) => {
  const table = await readColumns(file);
  const found = await cluster(table, options);
  expect(found.placing.kind).toBe("rows");
  const engine = await duckdb();
  try {
    const read = `read_csv('${file.replaceAll("'", "''")}')`;
    const from = `(select *, row_number() over () as i from ${read})`;
    const { columns } = await answer(
      engine,
      `select cluster, distance, second from (${modelSql(found, "duckdb", from)}) as q order by i`,
    );
    const placed = found.assign(table);
    expect(Array.from(columns[0] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.labels));
    for (let i = 0; i < table.rows; i++) {
      expect(Number(columns[1][i])).toBeCloseTo(placed.distances[i], 9);
    }
    expect(Array.from(columns[2] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.next));
  } finally {
    await engine.close();
  }
});

/** A table with the types that a database would have: numbers, times, lists and levels, null where a cell is missing. */
function typedLines(table: Table): string {
  const rows = Array.from({ length: table.rows }, (_, i) => {
    const row: Record<string, unknown> = { kindred_row: i };
    for (const { name, kind, values, codes, levels, vectors, cells } of table.columns) {
      if (vectors !== undefined) {
        const vector = Array.from(vectors.data.subarray(i * vectors.cols, (i + 1) * vectors.cols));
        row[name] = vector.every(Number.isFinite) ? vector : null;
      } else if (codes !== undefined) row[name] = levels?.[codes[i]] ?? null;
      else if (values === undefined) row[name] = cells?.[i] || null;
      else if (Number.isNaN(values[i])) row[name] = null;
      else if (kind === "date")
        row[name] = new Date(Math.round(values[i] * 86_400_000)).toISOString().slice(0, 23);
      else row[name] = values[i];
    }
    return JSON.stringify(row);
  });
  return rows.join("\n");
}

/** Places of rows by the query of a model, against those of the model itself. */
async function compareInDuckdb(table: Table, model: Clustering): Promise<{ readonly rows: number }> {
  const typed = join(folder, "typed.ndjson");
  writeFileSync(typed, typedLines(table));
  const from = `(select * from read_json('${typed.replaceAll("'", "''")}', format = 'newline_delimited', sample_size = -1, maximum_object_size = 100000000))`;
  const engine = await duckdb();
  try {
    const query = modelSql(model, "duckdb", from);
    const { columns } = await answer(
      engine,
      `select cluster, distance, second from (${query}) as q order by kindred_row`,
    );
    const placed = model.assign(table);
    expect(Array.from(columns[0] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.labels));
    expect(Array.from(columns[2] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.next));
    const apart = Array.from(columns[1] as ArrayLike<unknown>, (value, i) =>
      Math.abs(Number(value) - placed.distances[i]),
    );
    expect(Math.max(...apart)).toBeLessThan(1e-9);
    return { rows: apart.length };
  } finally {
    await engine.close();
  }
}

test("a mixed table: dates, ordered levels, gaps, vectors and unknown levels in DuckDB as in the model", async () => {
  const path = join(folder, "mixed.ndjson");
  const draw = random(9);
  const rows = (n: number, plans: readonly string[]): string =>
    Array.from({ length: n }, () => {
      const group = draw.integer(3);
      const gap = (share: number, value: unknown): unknown => (draw.uniform() < share ? null : value);
      return JSON.stringify({
        plan: gap(0.05, plans[draw.uniform() < 0.9 ? group : draw.integer(3)]),
        spend: gap(0.1, Number(Math.exp(2 * group + draw.normal()).toFixed(3))),
        visits: gap(0.1, Math.round(5 + 10 * group + 3 * draw.normal())),
        mood: gap(
          0.05,
          ["low", "medium", "high"][Math.min(2, Math.max(0, Math.round(group + 0.6 * draw.normal())))],
        ),
        since: gap(0.05, `202${group}-0${1 + draw.integer(9)}-1${draw.integer(9)}T0${draw.integer(9)}:30:00`),
        face: Array.from({ length: 6 }, (_, j) => Number(((j === group ? 2 : 0) + draw.normal()).toFixed(4))),
      });
    }).join("\n");
  writeFileSync(path, rows(600, ["free", "basic", "pro"]));
  const table = await readColumns(path);
  for (const method of ["mixed", "kmeans"]) {
    const found = await cluster(table, { method: method as MethodName, clusters: 3 });
    const model = loadModel(JSON.parse(JSON.stringify(found)));
    expect(Array.from(model.assign(table).labels)).toEqual(Array.from(found.labels));
    expect(model.placing.kind).toBe(method === "kmeans" ? "centers" : "mixed");
    await compareInDuckdb(table, model);
    writeFileSync(path, rows(200, ["free", "gold", "pro"]));
    const fresh = await readColumns(path);
    await compareInDuckdb(fresh, model);
    const notes = model.assign(fresh).notes.filter(({ code }) => code === "unknown-level");
    expect(notes).toHaveLength(1);
  }
});

test("amounts that are often 0, and gaps among them, in DuckDB as in the model", async () => {
  const path = join(folder, "amounts.ndjson");
  const draw = random(11);
  const rows = (n: number): string =>
    Array.from({ length: n }, () => {
      const group = draw.integer(3);
      const spent = (none: number, level: number): number | null =>
        draw.uniform() < 0.05
          ? null
          : draw.uniform() < none
            ? 0
            : Number(Math.exp(level + draw.normal()).toFixed(2));
      return JSON.stringify({
        food: spent([0.1, 0.8, 0.3][group], 2 * group),
        garden: spent(0.4, 4 - 2 * group),
        toys: spent([0.95, 0.9, 0.5][group], 2),
        age: Number((40 + 15 * group + 4 * draw.normal()).toFixed(1)),
        basket: Number((20 - 6 * group + 2 * draw.normal()).toFixed(1)),
      });
    }).join("\n");
  writeFileSync(path, rows(600));
  const table = await readColumns(path);
  writeFileSync(path, rows(200));
  const fresh = await readColumns(path);
  for (const method of ["mixed", "kmeans"]) {
    const found = await cluster(table, { method: method as MethodName, clusters: 3 });
    const { parts } = (found.space as Extract<Clustering["space"], { kind: "features" }>).record;
    expect(parts.some(({ encoding }) => encoding.form === "mark")).toBe(true);
    expect(parts.some(({ encoding }) => encoding.form === "number" && encoding.amount === true)).toBe(true);
    const model = loadModel(JSON.parse(JSON.stringify(found)));
    expect(Array.from(model.assign(table).labels)).toEqual(Array.from(found.labels));
    await compareInDuckdb(table, model);
    await compareInDuckdb(fresh, model);
  }
});

test("the time between two dates, with gaps, in DuckDB as in the model", async () => {
  const path = join(folder, "stays.ndjson");
  const draw = random(12);
  const rows = (n: number): string =>
    Array.from({ length: n }, () => {
      const group = draw.integer(3);
      const gap = (value: unknown): unknown => (draw.uniform() < 0.05 ? null : value);
      const at = 1.6e12 + 3e10 * draw.uniform();
      const days = [1, 6, 20][group] * Math.exp(0.4 * draw.normal());
      const written = (time: number): string => new Date(time).toISOString().slice(0, 19);
      return JSON.stringify({
        admitted: gap(written(at)),
        discharged: gap(written(at + 86_400_000 * days)),
        stay: gap(Number(days.toFixed(2))),
        ward: ["day", "general", "rehab"][draw.uniform() < 0.8 ? group : draw.integer(3)],
        cost: Number(Math.exp(5 + group + 0.5 * draw.normal()).toFixed(2)),
      });
    }).join("\n");
  writeFileSync(path, rows(600));
  const table = await readColumns(path);
  writeFileSync(path, rows(200));
  const fresh = await readColumns(path);
  // With the column "stay" the time is a copy of it.
  for (const ignore of [[], ["stay"]]) {
    const found = await cluster(table, { method: "mixed", clusters: 3, ignore });
    const { parts } = (found.space as Extract<Clustering["space"], { kind: "features" }>).record;
    expect(JSON.stringify(parts).includes('"since":"admitted"')).toBe(ignore.length > 0);
    const model = loadModel(JSON.parse(JSON.stringify(found)));
    expect(Array.from(model.assign(table).labels)).toEqual(Array.from(found.labels));
    await compareInDuckdb(table, model);
    await compareInDuckdb(fresh, model);
  }
});

const tables = ["customers.csv", "survey.xlsx", "listings.csv", "sensors.parquet"];
test.skipIf(!existsSync(shared("tables")))(
  "the shared tables in DuckDB as in their models",
  async () => {
    for (const name of tables) {
      const table = await readColumns(shared("tables", name));
      const found = await cluster(table, { method: "mixed", clusters: 4 });
      expect(await compareInDuckdb(table, found)).toEqual({ rows: table.rows });
    }
  },
  120_000,
);

test("every dialect quotes its own way, and what SQL cannot say is refused in words", async () => {
  const table = await readColumns(file);
  const found = await cluster(table, { method: "kmeans", clusters: 3 });
  expect(modelSql(found, "postgres", "t")).toContain('"amount ""x"""');
  expect(modelSql(found, "spark", "t")).toContain('`amount "x"`');
  expect(modelSql(found, "spark", "t")).toContain("'o\\'free'");
  const rows = await cluster(table, { method: "hdbscan" });
  expect(() => modelSql(rows, "duckdb", "t")).toThrow(/hdbscan places rows by its training rows/);
});

test("levels spelled like a missing value, with line breaks, in other cases, and numbers that are none", async () => {
  const draw = random(12);
  const made = (n: number, spellings: (level: string) => string): string =>
    Array.from({ length: n }, () => {
      const group = draw.integer(3);
      const pick = (levels: readonly string[]): string =>
        levels[draw.uniform() < 0.9 ? group : draw.integer(3)];
      return JSON.stringify({
        kind: spellings(pick(["null", "NaN", "two\nlines"])),
        mood: spellings(pick(["none", "mild", "severe"])),
        grade: draw.uniform() < 0.1 ? "N/A" : spellings(pick(["it's", 'a "b"', "c\\d"])),
        size: draw.uniform() < 0.05 ? -999 : Number((4 * group + draw.normal()).toFixed(3)),
        weight: Number((3 * group + draw.normal()).toFixed(3)),
      });
    }).join("\n");
  const path = join(folder, "spelled.ndjson");
  const as = { kind: "ordered:null|NaN|two\nlines" };
  writeFileSync(
    path,
    made(500, (level) => level),
  );
  const table = await readColumns(path, { as });
  const other = join(folder, "spelled other.ndjson");
  writeFileSync(
    other,
    made(200, (level) =>
      draw.uniform() < 0.3 ? ` ${level.toUpperCase()} ` : draw.uniform() < 0.1 ? "k.A." : level,
    ),
  );
  const engine = await duckdb();
  try {
    for (const method of ["mixed", "kmeans"]) {
      const model = await cluster(table, { method: method as MethodName, clusters: 3 });
      for (const file of [path, other]) {
        const from = `(select *, row_number() over () as kindred_row from read_json('${file.replaceAll("'", "''")}', format = 'newline_delimited'))`;
        const query = modelSql(model, "duckdb", from);
        const { columns } = await answer(engine, `select cluster from (${query}) as q order by kindred_row`);
        const placed = model.assign(await readLike(file, model.columns));
        expect(Array.from(columns[0] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.labels));
      }
    }
  } finally {
    await engine.close();
  }
});

test("a number beyond the numbered levels of a model is placed by its value, here and in DuckDB", async () => {
  const draw = random(8);
  const row = (i: number, calls = i % 2 === 0 ? draw.integer(2) : 2 + draw.integer(3)): string =>
    `${(8 * (i % 2) + draw.normal()).toFixed(3)},${calls === 3 ? 5 : calls}`;
  const text = (lines: readonly string[]): Uint8Array =>
    new TextEncoder().encode(`minutes,calls\n${lines.join("\n")}\n`);
  const table = await readColumns(text(Array.from({ length: 200 }, (_, i) => row(i))));
  expect(table.columns[1]).toMatchObject({ kind: "ordered", levels: ["0", "1", "2", "3", "4", "5"] });
  const found = await cluster(table, { method: "kmeans", clusters: 2 });
  const others = ["8.1,7", "8.1,3", "8.1,4", "8.1,99", "8.1,"];
  const like = await readLike(text(others), found.columns);
  const { distances, notes } = found.assign(like);
  // 3 lies between 2 and 4, and 7 beyond 5; 99 is no number of calls, and is filled like a gap.
  expect(distances[1]).toBeLessThan(distances[0]);
  expect(distances[3]).toBe(distances[4]);
  expect(like.notes.map(({ code, message }) => [code, message])).toEqual([
    ["unknown-level", 'column "calls": "99" is unknown to the model (1 row)'],
  ]);
  expect(notes.filter(({ code }) => code === "unknown-level")).toHaveLength(1);
  const engine = await duckdb();
  try {
    const from = `(values ${others.map((line) => `(${line.split(",")[0]}, ${line.split(",")[1] || "null"})`).join(", ")}) as v(minutes, calls)`;
    const { columns } = await answer(
      engine,
      `select distance from (${modelSql(found, "duckdb", `(select * from ${from})`)}) as q`,
    );
    (columns[0] as readonly unknown[]).forEach((distance, i) =>
      expect(Number(distance)).toBeCloseTo(distances[i], 9),
    );
  } finally {
    await engine.close();
  }
});

test("the name of a table is only a name, whatever it holds", () => {
  expect(tableReference("shop.Sales_2024", "postgres")).toBe("shop.Sales_2024");
  expect(tableReference("my table", "duckdb")).toBe('"my table"');
  expect(tableReference('t as t) select 1; drop table "victim"; --', "postgres")).toBe(
    '"t as t) select 1; drop table ""victim""; --"',
  );
  expect(tableReference("a`b", "spark")).toBe("`a``b`");
  expect(() => tableReference("shop.", "duckdb")).toThrow('"shop." is not the name of a table');
});

test("DuckDB gives the table's columns and three more, and the query reads no column named like its own", async () => {
  const table = await readColumns(file);
  const model = await cluster(table, { method: "kmeans", clusters: 3 });
  const engine = await duckdb();
  try {
    await engine.run(`create table t as select * from read_csv('${file.replaceAll("'", "''")}')`);
    await engine.run(`create table first as ${modelSql(model, "duckdb", "t")}`);
    const { columns: names } = await answer(
      engine,
      "select column_name from information_schema.columns where table_name = 'first' order by ordinal_position",
    );
    expect(Array.from(names[0] as ArrayLike<string>)).toEqual([
      'amount "x"',
      "change",
      "plan",
      "cluster",
      "distance",
      "second",
    ]);
    await engine.run("alter table first rename column cluster to before");
    for (const name of ["kindred_x0", "kindred_s1", "kindred_row", "kindred_raw"])
      await engine.run(`alter table first add column ${name} double default 7`);
    const { columns } = await answer(
      engine,
      `select before, cluster from (${modelSql(model, "duckdb", "first")}) as q`,
    );
    expect(Array.from(columns[1] as ArrayLike<unknown>, Number)).toEqual(
      Array.from(columns[0] as ArrayLike<unknown>, Number),
    );
  } finally {
    await engine.close();
  }
});

test("vectors alone, some with a null inside, in DuckDB as in the model", async () => {
  const draw = random(3);
  const rows = Array.from({ length: 60 }, (_, i) => {
    const e: (number | null)[] = Array.from(
      { length: 4 },
      (__, f) => 6 * Number(f === i % 2) + draw.normal(),
    );
    if (i === 17) e[2] = null;
    return JSON.stringify(i === 33 ? { e: null } : { e });
  });
  const path = join(folder, "vectors.ndjson");
  writeFileSync(path, `${rows.join("\n")}\n`);
  const table = await readColumns(path);
  const model = await cluster(table, { method: "kmeans", clusters: 2 });
  const engine = await duckdb();
  try {
    const query = modelSql(model, "duckdb", `read_json('${path.replaceAll("'", "''")}')`);
    const { columns } = await answer(engine, `select cluster, distance from (${query}) as q`);
    const placed = model.assign(table);
    expect(Array.from(columns[0] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.labels));
    placed.distances.forEach((distance, i) => expect(Number(columns[1][i])).toBeCloseTo(distance, 9));
  } finally {
    await engine.close();
  }
});
