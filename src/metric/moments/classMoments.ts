import {
  asRows,
  isSparse,
  matrix,
  rankOneUpdate,
  engine,
  loadKernel,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { addCompensated, compensated, compensatedValues, mapped } from "../../matrix/internal.ts";
import { inputError, numericError, rule } from "../../core/internal.ts";
import { encodeLabels, isUnknown, type Label, type Labeling } from "../../score/index.ts";
import * as binary from "../kernel/moments.wasm.ts";

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
  if (X.cols === 0) throw inputError("classMoments: the rows have no columns");
  const { codes, classes } = encodeLabels(labels);
  const { sum, result } = codedMoments(X.cols, classes);
  sum(X, { codes, found: classes, sizes: sizesOf(codes, classes.length) }).add();
  return result();
}

const RULES = {
  /**
   * What the label -1 means: "unknown" (default), or a "class", for data labelled -1 and 1. A batch does not
   * show later labels, so this cannot be guessed here.
   */
  minusOne: rule.oneOf(["unknown", "class"] as const, "unknown"),
};

export type AccumulatorOptions = rule.OptionsOf<typeof RULES>;

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
  const { minusOne } = rule.resolveOptions("classMomentsAccumulator", options, RULES);
  const { sum, result } = codedMoments(features);
  return { add: (X, labels) => sum(X, codedLabels(labels, minusOne)).add(), result };
}

interface CodedMoments {
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
interface CodedLabels {
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
export function reshift(moments: ClassMoments, shift: Float64Array): ClassMoments {
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

/** Sums over the rows of one batch about a shift s; rows whose code is below 0 are left out. */
interface BatchMoments {
  /** k x d: sum over the rows of class c of x - s. */
  readonly classSums: Matrix;
  /** d x d: sum (x - s)(x - s)'. */
  readonly secondMoments: Matrix;
  /** The least and the largest value of each column, d values each. */
  readonly extent: { readonly min: Float64Array; readonly max: Float64Array };
}

/** Sums dense batches of d columns; the next call overwrites the result, so nothing is allocated. */
export function denseBatchMoments(
  d: number,
): (X: Matrix, codes: Int32Array, k: number, shift: Float64Array) => BatchMoments {
  const blockRows = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(BLOCK_VALUES / Math.max(1, d))));
  const total = matrix(d, d);
  const extent = new Float64Array(2 * d);
  let sumWide: ((sums: Sums) => void) | undefined;
  return (X, codes, k, shift) => {
    const classSums = matrix(k, d);
    total.data.fill(0);
    extent.fill(Infinity, 0, d).fill(-Infinity, d);
    const sums = { X, codes, shift, classSums, total, extent };
    if (d <= MOST_KERNEL_COLUMNS) sumBlocks(d, blockRows, sums);
    else (sumWide ??= wideBlocks(d, blockRows))(sums);
    requireFiniteMoments(total, X, codes);
    const [min, max] = [extent.subarray(0, d), extent.subarray(d)];
    return { classSums, secondMoments: total, extent: { min, max } };
  };
}

/** The input and output of a batch sum. */
interface Sums {
  readonly X: Matrix;
  readonly codes: Int32Array;
  readonly shift: Float64Array;
  readonly classSums: Matrix;
  readonly total: Matrix;
  readonly extent: Float64Array;
}

/**
 * Up to this size one thread sums a block, and copying the rows into the kernel matters; beyond it, only X'X
 * does.
 */
const MOST_KERNEL_COLUMNS = 128;

/** Everything in one kernel, into which the rows are copied once. */
function sumBlocks(d: number, blockRows: number, sums: Sums): void {
  const { X, codes, total } = sums;
  const k = sums.classSums.rows;
  const rows = Math.min(blockRows, X.rows);
  const step = Math.max(64, Math.min(512, Math.floor(BLOCK_VALUES / Math.max(1, d))));
  const kernel = loadKernel<binary.Exports>("metric/moments", binary);
  kernel.scope(() => {
    const block = kernel.reserve(8 * rows * d);
    const code = kernel.reserve(4 * rows);
    const shift = kernel.reserve(8 * d);
    const classes = kernel.reserve(8 * k * d);
    const extent = kernel.reserve(16 * d);
    const squares = kernel.reserve(8 * d * d);
    const scratch = kernel.reserve(128 + 8 * step * (d + 4));
    const heap = kernel.heap();
    heap.set(sums.shift, shift / 8);
    heap.fill(0, classes / 8, classes / 8 + k * d);
    heap.set(sums.extent, extent / 8);
    for (let start = 0; start < X.rows; start += rows) {
      const count = Math.min(rows, X.rows - start);
      heap.set(X.data.subarray(start * d, (start + count) * d), block / 8);
      kernel.i32(code, count).set(codes.subarray(start, start + count));
      const kept = kernel.exports.shifted(count, d, block, code, shift, classes, extent);
      kernel.exports.gram(0, scratch, kept, d, Math.max(1, kept), step, block, squares);
      for (let i = 0; i < d; i++) {
        for (let p = i * d + i; p < (i + 1) * d; p++) total.data[p] += heap[squares / 8 + p];
      }
    }
    sums.classSums.data.set(heap.subarray(classes / 8, classes / 8 + k * d));
    sums.extent.set(heap.subarray(extent / 8, extent / 8 + 2 * d));
  });
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < i; j++) total.data[i * d + j] = total.data[j * d + i];
  }
}

