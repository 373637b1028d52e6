// Starts a Spark cluster (scripts/spark-cluster.mjs), runs the tests that need one, and stops it. A running
// cluster is used and kept.
//   node scripts/test-spark.mjs [--version 3.5.6] [files]
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [, , ...given] = process.argv;
const version = given[0] === "--version" ? given.slice(0, 2) : [];
const filters = given.slice(version.length);

const ran = Boolean(settings());
if (!ran && cluster("start", ...version, "--token", crypto.randomUUID()) !== 0) process.exit(1);
// Ctrl-C goes to the tests as well; only the cluster is left to stop.
process.on("SIGINT", () => undefined);
try {
  const tests = filters.length > 0 ? filters : ["test/engine/sparkCluster"];
  // A cluster on few cores is slow at first: its programs compile themselves while they run.
  const limits = ["--testTimeout=180000", "--hookTimeout=180000"];
  const run = ["--no-install", "vitest", "run", "--no-file-parallelism", ...limits, ...tests];
  const { status } = spawnSync("npx", run, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...settings() },
  });
  process.exitCode = status ?? 1;
} finally {
  if (!ran) cluster("stop");
}

function cluster(...args) {
  return spawnSync(process.execPath, ["scripts/spark-cluster.mjs", ...args], { cwd: root, stdio: "inherit" })
    .status;
}

/** The output of `env` of the cluster, or undefined. */
function settings() {
  const { stdout, status } = spawnSync(process.execPath, ["scripts/spark-cluster.mjs", "env"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) return undefined;
  return Object.fromEntries(
    Array.from(stdout.matchAll(/^export (\w+)='(.*)'$/gm), ([, name, value]) => [name, value]),
  );
}
