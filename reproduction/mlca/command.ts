import type { Command } from "commander";
import { integerAtLeast } from "../arguments.ts";
import { INTERRUPT, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
import { type MlcaDone, type MlcaTask, planMlca, reportMlca } from "./mlca.ts";
import { categoriesSvg, segmentsSvg } from "./mlcaPictures.ts";
import { mlcaFindings } from "./mlcaText.ts";

interface MlcaOptions extends RunOptions {
  readonly quick?: boolean;
  readonly seeds?: number;
}

export function define(command: Command): void {
  command
    .option("--quick", "2 seeds, fewer splits and images, LMNN on a sample: seconds instead of minutes")
    .option("--seeds <n>", "of Tables 1 to 3 (default: 5, or 2 with --quick)", integerAtLeast(1));
  runOptions(command).addHelpText("after", `\n${INTERRUPT}`).action(run);
}

async function run(options: MlcaOptions): Promise<void> {
  const plan = await planMlca({ quick: options.quick, seeds: options.seeds, folder: options.data });
  await reproduce(
    {
      name: "mlca",
      plan,
      labelOf,
      report: (_, done, failed) => reportMlca(plan, done as MlcaDone[], failed),
      findings: mlcaFindings,
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
