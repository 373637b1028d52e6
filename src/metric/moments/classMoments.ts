import {
  asRows,
  isSparse,
  matrix,
  rankOneUpdate,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import {
  addCompensated,
  compensated,
  compensatedValues,
  mapped,
  requireFinite,
} from "../../matrix/internal.ts";
import { inputError, oneOf, resolveOptions, type OptionsOf } from "../../core/internal.ts";
import { encodeLabels, isUnknown, type Label, type Labeling } from "../../score/index.ts";
import { addSparseMoments, denseBatchMoments, roughMeans, type BatchMoments } from "./batchMoments.ts";

/**
 * The statistics of labelled rows for the closed-form metrics (MLCA, LDA, RCA, KISSME): class counts, class
 * sums and the second moments. They are a few d x d numbers for any n, and the sums of two parts are the
 * statistics of the whole, so a file larger than memory, or a table spread over machines, trains in one pass.
 *
 * Sums are kept about a shift s (near the mean of the first batch), because X'X of data far from the origin
 * loses the digits that the covariance needs. Batches are added with compensation, so many of them lose
 * nothing.
 */
export interface ClassMoments {
  readonly features: number;
  readonly classes: readonly Label[];
  /** n_c, rows of each class. */
  readonly counts: Float64Array;
  /** s, the shift subtracted from every row. */
  readonly shift: Float64Array;
  /** k x d: sum over the rows of class c of x - s. */
  readonly classSums: Matrix;
  /** d x d: sum over all rows of (x - s)(x - s)'. */
  readonly secondMoments: Matrix;
}

/**
 * Statistics of one set of labelled rows; rows of unknown class are left out. All labels are seen at once, so
 * -1 is a class if the classes are -1 and 1, as everywhere else (see `encodeLabels`).
 */
export function classMoments(input: MatrixLike | Sparse, labels: Labeling): ClassMoments {
  const X = asRows(input, "classMoments");
  const { codes, classes } = encodeLabels(labels);
  const { sum, result } = codedMoments(X.cols, classes);
  sum(X, { codes, found: classes, sizes: sizesOf(codes, classes.length) }).add();
  return result();
}

/**
 * Statistics in the form of the paper, X'X (d x d), X'Y (given k x d) and the class sizes, uncentred: sums
 * from another program or a database.
 */
export function classMomentsFromSums(sums: {
  readonly XtX: Matrix;
  readonly classSums: Matrix;
  readonly counts: ArrayLike<number>;
  readonly classes?: readonly Label[];
}): ClassMoments {
  const { XtX, classSums, counts } = sums;
  if (XtX.rows !== XtX.cols || classSums.cols !== XtX.cols || classSums.rows !== counts.length) {
    throw inputError(
      `classMomentsFromSums: XtX is ${XtX.rows} x ${XtX.cols}, classSums is ${classSums.rows} x ${classSums.cols} and ` +
        `there are ${counts.length} counts; d x d, k x d and k are needed`,
    );
  }
  requireFinite(XtX, "XtX");
  requireFinite(classSums, "classSums");
  return {
    features: XtX.cols,
    classes: sums.classes ?? Array.from(counts, (_, c) => c),
    counts: Float64Array.from(counts),
    shift: new Float64Array(XtX.cols),
    classSums,
    secondMoments: XtX,
  };
}

const RULES = {
  /**
   * What the label -1 means: "unknown" (default), or a "class", for data labelled -1 and 1. A batch does not
   * show later labels, so this cannot be guessed here.
   */
  minusOne: oneOf(["unknown", "class"] as const, "unknown"),
};

export type AccumulatorOptions = OptionsOf<typeof RULES>;

export interface ClassMomentsAccumulator {
  /** Adds a batch of rows with their labels. */
  add(X: Matrix | Sparse, labels: Labeling): void;
  result(): ClassMoments;
}

/** Collects batches; separate parts are joined by `mergeClassMoments`. */
export function classMomentsAccumulator(
  features: number,
  options: AccumulatorOptions = {},
): ClassMomentsAccumulator {
  const { minusOne } = resolveOptions("classMomentsAccumulator", options, RULES);
  const { sum, result } = codedMoments(features);
  return { add: (X, labels) => sum(X, codedLabels(labels, minusOne)).add(), result };
}

export interface CodedMoments {
  /** Sums a batch; `add` puts it to the batches before, and `extent` is that of dense rows. */
  sum(X: Matrix | Sparse, batch: CodedLabels): { add(): void; readonly extent?: BatchMoments["extent"] };
  result(): ClassMoments;
}

/** `first` are classes that are expected; others are numbered as they appear. */
export function codedMoments(features: number, first: readonly Label[] = []): CodedMoments {
  const classes = [...first];
  const codeOf = new Map<Label, number>(classes.map((label, c) => [label, c]));
  const sums = classes.map(() => compensated(features));
  const counts = classes.map(() => 0);
  const S = matrix(features, features);
  const squares = compensated(features * features, S.data);
  let dense: ReturnType<typeof denseBatchMoments> | undefined;
  let shift: Float64Array | undefined;

  const addClasses = ({ found, sizes }: CodedLabels, part: Matrix): void =>
    found.forEach((label, c) => {
      let code = codeOf.get(label) ?? codeOf.get(twin(label));
      if (code === undefined) {
        code = classes.push(label) - 1;
        counts.push(0);
        sums.push(compensated(features));
      }
      codeOf.set(label, code);
      counts[code] += sizes[c];
      addCompensated(sums[code], part.data.subarray(c * features, (c + 1) * features));
    });
  return {
    sum(X, batch) {
      const { codes, found } = batch;
      if (X.cols !== features)
        throw inputError(`a batch has ${X.cols} columns, but ${features} were expected`);
      if (codes.length !== X.rows) throw inputError(`there are ${codes.length} labels for ${X.rows} rows`);
      if (isSparse(X)) {
        // Sparse rows are not shifted: their columns are mostly zero, so their means are small.
        if (shift?.some((value) => value !== 0) === true) {
          throw inputError(
            "sparse batches cannot follow dense ones: begin with the sparse batch, or make it dense",
          );
        }
        return {
          add() {
            const { classSums } = addSparseMoments(S, X, codes, found.length);
            shift ??= new Float64Array(features);
            addClasses(batch, classSums);
          },
        };
      }
      const about = shift ?? roughMeans(X, codes);
      dense ??= denseBatchMoments(features);
      const { classSums, secondMoments, extent } = dense(X, codes, found.length, about);
      return {
        extent,
        add() {
          shift = about;
          addCompensated(squares, secondMoments.data);
          addClasses(batch, classSums);
        },
      };
    },
    result: (): ClassMoments => {
      const classSums = matrix(counts.length, features);
      sums.forEach((sum, c) => classSums.data.set(compensatedValues(sum), c * features));
      return {
        features,
        classes: [...classes],
        counts: Float64Array.from(counts),
        shift: (shift ?? new Float64Array(features)).slice(),
        classSums,
        secondMoments: matrix(features, features, compensatedValues(squares)),
      };
    },
  };
}

/** The labels of a batch by number, -1 for rows that are left out. */
export interface CodedLabels {
  readonly codes: Int32Array;
  readonly found: readonly Label[];
  /** Rows of each label found. */
  readonly sizes: ArrayLike<number>;
}

/** Numbers the labels as they appear. */
function codedLabels(labels: Labeling, minusOne: "unknown" | "class"): CodedLabels {
  const codes = new Int32Array(labels.length);
  const found: Label[] = [];
  const codeOf = new Map<Label, number>();
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    const sign = minusOne === "class" && Number(label) === -1;
    if (label === null || label === undefined || (isUnknown(label) && !sign)) {
      codes[i] = -1;
      continue;
    }
    let code = codeOf.get(label);
    if (code === undefined) {
      code = found.push(label) - 1;
      codeOf.set(label, code);
    }
    codes[i] = code;
  }
  return { codes, found, sizes: sizesOf(codes, found.length) };
}

