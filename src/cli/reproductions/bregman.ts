import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { optionError } from "../../core/errors.ts";
import {
  BREGMAN_SETS,
  type BregmanDone,
  bregmanSparseText,
  bregmanText,
  planBregman,
  planBregmanSparse,
  reportBregman,
  reportBregmanSparse,
  SPARSE_SETS,
  type SparseDone,
} from "../../reproduce/index.ts";
import { integerAtLeast, nameList } from "../arguments.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";
import { taskPool, type Pool } from "../taskPool.ts";

interface BregmanOptions {
  readonly table: "2" | "3";
  readonly runs?: number;
  readonly sets?: readonly string[];
  readonly data?: string;
  readonly threads?: number;
  readonly json?: boolean;
}

export function define(command: Command): void {
  command
    .addOption(new Option("--table <number>", "of the text").choices(["2", "3"]).default("2"))
    .option("--runs <n>", "draws of pairs (default: 20 as in the text, or 3 for Table 3)", integerAtLeast(1))
    .option(
      "--sets <names>",
      `of ${BREGMAN_SETS.join(", ")}; of Table 3: ${SPARSE_SETS.join(", ")} (default: all)`,
      nameList,
    )
    .option("--data <folder>", "folder of the data sets (default: KINDRED_DATA)")
    .option("--threads <n>", "at most this many; Table 3 has one, to measure memory", integerAtLeast(1))
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nCtrl-C ends it and prints what is done.")
    .action((_: string, options: BregmanOptions) => (options.table === "2" ? table2 : table3)(options));
}

const WORKER = new URL("../reproduceWorker.js", import.meta.url);

async function table2({ runs, sets, data, threads, json }: BregmanOptions): Promise<void> {
  const plan = await planBregman({ runs, sets: known(sets, BREGMAN_SETS), folder: data });
  const done: BregmanDone[] = [];
  const progress = progressLine();
  const pool = taskPool<BregmanDone["task"], BregmanDone["result"]>(
    WORKER,
    plan.tasks,
    threads ?? availableParallelism(),
    (task, result) => {
      done.push({ task, result });
      const label = `${task.set}, ${task.budget} pairs, run ${task.run + 1} of ${plan.runs}`;
      progress.onProgress({ fraction: done.length / plan.tasks.length, label });
    },
  );
  const stopped = await interruptible(plan.skipped, (hear) => {
    hear(pool);
    return pool.finished;
  }).finally(() => progress.done());
  const report = reportBregman(plan, done);
  await print(json === true ? JSON.stringify(report) : bregmanText(report).join("\n"), stopped);
}

/** One task at a time, each in a thread of its own that gives its memory back. */
async function table3({ runs, sets, data, threads, json }: BregmanOptions): Promise<void> {
  if (threads !== undefined && threads > 1)
    throw optionError("--threads: Table 3 has one, to measure memory");
  const plan = await planBregmanSparse({ runs, sets: known(sets, SPARSE_SETS), folder: data });
  const done: SparseDone[] = [];
  const progress = progressLine();
  const stopped = await interruptible(plan.skipped, async (hear) => {
    for (const [t, task] of plan.tasks.entries()) {
      const label = `${task.set}, ${task.column}, run ${task.run + 1} of ${plan.runs}`;
      progress.onProgress({ fraction: t / plan.tasks.length, label });
      let megabytes = 0;
      const look = (): void => {
        megabytes = Math.max(megabytes, process.memoryUsage.rss() / 1e6);
      };
      const timer = setInterval(look, 20);
      const pool = taskPool<SparseDone["task"], SparseDone["result"]>(WORKER, [task], 1, (_, result) => {
        look();
        done.push({ task, result, megabytes });
      });
      const on = hear(pool);
      await pool.finished.finally(() => clearInterval(timer));
      if (!on) break;
    }
  }).finally(() => progress.done());
  const report = reportBregmanSparse(plan, done);
  await print(json === true ? JSON.stringify(report) : bregmanSparseText(report).join("\n"), stopped);
}

/** Runs `work`, which says which pool an interrupt is to stop and hears whether there was one; returns whether. */
async function interruptible(
  skipped: readonly { readonly set: string; readonly why: string }[],
  work: (hear: (pool: Pool) => boolean) => Promise<void>,
): Promise<boolean> {
  let stopped = false;
  let current: Pool | undefined;
  const stop = (): void => {
    stopped = true;
    current?.stop();
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  // Only now: whoever reads this may interrupt, and is heard.
  for (const { set, why } of skipped) tell(`kindred: ${set} is skipped: ${why}`);
  try {
    await work((pool) => {
      current = pool;
      if (stopped) pool.stop();
      return !stopped;
    });
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  return stopped;
}

async function print(text: string, stopped: boolean): Promise<void> {
  await writeOut([`${text}\n`]);
  if (stopped) process.exitCode = 130;
}

function known<T extends string>(names: readonly string[] | undefined, sets: readonly T[]): T[] | undefined {
  return names?.map((name) => {
    if (!sets.includes(name as T)) {
      throw optionError(`--sets: there is no "${name}" in the table; it has ${sets.join(", ")}`);
    }
    return name as T;
  });
}
