/**
 * Linear support vector machine, one against the rest: the class with the largest w_c'x + b_c. With two classes there
 * is one machine, and the second is its negative. Objective, dual and solver: dualCoordinateDescent.ts. As in LIBLINEAR
 * the intercept is a weight like the others and is penalised with them.
 */
import { random } from "../../core/index.ts";
import { form, numericError, plain, progressGate, rule } from "../../core/internal.ts";
import {
  matrix,
  multiplyTransposeB,
  multiplyTransposeVector,
  gram,
  multiplyVector,
  takeRows,
  tryCholesky,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { requireNotHuge, rowMajorForm } from "../../matrix/internal.ts";
import type { Labeling } from "../../score/index.ts";
import {
  largestOf,
  newRows,
  trainingRows,
  classifierFields,
  machineFields,
  outcomeOf,
  type Classifier,
} from "../classifier.ts";
import { dualCoordinateDescent, rowProducts, type LinearSolution } from "./dualCoordinateDescent.ts";

export const linearSvmOptions = {
  /** C, the price of a row on the wrong side of its margin; default 1. */
  cost: rule.real({ above: 0, default: 1, says: "price of a row on the wrong side of its margin" }),
  loss: rule.oneOf(["squared-hinge", "hinge"] as const, "squared-hinge", {
    says: "loss of a row on the wrong side",
  }),
  /** Default true. */
  intercept: rule.flag(true),
  /** Duality gap, relative to the objective, at which to stop; default 1e-6. */
  tolerance: rule.real({ above: 0, default: 1e-6 }),
  /** Passes over the rows per class; default 10000. */
  maxIterations: rule.integer({ min: 1, default: 10_000 }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type LinearSvmOptions = rule.OptionsOf<typeof linearSvmOptions>;

/** The fit of the machine of one class: its primal objective, and the primal minus the dual one. */
const machineForm = form.record(machineFields);
export interface LinearSvmFit extends form.StoredOf<typeof machineForm> {}

const linearSvmForm = form.where(
  form.record({
    ...classifierFields,
    method: form.choice("linearSvm"),
    cost: form.unchecked<number>(),
    loss: form.unchecked<"squared-hinge" | "hinge">(),
    /** K rows of d weights. */
    weights: rowMajorForm("classes", "features"),
    intercepts: form.numbers("classes"),
    /** One per class; a single one for two classes. */
    machines: form.list(machineForm),
  }),
  ({ classes, machines }, refuse) => {
    const count = classes.length === 2 ? 1 : classes.length;
    if (machines.length !== count) {
      throw refuse("machines", `has ${machines.length} entries where ${count} belong`);
    }
  },
);

export interface LinearSvmData extends form.StoredOf<typeof linearSvmForm> {}

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
  const resolved = rule.resolveOptions(METHOD, options, linearSvmOptions);
  const { cost, loss, intercept, tolerance, maxIterations, seed, onProgress } = resolved;
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
  return assemble(form.load(linearSvmForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof linearSvmForm>, "method">;

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

/**
 * The squared-hinge machine by Newton's method in the primal (Keerthi and DeCoste, JMLR 6, 2005): P is
 * convex, piecewise quadratic and once differentiable, so Newton steps with an exact line search end after
 * finitely many.
 *
 *     P(w) = 1/2 w'w + C sum_i max(0, 1 - z_i'w)^2,    z_i = y_i x_i
 *     gradient = w - Z'a,  a_i = 2 C max(0, 1 - z_i'w),    Hessian = I + 2 C sum over i with a_i > 0 of z_i z_i'
 *
 * At the optimum w = Z'a, and a solves the dual of dualCoordinateDescent.ts, which starts from it and proves
 * it. For few features: a step costs n d^2, but in contrast to coordinate descent the number of steps hardly
 * depends on the features' scales.
 */

/** @returns a, at least 0, the best found within `maxIterations` steps */
function primalNewton(Z: Matrix, cost: number, tolerance: number, maxIterations: number): Float64Array {
  const w = new Float64Array(Z.cols);
  const margins = new Float64Array(Z.rows);
  const dual = (): Float64Array => margins.map((margin) => 2 * cost * Math.max(0, 1 - margin));
  let a = dual();
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const pull = multiplyTransposeVector(Z, a);
    if (relativeGap(w, pull, a, cost) <= tolerance) break;
    const active = Int32Array.from(a.keys()).filter((i) => a[i] > 0);
    const H = gram(takeRows(Z, active));
    for (let p = 0; p < H.data.length; p++) H.data[p] *= 2 * cost;
    for (let f = 0; f < H.rows; f++) H.data[f * H.rows + f] += 1;
    const descent = matrix(
      w.length,
      1,
      pull.map((value, f) => value - w[f]),
    );
    const direction = tryCholesky(H)?.solve(descent).data;
    if (direction === undefined) break;
    const change = multiplyVector(Z, direction);
    const length = bestLength(w, direction, margins, change, cost);
    if (!(length > 0)) break;
    for (let f = 0; f < w.length; f++) w[f] += length * direction[f];
    for (let i = 0; i < margins.length; i++) margins[i] += length * change[i];
    a = dual();
  }
  return a;
}

/** (P(w) - D(a)) / P(w), with pull = Z'a. */
function relativeGap(w: Float64Array, pull: Float64Array, a: Float64Array, cost: number): number {
  let norms = 0;
  for (let f = 0; f < w.length; f++) norms += w[f] * w[f] + pull[f] * pull[f];
  let total = 0;
  let squares = 0;
  for (let i = 0; i < a.length; i++) {
    total += a[i];
    squares += a[i] * a[i];
  }
  const primal = w.reduce((sum, value) => sum + value * value, 0) / 2 + squares / (4 * cost);
  return (norms / 2 + squares / (2 * cost) - total) / primal;
}

/**
 * The t with P'(w + t p) = 0, to rounding: the derivative increases and is linear between the points where a
 * margin passes 1, so Newton's iteration in t, kept in a bracket, finds it.
 */
function bestLength(
  w: Float64Array,
  p: Float64Array,
  margins: Float64Array,
  change: Float64Array,
  cost: number,
): number {
  let slope0 = 0;
  let curve0 = 0;
  for (let f = 0; f < w.length; f++) {
    slope0 += w[f] * p[f];
    curve0 += p[f] * p[f];
  }
  let low = 0;
  let high = Infinity;
  let t = 1;
  for (let round = 0; round < 60; round++) {
    let slope = slope0 + t * curve0;
    let curve = curve0;
    for (let i = 0; i < margins.length; i++) {
      const slack = 1 - margins[i] - t * change[i];
      if (slack <= 0) continue;
      slope -= 2 * cost * slack * change[i];
      curve += 2 * cost * change[i] * change[i];
    }
    if (slope <= 0) low = t;
    else high = t;
    const next = t - slope / curve;
    const inside = next > low && next < high;
    const moved = inside ? next : high === Infinity ? 2 * t : (low + high) / 2;
    if (Math.abs(moved - t) <= 1e-14 * t || slope === 0) return t;
    t = moved;
  }
  return t;
}
