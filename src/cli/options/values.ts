/** Values of options as words of the command line. Every start of the program loads this, and nothing of the tables. */
import { InvalidArgumentError, Option } from "commander";
import { expectation, parseValue, type rule } from "../../core/internal.ts";

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
export function columnKinds(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
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
