import {
  resolveOptions,
  type OptionRules,
  type OptionsOf,
  type ResolvedOptions,
} from "../../core/internal.ts";
import type { BatchOptions } from "../rowBatches.ts";

/** The options of a method, checked, without those of reading, which the reader checks. */
export function resolvePassOptions<const R extends OptionRules>(
  method: string,
  options: object,
  rules: R,
): { readonly own: ResolvedOptions<R>; readonly reading: BatchOptions } {
  const given = Object.entries(options);
  const part = (own: boolean): object =>
    Object.fromEntries(given.filter(([name]) => Object.hasOwn(rules, name) === own));
  return { own: resolveOptions(method, part(true) as OptionsOf<R>, rules), reading: part(false) };
}
