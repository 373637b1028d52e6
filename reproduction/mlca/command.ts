import type { Command } from "commander";
import { integerAtLeast } from "../arguments.ts";
import { INTERRUPT, outputFolder, runOptions, type RunOptions, runReproduction } from "../runReproduction.ts";
import { type MlcaDone, type MlcaTask, planMlca, reportMlca } from "./mlca.ts";
import { categoriesSvg, segmentsSvg } from "./mlcaPictures.ts";
import { mlcaText } from "./mlcaText.ts";

interface MlcaOptions extends RunOptions {
  readonly quick?: boolean;
  readonly seeds?: number;
  readonly out?: string;
}

export function define(command: Command): void {
  command
    .option("--quick", "2 seeds, fewer splits and images, LMNN on a sample: seconds instead of minutes")
    .option("--seeds <n>", "of Tables 1 to 3 (default: 5, or 2 with --quick)", integerAtLeast(1));
  runOptions(command)
    .option("--out <folder>", "write mlca.txt, mlca.json and Figures 2 and 3 there")
    .addHelpText("after", `\n${INTERRUPT}`)
    .action((options: MlcaOptions) => reproduce(options));
}

async function reproduce(options: MlcaOptions): Promise<void> {
  const { quick, seeds, data, json, out } = options;
  const write = out === undefined ? undefined : outputFolder(out);
  const plan = await planMlca({ quick, seeds, folder: data });
  const run = await runReproduction<MlcaTask, MlcaDone["result"]>(plan, options, labelOf);
  const report = reportMlca(plan, run.done as MlcaDone[], run.failed);
  const lines = `${mlcaText(report).join("\n")}\n`;
  process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : lines);
  write?.("mlca.txt", lines);
  write?.("mlca.json", `${JSON.stringify(report, undefined, 1)}\n`);
  write?.("figure-2.svg", categoriesSvg());
  write?.("figure-3.svg", segmentsSvg());
  run.conclude();
}

function labelOf(task: MlcaTask): string {
  if (task.kind === "mlca two classes") return `two classes, ${task.set}`;
  if (task.kind === "mlca segmentation") return `${task.scene}, ${task.method}`;
  return `Table ${task.table}, ${task.geometry}, seed ${task.seed}, ${task.column}`;
}
