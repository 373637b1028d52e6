import type { ScaleKind } from "kindred/data";
import {
  type Convergence,
  type ConvergingMethod,
  FIGURE_METHODS,
  type FigureMethod,
  OUTLIERS,
  type Repetition,
  type RepetitionTask,
} from "./outlierRepetition.ts";

export type OutlierFigure = ReturnType<typeof outlierFigure>;
export type FigurePoint = ReturnType<typeof figurePoint>;
export type ConvergenceFigure = ReturnType<typeof convergenceFigure>;

export interface Mean {
  readonly mean: number;
  /** Standard error of the mean. */
  readonly error: number;
}

/** The repetitions, those of one number of outlier features together. Seeds are 1, 2, ... at every point. */
export function repetitionTasks(repetitions: number = OUTLIERS.repetitions): RepetitionTask[] {
  return OUTLIERS.scales.flatMap((scale) =>
    OUTLIERS.outliers.flatMap((outliers) =>
      Array.from({ length: repetitions }, (_, r): RepetitionTask => ({
        kind: "repetition",
        scale,
        outliers,
        seed: r + 1,
      })),
    ),
  );
}

/** Figures 4.2 to 4.5 as numbers: means over the finished repetitions and their standard errors. */
export function outlierFigure(
  done: readonly { readonly task: RepetitionTask; readonly result: Repetition }[],
) {
  const points = [];
  const convergence = [];
  for (const scale of OUTLIERS.scales) {
    for (const outliers of OUTLIERS.outliers) {
      const here = done.filter(({ task }) => task.scale === scale && task.outliers === outliers);
      const results = here.map(({ result }) => result);
      if (results.length === 0) continue;
      points.push(figurePoint(scale, outliers, results));
      const followed = results.flatMap((result) => result.convergence ?? []);
      if (followed.length === 0) continue;
      for (const method of ["rcc", "ccml", "ccmlRebuilt", "ccscml"] as const) {
        const runs = followed.map((one) => one[method]);
        convergence.push(convergenceFigure(scale, method, runs));
      }
    }
  }
  return {
    points,
    convergence,
    /** The largest relative duality gap of all solves, and their number. */
    gap: done.reduce((worst, { result }) => Math.max(worst, result.gap), 0),
    solves: done.reduce((sum, { result }) => sum + result.solves, 0),
  };
}

function figurePoint(scale: ScaleKind, outliers: number, results: readonly Repetition[]) {
  const means = (which: "chosen" | "best"): Record<FigureMethod, Mean> =>
    Object.fromEntries(
      FIGURE_METHODS.map((method) => [method, meanOf(results.map(({ scores }) => scores[method][which]))]),
    ) as Record<FigureMethod, Mean>;
  // CCML with the rebuilt graph minus the best of CC, RCC and SCC in the same repetition, by `chosen`.
  const advantage = meanOf(
    results.map(
      ({ scores: { cc, rcc, scc, ccmlRebuilt } }) =>
        ccmlRebuilt.chosen - Math.max(cc.chosen, rcc.chosen, scc.chosen),
    ),
  );
  const [chosen, best] = [means("chosen"), means("best")];
  return { scale, outliers, repetitions: results.length, chosen, best, advantage };
}

/** Repetitions that ended early count up to their end. */
function convergenceFigure(scale: ScaleKind, method: ConvergingMethod, followed: readonly Convergence[]) {
  const average = (which: keyof Convergence): Mean[] => {
    const length = followed.reduce((most, one) => Math.max(most, one[which].length), 0);
    return Array.from({ length }, (_, i) =>
      meanOf(followed.flatMap((one) => (i < one[which].length ? [one[which][i]] : []))),
    );
  };
  return { scale, method, rand: average("rand"), objective: average("objective") };
}

export function meanOf(values: readonly number[]): Mean {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: n > 1 ? Math.sqrt(square / (n - 1) / n) : 0 };
}
