import { InvalidArgumentError } from "commander";

/** Parsers of option values; commander turns their exceptions into an error that names the option. */
export function integerAtLeast(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isSafeInteger(value) || value < min) {
      throw new InvalidArgumentError(`It must be an integer, at least ${min}.`);
    }
    return value;
  };
}

/** "a,b,c" to its parts. */
export function nameList(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("It must be names, separated by commas.");
  return names;
}
