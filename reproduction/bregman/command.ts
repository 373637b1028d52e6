import { type Command, Option } from "commander";
import { KindredError } from "kindred";
import { integerAtLeast, namedSets, nameList } from "../arguments.ts";
import { INTERRUPT, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
import { type BregmanDone, planBregman, reportBregman } from "./bregman.ts";
import {
  bregmanSparseFindings,
  planBregmanSparse,
  reportBregmanSparse,
  type SparseDone,
} from "./bregmanSparse.ts";
import { SPARSE_SETS } from "./bregmanSparseCell.ts";
import { SETS as BREGMAN_SETS } from "./bregmanTables.ts";
import { bregmanFindings } from "./bregmanText.ts";

interface BregmanOptions extends RunOptions {
  readonly table: "2" | "3";
  readonly runs?: number;
  readonly sets?: readonly string[];
}

export function define(command: Command): void {
  command
    .addOption(new Option("--table <number>", "of the text").choices(["2", "3"]).default("2"))
    .option("--runs <n>", "draws of pairs (default: 20 as in the text, or 3 for Table 3)", integerAtLeast(1))
    .option(
      "--sets <names>",
      `of ${BREGMAN_SETS.join(", ")}; of Table 3: ${SPARSE_SETS.join(", ")} (default: all)`,
      nameList,
    );
  runOptions(command, "at most this many (default: one per core); Table 3 has one, to measure memory")
    .addHelpText("after", `\n${INTERRUPT}`)
    .action((options: BregmanOptions) => (options.table === "2" ? table2 : table3)(options));
}

async function table2(options: BregmanOptions): Promise<void> {
  const { runs, sets, data } = options;
  const plan = await planBregman({ runs, sets: namedSets(sets, BREGMAN_SETS), folder: data });
  await reproduce(
    {
      name: "bregman",
      plan,
      labelOf: (task: BregmanDone["task"]) =>
        `${task.set}, ${task.budget} pairs, run ${task.run + 1} of ${plan.runs}`,
      report: (_, done: BregmanDone[], failed) => reportBregman(plan, done, failed),
      findings: bregmanFindings,
    },
    options,
  );
}

/** One task at a time, each in its own thread, which returns its memory. */
async function table3(options: BregmanOptions): Promise<void> {
  const { runs, sets, data, threads } = options;
  if (threads !== undefined && threads > 1)
    throw new KindredError("option", "--threads: Table 3 has one, to measure memory");
  const plan = await planBregmanSparse({ runs, sets: namedSets(sets, SPARSE_SETS), folder: data });
  let megabytes = 0;
  const look = (): void => {
    megabytes = Math.max(megabytes, process.memoryUsage.rss() / 1e6);
  };
  const timer = setInterval(look, 20);
  await reproduce(
    {
      name: "bregman-sparse",
      plan,
      labelOf: (task: SparseDone["task"]) =>
        `${task.set}, ${task.column}, run ${task.run + 1} of ${plan.runs}`,
      alone: {
        finish(result: SparseDone["result"]) {
          look();
          const measured = { ...result, megabytes };
          megabytes = 0;
          return measured;
        },
      },
      report: (_, done: SparseDone[], failed) => reportBregmanSparse(plan, done, failed),
      findings: bregmanSparseFindings,
    },
    options,
  ).finally(() => clearInterval(timer));
}
