import { choice, inputError, list, load, record, text, unchecked, type StoredOf } from "../core/internal.ts";
import { matrix } from "../matrix/index.ts";
import type { ClassMoments } from "../metric/index.ts";
import { denseBatchMoments, roughMeans } from "../metric/internal.ts";
import { encodeLabels } from "../score/index.ts";
import { COUNTED, labelEncoder, UNLABELLED, type Counted } from "./labelEncoder.ts";
import { labelledSums } from "./labelledSums.ts";
import { mergeMoments, rowsOf } from "./mergeMoments.ts";
import type { BatchOptions, BatchSource } from "./rowBatches.ts";
import { momentsForm } from "./storedMoments.ts";
import { requireSameColumns, summedBatches, type Accumulator } from "./summedBatches.ts";

/**
 * The statistics of a table of any size for the closed-form methods: counts, sums and second moments of its
 * rows (see `ClassMoments`), with the range of every column for scaling. Statistics of parts of a table are
 * merged into those of the whole in any order, so files, machines and days can be counted separately.
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
  toJSON(): MomentStatisticsData;
}

/** Without rows the ranges are infinite, which JSON writes as null. */
const ends = list(unchecked<number | null>(), "columns");

const statisticsForm = record({
  kind: choice("moments"),
  names: list(text(), "columns"),
  known: momentsForm,
  minusOne: momentsForm,
  unlabelled: momentsForm,
  min: ends,
  max: ends,
});

export interface MomentStatisticsData extends StoredOf<typeof statisticsForm> {}

/** One pass over a source of any size; without `label` all rows are unlabelled (enough for `pcaFromMoments`). */
export async function momentStatistics(
  source: BatchSource,
  options: BatchOptions = {},
): Promise<MomentStatistics> {
  return summedBatches("momentStatistics", source, options, momentAccumulator);
}

export type MomentAccumulator = Accumulator<MomentStatistics>;

/** Collects batches; separate parts are joined by `mergeStatistics`. */
export function momentAccumulator(names: readonly string[]): MomentAccumulator {
  const d = names.length;
  const { entries, encode } = labelEncoder();
  const summed = denseBatchMoments(d);
  const parts = { known: labelledSums(d), minusOne: labelledSums(d), unlabelled: labelledSums(d) };
  const min = new Float64Array(d).fill(Infinity);
  const max = new Float64Array(d).fill(-Infinity);
  return {
    add(X, labels) {
      if (X.cols !== d) throw inputError(`a batch has ${X.cols} columns, but ${d} were expected`);
      if (labels !== undefined && labels.length !== X.rows) {
        throw inputError(`there are ${labels.length} labels for ${X.rows} rows`);
      }
      const batch = encode(labels, X.rows);
      const { codes, found } = batch;
      const present = COUNTED.filter((kind) => found.some((entry) => entries[entry].kind === kind));
      // Nothing is added before every kind of rows has been summed: a failed batch leaves no trace.
      const additions = present.map((kind) => {
        const isOwn = (entry: number): boolean => entries[entry].kind === kind;
        const own = present.length === 1 ? codes : codes.map((place) => (isOwn(found[place]) ? place : -1));
        const shift = parts[kind].shift ?? roughMeans(X, own);
        const { classSums, secondMoments, extent } = summed(X, own, found.length, shift);
        const squares = present.length === 1 ? secondMoments : matrix(d, d, secondMoments.data.slice());
        const [least, largest] = [extent.min.slice(), extent.max.slice()];
        return () => {
          parts[kind].add({ classSums, secondMoments: squares }, shift, batch, isOwn);
          for (let f = 0; f < d; f++) {
            min[f] = Math.min(min[f], least[f]);
            max[f] = Math.max(max[f], largest[f]);
          }
        };
      });
      for (const add of additions) add();
    },
    result: () =>
      statisticsFrom(names, {
        known: parts.known.result(entries),
        minusOne: parts.minusOne.result(entries),
        unlabelled: parts.unlabelled.result(entries),
        min: min.slice(),
        max: max.slice(),
      }),
  };
}

/** The statistics of the rows of both; associative and commutative up to rounding. */
export function mergeStatistics(a: MomentStatistics, b: MomentStatistics): MomentStatistics {
  requireSameColumns(a, b);
  return statisticsFrom(a.names, {
    known: mergeMoments(a.known, b.known),
    minusOne: mergeMoments(a.minusOne, b.minusOne),
    unlabelled: mergeMoments(a.unlabelled, b.unlabelled),
    min: a.min.map((value, f) => Math.min(value, b.min[f])),
    max: a.max.map((value, f) => Math.max(value, b.max[f])),
  });
}

/** Reads the output of `toJSON`. */
export function loadMomentStatistics(data: MomentStatisticsData): MomentStatistics {
  const { names, known, minusOne, unlabelled, min, max } = load(
    statisticsForm,
    data,
    "the file of statistics",
  );
  return statisticsFrom(names, {
    known,
    minusOne,
    unlabelled,
    min: Float64Array.from(min, (value) => value ?? Infinity),
    max: Float64Array.from(max, (value) => value ?? -Infinity),
  });
}

/**
 * The moments of the labelled rows, classes in the order of `encodeLabels`: the input of `mlcaFromMoments`.
 */
export function labelledMoments({ known, minusOne }: MomentStatistics): ClassMoments {
  const signs = known.classes.length === 1 && Number(known.classes[0]) === 1 && rowsOf(minusOne) > 0;
  return inOrder(signs ? mergeMoments(known, minusOne) : known);
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
  const { known, minusOne, unlabelled } = parts;
  const [min, max] = [parts.min, parts.max].map((values) => Array.from(values));
  return {
    names,
    rows: rowsOf(known) + rowsOf(minusOne) + rowsOf(unlabelled),
    ...parts,
    toJSON: () => statisticsForm.save({ kind: "moments", names, ...parts, min, max }),
  };
}
