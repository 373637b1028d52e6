/**
 * Linear support vector machine, one against the rest: the class with the largest w_c'x + b_c. With two classes there
 * is one machine, and the second is its negative. Objective, dual and solver: dualCoordinateDescent.ts. As in LIBLINEAR
 * the intercept is a weight like the others and is penalised with them.
 */
import { random } from "../../core/index.ts";
import {
  choice,
  flag,
  integer,
  list,
  load,
  numbers,
  numericError,
  oneOf,
  plain,
  progressGate,
  progressRule,
  real,
  record,
  resolveOptions,
  seedRule,
  unchecked,
  where,
  type LoadedOf,
  type OptionsOf,
  type StoredOf,
} from "../../core/internal.ts";
import {
  matrix,
  multiplyTransposeB,
  multiplyTransposeVector,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { requireNotHuge, rowMajorForm } from "../../matrix/internal.ts";
import type { Labeling } from "../../score/index.ts";
import {
  largestOf,
  newRows,
  trainingRows,
  type Classifier,
  classifierFields,
  machineFields,
  outcomeOf,
} from "../classifier.ts";
import { dualCoordinateDescent, type LinearSolution } from "./dualCoordinateDescent.ts";
import { primalNewton } from "./primalNewton.ts";
import { rowProducts } from "./rowProducts.ts";

export const linearSvmOptions = {
  /** C, the price of a row on the wrong side of its margin; default 1. */
  cost: real({ above: 0, default: 1, says: "price of a row on the wrong side of its margin" }),
  loss: oneOf(["squared-hinge", "hinge"] as const, "squared-hinge", {
    says: "loss of a row on the wrong side",
  }),
  /** Default true. */
  intercept: flag(true),
  /** Duality gap, relative to the objective, at which to stop; default 1e-6. */
  tolerance: real({ above: 0, default: 1e-6 }),
  /** Passes over the rows per class; default 10000. */
  maxIterations: integer({ min: 1, default: 10_000 }),
  seed: seedRule,
  onProgress: progressRule,
};

export type LinearSvmOptions = OptionsOf<typeof linearSvmOptions>;

/** The fit of the machine of one class: its primal objective, and the primal minus the dual one. */
const machineForm = record(machineFields);
export interface LinearSvmFit extends StoredOf<typeof machineForm> {}

const linearSvmForm = where(
  record({
    ...classifierFields,
    method: choice("linearSvm"),
    cost: unchecked<number>(),
    loss: unchecked<"squared-hinge" | "hinge">(),
    /** K rows of d weights. */
    weights: rowMajorForm("classes", "features"),
    intercepts: numbers("classes"),
    /** One per class; a single one for two classes. */
    machines: list(machineForm),
  }),
  ({ classes, machines }, refuse) => {
    const count = classes.length === 2 ? 1 : classes.length;
    if (machines.length !== count) {
      throw refuse("machines", `has ${machines.length} entries where ${count} belong`);
    }
  },
);

export interface LinearSvmData extends StoredOf<typeof linearSvmForm> {}

export interface LinearSvm extends Classifier<LinearSvmData> {
  /** K x d. */
  readonly weights: Matrix;
  readonly intercepts: Float64Array;
  readonly machines: readonly LinearSvmFit[];
  /** Sum over the machines. */
  readonly objective: number;
  readonly iterations: number;
  readonly converged: boolean;
  readonly certificate: { readonly kind: string; readonly residual: number };
  /** w_c'y + b_c, one column per class. */
  decision(Y: MatrixLike): Matrix;
}

const METHOD = "linearSvm";

const FEW_FEATURES = 200;

export function linearSvm(input: MatrixLike, labels: Labeling, options: LinearSvmOptions = {}): LinearSvm {
  const { cost, loss, intercept, tolerance, maxIterations, seed, onProgress } = resolveOptions(
    METHOD,
    options,
    linearSvmOptions,
  );
  const { X: rows, codes, classes, warnings } = trainingRows(METHOD, input, labels);
  requireNotHuge(rows, "the training data");
  const products = rowProducts(rows, intercept);
  const K = classes.length;
  const d = rows.cols;
  const count = K === 2 ? 1 : K;
  const gate = progressGate(onProgress);
  const stream = random(seed);
  // With few features Newton's method in the primal finds the answer, and coordinate descent only proves it.
  const newton = loss === "squared-hinge" && products.features <= Math.min(rows.rows, FEW_FEATURES);
  const every = Int32Array.from(codes.keys());
  const machines: LinearSolution[] = [];
  for (let c = 0; c < count; c++) {
    const y = Float64Array.from(codes, (code) => (code === c ? 1 : -1));
    const label = `class ${c + 1} of ${count}`;
    const start = newton ? primalNewton(products.signed(every, y), cost, tolerance / 10, 100) : undefined;
    machines.push(
      dualCoordinateDescent({
        rows: products,
        y,
        cost,
        squared: loss === "squared-hinge",
        start,
        tolerance,
        maxIterations,
        random: stream.split(),
        report: (fraction) => gate({ fraction: (c + fraction) / count, label }),
      }),
    );
  }
  if (machines.some(({ objective, gap }) => !Number.isFinite(objective) || !Number.isFinite(gap))) {
    throw numericError(
      `${METHOD}: the columns are too different in size for finite numbers; scale the data first`,
    );
  }
  const late = machines.filter((machine) => !machine.converged);
  if (late.length > 0) {
    const worst = Math.max(...late.map(({ gap, objective }) => gap / objective));
    warnings.push(
      `${late.length} of ${count} machines did not reach the tolerance (relative gap ${worst.toPrecision(2)})` +
        `${gate.stopped ? ", stopped" : "; scale the data, lower the cost or raise maxIterations"}`,
    );
  }
  const weights = matrix(K, d);
  const intercepts = new Float64Array(K);
  machines.forEach(({ coefficients }, c) => {
    weights.data.set(multiplyTransposeVector(rows, coefficients), c * d);
    if (intercept) intercepts[c] = coefficients.reduce((sum, value) => sum + value, 0);
  });
  if (count === 1) {
    for (let f = 0; f < d; f++) weights.data[d + f] = 0 - weights.data[f];
    intercepts[1] = 0 - intercepts[0];
  }
  return assemble({
    classes,
    features: d,
    warnings,
    cost,
    loss,
    weights,
    intercepts,
    machines: machines.map(machineForm.save),
  });
}

export function loadLinearSvm(data: LinearSvmData): LinearSvm {
  return assemble(load(linearSvmForm, data, "the classifier"));
}

type Parts = Omit<LoadedOf<typeof linearSvmForm>, "method">;

function assemble(parts: Parts): LinearSvm {
  const { classes, features, warnings, machines, weights, intercepts } = parts;
  const decision = (input: MatrixLike): Matrix => {
    const Y = newRows(METHOD, input, features);
    requireNotHuge(Y, "the new data");
    const F = multiplyTransposeB(Y, weights);
    for (let p = 0; p < F.data.length; p++) F.data[p] += intercepts[p % classes.length];
    return F;
  };
  return plain({
    method: METHOD,
    classes,
    features,
    warnings,
    weights,
    intercepts,
    machines,
    ...outcomeOf(machines),
    certificate: {
      kind: "largest duality gap of a machine relative to its objective",
      residual: machines.reduce((worst, fit) => Math.max(worst, fit.gap / fit.objective), 0),
    },
    decision,
    predict: (Y) => largestOf(decision(Y), classes),
    toJSON: () => linearSvmForm.save({ ...parts, method: METHOD }),
  });
}
