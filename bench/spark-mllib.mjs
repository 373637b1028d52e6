// k-means and mixtures on a Spark cluster, Kindred's and MLlib's on the same table in one run: CPU time of all processes of
// the cluster and of the client, and what was reached (inertia, log-likelihood). After `npm run build`, with a Python that
// has numpy and a cluster of scripts/spark-cluster.mjs on this machine. MLlib is a classic application of its own on that
// cluster, since vectors cannot be made of arrays through Connect; so each worker needs two cores, one for each:
//   node scripts/spark-cluster.mjs start --cores 2 --memory 4g --conf spark.cores.max=2 --conf spark.executor.cores=1
//                                        --conf spark.executor.memory=2g
//   eval $(node scripts/spark-cluster.mjs env)
//   KINDRED_PYTHON=... node bench/spark-mllib.mjs [--jobs kmeans,gmm] [--rows 500000] [--columns 10] [--clusters 8] [--vectors]
//                                                [--rounds 1] [--ours] [--memory 2g]
// MLlib adds 2^-52 to the density of each component, so the log-likelihood that it prints is too high where rows are far from
// all means. That of its mixture is therefore computed here as well.
// Both applications have read the table once, and MLlib's has fitted a thousandth of it, before time is taken.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import {
  answer,
  duckdb,
  engineTable,
  gaussianMixtureOnEngine,
  kmeansOnEngine,
  spark,
  writeTable,
} from "../dist/engine/index.js";
import { random } from "../dist/index.js";
import { cholesky } from "../dist/matrix/index.js";
import { settings, timed } from "./measure.mjs";

/** Fits as often as a job is named on its standard input. */
const MLLIB = `
import sys, json
from pyspark.sql import SparkSession
from pyspark.ml.clustering import KMeans, GaussianMixture
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.functions import array_to_vector
master, path, K, memory = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
settings = {"driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1", "ui.enabled": "false", "cores.max": "2",
            "executor.cores": "1", "executor.memory": memory, "sql.shuffle.partitions": "4"}
builder = SparkSession.builder.master(master)
for key, value in settings.items(): builder = builder.config("spark." + key, value)
spark = builder.getOrCreate()
df = spark.read.parquet(path)
if df.columns == ["v"]: df = df.select(array_to_vector("v").alias("features"))
else: df = VectorAssembler(inputCols=df.columns, outputCol="features").transform(df).select("features")
def fit(job, df):
    model = (KMeans if job == "kmeans" else GaussianMixture)(k=K, seed=1).fit(df)
    s = model.summary
    found = {"reached": s.trainingCost if job == "kmeans" else s.logLikelihood, "steps": s.numIter}
    if job == "gmm":
        found["weights"] = list(model.weights)
        found["means"] = [list(g.mean) for g in model.gaussians]
        found["covariances"] = [g.cov.toArray().tolist() for g in model.gaussians]
    return found
df.count()
fit("kmeans", df.sample(0.001, seed=1))
print(json.dumps("ready"), flush=True)
for line in sys.stdin: print(json.dumps(fit(line.strip(), df)), flush=True)
spark.stop()
`;

const values = settings(
  { jobs: "kmeans,gmm", rows: 500_000, columns: 10, clusters: 8, vectors: false, rounds: 1 },
  { ours: false, memory: "2g" },
);
const { rows, columns: d, clusters: K, rounds } = values;
const { KINDRED_SPARK_REMOTE: remote, KINDRED_SPARK_CLUSTER: record, KINDRED_PYTHON: python } = process.env;
if (remote === undefined || record === undefined || python === undefined) {
  console.error("no cluster, or no KINDRED_PYTHON: the first lines of this file tell how to start it");
  process.exit(2);
}
const cluster = JSON.parse(readFileSync(record, "utf8"));
const name = `kindred_bench_${rows}_${d}${values.vectors ? "v" : ""}`;
const engine = await spark({ remote });
if ((await answer(engine, `show tables like '${name}'`)).rows === 0) await make();
await answer(engine, `select count(*) from ${name}`);

console.log(
  `${engine.name}: ${rows} rows x ${d}${values.vectors ? " as array<float>" : ""}, K = ${K}; CPU s of cluster and client`,
);
const peer = values.ours ? undefined : await mllib();
for (let round = 0; round < rounds; round++) {
  for (const job of values.jobs.split(",")) {
    const ours = await told(async () => {
      const { table } = await engineTable(engine, { table: name });
      const fit = job === "kmeans" ? kmeansOnEngine : gaussianMixtureOnEngine;
      const { objective, logLikelihood, iterations, passes } = await fit(table, { clusters: K });
      return { reached: objective ?? logLikelihood, steps: iterations, passes };
    });
    console.log(`${job} Kindred ${text(ours)}; ${ours.passes} passes`);
    if (peer === undefined) continue;
    const theirs = await told(() => peer.fit(job));
    console.log(`${job} MLlib   ${text(theirs)}; Kindred / MLlib ${(ours.cpu / theirs.cpu).toFixed(2)}`);
    if (job === "gmm")
      console.log(`${job} MLlib's mixture has ${(await logLikelihood(theirs)).toPrecision(9)}`);
  }
}
peer?.end();
await engine.close();

