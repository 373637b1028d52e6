// A table larger than one wants in memory, labelled whole: Kindred's default and its k-means and mixture, fitted on a sample
// or by all rows, on DuckDB and as a stream, beside scikit-learn's MiniBatchKMeans with a pass that labels. After
// `npm run build`; each is a process of its own. Printed are wall and CPU time and peak memory of the whole process, the
// adjusted Rand index with the groups that the rows were made from, and that with the fit by all rows of the same method.
//   KINDRED_PYTHON=/path/to/python node bench/whole-table.mjs [--rows 20000000] [--columns 12] [--only words,words]
//                                                             [--folder .cache/bench] [--memory 400MB]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { duckdb } from "../dist/engine/index.js";
import { random } from "../dist/index.js";
import { settings } from "./measure.mjs";

const values = settings(
  { rows: 20_000_000, columns: 12, only: "", memory: "400MB" },
  { folder: join(import.meta.dirname, "..", ".cache", "bench") },
);
const { rows, columns: d } = values;
const K = 8;
mkdirSync(values.folder, { recursive: true });
const file = join(values.folder, `whole-${rows}-${d}.parquet`);
const labels = (name, ending) => join(values.folder, `labels-${name.replaceAll(/\W+/g, "-")}.${ending}`);
/** The group of a row, from its id alone: unequal shares. */
const GROUP = `cast(floor(${K} * power((hash(id) & 1048575) / 1048576.0, 1.5)) as integer)`;

const engine = await duckdb({ threads: 2, memory: "4GB" });
if (!existsSync(file)) await make();

const CLI = join(import.meta.dirname, "..", "dist", "cli", "main.js");
const onDuckdb = ["--engine", "duckdb", "--query", `select * from '${file}'`, "--memory", values.memory];
/** `by`: the run whose labels the same method gives from all rows. */
const ways = (name, method) => [
  { name: `${name} of all rows, duckdb`, args: [...onDuckdb, ...method] },
  ...Object.entries({ duckdb: onDuckdb, stream: [file, "--stream"] }).map(([way, args]) => ({
    name: `${name} of a sample, ${way}`,
    args: [...args, ...method, "--sample", "20000"],
    by: `${name} of all rows, duckdb`,
  })),
];
const RUNS = [
  // The number of rows up to which the default fits all of them.
  ...(rows > 200_000 ? [] : [{ name: "default of all rows, memory", args: [file] }]),
  { name: "default, duckdb", args: [...onDuckdb], by: "default of all rows, memory" },
  { name: "default, stream", args: [file, "--stream"], by: "default of all rows, memory" },
  ...ways("k-means", ["--method", "kmeans", "--clusters", String(K)]),
  ...ways("mixture", ["--method", "gmm", "--clusters", String(K)]),
  { name: "MiniBatchKMeans, K = 8", python: true },
];

console.log(`${rows} rows x ${d}, ${K} groups of unequal size, Parquet; DuckDB held to ${values.memory}`);
console.log(
  "run: wall s, CPU s, peak MB; clusters; adjusted Rand with the groups; with the same method on all rows",
);
for (const run of RUNS) {
  if (!values.only.split(",").some((words) => run.name.includes(words))) continue;
  if (run.python && process.env.KINDRED_PYTHON === undefined) continue;
  const out = labels(run.name, run.python || run.args[0] !== file ? "parquet" : "csv");
  rmSync(out, { force: true });
  const command = run.python
    ? [process.env.KINDRED_PYTHON, "-c", MINI_BATCH(), file, out, String(K)]
    : [process.execPath, CLI, "cluster", ...run.args, "--id", "id", "--out", out, "--threads", "2"];
  const found = timed(command);
  if (found.failed) {
    console.log(`${run.name}: ${found.failed}`);
    continue;
  }
  run.out = out;
  const all = RUNS.find(({ name }) => name === run.by);
  const beside =
    all === undefined ? "" : `; ${all.out === undefined ? "not run" : await together(out, all.out)}`;
  console.log(
    `${run.name.padEnd(28)} ${found.wall.toFixed(0)} s, ${found.cpu.toFixed(0)} CPU s, ${found.megabytes.toFixed(0)} MB; ` +
      `${await truth(out)}${beside}`,
  );
}
for (const { out } of RUNS) if (out !== undefined) rmSync(out, { force: true });
await engine.close();