function sizesOf(codes: Int32Array, classes: number): Int32Array {
  const sizes = new Int32Array(classes);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) sizes[codes[i]]++;
  return sizes;
}

/**
 * The statistics of the rows of both; associative and commutative up to the order of the classes and
 * rounding.
 */
export function mergeClassMoments(a: ClassMoments, b: ClassMoments): ClassMoments {
  if (a.features !== b.features) {
    throw inputError(`statistics of ${a.features} columns cannot be merged with statistics of ${b.features}`);
  }
  const d = a.features;
  const classes = [...new Set([...a.classes, ...b.classes])];
  const counts = new Float64Array(classes.length);
  const classSums = matrix(classes.length, d);
  const moved = reshift(b, a.shift);
  for (const part of [a, moved]) {
    part.classes.forEach((label, c) => {
      const at = classes.indexOf(label);
      counts[at] += part.counts[c];
      for (let f = 0; f < d; f++) classSums.data[at * d + f] += part.classSums.data[c * d + f];
    });
  }
  const secondMoments = mapped(a.secondMoments, (value, p) => value + moved.secondMoments.data[p]);
  return { features: d, classes, counts, shift: a.shift, classSums, secondMoments };
}

/**
 * What follows from the moments: the means of all rows and of the classes, k x d; the total scatter, sum (x - mean)(x - mean)';
 * and that within the classes, sum (x - mean of its class)(...)'.
 */
