import { inputError } from "../core/errors.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { classMomentsAccumulator, type ClassMoments } from "../metric/classMoments.ts";
import { encodeLabels, type Labeling } from "../score/labels.ts";
import { mergeMoments, rowsOf } from "./mergeMoments.ts";
import { rowBatches, type BatchOptions, type BatchSource } from "./rowBatches.ts";
import { restoreMoments, storeMoments, type ClassMomentsData } from "./storedMoments.ts";

/**
 * What the closed-form methods need from a table of any size: counts, sums and second moments of its rows (see
 * `ClassMoments`), with the extent of every column for scaling. Statistics of parts of a table are merged into those of
 * the whole in any order, so files, machines and days can be counted apart.
 *
 * Rows labelled -1 are kept apart: whether that is a class (the classes are -1 and 1) or "unknown" is decided when all
 * labels have been seen, as it is for rows in memory (`encodeLabels`).
 */
export interface MomentStatistics {
  readonly names: readonly string[];
  readonly rows: number;
  /** Rows of known class, rows labelled -1, and all other rows. */
  readonly known: ClassMoments;
  readonly minusOne: ClassMoments;
  readonly unlabelled: ClassMoments;
  /** The extent of each column over all rows. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  toJSON(): MomentStatisticsData;
}

type Counted = "known" | "minusOne" | "unlabelled";

export interface MomentStatisticsData {
  readonly kind: "moments";
  readonly names: readonly string[];
  readonly known: ClassMomentsData;
  readonly minusOne: ClassMomentsData;
  readonly unlabelled: ClassMomentsData;
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** One pass over a source of any size; without `label` all rows are unlabelled (enough for `pcaFromMoments`). */
export async function momentStatistics(
  source: BatchSource,
  options: BatchOptions = {},
): Promise<MomentStatistics> {
  let accumulator: MomentAccumulator | undefined;
  for await (const { X, label, names } of rowBatches(source, options)) {
    accumulator ??= momentAccumulator(names);
    accumulator.add(X, label?.values);
  }
  if (accumulator === undefined) throw inputError("momentStatistics: the source has no batches");
  return accumulator.result();
}

export interface MomentAccumulator {
  /** Adds rows with their labels, if they have any. */
  add(X: Matrix, labels?: Labeling): void;
  result(): MomentStatistics;
}

/** Collects batches; parts collected apart are joined by `mergeStatistics`. */
export function momentAccumulator(names: readonly string[]): MomentAccumulator {
  const d = names.length;
  const known = classMomentsAccumulator(d);
  const minusOne = classMomentsAccumulator(d, { minusOne: "class" });
  const unlabelled = classMomentsAccumulator(d);
  const min = new Float64Array(d).fill(Infinity);
  const max = new Float64Array(d).fill(-Infinity);
  return {
    add(X, labels) {
      const values = labels ?? Array<null>(X.rows).fill(null);
      if (values.length !== X.rows) throw inputError(`there are ${values.length} labels for ${X.rows} rows`);
      const kinds = Array.from(values, kindOf);
      const only = (kind: Counted): (string | null)[] => kinds.map((own) => (own === kind ? "-1" : null));
      // What cannot be summed is refused by the first of these, before anything was added.
      if (kinds.includes("known")) known.add(X, values);
      if (kinds.includes("minusOne")) minusOne.add(X, only("minusOne"));
      if (kinds.includes("unlabelled")) {
        unlabelled.add(
          X,
          kinds.map((own) => (own === "unlabelled" ? UNLABELLED : null)),
        );
      }
      for (let i = 0, p = 0; i < X.rows; i++) {
        for (let f = 0; f < d; f++, p++) {
          if (X.data[p] < min[f]) min[f] = X.data[p];
          if (X.data[p] > max[f]) max[f] = X.data[p];
        }
      }
    },
    result: () =>
      statistics(names, {
        known: known.result(),
        minusOne: minusOne.result(),
        unlabelled: unlabelled.result(),
        min: min.slice(),
        max: max.slice(),
      }),
  };
}

/** The statistics of the rows of both; associative and commutative but for rounding. */
export function mergeStatistics(a: MomentStatistics, b: MomentStatistics): MomentStatistics {
  if (a.names.length !== b.names.length || a.names.some((name, f) => name !== b.names[f])) {
    throw inputError(
      `statistics of the columns ${a.names.join(", ")} cannot be merged with those of ${b.names.join(", ")}`,
    );
  }
  return statistics(a.names, {
    known: mergeMoments(a.known, b.known),
    minusOne: mergeMoments(a.minusOne, b.minusOne),
    unlabelled: mergeMoments(a.unlabelled, b.unlabelled),
    min: a.min.map((value, f) => Math.min(value, b.min[f])),
    max: a.max.map((value, f) => Math.max(value, b.max[f])),
  });
}

/** Reads back what `toJSON` wrote. */
export function loadMomentStatistics(data: MomentStatisticsData): MomentStatistics {
  if (data?.kind !== "moments" || !Array.isArray(data.names)) {
    throw inputError("these are not the statistics that momentStatistics makes");
  }
  const d = data.names.length;
  return statistics(data.names, {
    known: restoreMoments(data.known, d),
    minusOne: restoreMoments(data.minusOne, d),
    unlabelled: restoreMoments(data.unlabelled, d),
    // Without rows the extents are infinite, which JSON writes as null.
    min: Float64Array.from(data.min, (value) => value ?? Infinity),
    max: Float64Array.from(data.max, (value) => value ?? -Infinity),
  });
}

/** The moments of the rows that have a class, classes in the order of `encodeLabels`: what `mlcaFromMoments` takes. */
export function labelledMoments({ known, minusOne }: MomentStatistics): ClassMoments {
  const signs = known.classes.length === 1 && Number(known.classes[0]) === 1 && rowsOf(minusOne) > 0;
  return inOrder(signs ? mergeMoments(known, minusOne) : known);
}

/** The moments of all rows, as one class. */
export function allMoments({ known, minusOne, unlabelled }: MomentStatistics): ClassMoments {
  return asOne(mergeMoments(mergeMoments(known, minusOne), unlabelled));
}

const UNLABELLED = "rows";

function kindOf(label: Labeling[number]): Counted {
  if (label === -1 || label === "-1") return "minusOne";
  return label === null || label === undefined || label === "" ? "unlabelled" : "known";
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

function statistics(
  names: readonly string[],
  parts: Pick<MomentStatistics, Counted | "min" | "max">,
): MomentStatistics {
  const { known, minusOne, unlabelled, min, max } = parts;
  return {
    names,
    rows: rowsOf(known) + rowsOf(minusOne) + rowsOf(unlabelled),
    ...parts,
    toJSON: () => ({
      kind: "moments",
      names,
      known: storeMoments(known),
      minusOne: storeMoments(minusOne),
      unlabelled: storeMoments(unlabelled),
      min: Array.from(min),
      max: Array.from(max),
    }),
  };
}
