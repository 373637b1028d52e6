/** What the tests on a real cluster share; they run where KINDRED_SPARK_REMOTE names one (npm run test:spark). */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { spark } from "../../../src/engine/spark.ts";
import type { Engine } from "../../../src/engine/engine.ts";

export const remote: string | undefined = process.env.KINDRED_SPARK_REMOTE;
/** What scripts/spark-cluster.mjs wrote of the cluster that it started. */
export const record: string | undefined = process.env.KINDRED_SPARK_CLUSTER;

export function connect(): Promise<Engine> {
  return spark({ remote: remote! });
}

/** Two million, or with KINDRED_SPARK_FULL=1 ten million, which take minutes on two cores. */
export const MANY: number = process.env.KINDRED_SPARK_FULL === undefined ? 2_000_000 : 10_000_000;
export const FEATURES = 8;

/**
 * A table of MANY rows and ten columns: `id`, `class` (c0 to c4, by turns) and x1 to x8, for each class a heap of
 * standard deviation 0.5 about centers that are multiples of 3. Made of hashes of `id`, so that every run has the same
 * rows. Stays as long as the server.
 */
export async function manyRows(engine: Engine): Promise<string> {
  const uniform = (hash: string, shift: number): string =>
    `(shiftrightunsigned(${hash}, ${shift}) & 2097151) / 2097152e0`;
  const features = Array.from({ length: FEATURES }, (_, j) => {
    const hash = `xxhash64(${j}, id)`;
    const noise = [0, 21, 42].map((shift) => uniform(hash, shift)).join(" + ");
    return `${center(`id % 5`, j)} + (${noise} - 1.5e0) as x${j + 1}`;
  });
  const name = `rows_${MANY}`;
  await engine.run(
    `create table if not exists ${name} using parquet as select id, concat('c', id % 5) as class, ` +
      `${features.join(", ")} from range(0, ${MANY}, 1, 8)`,
  );
  return name;
}

/** As SQL; `centerOf` is the same as a number. */
function center(code: string, j: number): string {
  return `3e0 * ((${code}) * ${j + 1} % 5)`;
}

export function centerOf(code: number, j: number): number {
  return 3 * ((code * (j + 1)) % 5);
}

/** Ends a worker at once, without a chance to say goodbye. */
export function killWorker(): void {
  const { processes } = JSON.parse(readFileSync(record!, "utf8")) as {
    processes: { name: string; pid: number }[];
  };
  process.kill(processes.find(({ name }) => name.startsWith("worker"))!.pid, "SIGKILL");
}

/** Starts the workers again that were killed. */
export function replaceWorkers(): void {
  execFileSync(process.execPath, ["scripts/spark-cluster.mjs", "start"], { stdio: "ignore" });
}
