import { spread, type Spread } from "../learners.ts";
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
export type FigurePoint = OutlierFigure["points"][number];

type Place = Pick<RepetitionTask, "scale" | "deviation" | "outliers">;

/** The repetitions of Figure 4.2, those of one number of outlier features together. Seeds are 1, 2, ... at every point. */
export function repetitionTasks(repetitions: number = OUTLIERS.repetitions): RepetitionTask[] {
  return tasksAt(
    OUTLIERS.scales.flatMap((scale) =>
      OUTLIERS.outliers.map((outliers) => ({ scale, deviation: OUTLIERS.outlierDeviation, outliers })),
    ),
    repetitions,
    1,
  );
}

/** Figure 4.2 over the deviation of the outlier features, on draws that chose nothing. */
export function sweepTasks(repetitions: number = OUTLIERS.sweep.repetitions): RepetitionTask[] {
  const { deviations, outliers, firstSeed } = OUTLIERS.sweep;
  return tasksAt(
    deviations.flatMap((deviation) =>
      outliers.map((count) => ({ scale: "none" as const, deviation, outliers: count })),
    ),
    repetitions,
    firstSeed,
  );
}

function tasksAt(places: readonly Place[], repetitions: number, firstSeed: number): RepetitionTask[] {
  return places.flatMap((place) =>
    Array.from({ length: repetitions }, (_, r): RepetitionTask => ({
      kind: "repetition",
      ...place,
      seed: firstSeed + r,
    })),
  );
}

/** Figures 4.2 to 4.5 as numbers over the finished repetitions: one point for each setting of the data. */
export function outlierFigure(
  done: readonly { readonly task: RepetitionTask; readonly result: Repetition }[],
) {
  const places = new Map<string, { place: Place; results: Repetition[] }>();
  for (const { task, result } of done) {
    const { scale, deviation, outliers } = task;
    const key = `${scale} ${deviation} ${outliers}`;
    const here = places.get(key) ?? { place: { scale, deviation, outliers }, results: [] };
    places.set(key, here);
    here.results.push(result);
  }
  const points = [...places.values()].map(({ place, results }) => figurePoint(place, results));
  const convergence = [...places.values()].flatMap(({ place: { scale }, results }) => {
    const followed = results.flatMap((result) => result.convergence ?? []);
    if (followed.length === 0) return [];
    return (["rcc", "ccml", "ccmlRebuilt", "ccscml"] as const).map((method) =>
      convergenceFigure(
        scale,
        method,
        followed.map((one) => one[method]),
      ),
    );
  });
  return {
    points,
    convergence,
    /** The largest relative duality gap of all solves, and their number. */
    gap: done.reduce((worst, { result }) => Math.max(worst, result.gap), 0),
    solves: done.reduce((sum, { result }) => sum + result.solves, 0),
  };
}

function figurePoint(place: Place, results: readonly Repetition[]) {
  const over = (which: "chosen" | "best"): Record<FigureMethod, Spread> =>
    Object.fromEntries(
      FIGURE_METHODS.map((method) => [method, spread(results.map(({ scores }) => scores[method][which]))]),
    ) as Record<FigureMethod, Spread>;
  return { ...place, chosen: over("chosen"), best: over("best") };
}

/** Repetitions that ended early count up to their end. */
function convergenceFigure(
  scale: Place["scale"],
  method: ConvergingMethod,
  followed: readonly Convergence[],
) {
  const average = (which: keyof Convergence): Spread[] => {
    const length = followed.reduce((most, one) => Math.max(most, one[which].length), 0);
    return Array.from({ length }, (_, i) =>
      spread(followed.flatMap((one) => (i < one[which].length ? [one[which][i]] : []))),
    );
  };
  return { scale, method, rand: average("rand"), objective: average("objective") };
}
