import { form } from "../core/internal.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import { classMomentsAccumulator, type ClassMoments, type ClassMomentsAccumulator } from "../metric/index.ts";
import type { Label, Labeling } from "../score/index.ts";
import {
  momentAccumulator,
  type MomentAccumulator,
  type MomentStatistics,
  mergeMoments,
  momentsForm,
} from "./momentStatistics.ts";
import { type RowBatch, requireSameColumns } from "./rowBatches.ts";
import { rowsByLabel } from "./rowsByLabel.ts";

/**
 * Second moments of each class separately, k d^2 numbers, for the covariances of classes (Gaussian
 * classifiers and mixtures) and the scatter of all pairs (`kissmeFromMoments`), in addition to
 * `MomentStatistics`.
 */
export interface ClasswiseMoments {
  readonly names: readonly string[];
  /** One class each, by name. */
  readonly groups: readonly ClassMoments[];
  toJSON(): ClasswiseMomentsData;
}

const classwiseForm = form.record({
  kind: form.choice("classwise moments"),
  names: form.list(form.text(), "columns"),
  groups: form.list(momentsForm),
});

export interface ClasswiseMomentsData extends form.StoredOf<typeof classwiseForm> {}

export interface ClasswiseAccumulator {
  /** Rows of unknown class (null or empty) are left out. */
  add(X: Matrix, labels: Labeling): void;
  result(): ClasswiseMoments;
}

/** Collects batches of labelled rows class by class. */
export function classwiseAccumulator(names: readonly string[]): ClasswiseAccumulator {
  const groups = new Map<string, ClassMomentsAccumulator>();
  return {
    add(X, labels) {
      for (const { label, rows } of rowsByLabel(labels, X.rows)) {
        if (label === null) continue;
        const name = String(label);
        const group = groups.get(name) ?? classMomentsAccumulator(names.length, { minusOne: "class" });
        groups.set(name, group);
        group.add(takeRows(X, rows), Array<Label>(rows.length).fill(name));
      }
    },
    result: () =>
      classwiseFrom(
        names,
        [...groups.values()].map((group) => group.result()),
      ),
  };
}

/** The moments of labelled batches, and with `classwise` those of each class; undefined if there is no batch. */
export async function momentsOfBatches(
  batches: AsyncIterable<RowBatch>,
  classwise: boolean,
): Promise<
  | { readonly statistics: MomentStatistics; readonly classwise?: ClasswiseMoments; batches: number }
  | undefined
> {
  let moments: MomentAccumulator | undefined;
  let groups: ClasswiseAccumulator | undefined;
  let count = 0;
  for await (const { X, label, names, release } of batches) {
    count++;
    moments ??= momentAccumulator(names);
    moments.add(X, label?.values);
    if (classwise) (groups ??= classwiseAccumulator(names)).add(X, label!.values);
    release?.();
  }
  if (moments === undefined) return undefined;
  return { statistics: moments.result(), classwise: groups?.result(), batches: count };
}

/** The statistics of the rows of both. */
export function mergeClasswiseMoments(a: ClasswiseMoments, b: ClasswiseMoments): ClasswiseMoments {
  requireSameColumns(a, b);
  const joined = new Map(a.groups.map((group) => [group.classes[0], group]));
  for (const group of b.groups) {
    const before = joined.get(group.classes[0]);
    joined.set(group.classes[0], before === undefined ? group : mergeMoments(before, group));
  }
  return classwiseFrom(a.names, [...joined.values()]);
}

/** Reads the output of `toJSON`. */
export function loadClasswiseMoments(data: ClasswiseMomentsData): ClasswiseMoments {
  const { names, groups } = form.load(classwiseForm, data, "the file of classwise moments");
  return classwiseFrom(names, groups);
}

/** The classes: -1 is one of them if the classes are -1 and 1, and unknown otherwise. */
export function knownGroups({ groups }: ClasswiseMoments): readonly ClassMoments[] {
  const others = groups.filter(({ classes }) => Number(classes[0]) !== -1);
  return others.length === 1 && Number(others[0].classes[0]) === 1 ? groups : others;
}

/** From moments of single classes that were computed elsewhere. */
export function classwiseFrom(
  names: readonly string[],
  unordered: readonly ClassMoments[],
): ClasswiseMoments {
  const groups = unordered.toSorted((a, b) => (String(a.classes[0]) < String(b.classes[0]) ? -1 : 1));
  return {
    names,
    groups,
    toJSON: () => classwiseForm.save({ kind: "classwise moments", names, groups }),
  };
}
