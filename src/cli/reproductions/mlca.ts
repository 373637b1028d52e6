import type { Command } from "commander";
import { mlcaText, reproduceMlca } from "../../reproduce/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { progressLine } from "../progressLine.ts";
import { writeOut } from "../stdout.ts";

interface MlcaOptions {
  readonly quick?: boolean;
  readonly seeds?: number;
  readonly data?: string;
  readonly json?: boolean;
}

export function define(command: Command): void {
  command
    .option("--quick", "2 seeds, fewer splits and images, LMNN on a sample: seconds instead of minutes")
    .option("--seeds <n>", "of Tables 1 to 3 (default: 5, or 2 with --quick)", integerAtLeast(1))
    .option("--data <folder>", "folder of the two-class sets (default: KINDRED_DATA)")
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nCtrl-C ends it and prints what is done.")
    .action((_: string, options: MlcaOptions) => reproduce(options));
}

async function reproduce({ quick, seeds, data, json }: MlcaOptions): Promise<void> {
  const progress = progressLine();
  let stopped = false;
  const stop = (): void => {
    stopped = true;
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const report = await reproduceMlca({
    quick,
    seeds,
    folder: data,
    onProgress(state) {
      progress.onProgress(state);
      return !stopped;
    },
  }).finally(() => {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    progress.done();
  });
  await writeOut([json === true ? `${JSON.stringify(report)}\n` : `${mlcaText(report).join("\n")}\n`]);
  if (stopped) process.exitCode = 130;
}
