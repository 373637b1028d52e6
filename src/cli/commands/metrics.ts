import type { Command } from "commander";
import { metrics } from "../../method/index.ts";
import { openOutputs } from "../output/outputs.ts";
import { columns } from "../output/terminal.ts";

export function define(command: Command): void {
  command.option("--json", "print one JSON object").action(async () => {
    const outputs = await openOutputs(command, []);
    const heads = ["metric", "learns from", "how", "take it for"];
    const lines = metrics.map(({ name, needs, sentence, when }) => [
      name,
      needs,
      sentence.replace(/\.$/, ""),
      when,
    ]);
    await outputs.answer({
      json: () => ({
        metrics: metrics.map(({ name, title, needs, sentence, when }) => ({
          name,
          title,
          needs,
          sentence,
          when,
        })),
      }),
      text: () => `${columns([heads, ...lines]).join("\n")}\n`,
    });
  });
}
