import { optionError } from "../core/errors.ts";
import { type ClassifyMethod, requireFromSums, type Where } from "./classifyMethods.ts";
import type { ClassifyOptions } from "./commands/classify.ts";

/** Options of `kindred classify` that contradict each other or would have no effect. */
export function checkUsage(options: ClassifyOptions, method: ClassifyMethod): void {
  const { test, folds, train, repeats, json, out, batch } = options;
  if (batch !== undefined) throw optionError("--batch: classify scales all training rows together");
  if (json === true && out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
  if (folds !== undefined && train !== undefined) throw optionError("--folds and --train: give one of them");
  if (test !== undefined && (folds ?? train ?? repeats) !== undefined) {
    throw optionError("--test learns from all rows: --folds, --train and --repeats have no use with it");
  }
  if (train !== undefined && out !== undefined) {
    throw optionError("--out with --train: a row is predicted in some splits and not in others; use --folds");
  }
  if (options.seed !== undefined && test !== undefined && !method.seeded) {
    throw optionError(`--seed: ${method.name} makes no random choice`);
  }
}

/** What rows that do not come here at once are not learned by or tested by. */
export function checkSumsUsage(options: ClassifyOptions, method: ClassifyMethod, where: Where): void {
  requireFromSums(method, where);
  const told = where === "from a stream" ? "a stream" : "a table of an engine";
  const { label, test, model, out, folds, train, repeats, seed, scale } = options;
  if (label === undefined) throw optionError("classify needs --label, the column of known classes");
  if ((folds ?? train ?? repeats ?? seed) !== undefined || (test === undefined && model === undefined)) {
    throw optionError(
      `${told} is learned from as a whole, not cross-validated: give --test with rows to classify, or --model`,
    );
  }
  if (test === undefined && out !== undefined)
    throw optionError("--out: without --test nothing is predicted");
  if (scale !== undefined && scale !== "none") {
    throw optionError(`--scale ${scale}: ${method.name} learns from the values of ${told} as they are`);
  }
}
