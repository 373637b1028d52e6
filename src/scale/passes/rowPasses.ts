/** Rows that are read again and again: files in batches (streamPasses.ts), or a table of an engine (engine/enginePasses.ts). */
import type { ProgressGate } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";

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
export interface PassCount extends Pick<RowPasses, "report" | "count"> {
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
