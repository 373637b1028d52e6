import { type Command, Option } from "commander";
import { optionError } from "../../core/errors.ts";
import type { OnProgress } from "../../core/progress.ts";
import {
  BREGMAN_SETS,
  bregmanSparseText,
  bregmanText,
  reproduceBregman,
  reproduceBregmanSparse,
  SPARSE_SETS,
} from "../../reproduce/index.ts";
import { integerAtLeast, nameList } from "../arguments.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";

interface BregmanOptions {
  readonly table: "2" | "3";
  readonly runs?: number;
  readonly sets?: readonly string[];
  readonly data?: string;
  readonly json?: boolean;
}

export function define(command: Command): void {
  command
    .addOption(new Option("--table <number>", "of the text").choices(["2", "3"]).default("2"))
    .option("--runs <n>", "draws of pairs (default: 2, or 1 for Table 3; the text has 20)", integerAtLeast(1))
    .option(
      "--sets <names>",
      `of ${BREGMAN_SETS.join(", ")}; of Table 3: ${SPARSE_SETS.join(", ")} (default: all)`,
      nameList,
    )
    .option("--data <folder>", "folder of the data sets (default: KINDRED_DATA)")
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nCtrl-C ends it after the run at hand and prints what is done.")
    .action((_: string, options: BregmanOptions) => reproduce(options));
}

async function reproduce({ table, runs, sets, data: folder, json }: BregmanOptions): Promise<void> {
  const progress = progressLine();
  let stopped = false;
  const stop = (): void => {
    stopped = true;
  };
  const onProgress: OnProgress = (state) => {
    progress.onProgress(state);
    return !stopped;
  };
  const common = { runs, folder, onProgress };
  const low = table === "2" ? known(sets, BREGMAN_SETS) : undefined;
  const sparse = table === "3" ? known(sets, SPARSE_SETS) : undefined;
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const work = async (): Promise<{ report: Report; text: readonly string[] }> => {
    if (table === "2") {
      const report = await reproduceBregman({ ...common, sets: low });
      return { report, text: bregmanText(report) };
    }
    const report = await reproduceBregmanSparse({ ...common, sets: sparse });
    return { report, text: bregmanSparseText(report) };
  };
  const { report, text } = await work().finally(() => {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    progress.done();
  });
  for (const { set, why } of report.skipped) tell(`kindred: ${set} is skipped: ${why}`);
  await writeOut([json === true ? `${JSON.stringify(report)}\n` : `${text.join("\n")}\n`]);
  if (stopped) process.exitCode = 130;
}

interface Report {
  readonly skipped: readonly { readonly set: string; readonly why: string }[];
}

function known<T extends string>(names: readonly string[] | undefined, sets: readonly T[]): T[] | undefined {
  return names?.map((name) => {
    if (!sets.includes(name as T)) {
      throw optionError(`--sets: there is no "${name}" in the table; it has ${sets.join(", ")}`);
    }
    return name as T;
  });
}
