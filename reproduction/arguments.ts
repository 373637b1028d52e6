import { InvalidArgumentError } from "commander";
import { KindredError } from "kindred";

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

/** The sets that --sets names, all of them known. */
export function namedSets<S extends string>(
  names: readonly string[] | undefined,
  sets: readonly S[],
): S[] | undefined {
  return names?.map((name) => {
    const known = sets.find((set) => set === name);
    if (known !== undefined) return known;
    throw new KindredError(
      "option",
      `--sets: there is no "${name}" in the tables; they have ${sets.join(", ")}`,
    );
  });
}
