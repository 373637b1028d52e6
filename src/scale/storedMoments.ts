import { list, number, numbers, record, textOr, type Form, type StoredOf } from "../core/internal.ts";
import { matrixForm } from "../matrix/internal.ts";
import type { ClassMoments } from "../metric/index.ts";

const parts = record({
  classes: list(textOr(number()), "classes"),
  counts: numbers("classes"),
  shift: numbers("columns"),
  classSums: matrixForm("classes", "columns"),
  secondMoments: matrixForm("columns", "columns"),
});

/** Class moments as they are written to a file. */
export interface ClassMomentsData extends StoredOf<typeof parts> {}

/** The columns are those of the whole file, the classes those of one part. */
export const momentsForm: Form<ClassMomentsData, ClassMoments> = {
  schema: parts.schema,
  load(value, at) {
    const moments = parts.load(value, { ...at, lengths: new Map(at.lengths) });
    return { features: moments.shift.length, ...moments };
  },
  save: parts.save,
};
