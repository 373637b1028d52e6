import { resolveOptions, type Resolved, type Rules } from "../../core/internal.ts";
import type { BatchOptions } from "../rowBatches.ts";

/** The options of a method, checked, without those of reading, which the reader checks. */
export function resolvePassOptions<T extends object, const R extends Rules<T>>(
  method: string,
  options: BatchOptions & T,
  rules: R,
): { readonly own: Resolved<T, R>; readonly reading: BatchOptions } {
  const given = Object.entries(options);
  const part = (own: boolean): object =>
    Object.fromEntries(given.filter(([name]) => Object.hasOwn(rules, name) === own));
  return { own: resolveOptions<T, R>(method, part(true) as T, rules), reading: part(false) };
}
