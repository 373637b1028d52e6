import { matrix } from "../matrix/index.ts";
import { addCompensated, compensated, compensatedValues, type CompensatedSum } from "../matrix/internal.ts";
import type { ClassMoments } from "../metric/index.ts";
import type { BatchMoments } from "../metric/internal.ts";
import type { BatchLabels, LabelEntry } from "./labelEncoder.ts";

/** The moments of one kind of rows, batch after batch about one shift. */
export interface LabelledSums {
  /** The shift of the first batch; undefined before it. */
  readonly shift: Float64Array | undefined;
  /** Adds the sums of a batch for the labels selected by `isOwn`. */
  add(
    moments: Omit<BatchMoments, "extent">,
    shift: Float64Array,
    batch: BatchLabels,
    isOwn: (entry: number) => boolean,
  ): void;
  result(entries: readonly LabelEntry[]): ClassMoments;
}

export function labelledSums(d: number): LabelledSums {
  const classes = new Map<number, { count: number; readonly sums: CompensatedSum }>();
  let squares: CompensatedSum | undefined;
  let about: Float64Array | undefined;
  return {
    get shift() {
      return about;
    },
    add({ classSums, secondMoments }, shift, { found, sizes }, isOwn) {
      about = shift;
      squares ??= compensated(d * d);
      addCompensated(squares, secondMoments.data);
      found.forEach((entry, place) => {
        if (!isOwn(entry)) return;
        let own = classes.get(entry);
        if (own === undefined) classes.set(entry, (own = { count: 0, sums: compensated(d) }));
        own.count += sizes[place];
        addCompensated(own.sums, classSums.data.subarray(place * d, (place + 1) * d));
      });
    },
    result(entries) {
      const classSums = matrix(classes.size, d);
      [...classes.values()].forEach(({ sums }, c) => classSums.data.set(compensatedValues(sums), c * d));
      return {
        features: d,
        classes: Array.from(classes.keys(), (entry) => entries[entry].label),
        counts: Float64Array.from(classes.values(), ({ count }) => count),
        shift: (about ?? new Float64Array(d)).slice(),
        classSums,
        secondMoments: matrix(d, d, squares && compensatedValues(squares)),
      };
    },
  };
}
