import { inputError } from "../core/internal.ts";
import { restoreMatrix, storeMatrix, type StoredMatrix } from "../matrix/index.ts";
import type { ClassMoments } from "../metric/index.ts";

/** Class moments as they are written to a file. */
export interface ClassMomentsData {
  readonly classes: ClassMoments["classes"];
  readonly counts: readonly number[];
  readonly shift: readonly number[];
  readonly classSums: StoredMatrix;
  readonly secondMoments: StoredMatrix;
}

export function storeMoments(moments: ClassMoments): ClassMomentsData {
  return {
    classes: moments.classes,
    counts: Array.from(moments.counts),
    shift: Array.from(moments.shift),
    classSums: storeMatrix(moments.classSums),
    secondMoments: storeMatrix(moments.secondMoments),
  };
}

/** Reads the output of `storeMoments`. */
export function restoreMoments(data: ClassMomentsData, features: number): ClassMoments {
  const classSums = restoreMatrix(data.classSums, "the class sums of the statistics");
  const secondMoments = restoreMatrix(data.secondMoments, "the second moments of the statistics");
  const whole =
    classSums.cols === features &&
    secondMoments.rows === features &&
    secondMoments.cols === features &&
    data.shift.length === features &&
    data.counts.length === classSums.rows &&
    data.classes.length === classSums.rows;
  if (!whole) throw inputError("the statistics do not fit together: the file is damaged");
  return {
    features,
    classes: data.classes,
    counts: Float64Array.from(data.counts),
    shift: Float64Array.from(data.shift),
    classSums,
    secondMoments,
  };
}
