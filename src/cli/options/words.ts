import { InvalidArgumentError, type Command, Option } from "commander";
import { flagOf, knownNames } from "../../core/internal.ts";
import type { Word, WordRule } from "../../run/internal.ts";
import { columnWords, engineWords, featureWords, fileWords } from "../../run/internal.ts";

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
  const flag = flagOf(name);
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

export const DATA_HELP =
  "a file (CSV, TSV, JSON, NDJSON, Parquet, Arrow, .xlsx, .npy, LIBSVM; gzip or not), several, - or the name of a data set";

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

/** Parsers of option values; commander turns their exceptions into a usage error that names the option. */
export function integerAtLeast(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isSafeInteger(value) || value < min) {
      throw new InvalidArgumentError(`It must be an integer, at least ${min}.`);
    }
    return value;
  };
}

export function finiteNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
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

/** An option that takes one of these names; for a misspelled name the error suggests the nearest. */
export function oneOfNames(option: Option, names: readonly string[]): Option {
  return option.choices(names).argParser((name) => {
    if (names.includes(name)) return name;
    const told = knownNames(name, names, "choices", (text) => text);
    throw new InvalidArgumentError(`${told[0].toUpperCase()}${told.slice(1)}.`);
  });
}

/** Every command takes a seed, with or without random choices. */
export function seedOption(): Option {
  return new Option("--seed <n>", "seed of every random choice (default: 0)").argParser(integerAtLeast(0));
}
