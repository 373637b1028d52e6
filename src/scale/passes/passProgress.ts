import type { ProgressGate } from "../../core/internal.ts";

/** The progress of work whose number of passes over the rows is not known before. */
export interface PassProgress {
  /** Reports a step, by default the coming pass; false: stopped. */
  report(label?: string): boolean;
  /** Reports a pass and counts it; false: stopped. */
  pass(): boolean;
  /** Counts a pass, and returns how many were before. */
  begin(): number;
  /** Passes so far. */
  count(): number;
}

/** @param usual passes that such work takes, for the fraction that is done */
export function passProgress(gate: ProgressGate, usual: number): PassProgress {
  let passes = 0;
  const report = (label = `pass ${passes + 1}`): boolean =>
    gate({ fraction: passes / (passes + usual), label });
  return {
    report,
    pass() {
      const going = report();
      passes++;
      return going;
    },
    begin: () => passes++,
    count: () => passes,
  };
}
