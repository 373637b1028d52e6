import type { Command } from "commander";
import { optionError } from "../../core/errors.ts";
import { BREGMAN_SETS, bregmanText, reproduceBregman, type BregmanSet } from "../../reproduce/index.ts";
import { integerAtLeast, nameList } from "../arguments.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";

interface BregmanOptions {
  readonly runs?: number;
  readonly sets?: readonly string[];
  readonly data?: string;
  readonly json?: boolean;
}

export function define(command: Command): void {
  command
    .option(
      "--runs <n>",
      "draws of pairs and starting centres (default: 2; the text has 20)",
      integerAtLeast(1),
    )
    .option("--sets <names>", `of ${BREGMAN_SETS.join(", ")} (default: all)`, nameList)
    .option("--data <folder>", "folder of the data sets (default: KINDRED_DATA)")
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nCtrl-C ends it after the run at hand and prints what is done.")
    .action((_: string, options: BregmanOptions) => reproduce(options));
}

async function reproduce({ runs, sets, data, json }: BregmanOptions): Promise<void> {
  const progress = progressLine();
  let stopped = false;
  const stop = (): void => {
    stopped = true;
  };
  const wanted = sets?.map(setName);
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const report = await reproduceBregman({
    runs,
    sets: wanted,
    folder: data,
    onProgress(state) {
      progress.onProgress(state);
      return !stopped;
    },
  }).finally(() => {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    progress.done();
  });
  for (const { set, why } of report.skipped) tell(`kindred: ${set} is skipped: ${why}`);
  await writeOut([json === true ? `${JSON.stringify(report)}\n` : `${bregmanText(report).join("\n")}\n`]);
  if (stopped) process.exitCode = 130;
}

function setName(name: string): BregmanSet {
  if (!BREGMAN_SETS.includes(name as BregmanSet)) {
    throw optionError(`--sets: there is no "${name}" in the table; it has ${BREGMAN_SETS.join(", ")}`);
  }
  return name as BregmanSet;
}
