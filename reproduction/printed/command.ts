import type { Command } from "commander";
import { INTERRUPT, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
import { planPrinted, printedFindings, type PrintedTask, reportPrinted } from "./printed.ts";

export function define(command: Command): void {
  runOptions(command).addHelpText("after", `\n${INTERRUPT}`).action(run);
}

async function run(options: RunOptions): Promise<void> {
  await reproduce(
    {
      name: "printed",
      plan: await planPrinted(options.data),
      labelOf: ({ method, set, draw }: PrintedTask) => `${method}, ${set}, draw ${draw + 1}`,
      report: reportPrinted,
      findings: printedFindings,
    },
    options,
  );
}