/** The same with the product of the engine in use, which has several threads for wide rows. */
function wideBlocks(d: number, blockRows: number): (sums: Sums) => void {
  const part = new Float64Array(d * d);
  let block = new Float64Array(0);
  return ({ X, codes, shift, classSums, total, extent }) => {
    const needed = Math.min(blockRows, X.rows) * d;
    if (block.length < needed) block = new Float64Array(needed);
    for (let start = 0; start < X.rows; start += blockRows) {
      let counted = 0;
      for (let i = start; i < Math.min(X.rows, start + blockRows); i++) {
        if (codes[i] < 0) continue;
        const from = i * d;
        const to = counted++ * d;
        const sum = codes[i] * d;
        for (let f = 0; f < d; f++) {
          const value = X.data[from + f];
          if (value < extent[f]) extent[f] = value;
          if (value > extent[d + f]) extent[d + f] = value;
          block[to + f] = value - shift[f];
          classSums.data[sum + f] += block[to + f];
        }
      }
      engine().gram(counted, d, block.subarray(0, counted * d), part);
      for (let p = 0; p < part.length; p++) total.data[p] += part[p];
    }
  };
}

/**
 * Sparse rows stay sparse, so they are not shifted. `secondMoments` is added to in place, because it may be
 * large.
 */
function addSparseMoments(
  secondMoments: Matrix,
  X: Sparse,
  codes: Int32Array,
  k: number,
): Pick<BatchMoments, "classSums"> {
  const d = X.cols;
  for (let i = 0; i < X.rows; i++) {
    for (let p = X.offsets[i]; codes[i] >= 0 && p < X.offsets[i + 1]; p++) {
      if (!Number.isFinite(X.values[p])) throw notFinite(X.values[p], i, X.indices[p]);
    }
  }
  const classSums = matrix(k, d);
  for (let i = 0; i < X.rows; i++) {
    if (codes[i] < 0) continue;
    for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) {
      const row = X.indices[p] * d;
      classSums.data[codes[i] * d + X.indices[p]] += X.values[p];
      for (let q = X.offsets[i]; q < X.offsets[i + 1]; q++) {
        secondMoments.data[row + X.indices[q]] += X.values[p] * X.values[q];
      }
    }
  }
  return { classSums };
}

/** Number of rows that give a shift. */
const SHIFT_ROWS = 1024;

/**
 * A shift near the means of the counted rows: the means of some of them, spread over all. That is near
 * enough: sums about it lose digits only as the means are away from it in standard deviations. Zero if there
 * are none.
 */
function roughMeans(X: Matrix, codes: Int32Array): Float64Array {
  const d = X.cols;
  const means = new Float64Array(d);
  const step = Math.max(1, Math.floor(X.rows / SHIFT_ROWS));
  let count = 0;
  for (let start = 0; start < X.rows; start += step) {
    const end = Math.min(X.rows, start + step);
    let i = start;
    while (i < end && codes[i] < 0) i++;
    if (i === end) continue;
    count++;
    for (let f = 0, p = i * d; f < d; f++, p++) means[f] += X.data[p];
  }
  return count === 0 ? means : means.map((sum) => sum / count);
}

/** A block should stay in the second-level cache (1 MiB), and be worth a call to the engine. */
const BLOCK_VALUES = 131072;
const LEAST_ROWS = 256;
const MOST_ROWS = 16384;

/** A non-finite cell makes the square of its column non-finite; only then are the cells examined. */
function requireFiniteMoments(S: Matrix, X: Matrix, codes: Int32Array): void {
  const d = S.cols;
  for (let f = 0; f < d; f++) {
    if (Number.isFinite(S.data[f * d + f])) continue;
    for (let i = 0; i < X.rows; i++) {
      const value = X.data[i * d + f];
      if (codes[i] >= 0 && !Number.isFinite(value)) throw notFinite(value, i, f);
    }
    throw numericError(`the squares of column ${f} (counted from 0) are too large to sum: scale it first`);
  }
}

function notFinite(value: number, row: number, column: number): Error {
  return inputError(
    `the batch has ${value} in row ${row}, column ${column} (counted from 0); remove or impute such cells first`,
  );
}
