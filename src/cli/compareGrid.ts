import { InvalidArgumentError, type Option } from "commander";
import { optionError } from "../core/errors.ts";
import { defaultsOf, type MethodFile, methods } from "./methods.ts";

/** A method with one setting of its own options: a row of a comparison. */
export interface Candidate {
  /** As on the command line of `kindred cluster --method`: "cc --neighbors 10". */
  readonly name: string;
  readonly method: string;
  /** All of its options, by their attribute names. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** One --grid: an option of `kindred cluster` and the values to try. */
export interface Axis {
  readonly flag: string;
  readonly values: readonly string[];
}

/** "neighbors=10,20", once for each option. */
export function parseAxis(text: string, before: readonly Axis[] = []): Axis[] {
  const [, flag, list] = /^(?:--)?([a-z][a-z-]*)=(.+)$/.exec(text) ?? [];
  const values = list?.split(",").map((value) => value.trim()) ?? [];
  if (flag === undefined || values.some((value) => value === "")) {
    throw new InvalidArgumentError("It must be an option and its values: neighbors=10,20.");
  }
  if (new Set(values).size < values.length) throw new InvalidArgumentError("It has a value twice.");
  if (before.some((axis) => axis.flag === `--${flag}`)) {
    throw new InvalidArgumentError(`It gives ${flag} a second time.`);
  }
  return [...before, { flag: `--${flag}`, values }];
}

/** Every method with all combinations of the values of those options that it has. */
export async function candidatesOf(names: readonly string[], grid: readonly Axis[]): Promise<Candidate[]> {
  const files = await Promise.all(
    names.map(async (name) => ({ name, file: await methods.find((known) => known.name === name)!.load() })),
  );
  for (const { flag } of grid) {
    if (!files.some(({ file }) => optionOf(file, flag) !== undefined)) {
      throw optionError(`--grid: none of ${names.join(", ")} has ${flag} with values`);
    }
  }
  return files.flatMap(({ name, file }) => {
    let found: Candidate[] = [{ name, method: name, own: defaultsOf(file) }];
    for (const { flag, values } of grid) {
      const option = optionOf(file, flag);
      if (option === undefined) continue;
      found = found.flatMap((one) =>
        values.map((text) => ({
          name: `${one.name} ${flag} ${text}`,
          method: name,
          own: { ...one.own, [option.attributeName()]: valueOf(option, flag, text) },
        })),
      );
    }
    return found;
  });
}

/** One that takes a value; a mere flag has nothing to try. */
function optionOf(file: MethodFile, flag: string): Option | undefined {
  return file.options().find((option) => option.long === flag && (option.required || option.optional));
}

function valueOf(option: Option, flag: string, text: string): unknown {
  try {
    return option.parseArg === undefined ? text : option.parseArg(text, undefined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw optionError(`--grid ${flag.slice(2)}=${text}: ${error.message}`);
  }
}
