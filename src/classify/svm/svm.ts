/**
 * Support vector machine with a kernel (C-SVC), by SMO on the dual of each pair of classes. With two classes
 * one machine decides; with more, every pair has its own and the class with most votes wins, the first one in
 * a tie (one against one, as in LIBSVM and scikit-learn).
 *
 *     min 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w'phi(x_i) + b))
 */
import { matrix, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireNotHuge, rowMajorForm } from "../../matrix/internal.ts";
import { form, optionError, plain, progressGate, rule } from "../../core/internal.ts";
import type { Label, Labeling } from "../../score/index.ts";
import {
  newRows,
  trainingRows,
  type Classifier,
  classifierFields,
  machineFields,
  outcomeOf,
  type TrainingRows,
} from "../classifier.ts";
import {
  smo,
  withSmoStates,
  kernelMatrix,
  scaleGamma,
  svmKernelForm,
  type SmoSolution,
  type SvmKernel,
} from "./smo.ts";

export const svmOptions = {
  /** Default "rbf". For many rows and a linear kernel `linearSvm` is faster. */
  kernel: rule.oneOf(["rbf", "linear"] as const, "rbf", { says: "kernel that compares two rows" }),
  /** C, the price of a row on the wrong side of its margin; default 1. */
  cost: rule.real({ above: 0, default: 1, says: "price of a row on the wrong side of its margin" }),
  /** gamma of the RBF kernel; default 1 / (d times the variance of all cells). */
  gamma: rule.real({
    above: 0,
    says: "width of the rbf kernel exp(-gamma d^2)",
    usual: "1 / (features x variance)",
  }),
  /** Allowed violation of the optimality conditions; default 1e-3. */
  tolerance: rule.real({ above: 0, default: 1e-3 }),
  /** Steps per pair of classes; default 1000 for each row, from 100,000 to 10 million. */
  maxIterations: rule.integer({ min: 1 }),
  /** Memory for kernel values in megabytes; default 200. */
  cacheMegabytes: rule.real({ above: 0, default: 200 }),
  onProgress: rule.progress,
};

export type SvmOptions = rule.OptionsOf<typeof svmOptions>;

/** The fit of the machine of one pair of classes: its dual objective, and the primal minus the dual one. */
const machineForm = form.record({
  ...machineFields,
  /** Largest violation of the optimality (KKT) conditions. */
  violation: form.unchecked<number>(),
});
export interface SvmFit extends form.StoredOf<typeof machineForm> {}

const svmForm = form.where(
  form.record({
    ...classifierFields,
    method: form.choice("svm"),
    kernel: svmKernelForm,
    cost: form.unchecked<number>(),
    /** Rows with a non-zero coefficient in some pair, class by class: row-major. */
    supportVectors: rowMajorForm("support vectors", "features"),
    /** How many of them belong to each class. */
    supportCounts: form.asStored(form.wholes("classes", { min: 0 })),
    /** Pair by pair (0,1), (0,2), ..: the coefficients of the support vectors of the first class, then of the second. */
    coefficients: form.list(form.numbers(), "pairs"),
    intercepts: form.asStored(form.numbers("pairs")),
    pairs: form.list(machineForm, "pairs"),
  }),
  ({ classes: { length: K }, supportVectors, supportCounts, coefficients, pairs }, refuse) => {
    if (supportCounts.reduce((sum, count) => sum + count, 0) !== supportVectors.rows) {
      throw refuse("supportCounts", `does not add to the ${supportVectors.rows} support vectors`);
    }
    if (pairs.length !== (K * (K - 1)) / 2) {
      throw refuse("pairs", `has ${pairs.length} entries where ${(K * (K - 1)) / 2} belong`);
    }
    for (let a = 0, p = 0; a < K; a++) {
      for (let b = a + 1; b < K; b++, p++) {
        const count = supportCounts[a] + supportCounts[b];
        if (coefficients[p].length !== count) {
          throw refuse(`coefficients[${p}]`, `has ${coefficients[p].length} entries where ${count} belong`);
        }
      }
    }
  },
);

export interface SvmData extends form.StoredOf<typeof svmForm> {}

