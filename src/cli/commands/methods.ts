import type { Command } from "commander";
import {
  classifiers,
  embeddings,
  metrics,
  selections,
  shownOptions,
  type OptionRules,
} from "../../method/index.ts";
import { methods } from "../../run/index.ts";
import { columns } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

/** Every method by the command that takes it. */
const COMMANDS = {
  cluster: methods,
  metric: metrics,
  select: selections,
  embed: embeddings,
  classify: classifiers,
};

/** `kindred methods`: every method, and with --json the options of each. */
export function define(command: Command): void {
  command.option("--json", "print one JSON object, with the options of each method").action(async () => {
    const outputs = await openOutputs(command, []);
    const rows = await Promise.all(
      Object.entries(COMMANDS).flatMap(([verb, list]) =>
        list.map(async (method) => {
          const { name, title, sentence } = method;
          const needs = "needs" in method ? method.needs : {};
          const { options } = await (method.open() as Promise<{ readonly options: OptionRules }>);
          return { command: verb, name, title, sentence, needs, options: shownOptions(options) };
        }),
      ),
    );
    await outputs.answer({
      json: () => ({
        methods: rows.map(({ options, ...row }) => ({
          ...row,
          options: options.map(({ name, fallback, control }) => ({ name, default: fallback, ...control })),
        })),
      }),
      text: () =>
        `${columns([
          ["command", "method", "what it does"],
          ...rows.map(({ command: verb, name, sentence }) => [verb, name, sentence]),
        ]).join("\n")}\n`,
    });
  });
}
