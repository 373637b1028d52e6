import type { Command } from "commander";
import { optionError } from "../../core/internal.ts";
import {
  examples,
  exampleText,
  generators,
  listData,
  namedData,
  type ExampleOptions,
} from "../../data/index.ts";
import { columns } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";
import { seedOption, safeOption } from "../options/words.ts";

interface DataOptions {
  readonly data?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly seed?: number;
}

export function define(command: Command): void {
  command
    .argument(
      "[name]",
      "write this data set as CSV, its classes in the last column; without a name: list all",
    )
    .usage("[options] [name] [generator options]")
    .option("--data <folder>", "folder of further named data sets (default: KINDRED_DATA)")
    .option("--out <file>", "write to a file instead of standard output")
    .addOption(safeOption())
    .option("--json", "print the list as one JSON object")
    .addOption(seedOption())
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      "after",
      "\nA generator takes its own options, such as: kindred data gmm-outliers --outliers 7 --seed 1",
    )
    .action((name: string | undefined, options: DataOptions) => {
      const rest = name === undefined ? command.args : command.args.slice(1);
      return name === undefined || name.startsWith("--")
        ? list(command, options, command.args)
        : write(command, name, options, rest);
    });
}

async function list(command: Command, { data, json }: DataOptions, rest: readonly string[]): Promise<void> {
  if (rest.length > 0) throw optionError(`unknown option ${rest[0]} (see kindred data --help)`);
  const entries = await listData({ folder: data });
  const answer = { datasets: entries };
  const text = (): string =>
    `${columns([
      ["name", "rows", "features", "classes", "from", ""],
      ...entries.map(({ name, rows, features, classes, from, description }) => [
        name,
        String(rows),
        String(features),
        String(classes),
        from,
        description,
      ]),
    ]).join("\n")}\n`;
  const outputs = await openOutputs(command, ["out"]);
  if (outputs.has("out"))
    await outputs.write("out", [json === true ? `${JSON.stringify(answer)}\n` : text()]);
  else await outputs.answer({ json: () => answer, text });
}

async function write(
  command: Command,
  name: string,
  options: DataOptions,
  rest: readonly string[],
): Promise<void> {
  const { data, json, seed } = options;
  if (json === true) throw optionError("--json is for the list; a data set is written as CSV");
  const outputs = await openOutputs(command, ["out"], { data: "out" });
  const generator = { ...generatorOptions(rest), ...(seed !== undefined && { seed }) };
  const example = Object.hasOwn(examples, name);
  const generated = example || Object.hasOwn(generators, name);
  if (!generated && rest.length > 0)
    throw optionError(`${rest[0]}: "${name}" is not generated and takes no options`);
  if (example) await outputs.write("out", [exampleText(name, generator as ExampleOptions)]);
  else
    await outputs.writeTable("out", await namedData(name, { folder: data, ...(generated && { generator }) }));
}

/** `--per-class 50 --no-permute` as { perClass: 50, permute: false }; the generator checks names and ranges. */
function generatorOptions(args: readonly string[]): Record<string, number | boolean | string> {
  const options: Record<string, number | boolean | string> = {};
  for (let i = 0; i < args.length; i++) {
    const match = /^--(no-)?([a-z][a-z0-9-]*)(?:=(.*))?$/i.exec(args[i]);
    if (match === null) throw optionError(`"${args[i]}" is not an option (see kindred data --help)`);
    const [, negated, dashed, attached] = match;
    const name = dashed.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const next = args[i + 1];
    if (negated !== undefined) options[name] = false;
    else if (attached !== undefined) options[name] = valueOf(attached);
    else if (next === undefined || next.startsWith("--")) options[name] = true;
    else options[name] = valueOf(args[++i]);
  }
  return options;
}

function valueOf(text: string): number | boolean | string {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}
