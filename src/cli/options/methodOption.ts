import { type Command, InvalidArgumentError, Option } from "commander";
import {
  expectation,
  fallbackText,
  flagOf,
  optionText,
  parseValue,
  shownOptions,
  type OptionRules,
  type ShownOption,
} from "../../method/index.ts";
import { oneOfNames } from "./words.ts";

/** The methods of a registry in the help of a command. */
interface Said {
  readonly name: string;
  readonly sentence: string;
}

export function methodOption(says: string, methods: readonly Pick<Said, "name">[]): Option {
  const names = methods.map(({ name }) => name);
  return oneOfNames(new Option("-m, --method <name>", says), names);
}

/**
 * The method of a command line; its own options are then declared, and the line is parsed again with them.
 *
 * @param option `--method`, which gets the default by the rest of the line
 */
export function chosenMethod(
  command: Command,
  args: readonly string[],
  option: Option,
  fallback: (words: object) => string,
  says?: string,
): string {
  command.parseOptions([...args]);
  const words = command.opts<{ readonly method?: string }>();
  const usual = fallback(words);
  option.default(usual, says);
  command.setOptionValueWithSource(
    "method",
    words.method ?? usual,
    words.method === undefined ? "default" : "cli",
  );
  return words.method ?? usual;
}

/** The options of the method, under their own heading. */
export function addMethodFlags(
  command: Command,
  { name }: Pick<Said, "name">,
  rules: OptionRules,
  {
    before = [],
    letters = {},
  }: {
    /** Options of the command that only some methods have. */
    readonly before?: readonly Option[];
    /** Letters for options by their flags: { "--neighbors": "-k" }. */
    readonly letters?: Readonly<Record<string, string>>;
  } = {},
): void {
  for (const option of [...before, ...methodFlags(rules)]) {
    const letter = letters[option.long!];
    if (letter !== undefined) Object.assign(option, { short: letter, flags: `${letter}, ${option.flags}` });
    command.addOption(option.helpGroup(`Options of ${name}:`));
  }
}

/** The options of a method as flags of a command, generated from their declaration. */
export function methodFlags(rules: OptionRules): Option[] {
  return shownOptions(rules).map(methodFlag);
}

function methodFlag(shown: ShownOption): Option {
  const { name, control } = shown;
  const flag = flagOf(name);
  const fallback = fallbackText(shown);
  const says = `${optionText(shown)}${fallback === undefined ? "" : ` (default: ${fallback})`}`;
  if (control.kind === "flag") {
    return new Option(shown.fallback === true ? `--no-${flag.slice(2)}` : flag, says);
  }
  const placeholder = { choice: "name", integer: "n", number: "x", numbers: "list" }[control.kind];
  const option = new Option(`${flag} <${placeholder}>`, says);
  if (control.kind === "choice") option.choices(control.choices!.map(String));
  return option.argParser((text) => {
    const value = parseValue(control, text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${expectation(control)}.`);
    return value;
  });
}

/** All methods with their sentences, below the help of a command. */
export function listMethods(command: Command, methods: readonly Said[]): void {
  const width = Math.max(...methods.map(({ name }) => name.length));
  const lines = methods.map(({ name, sentence }) => `  ${name.padEnd(width)}  ${sentence}`);
  const heading = `Methods (their options: kindred ${command.name()} --method NAME --help):`;
  command.addHelpText("after", `\n${heading}\n${lines.join("\n")}`);
}

/** Help of --stream: which methods learn in batches. */
export function streamFlag(methods: readonly { readonly name: string; readonly sums?: unknown }[]): Option {
  const able = methods.filter(({ sums }) => sums !== undefined).map(({ name }) => name);
  return new Option("--stream", `read in batches, for data larger than memory (${able.join(", ")})`);
}