export function scatter(moments: ClassMoments) {
  const { features: d, counts, classSums, shift } = moments;
  const count = counts.reduce((sum, n) => sum + n, 0);
  if (count === 0) throw inputError("there are no labelled rows");
  const sum = new Float64Array(d);
  for (let p = 0; p < classSums.data.length; p++) sum[p % d] += classSums.data[p];
  const total = matrix(d, d, moments.secondMoments.data.slice());
  rankOneUpdate(total, -1 / count, sum);
  const within = matrix(d, d, moments.secondMoments.data.slice());
  for (let c = 0; c < counts.length; c++) {
    if (counts[c] > 0) rankOneUpdate(within, -1 / counts[c], classSums.data.subarray(c * d, (c + 1) * d));
  }
  return {
    count,
    mean: sum.map((value, f) => shift[f] + value / count),
    classMeans: mapped(classSums, (value, p) => shift[p % d] + value / counts[Math.floor(p / d)]),
    total,
    within,
  };
}

/** A number and its text are the same class, as in `encodeLabels`. */
function twin(label: Label): Label {
  if (typeof label === "number") return String(label);
  return String(Number(label)) === label ? Number(label) : label;
}

/** The same statistics about another shift: with t = s - s', x - s' = (x - s) + t. */
function reshift(moments: ClassMoments, shift: Float64Array): ClassMoments {
  const { features: d, counts } = moments;
  const t = moments.shift.map((value, f) => value - shift[f]);
  if (t.every((value) => value === 0)) return moments;
  const classSums = matrix(counts.length, d, moments.classSums.data.slice());
  const sum = new Float64Array(d);
  for (let p = 0; p < classSums.data.length; p++) {
    sum[p % d] += classSums.data[p];
    classSums.data[p] += counts[Math.floor(p / d)] * t[p % d];
  }
  const count = counts.reduce((total, n) => total + n, 0);
  const secondMoments = matrix(d, d, moments.secondMoments.data.slice());
  rankOneUpdate(secondMoments, 1, sum, t);
  rankOneUpdate(secondMoments, 1, t, sum);
  rankOneUpdate(secondMoments, count, t);
  return { ...moments, shift, classSums, secondMoments };
}