export interface Svm extends Classifier<SvmData> {
  readonly kernel: SvmKernel;
  readonly supportVectors: Matrix;
  readonly supportCounts: readonly number[];
  /** For every pair of classes (0,1), (0,2), .., (1,2), .. */
  readonly pairs: readonly SvmFit[];
  /** Sum over the pairs. */
  readonly objective: number;
  readonly iterations: number;
  /** Whether every pair reached the tolerance. */
  readonly converged: boolean;
  readonly certificate: { readonly kind: string; readonly residual: number };
  /** f(y) of every pair, one column each; positive for the first class of the pair. */
  decision(Y: MatrixLike): Matrix;
}

const METHOD = "svm";

export function svm(input: MatrixLike, labels: Labeling, options: SvmOptions = {}): Svm {
  const settings = rule.resolveOptions(METHOD, options, svmOptions);
  if (settings.kernel === "linear" && settings.gamma !== undefined) {
    throw optionError(`${METHOD}: "gamma" belongs to the kernel "rbf"; the kernel is "linear"`);
  }
  const training = trainingRows(METHOD, input, labels);
  requireNotHuge(training.X, "the training data");
  const { classes, warnings } = training;
  const { cost, tolerance } = settings;
  const maxIterations = settings.maxIterations ?? Math.min(1e7, Math.max(1e5, 1000 * training.X.rows));
  const kernel: SvmKernel =
    settings.kernel === "linear"
      ? { kind: "linear" }
      : { kind: "rbf", gamma: settings.gamma ?? scaleGamma(training.X) };
  const K = classes.length;
  const total = (K * (K - 1)) / 2;
  const gate = progressGate(settings.onProgress);
  const solutions: { members: Int32Array; solution: SmoSolution }[] = [];
  const bytes = settings.cacheMegabytes * 2 ** 20;
  withSmoStates(kernel, training.X, twoLargest(training.counts), bytes, (make) => {
    for (const { members, y } of pairProblems(training)) {
      const report = (): boolean =>
        gate({ fraction: solutions.length / total, label: `pair ${solutions.length + 1} of ${total}` });
      const solution = smo({ y, state: make(members, y, cost), cost, tolerance, maxIterations, report });
      solutions.push({ members, solution });
    }
  });
  const late = solutions.filter(({ solution }) => !solution.converged).length;
  if (late > 0) {
    warnings.push(
      `${late} of ${total} pairs of classes did not reach the tolerance` +
        `${gate.stopped ? " (stopped)" : `; scale the data, lower the cost or raise maxIterations`}`,
    );
  }
  return assemble({
    classes,
    warnings,
    kernel,
    cost,
    ...support(training, solutions),
    intercepts: solutions.map(({ solution }) => solution.intercept),
    pairs: solutions.map(({ solution }) => machineForm.save(solution)),
  });
}

