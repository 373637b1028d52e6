import { InvalidArgumentError, Option } from "commander";
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

/** The options of a method as flags of a command, generated from their declaration. */
export function methodFlags(rules: OptionRules): Option[] {
  return shownOptions(rules).map(methodFlag);
}

/** The given options of a method, by the names of the library. */
export function ownOptions(rules: OptionRules, given: object): Record<string, unknown> {
  const values = given as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    shownOptions(rules).flatMap((shown) => {
      const value = values[attributeOf(shown)];
      return value === undefined ? [] : [[shown.name, value]];
    }),
  );
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
  const parse = (text: string): unknown => {
    const value = parseValue(control, text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${expectation(control)}.`);
    return value;
  };
  if (control.kind === "choice") option.choices(control.choices!.map(String));
  return option.argParser(parse);
}

/** commander's own name: that of the library, also for --no-center. */
function attributeOf({ name }: ShownOption): string {
  return flagOf(name)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
