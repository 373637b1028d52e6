import type { Command } from "commander";
import { columns } from "../columns.ts";
import { metricMethods } from "../metricMethods.ts";
import { writeOut } from "../stdout.ts";

export function define(command: Command): void {
  command.option("--json", "print one JSON object").action(metrics);
}

async function metrics({ json }: { readonly json?: boolean }): Promise<void> {
  const rows = metricMethods.map(({ name, needs, summary, when }) => ({ name, needs, summary, when }));
  if (json === true) return writeOut([`${JSON.stringify({ metrics: rows }, undefined, 2)}\n`]);
  const table = columns([
    ["metric", "learns from", "how", "take it for"],
    ...rows.map(({ name, needs, summary, when }) => [name, needs, summary, when]),
  ]);
  await writeOut([`${table.join("\n")}\n`]);
}
