import type { KindredError } from "../core/index.ts";
import { optionError } from "../core/internal.ts";
import { TYPING_RULES } from "../data/internal.ts";

/** A name that is none of the options of a method or a function. */
export function unknownOption(of: string, name: string, known: readonly string[]): KindredError {
  if (Object.hasOwn(TYPING_RULES, name)) {
    return optionError(
      `${of} has no option "${name}"; give it to readTable or asTable, which decide what a column is`,
    );
  }
  return optionError(
    `${of} has no option "${name}"${known.length === 0 ? "" : `; its options are ${known.join(", ")}`}`,
  );
}