export function loadSvm(data: SvmData): Svm {
  return assemble(form.load(svmForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof svmForm>, "method" | "features">;

function assemble(parts: Parts): Svm {
  const { classes, warnings, kernel, supportVectors, supportCounts, coefficients, intercepts, pairs } = parts;
  const { rows: count, cols: features } = supportVectors;
  const decision = (input: MatrixLike): Matrix => {
    const Y = newRows(METHOD, input, features);
    requireNotHuge(Y, "the new data");
    const F = matrix(Y.rows, pairs.length);
    const span = Math.max(1, Math.floor(BLOCK_VALUES / Math.max(count, features)));
    for (let from = 0; from < Y.rows; from += span) {
      const rows = Math.min(span, Y.rows - from);
      const block = matrix(rows, features, Y.data.subarray(from * features, (from + rows) * features));
      const values = kernelMatrix(kernel, block, supportVectors);
      pairDecisions(values, supportCounts, coefficients, intercepts, F, from);
    }
    return F;
  };
  return plain({
    method: METHOD,
    classes,
    features,
    warnings,
    kernel,
    supportVectors,
    supportCounts,
    pairs,
    ...outcomeOf(pairs),
    certificate: {
      kind: "largest violation of the optimality conditions of a pair",
      residual: pairs.reduce((worst, fit) => Math.max(worst, fit.violation), 0),
    },
    decision,
    predict: (Y) => pairVotes(decision(Y), classes),
    toJSON: () => svmForm.save({ method: METHOD, features, ...parts }),
  });
}

/** Maximum number of kernel values of new rows held at a time. */
const BLOCK_VALUES = 2 ** 20;

/** Training rows of the first class of each pair, then of the second, and their sign: y = 1 or -1. */
function* pairProblems({
  codes,
  counts,
}: TrainingRows): Generator<{ readonly members: Int32Array; readonly y: Float64Array }> {
  const K = counts.length;
  const ofClass = Array.from({ length: K }, (_, c) =>
    Int32Array.from(codes.keys()).filter((i) => codes[i] === c),
  );
  for (let a = 0; a < K; a++) {
    for (let b = a + 1; b < K; b++) {
      const members = new Int32Array(counts[a] + counts[b]);
      members.set(ofClass[a]);
      members.set(ofClass[b], counts[a]);
      yield { members, y: new Float64Array(members.length).fill(-1).fill(1, 0, counts[a]) };
    }
  }
}

/** Rows of the largest pair of classes. */
function twoLargest(counts: Int32Array): number {
  const [first, second] = counts.toSorted((a, b) => b - a);
  return first + second;
}

/** Rows used by some pair, class by class, and each pair's coefficients for the rows of its two classes. */
function support(
  { X, codes, counts }: TrainingRows,
  solutions: readonly { members: Int32Array; solution: SmoSolution }[],
): Pick<Parts, "supportVectors" | "supportCounts" | "coefficients"> {
  const used = new Uint8Array(X.rows);
  for (const { members, solution } of solutions) {
    for (let t = 0; t < members.length; t++) if (solution.coefficients[t] !== 0) used[members[t]] = 1;
  }
  const rows = Int32Array.from(used.keys())
    .filter((i) => used[i] === 1)
    .sort((i, j) => codes[i] - codes[j] || i - j);
  const supportCounts = Array.from(counts, () => 0);
  for (const i of rows) supportCounts[codes[i]]++;
  return {
    supportVectors: takeRows(X, rows),
    supportCounts,
    coefficients: solutions.map(({ members, solution }) =>
      solution.coefficients.filter((_, t) => used[members[t]] === 1),
    ),
  };
}

/**
 * f of every pair of classes from the kernel values of new rows and support vectors, written to the rows of F from
 * `first` on. Support vectors are ordered by class, so a pair reads two runs of them.
 */
function pairDecisions(
  values: Matrix,
  supportCounts: readonly number[],
  coefficients: readonly Float64Array[],
  intercepts: readonly number[],
  F: Matrix,
  first: number,
): void {
  const K = supportCounts.length;
  const starts = new Int32Array(K);
  for (let c = 1; c < K; c++) starts[c] = starts[c - 1] + supportCounts[c - 1];
  for (let i = 0; i < values.rows; i++) {
    const at = i * values.cols;
    for (let a = 0, pair = 0; a < K; a++) {
      for (let b = a + 1; b < K; b++, pair++) {
        const own = coefficients[pair];
        let sum = intercepts[pair];
        let q = 0;
        for (let p = at + starts[a]; q < supportCounts[a]; p++, q++) sum += own[q] * values.data[p];
        for (let p = at + starts[b]; q < own.length; p++, q++) sum += own[q] * values.data[p];
        F.data[(first + i) * F.cols + pair] = sum;
      }
    }
  }
}

/**
 * The class with most votes of its pairs; the first one in a tie. A decision of exactly 0 votes for the
 * second class.
 */
function pairVotes(F: Matrix, classes: readonly Label[]): Label[] {
  const K = classes.length;
  const votes = new Int32Array(K);
  return Array.from({ length: F.rows }, (_, i) => {
    votes.fill(0);
    for (let a = 0, p = i * F.cols; a < K; a++) {
      for (let b = a + 1; b < K; b++, p++) votes[F.data[p] > 0 ? a : b]++;
    }
    let best = 0;
    for (let c = 1; c < K; c++) if (votes[c] > votes[best]) best = c;
    return classes[best];
  });
}
