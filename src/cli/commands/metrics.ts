import type { Command } from "commander";
import { metrics } from "../../method/index.ts";
import { columns } from "../output/terminal.ts";
import { writeOut } from "../output/terminal.ts";

export function define(command: Command): void {
  command.option("--json", "print one JSON object").action(async ({ json }: { readonly json?: boolean }) => {
    const rows = metrics.map(({ name, title, needs, sentence, when }) => ({
      name,
      title,
      needs,
      sentence,
      when,
    }));
    if (json === true) return writeOut([`${JSON.stringify({ metrics: rows }, undefined, 2)}\n`]);
    const table = columns([
      ["metric", "learns from", "how", "take it for"],
      ...rows.map(({ name, needs, sentence, when }) => [name, needs, sentence.replace(/\.$/, ""), when]),
    ]);
    await writeOut([`${table.join("\n")}\n`]);
  });
}
