import { unknownOption } from "../methods.ts";
import { option, optionError } from "../../core/internal.ts";
import { isSparse } from "../../matrix/index.ts";
import { flagOf, shownOptions, type ClusteringMethod } from "../../method/index.ts";
import type { Prepared } from "../input/prepare.ts";
import { hinted } from "../methods.ts";
import { methodNamed, methods as allMethods } from "../methods.ts";
import type { CompareOptions } from "./compare.ts";
import { MOST_ROWS } from "./compareTasks.ts";
import type { FailedMethod } from "./comparison.ts";

export interface MethodChoice {
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Methods that need only the rows. */
export const comparable: readonly ClusteringMethod[] = allMethods.filter(
  ({ name, needs }) => name !== hinted.name && needs.pairs !== "required" && needs.labels !== "required",
);

/** Of these, the methods that are compared by default. */
export const compared: readonly string[] = comparable
  .filter(({ needs }) => needs.oneUnit !== true)
  .map(({ name }) => name);

/**
 * Every method that needs only the rows, or the requested ones; quick methods first, so the time limit
 * affects few.
 */
export async function choicesOf(asked: CompareOptions["methods"]): Promise<MethodChoice[]> {
  const named = asked ?? compared;
  const effort: readonly ClusteringMethod["takes"][] = [undefined, "longer", "longest"];
  const found = named.map((one) => {
    const choice = typeof one === "string" ? { method: one, options: {} } : one;
    const method = methodNamed(choice.method);
    if (!comparable.includes(method)) {
      const { needs } = method;
      const what = needs.labels === "required" ? "labels" : needs.pairs === "required" ? "pairs" : "hints";
      throw optionError(
        `${option("methods")}: ${method.name} needs ${what}, which a comparison does not have`,
      );
    }
    return { choice: { ...choice, method: method.name }, method };
  });
  for (const { choice, method } of found) {
    const { options } = await method.open();
    const known = shownOptions(options).map(({ name }) => name);
    const strange = Object.keys(choice.options).find((name) => !known.includes(name));
    if (strange !== undefined) throw unknownOption(method.name, strange, known);
  }
  const seen = new Set<string>();
  return (
    found
      // The default is always included.
      .filter(({ choice }) => !isDefault(choice) && !seen.has(nameOf(choice)) && seen.add(nameOf(choice)))
      .toSorted((a, b) => effort.indexOf(a.method.takes) - effort.indexOf(b.method.takes))
      .map(({ choice }) => choice)
  );
}

/** Sparse rows are not sampled. */
export function fitting(
  choices: readonly MethodChoice[],
  X: Prepared["X"],
): { kept: MethodChoice[]; left: FailedMethod[] } {
  const tooLarge = ({ method }: MethodChoice): boolean =>
    isSparse(X) && methodNamed(method).needs.quadratic === true && X.rows > MOST_ROWS;
  return {
    kept: choices.filter((choice) => !tooLarge(choice)),
    left: choices
      .filter(tooLarge)
      .map((choice) =>
        failure(choice, "memory", `left out: its memory grows with the square of the ${X.rows} rows`),
      ),
  };
}

export function isDefault({ method, options }: MethodChoice): boolean {
  return method === "auto" && Object.keys(options).length === 0;
}

/** "cc --neighbors 10": in the form of `kindred cluster --method`. */
export function nameOf({ method, options }: MethodChoice): string {
  const own = Object.entries(options).map(([name, value]) =>
    value === true
      ? flagOf(name)
      : value === false
        ? `--no-${flagOf(name).slice(2)}`
        : `${flagOf(name)} ${String(value as string | number)}`,
  );
  return [method, ...own].join(" ");
}

export function failure(choice: MethodChoice, why: FailedMethod["why"], message: string): FailedMethod {
  return { name: nameOf(choice), ...choice, why, message };
}
