import { form } from "../core/internal.ts";
import { matrix } from "../matrix/index.ts";
import { matrixForm } from "../matrix/internal.ts";
import { mergeClassMoments, type ClassMoments } from "../metric/index.ts";

const parts = form.record({
  classes: form.list(form.textOr(form.number()), "classes"),
  counts: form.numbers("classes"),
  shift: form.numbers("columns"),
  classSums: matrixForm("classes", "columns"),
  secondMoments: matrixForm("columns", "columns"),
});

/** Class moments as they are written to a file. */
export interface ClassMomentsData extends form.StoredOf<typeof parts> {}

/** The columns are those of the whole file, the classes those of one part. */
export const momentsForm: form.Form<ClassMomentsData, ClassMoments> = {
  schema: parts.schema,
  load(value, at) {
    const moments = parts.load(value, { ...at, lengths: new Map(at.lengths) });
    return { features: moments.shift.length, ...moments };
  },
  save: parts.save,
};

/** About the mean of both, where the sums are smallest: about one shift they might dwarf the other's. */
export function mergeMoments(a: ClassMoments, b: ClassMoments): ClassMoments {
  if (rowsOf(b) === 0) return a;
  if (rowsOf(a) === 0) return b;
  const d = a.features;
  const n = rowsOf(a) + rowsOf(b);
  const shift = new Float64Array(d);
  for (const part of [a, b]) {
    const { classSums } = part;
    for (let f = 0; f < d; f++) shift[f] += part.shift[f] * (rowsOf(part) / n);
    for (let p = 0; p < classSums.data.length; p++) shift[p % d] += classSums.data[p] / n;
  }
  const empty: ClassMoments = {
    features: d,
    classes: [],
    counts: new Float64Array(0),
    shift,
    classSums: matrix(0, d),
    secondMoments: matrix(d, d),
  };
  return mergeClassMoments(mergeClassMoments(empty, a), b);
}

export function rowsOf({ counts }: ClassMoments): number {
  return counts.reduce((sum, n) => sum + n, 0);
}
