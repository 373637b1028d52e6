import type { Command } from "commander";
import { integerAtLeast } from "../arguments.ts";
import { INTERRUPT, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
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
    .action(run);
}

async function run(options: MlcaOptions): Promise<void> {
  const plan = await planMlca({ quick: options.quick, seeds: options.seeds, folder: options.data });
  await reproduce(
    {
      name: "mlca",
      plan,
      labelOf,
      report: (_, done, failed) => reportMlca(plan, done as MlcaDone[], failed),
      text: mlcaText,
      pictures: () => [
        { name: "figure-2.svg", svg: categoriesSvg() },
        { name: "figure-3.svg", svg: segmentsSvg() },
      ],
    },
    options,
  );
}

function labelOf(task: MlcaTask): string {
  if (task.kind === "mlca two classes") return `two classes, ${task.set}`;
  if (task.kind === "mlca segmentation") return `${task.scene}, ${task.method}`;
  return `Table ${task.table}, ${task.geometry}, seed ${task.seed}, ${task.column}`;
}
