import { methodNamed, methods } from "kindred/run";
import { shownOptions, type ShownOption } from "kindred/method";
import type { MethodShown, OptionShown, OwnValue } from "../protocol.ts";

/** Every method of the library, without its options: those need its code. */
export function shownMethods(): MethodShown[] {
  return methods.map(({ name, title, group, sentence, needs }) => ({ name, title, group, sentence, needs }));
}

/** The options of a method that people may set, from the rules it declares. */
export async function methodOptions({ method }: { readonly method: string }): Promise<OptionShown[]> {
  const { options } = await methodNamed(method).open();
  return shownOptions(options).map(shown);
}

function shown({ name, fallback, control }: ShownOption): OptionShown {
  const { says, usual, ...rest } = control;
  const known = ["string", "number", "boolean"].includes(typeof fallback);
  return {
    name,
    label: labelOf(name),
    says,
    ...rest,
    ...(usual !== undefined && { usual }),
    ...(known && { fallback: fallback as OwnValue }),
  };
}

/** "maxIterations" is labelled "Max iterations". */
export function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Controls of the page with a name of their own. */
const CONTROLS: Readonly<Record<string, string>> = {
  clusters: "Clusters",
  seed: "Seed",
  hints: "Hints",
  mustLink: "Hints: same",
  cannotLink: "Hints: different",
  labels: "known labels",
  label: "Known classes",
  scale: "Scaling",
  weights: "Weights",
  method: "Method",
  missing: "Missing cells",
  ignore: "the tick of a column",
  as: "taken as",
};

/** The page's name for an option in a message of the library. */
export function controlOf(option: string): string {
  return `“${CONTROLS[option] ?? labelOf(option)}”`;
}
