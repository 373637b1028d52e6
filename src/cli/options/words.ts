import { type Command, InvalidArgumentError, Option } from "commander";
import { fallbackText, knownNames, optionText, rule, expectation, parseValue } from "../../core/internal.ts";
import { FORMATS } from "../../data/internal.ts";
import {
  columnWords,
  engineWords,
  featureWords,
  fileWords,
  type Word,
  type WordRule,
} from "../../run/internal.ts";
import { type OptionRules, shownOptions } from "../../method/index.ts";

/** Values of options as words of the command line. Every start of the program loads this, and nothing of the tables. */

/** A parser of option values; commander turns its exception into a usage error that names the option. */
export function valueOf<T>(control: Pick<rule.Control, "kind"> & Partial<rule.Control>): (text: string) => T {
  const whole: rule.Control = { says: "", ...control };
  return (text) => {
    const value = parseValue(whole, text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${expectation(whole)}.`);
    return value as T;
  };
}

export function integerAtLeast(min: number): (text: string) => number {
  return valueOf({ kind: "integer", min });
}

/** "a,b,c" to its parts. */
export function nameList(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => name === "")) {
    throw new InvalidArgumentError("It must be names, separated by commas.");
  }
  return names;
}

/** "price=number,grade=ordered:low|mid|high" */
function columnKinds(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = nameList(text).map((part) => {
    const at = part.lastIndexOf("=");
    if (at < 1 || at === part.length - 1)
      throw new InvalidArgumentError("It must be: column=kind, separated by commas.");
    return [part.slice(0, at), part.slice(at + 1)] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** Every command takes a seed, with or without random choices. */
export function seedOption(): Option {
  return new Option("--seed <n>", "seed of every random choice (default: 0)").argParser(integerAtLeast(0));
}

/** What a command says otherwise about the words of a request. */
interface Otherwise {
  /** Letters for options by their names: { label: "-l" }. */
  readonly letters?: Readonly<Record<string, string>>;
  readonly says?: Readonly<Record<string, string>>;
  readonly without?: readonly string[];
}

/** Words of a request as options of a command, under their heading. */
export function addWords(
  command: Command,
  heading: string,
  rules: Readonly<Record<string, WordRule<unknown>>>,
  { letters = {}, says = {}, without = [] }: Otherwise = {},
): void {
  command.optionsGroup(heading);
  for (const [name, { word }] of Object.entries(rules)) {
    if (without.includes(name)) continue;
    for (const option of wordOptions(name, { ...word, says: says[name] ?? word.says })) {
      const letter = letters[name];
      if (letter !== undefined) Object.assign(option, { short: letter, flags: `${letter}, ${option.flags}` });
      command.addOption(option);
    }
  }
  command.optionsGroup("Options:");
}

function wordOptions(name: string, { kind, value, says, saysNo, choices, min }: Word): Option[] {
  const flag = rule.flagOf(name);
  if (kind === "switch") return [new Option(flag, says)];
  if (kind === "yes or no") return [new Option(flag, says), new Option(`--no-${flag.slice(2)}`, saysNo)];
  const option = new Option(`${flag} <${value}>`, says);
  if (kind === "choice") return [option.choices(choices!)];
  const parse = { text: undefined, names: nameList, kinds: columnKinds, integer: integerAtLeast(min!) }[kind];
  return [parse === undefined ? option : option.argParser(parse as (text: string) => unknown)];
}

/** The use of the class column in a command. */
const LABEL_USE = {
  scored: "used only for the scores, never a feature",
  learned: "the target, never a feature",
  "set aside": "set aside, never a feature",
} as const;

export const DATA_HELP: string = `a file (${FORMATS.join(", ")}; gzip or not), several, - or the name of a data set`;

/** The argument for data that may also be a table of an engine. */
export const OPTIONAL_DATA = "[data...]";

/** The words with which every command reads a table: the roles of its columns, their numbers, its file. */
export function addTableWords(
  command: Command,
  {
    label = "set aside",
    without = [],
  }: {
    readonly label?: keyof typeof LABEL_USE;
    /** Words that the command does not take. */
    readonly without?: readonly string[];
  } = {},
): void {
  addWords(command, "Columns:", columnWords, {
    letters: { label: "-l" },
    says: { label: `${columnWords.label.word.says}: ${LABEL_USE[label]}` },
    without,
  });
  addWords(command, "Columns:", featureWords, { without });
  addWords(command, "Files:", fileWords);
}

/** The words for tables on an engine. */
export function addEngineWords(command: Command): void {
  addWords(command, "Databases and engines:", engineWords);
}

/** An option that takes one of these names; for a misspelled name the error suggests the nearest. */
function oneOfNames(option: Option, names: readonly string[]): Option {
  return option.choices(names).argParser((name) => {
    if (names.includes(name)) return name;
    const told = knownNames(name, names, "choices", (text) => text);
    throw new InvalidArgumentError(`${told[0].toUpperCase()}${told.slice(1)}.`);
  });
}

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
  return shownOptions(rules).map((shown) => {
    const { name, control, fallback } = shown;
    const flag = rule.flagOf(name);
    const usual = fallbackText(shown);
    const says = `${optionText(shown)}${usual === undefined ? "" : ` (default: ${usual})`}`;
    if (control.kind === "flag") return new Option(fallback === true ? `--no-${flag.slice(2)}` : flag, says);
    const placeholder = { choice: "name", integer: "n", number: "x", numbers: "list" }[control.kind];
    const option = new Option(`${flag} <${placeholder}>`, says);
    if (control.kind === "choice") option.choices(control.choices!.map(String));
    return option.argParser(valueOf(control));
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
function streamFlag(methods: readonly { readonly name: string; readonly sums?: unknown }[]): Option {
  const able = methods.filter(({ sums }) => sums !== undefined).map(({ name }) => name);
  return new Option("--stream", `read in batches, for data larger than memory (${able.join(", ")})`);
}

/** For commands that write CSV. */
export function safeOption(): Option {
  return new Option(
    "--spreadsheet-safe",
    "write an apostrophe before cells that begin with =, +, - or @, so that no spreadsheet runs them as formulas",
  );
}

/** A method of a registry, whose code is loaded when it is named. */
interface Opening {
  readonly name: string;
  readonly sentence: string;
  readonly sums?: unknown;
  open(): Promise<{ readonly options: OptionRules }>;
}

/** A command that takes one method of a registry. */
interface MethodCommand<M extends Opening> {
  readonly methods: readonly M[];
  /** What the methods are for, and the one that is taken if none is named. */
  readonly says: string;
  readonly usual: string;
  /** What the rows are. */
  readonly data?: string;
  /** Adds the options of the command itself, and those of what it writes. */
  readonly own?: (command: Command) => void;
  readonly writes: (command: Command) => void;
  readonly table?: Parameters<typeof addTableWords>[1];
  /** Options that only some methods have; letters for options by their flags: { "--neighbors": "-k" }. */
  readonly before?: (method: M) => readonly Option[];
  readonly letters?: Readonly<Record<string, string>>;
  /** Whether the help has the sentences of all methods. */
  readonly listed?: boolean;
}

/**
 * Declares such a command. The options of a method appear once the method is named, so help and errors concern that method
 * only.
 */
export async function methodCommand<M extends Opening>(
  command: Command,
  args: readonly string[],
  { methods, says, usual, data, own, writes, table, before, letters, listed = true }: MethodCommand<M>,
): Promise<{ readonly method: M; readonly opened: Awaited<ReturnType<M["open"]>> }> {
  const named = methodOption(says, methods);
  command.argument(OPTIONAL_DATA, data ?? DATA_HELP).addOption(named);
  own?.(command);
  command.addOption(seedOption());
  addTableWords(command, table);
  addEngineWords(command);
  if (methods.some(({ sums }) => sums !== undefined)) command.addOption(streamFlag(methods));
  writes(command);
  const name = chosenMethod(command, args, named, () => usual);
  const method = methods.find((one) => one.name === name)!;
  const opened = (await method.open()) as Awaited<ReturnType<M["open"]>>;
  addMethodFlags(command, method, opened.options, { before: before?.(method), letters });
  if (listed) listMethods(command, methods);
  return { method, opened };
}