/** Normal numbers of Box and Muller from hashes of the row's number: every run has the same rows. */
async function make() {
  // A literal without an exponent would be a decimal, which is slow.
  const uniform = (f, part) => `((hash(id, ${f}, ${part}) & 4294967295)::double + 0.5e0) / 4294967296e0`;
  const { uniform: chance } = random(1);
  const center = () =>
    `[${Array.from({ length: K }, () => `${(6 * chance()).toFixed(3)}e0`).join(", ")}][kindred_group + 1]`;
  const column = (f) =>
    `${center()} + (1 + kindred_group / ${K}e0) * sqrt(-2e0 * ln(${uniform(f, 0)})) * cos(6.283185307179586e0 * ${uniform(f, 1)}) as x${f}`;
  const columns = Array.from({ length: d }, (_, f) => column(f));
  await engine.run(
    `copy (select id, ${columns.join(", ")} from (select *, ${GROUP} as kindred_group from ` +
      `(select range as id from range(${rows})))) to '${file}' (format parquet, row_group_size 250000)`,
  );
}

function timed(command) {
  const run = spawnSync("/usr/bin/time", ["-f", "%e %U %S %M", ...command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 26,
  });
  const lines = run.stderr.trim().split("\n");
  const [wall, user, system, kilobytes] = lines.at(-1).split(" ").map(Number);
  if (run.status !== 0) return { failed: lines.slice(0, -1).join(" ") || run.signal };
  return { wall, cpu: user + system, megabytes: kilobytes / 1024 };
}

async function truth(out) {
  const { clusters, rand } = await agreement(`select cluster as a, ${GROUP} as b from '${out}'`);
  return `${clusters} clusters; ${rand}`;
}

async function together(out, whole) {
  return (
    await agreement(`select o.cluster as a, w.cluster as b from '${out}' o join '${whole}' w using (id)`)
  ).rand;
}

/** Hubert and Arabie's index from the table of counts. */
async function agreement(query) {
  const cells = [];
  for await (const { rows: count, columns } of engine.query(
    `select a, b, count(*)::double from (${query}) group by all`,
  )) {
    for (let i = 0; i < count; i++)
      cells.push([Number(columns[0][i]), Number(columns[1][i]), Number(columns[2][i])]);
  }
  const pairs = (n) => (n * (n - 1)) / 2;
  const sums = (at) => {
    const counted = new Map();
    for (const cell of cells) counted.set(cell[at], (counted.get(cell[at]) ?? 0) + cell[2]);
    return counted;
  };
  const total = (map) => [...map.values()].reduce((sum, n) => sum + pairs(n), 0);
  const [a, b] = [sums(0), sums(1)];
  const n = [...a.values()].reduce((sum, count) => sum + count, 0);
  const both = cells.reduce((sum, [, , count]) => sum + pairs(count), 0);
  const expected = (total(a) * total(b)) / pairs(n);
  const rand = (both - expected) / ((total(a) + total(b)) / 2 - expected);
  return { clusters: a.size, rand: `${rand.toFixed(4)}${n === rows ? "" : ` of ${n} rows`}` };
}

/** Batches of 100 000 rows: means and spreads, fit, labels, three passes, as Kindred has to make them too. */
function MINI_BATCH() {
  return `
import sys
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
from sklearn.cluster import MiniBatchKMeans
file, out, K = sys.argv[1], sys.argv[2], int(sys.argv[3])
def batches():
    for batch in pq.ParquetFile(file).iter_batches(batch_size=100000):
        yield batch.column(0), np.column_stack([batch.column(j) for j in range(1, batch.num_columns)])
n, s, ss = 0, 0, 0
for _, X in batches():
    n += len(X); s = s + X.sum(0); ss = ss + (X * X).sum(0)
mean = s / n
sd = np.sqrt(ss / n - mean ** 2)
model = MiniBatchKMeans(K, random_state=0, n_init=3)
for _, X in batches():
    model.partial_fit((X - mean) / sd)
schema = pa.schema([("id", pa.int64()), ("cluster", pa.int32())])
with pq.ParquetWriter(out, schema) as writer:
    for ids, X in batches():
        writer.write_batch(pa.record_batch([ids, pa.array(model.predict((X - mean) / sd))], schema=schema))
`;
}
