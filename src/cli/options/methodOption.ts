import { InvalidArgumentError, type Command, Option } from "commander";
import { knownNames } from "../../core/internal.ts";
import type { OptionRules } from "../../method/index.ts";
import { methodFlags } from "./methodFlags.ts";

/** The methods of a registry in the help of a command. */
interface Said {
  readonly name: string;
  readonly sentence: string;
}

/**
 * The method on the command line, found before the rest is parsed: its options depend on it. An unknown name
 * is left to commander, which lists the choices.
 */
export function methodOf<M extends Said>(
  args: readonly string[],
  methods: readonly M[],
  fallback: string,
): M {
  const at = args.findIndex((arg) => arg === "--method" || arg === "-m");
  const attached = args.find((arg) => arg.startsWith("--method="))?.slice("--method=".length);
  const name = (at >= 0 ? args[at + 1] : attached) ?? fallback;
  return (methods.find((known) => known.name === name) ?? methods.find((known) => known.name === fallback))!;
}

export function methodOption(says: string, methods: readonly Said[], fallback: string): Option {
  const names = methods.map(({ name }) => name);
  return oneOfNames(new Option("-m, --method <name>", says), names).default(fallback);
}

/** An option that takes one of these names; for a misspelled name the error suggests the nearest. */
export function oneOfNames(option: Option, names: readonly string[]): Option {
  return option.choices(names).argParser((name) => {
    if (names.includes(name)) return name;
    const told = knownNames(name, names, "choices", (text) => text);
    throw new InvalidArgumentError(`${told[0].toUpperCase()}${told.slice(1)}.`);
  });
}

/** The options of the method, under their own heading. */
export function addMethodFlags(
  command: Command,
  { name }: Said,
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
