import { InvalidArgumentError } from "commander";
import { optionError } from "../core/internal.ts";
import { methodNamed, type MethodChoice } from "../run/index.ts";
import {
  expectation,
  flagOf,
  parseValue,
  shownOptions,
  type OptionRules,
  type ShownOption,
} from "../method/index.ts";

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

/** Every method with all combinations of the values of its options. */
export async function choicesOf(names: readonly string[], grid: readonly Axis[]): Promise<MethodChoice[]> {
  const files = await Promise.all(
    names.map(async (name) => ({ name, rules: (await methodNamed(name).open()).options })),
  );
  for (const { flag } of grid) {
    if (!files.some(({ rules }) => optionOf(rules, flag) !== undefined)) {
      throw optionError(`--grid: none of ${names.join(", ")} has ${flag} with values`);
    }
  }
  return files.flatMap(({ name, rules }) => {
    let found: MethodChoice[] = [{ method: name, options: {} }];
    for (const { flag, values } of grid) {
      const option = optionOf(rules, flag);
      if (option === undefined) continue;
      found = found.flatMap((one) =>
        values.map((text) => ({
          method: name,
          options: { ...one.options, [option.name]: valueOf(option, flag, text) },
        })),
      );
    }
    return found;
  });
}

/** Options that take a value; a switch has no values to try. */
function optionOf(rules: OptionRules, flag: string): ShownOption | undefined {
  return shownOptions(rules).find(({ name, control }) => flagOf(name) === flag && control.kind !== "flag");
}

function valueOf({ control }: ShownOption, flag: string, text: string): unknown {
  const value = parseValue(control, text);
  if (value !== undefined) return value;
  throw optionError(`--grid ${flag.slice(2)}=${text}: It must be ${expectation(control)}.`);
}
