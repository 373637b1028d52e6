// What an engine costs, measured in about a minute, and what that gives for more rows: every job is run on two sizes of a
// table made for it, time = a + b rows is laid through them (a: planning, compiling, the sample that is fitted here), and
// read off at --rows. With --check the largest size times ten is run too, and compared. CPU time for DuckDB, of this
// process or of the command's, divided by its threads; wall time for Spark. After `npm run build`. The last job is the
// command itself, `kindred cluster` with its default and with labels for every row: from Parquet for DuckDB.
//   node bench/engine-cost.mjs [--remote sc://host:15002] [--columns 10] [--clusters 8] [--base 200000]
//                              [--rows 1000000000] [--threads 2] [--check]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import {
  answer,
  duckdb,
  engineMoments,
  engineTable,
  gaussianMixtureOnEngine,
  kmeansOnEngine,
  openEngineTable,
  spark,
  writeTable,
} from "../dist/engine/index.js";
import { settings, temporaryFolder, timed } from "./measure.mjs";

const { remote, base, rows, threads, check, ...size } = settings(
  { remote: undefined, columns: 10, clusters: 8, base: 200_000, rows: 1_000_000_000, threads: 2 },
  { check: false },
);
const { columns: d, clusters: K } = size;
const onSpark = remote !== undefined;
const engine = onSpark ? await spark({ remote }) : await duckdb({ threads });
const folder = temporaryFolder();

/** Seconds of the work: what it would take on a machine that has nothing else to do. The work may measure itself. */
async function seconds(work) {
  const { result, cpu, wall } = await timed(async () => await work());
  if (onSpark) return wall;
  return typeof result === "number" ? result : cpu;
}

/** Groups in the first columns, noise in all: made of hashes, so that every run has the same rows. */
async function table(n) {
  const name = `kindred_cost_${n}`;
  const hash = (f) => (onSpark ? `xxhash64(id, ${f})` : `hash(id, ${f})`);
  const column = (f) =>
    `cast((${hash(f)} & 65535) + (${hash(f + d)} & 65535) as double) / 16384 + ${3 + f} * (id % ${K}) as x${f}`;
  const from = onSpark ? `range(0, ${n}, 1, 8)` : `(select range as id from range(${n})) as r`;
  const columns = Array.from({ length: d }, (_, f) => column(f)).join(", ");
  await writeTable(engine, name, `select ${columns} from ${from}`, { replace: true });
  return { name, opened: await openEngineTable(engine, { table: name }) };
}

const STEPS = 3;
/** Passes over the table, and the work. Steps are held to a number, so that sizes can be compared. */
const JOBS = {
  columns: ({ name }) => engineTable(engine, { table: name }),
  moments: ({ opened }) => engineMoments(opened),
  [`k-means, ${STEPS} steps`]: held(kmeansOnEngine),
  [`mixture, ${STEPS} steps`]: held(gaussianMixtureOnEngine),
  "cluster, default": command,
};

function held(fit) {
  const options = { clusters: K, maxIterations: STEPS, tolerance: 1e-300 };
  return ({ opened }) => fit({ ...opened, missing: undefined }, options);
}

/** The command with its default: CPU seconds of its process. */
async function command({ name }) {
  const file = join(folder, "rows.parquet");
  if (!onSpark) await engine.run(`copy ${name} to '${file}' (format parquet, row_group_size 250000)`);
  const where = onSpark
    ? `spark --remote ${remote} --table ${name} --write-table kindred_cost_labels --replace`.split(" ")
    : ["duckdb", "--query", `select * from '${file}'`, "--out", join(folder, "labels.parquet")];
  const cli = join(import.meta.dirname, "..", "dist", "cli", "main.js");
  const run = spawnSync(
    "/usr/bin/time",
    ["-f", "%U %S", process.execPath, cli, "cluster", "--engine", ...where, "--threads", String(threads)],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 },
  );
  const lines = run.stderr.trim().split("\n");
  if (run.status !== 0) throw new Error(lines.slice(0, -1).join(" "));
  const [user, system] = lines.at(-1).split(" ").map(Number);
  return user + system;
}

/** The quickest of some runs: the small sizes take fractions of a second, which other work on the machine can double. */
async function measured(n, runs = 1) {
  const made = await table(n);
  await answer(engine, `select count(*) from ${made.name}`);
  const found = {};
  for (const [job, work] of Object.entries(JOBS)) {
    found[job] = Infinity;
    for (let run = 0; run < runs; run++) found[job] = Math.min(found[job], await seconds(() => work(made)));
  }
  await engine.run(`drop table ${made.name}`);
  return found;
}

await measured(Math.round(base / 4)); // Kernels and plans are compiled here.
const [small, large] = [await measured(base, 3), await measured(3 * base, 3)];
const checked = check ? await measured(30 * base) : undefined;
await engine.close();
console.log(
  `${engine.name}, ${d} columns, K = ${K}; ${onSpark ? "wall time" : "CPU time"} of ${base} and ${3 * base} rows`,
);
for (const job of Object.keys(JOBS)) {
  const slope = Math.max(0, (large[job] - small[job]) / (2 * base));
  const fixed = Math.max(0, small[job] - slope * base);
  const at = (n) => fixed + slope * n;
  const real =
    checked === undefined
      ? ""
      : `; at ${30 * base} rows ${checked[job].toFixed(1)} s, ${(at(30 * base) / checked[job]).toFixed(2)} of it foretold`;
  const whole = at(rows) / (onSpark ? 1 : threads);
  console.log(
    `${job.padEnd(20)} ${fixed.toFixed(2)} s and ${(1e6 * slope).toFixed(2)} us/row: ${rows} rows in ${(whole / 60).toFixed(1)} minutes` +
      `${onSpark ? "" : ` on ${threads} cores`}${real}`,
  );
}