function text({ cpu, wall, reached, steps }) {
  return `${cpu.toFixed(1)} CPU s, ${wall.toFixed(1)} s; ${reached.toPrecision(9)} after ${steps} steps`;
}

/** sum_i log sum_k w_k N(x_i; m_k, S_k), with z = L^-1 (x - m) for S = LL'. */
async function logLikelihood({ weights, means, covariances }) {
  const parts = weights.map((weight, k) => {
    const { L } = cholesky({ rows: d, cols: d, data: Float64Array.from(covariances[k].flat()) });
    let log = Math.log(weight) - (d / 2) * Math.log(2 * Math.PI);
    for (let f = 0; f < d; f++) log -= Math.log(L.data[f * d + f]);
    return { mean: means[k], L: L.data, log };
  });
  const database = await duckdb();
  const files = join(dirname(record), "warehouse", name, "*.parquet");
  const [z, logs] = [new Float64Array(d), new Float64Array(parts.length)];
  let sum = 0;
  for await (const { rows: count, columns } of database.query(`select * from read_parquet('${files}')`)) {
    for (let i = 0; i < count; i++) {
      for (const [k, { mean, L, log }] of parts.entries()) {
        logs[k] = log;
        for (let f = 0; f < d; f++) {
          let value = columns[f][i] - mean[f];
          for (let g = 0; g < f; g++) value -= L[f * d + g] * z[g];
          z[f] = value / L[f * d + f];
          logs[k] -= z[f] ** 2 / 2;
        }
      }
      const most = Math.max(...logs);
      sum += most + Math.log(logs.reduce((total, log) => total + Math.exp(log - most), 0));
    }
  }
  await database.close();
  return sum;
}

/** Groups of unequal spread in all columns. */
async function make() {
  const { uniform } = random(1);
  const number = () => `${(4 * uniform()).toFixed(3)}e0`;
  const u = (f, part) => `((xxhash64(id, ${f}, ${part}) & 4294967295) + 0.5e0) / 4294967296e0`;
  const x = (f, center) =>
    `${center} + (1e0 + g / ${K}e0) * sqrt(-2e0 * ln(${u(f, 0)})) * cos(6.283185307179586e0 * ${u(f, 1)})`;
  const centers = (count) => `array(${Array.from({ length: count }, number).join(", ")})`;
  const columns = values.vectors
    ? // A statement with hundreds of such terms takes Spark more memory than the rows.
      `transform(sequence(0, ${d - 1}), f -> cast(${x("f", `${centers(K * d)}[f * ${K} + g]`)} as float)) as v`
    : Array.from({ length: d }, (_, f) => `${x(f, `${centers(K)}[g]`)} as x${f}`).join(", ");
  const from = `(select id, cast(pmod(xxhash64(id), ${K}) as int) as g from range(0, ${rows}, 1, 8))`;
  await writeTable(engine, name, `select ${columns} from ${from}`, { replace: true });
}

async function mllib() {
  const { spark: home, host, master } = cluster;
  const table = join(dirname(record), "warehouse", name);
  const child = spawn(python, ["-c", MLLIB, `spark://${host}:${master}`, table, String(K), values.memory], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      SPARK_HOME: home,
      PYTHONPATH: dirname(home),
      SPARK_LOCAL_IP: host,
      SPARK_LOCAL_DIRS: join(dirname(record), "tmp"),
    },
  });
  const errors = [];
  child.stderr.on("data", (text) => errors.push(text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answered = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(errors.join("").split("\n").slice(-8).join("\n"));
    return JSON.parse(value);
  };
  await answered();
  cluster.processes.push({ name: "MLlib", pid: child.pid });
  return {
    fit: (job) => {
      child.stdin.write(`${job}\n`);
      return answered();
    },
    end: () => child.stdin.end(),
  };
}

async function told(work) {
  const before = clusterSeconds();
  const { result, cpu, wall } = await timed(work);
  return { ...result, cpu: cpu + clusterSeconds() - before, wall };
}

/** Of the processes that were started, and those that they started. */
function clusterSeconds() {
  const stats = new Map();
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      stats.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended.
    }
  }
  const roots = new Set(cluster.processes.map(({ pid }) => pid));
  const within = (pid) => pid > 1 && (roots.has(pid) || within(stats.get(pid)?.parent ?? 0));
  let ticks = 0;
  for (const [pid, { ticks: own }] of stats) if (within(pid)) ticks += own;
  return ticks / 100;
}
