import { matrix, takeRows } from "../matrix/index.ts";
import {
  mlcaFromMoments,
  type ClassMoments,
  type Mahalanobis,
  type MlcaOptions,
  mergeClassMoments,
  classMomentsAccumulator,
  type ClassMomentsAccumulator,
} from "../metric/index.ts";
import { codedMoments } from "../metric/internal.ts";
import { encodeLabels, type Label } from "../score/index.ts";
import {
  type BatchOptions,
  type BatchSource,
  summedBatches,
  type Accumulator,
  type RowBatch,
} from "./rowBatches.ts";
import { COUNTED, kindOf, rowsByLabel, UNLABELLED, type Counted } from "./columnStatistics.ts";

/**
 * The statistics of a table of any size for the closed-form methods: counts, sums and second moments of its
 * rows (see `ClassMoments`), with the range of every column for scaling.
 *
 * Rows labelled -1 are kept separate: whether that is a class (the classes are -1 and 1) or "unknown" is
 * decided when all labels are known, as for rows in memory (`encodeLabels`).
 */
export interface MomentStatistics {
  readonly names: readonly string[];
  readonly rows: number;
  /** Rows of known class, rows labelled -1, and all other rows. */
  readonly known: ClassMoments;
  readonly minusOne: ClassMoments;
  readonly unlabelled: ClassMoments;
  /** The range of each column over all rows. */
  readonly min: Float64Array;
  readonly max: Float64Array;
}

/** One pass over a source of any size; without `label` all rows are unlabelled. */
export async function momentStatistics(
  source: BatchSource,
  options: BatchOptions = {},
): Promise<MomentStatistics> {
  return summedBatches("momentStatistics", source, options, momentAccumulator);
}

/** Collects batches. */
export function momentAccumulator(names: readonly string[]): Accumulator<MomentStatistics> {
  const d = names.length;
  const parts = { known: codedMoments(d), minusOne: codedMoments(d), unlabelled: codedMoments(d) };
  const min = new Float64Array(d).fill(Infinity);
  const max = new Float64Array(d).fill(-Infinity);
  return {
    add(X, labels) {
      const groups = rowsByLabel(labels, X.rows);
      // Nothing is added before every kind of rows has been summed: a failed batch leaves no trace.
      const summed = COUNTED.flatMap((kind) => {
        const own = groups.filter(({ label }) => kindOf(label) === kind);
        if (own.length === 0) return [];
        const codes = new Int32Array(X.rows).fill(-1);
        own.forEach(({ rows }, c) => {
          for (const i of rows) codes[i] = c;
        });
        const found = own.map(({ label }) => (kind === "known" ? label! : LABEL[kind]));
        return [parts[kind].sum(X, { codes, found, sizes: own.map(({ rows }) => rows.length) })];
      });
      for (const { add, extent } of summed) {
        add();
        for (let f = 0; f < d; f++) {
          min[f] = Math.min(min[f], extent!.min[f]);
          max[f] = Math.max(max[f], extent!.max[f]);
        }
      }
    },
    result: () =>
      statisticsFrom(names, {
        known: parts.known.result(),
        minusOne: parts.minusOne.result(),
        unlabelled: parts.unlabelled.result(),
        min: min.slice(),
        max: max.slice(),
      }),
  };
}

const LABEL = { minusOne: "-1", unlabelled: UNLABELLED };

/**
 * The moments of the labelled rows, classes in the order of `encodeLabels`: the input of `mlcaFromMoments`.
 */
export function labelledMoments({ known, minusOne }: MomentStatistics): ClassMoments {
  const signs = known.classes.length === 1 && Number(known.classes[0]) === 1 && rowsOf(minusOne) > 0;
  return inOrder(signs ? mergeMoments(known, minusOne) : known);
}

/**
 * MLCA of a table of any size from one pass over it, the same metric as from `mlca` on the rows:
 *
 *     const stats = await momentStatistics("data/*.parquet", { label: "y" });
 *     const metric = mlcaFromStatistics(stats);
 */
export function mlcaFromStatistics(statistics: MomentStatistics, options: MlcaOptions = {}): Mahalanobis {
  return mlcaFromMoments(labelledMoments(statistics), { names: statistics.names, ...options });
}

/** The moments of all rows, as one class. */
export function allMoments({ known, minusOne, unlabelled }: MomentStatistics): ClassMoments {
  return asOne(mergeMoments(mergeMoments(known, minusOne), unlabelled));
}

function inOrder(moments: ClassMoments): ClassMoments {
  const { features: d, classes } = moments;
  // Alone, "-1" would be unknown to encodeLabels; here it is a class beside "1" or absent.
  const { codes, classes: ordered } = encodeLabels(classes);
  const counts = new Float64Array(ordered.length);
  const classSums = matrix(ordered.length, d);
  codes.forEach((code, c) => {
    counts[code] = moments.counts[c];
    classSums.data.set(moments.classSums.data.subarray(c * d, (c + 1) * d), code * d);
  });
  return { ...moments, classes: ordered, counts, classSums };
}

function asOne(moments: ClassMoments): ClassMoments {
  const d = moments.features;
  const classSums = matrix(1, d);
  moments.classSums.data.forEach((value, p) => {
    classSums.data[p % d] += value;
  });
  return { ...moments, classes: [UNLABELLED], counts: Float64Array.of(rowsOf(moments)), classSums };
}

/** The output form of `momentStatistics`, from sums computed elsewhere. */
export function statisticsFrom(
  names: readonly string[],
  parts: Pick<MomentStatistics, Counted | "min" | "max">,
): MomentStatistics {
  const rows = COUNTED.reduce((sum, kind) => sum + rowsOf(parts[kind]), 0);
  return { names, rows, ...parts };
}

/** About the mean of both, where the sums are smallest: about one shift they might dwarf the other's. */
function mergeMoments(a: ClassMoments, b: ClassMoments): ClassMoments {
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

function rowsOf({ counts }: ClassMoments): number {
  return counts.reduce((sum, n) => sum + n, 0);
}

/**
 * Second moments of each class separately, k d^2 numbers, for the covariances of classes (Gaussian
 * classifiers and mixtures) and the scatter of all pairs (`kissmeFromMoments`), in addition to
 * `MomentStatistics`.
 */
export interface ClasswiseMoments {
  readonly names: readonly string[];
  /** One class each, by name. */
  readonly groups: readonly ClassMoments[];
}

/** Collects batches of labelled rows class by class; rows of unknown class (null or empty) are left out. */
export function classwiseAccumulator(names: readonly string[]): Accumulator<ClasswiseMoments> {
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
  let moments: Accumulator<MomentStatistics> | undefined;
  let groups: Accumulator<ClasswiseMoments> | undefined;
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
  return { names, groups };
}
