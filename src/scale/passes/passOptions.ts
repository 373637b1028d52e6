import { inputError, option, optionError, rule } from "../../core/internal.ts";
import type { BatchOptions } from "../rowBatches.ts";

/** Rules of the start from drawn rows. */
export const startRules = (what: string) => ({
  /** Rows drawn for the start. */
  sample: rule.integer({ min: 1, default: 20_000, says: "rows drawn for the start" }),
  /** Restarts on the rows drawn for the start. */
  restarts: rule.integer({
    min: 1,
    max: 10_000,
    default: 10,
    says: `starts of ${what} the sample; the best is kept`,
  }),
});

/** The options of a method, checked, without those of reading, which the reader checks. */
export function resolvePassOptions<const R extends rule.OptionRules>(
  method: string,
  options: object,
  rules: R,
): { readonly own: rule.ResolvedOptions<R>; readonly reading: BatchOptions } {
  const given = Object.entries(options);
  const part = (own: boolean): object =>
    Object.fromEntries(given.filter(([name]) => Object.hasOwn(rules, name) === own));
  return { own: rule.resolveOptions(method, part(true) as rule.OptionsOf<R>, rules), reading: part(false) };
}

/** Refuses options that do not go together, before the rows are read: the start is a sample's, or is given. */
export function checkStart(
  name: string,
  { clusters, sample }: { readonly clusters: number | undefined; readonly sample: number },
  given: { readonly option: string; readonly clusters: number; readonly parts: string } | undefined,
): void {
  if (given === undefined) {
    if (clusters === undefined)
      throw optionError(`${name}: ${option("clusters")} is required (an integer at least 1)`);
    if (clusters <= sample) return;
    throw optionError(
      `${name}: ${option("sample")} (${sample}) must be at least the number of clusters (${clusters})`,
    );
  }
  if (clusters === undefined || clusters === given.clusters) return;
  throw optionError(
    `${name}: ${option("clusters")} is ${clusters}, but ${option(given.option)} has ${given.clusters} ${given.parts}`,
  );
}

export function stoppedEarly(name: string): Error {
  return inputError(`${name} was stopped by onProgress before the first pass was over`);
}
