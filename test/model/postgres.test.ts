import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KindredError } from "../../src/core/index.ts";
import { random } from "../../src/core/random.ts";
import { exampleText, readColumns, type Table } from "../../src/data/index.ts";
import { clusterings } from "../../src/method/index.ts";
import { modelSql, type Clustering } from "../../src/model/index.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { shared } from "../../bench/shared.mjs";

/** A server of our own on a socket in a folder; Debian keeps its programs outside of PATH. */
const versions = "/usr/lib/postgresql";
const newest = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined;
const bin = newest === undefined ? undefined : join(versions, newest, "bin");
const folder = mkdtempSync(join(tmpdir(), "kindred-postgres-"));

describe.skipIf(bin === undefined)("Postgres", () => {
  beforeAll(() => {
    chmodSync(folder, 0o777);
    mkdirSync(join(folder, "socket"));
    chmodSync(join(folder, "socket"), 0o777);
    run(`${bin}/initdb -D ${folder}/data -U kindred -A trust --no-sync`);
    // A query whose plan multiplied its steps would not fit.
    run(
      `ulimit -v 1500000; ${bin}/pg_ctl -D ${folder}/data -w -l ${folder}/log start -o "-c listen_addresses='' ` +
        `-c unix_socket_directories=${folder}/socket -c shared_buffers=64MB -c fsync=off -c jit=off"`,
    );
  });

  afterAll(() => {
    run(`${bin}/pg_ctl -D ${folder}/data -m immediate stop`);
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["kmeans", "gmm", "mixed"])(
    "labels a mixed table as the model of %s does, twice",
    async (method) => {
      const table = await readColumns(new TextEncoder().encode(mixedText(300)));
      const model = await cluster(table, { method: method as MethodName, clusters: 3 });
      load("people", table);
      const placed = model.assign(table);
      expect(labels("people", model)).toEqual(Array.from(placed.labels));
      // The table that the query makes has its columns and three more, and can be labelled by a second model.
      sql(`drop table if exists labelled; create table labelled as ${modelSql(model, "postgres", "people")}`);
      const columns = sql(
        "select count(*) from information_schema.columns where table_name = 'labelled'",
      ).trim();
      expect(Number(columns)).toBe(table.columns.length + 4);
      sql("alter table labelled rename column cluster to first");
      const second = await cluster(table, { method: "kmeans", clusters: 2 });
      expect(labels("labelled", second)).toEqual(Array.from(second.assign(table).labels));
    },
  );

  const wide = (columns: number): string => {
    const draw = random(columns);
    const names = Array.from({ length: columns }, (_, j) => `c${j}`);
    const lines = Array.from({ length: 200 }, (_, i) =>
      names.map((_, j) => (4 * ((i + j) % 3) * ((j % 5) - 2) + draw.normal()).toFixed(3)).join(","),
    );
    return `${names.join(",")}\n${lines.join("\n")}\n`;
  };

  /** They write rows, centres, points and matrices; of wide tables the others take long to fit. */
  const FEW = ["kmeans", "gmm", "ward", "cc", "spectral"];
  const penguins = join(shared("tables"), "..", "real", "penguins.csv");
  const tables: readonly { name: string; text: () => string; methods?: readonly string[] }[] = [
    { name: "customers", text: () => exampleText("customers") },
    ...(existsSync(penguins) ? [{ name: "penguins", text: () => readFileSync(penguins, "utf8") }] : []),
    { name: "50 columns", text: () => wide(50), methods: FEW },
    { name: "200 columns", text: () => wide(200), methods: FEW },
  ];

  test.each(tables)(
    "plans the SQL of every method on $name at once, and labels the rows as the model does",
    { timeout: 300_000 },
    async ({ text, methods }) => {
      const table = await readColumns(new TextEncoder().encode(text()), { vector: "none" });
      load("every", table);
      const refused: string[] = [];
      for (const { name, needs } of clusterings) {
        if (needs.pairs === "required" || needs.labels === "required" || needs.oneUnit) continue;
        if (methods?.includes(name) === false) continue;
        const model = await cluster(table, { method: name as MethodName, clusters: 3, sample: 200 });
        try {
          expect({ name, labels: labels("every", model) }).toEqual({
            name,
            labels: Array.from(model.assign(table).labels),
          });
        } catch (error) {
          if (!(error instanceof KindredError && error.code === "no-sql")) throw error;
          refused.push(name);
        }
      }
      expect(refused.filter((name) => ["kmeans", "gmm", "ward", "cc", "spectral"].includes(name))).toEqual(
        [],
      );
    },
  );

  test("a far value is placed and does not end the query", async () => {
    const table = await readColumns(new TextEncoder().encode(mixedText(300)));
    const model = await cluster(table, { method: "kmeans", clusters: 3 });
    load("far", table);
    sql(`insert into far (kindred_row, spend) values (1000, 1e300), (1001, 900), (1002, -1e300)`);
    expect(labels("far", model)).toHaveLength(303);
  });

  test("a column named like one of the query's steps does not change the labels", async () => {
    const table = await readColumns(new TextEncoder().encode(mixedText(200)));
    const model = await cluster(table, { method: "kmeans", clusters: 3 });
    load("hostile", table);
    for (const name of ["kindred_x0", "kindred_s0", "kindred_c", "kindred_b", "kindred_raw"])
      sql(`alter table hostile add column ${name} double precision default 7`);
    expect(labels("hostile", model)).toEqual(Array.from(model.assign(table).labels));
  });
});

function labels(table: string, model: Clustering): number[] {
  const query = modelSql(model, "postgres", table);
  const plan = sql(`explain ${query}`);
  expect(plan.length).toBeLessThan(200_000);
  return sql(`select cluster from (${query}) as q order by kindred_row`).trim().split("\n").map(Number);
}

/** The cells of a table with the types of their kinds, and the number of each row. */
function load(name: string, table: Table): void {
  const types = { number: "double precision", date: "timestamp" } as Record<string, string>;
  const columns = table.columns.map((column) => `"${column.name}" ${types[column.kind] ?? "text"}`);
  const rows = Array.from({ length: table.rows }, (_, i) => {
    const cells = table.columns.map(({ kind, values, codes, levels, cells: texts }) => {
      if (codes !== undefined) return quoted(levels?.[codes[i]]);
      if (values === undefined) return quoted(texts?.[i] || undefined);
      if (Number.isNaN(values[i])) return "null";
      if (kind === "date")
        return quoted(new Date(Math.round(values[i] * 86_400_000)).toISOString().slice(0, 23));
      return String(values[i]);
    });
    return `(${[i, ...cells].join(", ")})`;
  });
  sql(
    `drop table if exists ${name}; create table ${name} (kindred_row int, ${columns.join(", ")}); ` +
      `insert into ${name} values ${rows.join(", ")}`,
  );
}

const quoted = (text: string | undefined): string =>
  text === undefined ? "null" : `'${text.replaceAll("'", "''")}'`;

function mixedText(rows: number): string {
  const draw = random(3);
  const lines = Array.from({ length: rows }, (_, i) => {
    const group = i % 3;
    const cells = [
      Math.exp(2 * group + draw.normal()).toFixed(3),
      draw.uniform() < 0.1 ? "" : (8 * group + draw.normal()).toFixed(2),
      ["free", "basic", "pro"][draw.uniform() < 0.9 ? group : draw.integer(3)],
      new Date(1.6e12 + 864e5 * Math.round(300 * group + 40 * draw.normal())).toISOString().slice(0, 10),
    ];
    return cells.join(",");
  });
  return `spend,visits,plan,joined\n${lines.join("\n")}\n`;
}

function sql(text: string): string {
  const file = join(folder, "query.sql");
  writeFileSync(file, text);
  chmodSync(file, 0o644);
  return run(`${bin}/psql -h ${folder}/socket -U kindred -d postgres -v ON_ERROR_STOP=1 -qAt -f ${file}`);
}

/** The server does not run as root. */
function run(command: string): string {
  const root = process.getuid?.() === 0;
  const { status, stdout, stderr } = spawnSync(
    root ? "runuser" : "bash",
    root ? ["-u", "postgres", "--", "bash", "-c", command] : ["-c", command],
    { encoding: "utf8", cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  if (status !== 0) throw new Error(`${command}\n${stderr}`);
  return stdout;
}
