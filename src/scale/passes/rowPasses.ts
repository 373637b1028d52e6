/** Rows that are read again and again: files in batches (streamPasses.ts), or a table of an engine (engine/cluster/enginePasses.ts). */
import { type ProgressGate, inputError, option, optionError, rule } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { BatchOptions } from "../rowBatches.ts";

/** Random rows, and the progress of the passes. Each pass may be stopped, and is then undefined. */
export interface RowPasses {
  /** The function that makes them, in errors. */
  readonly name: string;
  readonly gate: ProgressGate;
  /** Reports a step, by default the coming pass; false: stopped. */
  report(label?: string): boolean;
  /** Passes so far. */
  count(): number;
  /** About `count` rows, every one with the same probability `share`; all of them (1) if there are no more. */
  sample(count: number): Promise<Sample | undefined>;
  /**
   * Rows x with u / d(x)^2 < threshold, u in [0, 1) being a random number of the row; at most the `limit`
   * smallest.
   */
  draw(centers: Matrix, threshold: number, limit: number, round: number): Promise<Drawn | undefined>;
}

export interface Sample {
  readonly X: Matrix;
  /** The number of equal rows that each represents, if equal ones are drawn together. */
  readonly counts?: Float64Array;
  readonly share: number;
  /** Rows of the source. */
  readonly rows: number;
}

export interface Drawn {
  readonly X: Matrix;
  readonly counts?: Float64Array;
  /** As requested, or lower if there were more rows than the limit. */
  readonly threshold: number;
}

/** Passes that such work usually takes, for the fraction that is done. */
const USUAL_PASSES = 20;

/** Counted passes: `begin` counts one, and returns how many were before. */
interface PassCount extends Pick<RowPasses, "report" | "count"> {
  begin(): number;
  /** The part that is done when `done` passes are. */
  fraction(done: number): number;
}

/** @param fractions what is done after each pass, where that is known. */
export function passCount(gate: ProgressGate, fractions: readonly number[] = []): PassCount {
  let passes = 0;
  const fraction = (done: number): number =>
    fractions[Math.min(Math.floor(done), fractions.length - 1)] ?? done / (done + USUAL_PASSES);
  return {
    report: (label = `pass ${passes + 1}`) => gate({ fraction: fraction(passes), label }),
    begin: () => passes++,
    count: () => passes,
    fraction,
  };
}

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
