/**
 * Metrics that continue learning: each new row or pair costs the same, d^2 operations (MLCA d^2 more for each
 * class on evaluation), and no row is stored.
 *
 * - MLCA (Law et al. 2016) and RCA (Bar-Hillel et al. 2005) are functions of scatter matrices, whose inverse
 *   is updated by the formula of Sherman and Morrison: they equal a fit to all rows so far, up to rounding.
 * - ITML (Davis et al. 2007) makes one Bregman projection for each pair, on that pair's constraint alone: it
 *   depends on the order of the pairs; shown several times, they approach their bounds.
 */
import { inputError } from "../../core/internal.ts";
import {
  gram,
  identity,
  matrix,
  multiply,
  tryCholesky,
  type Matrix,
  rankOneUpdate,
  multiplyVector,
} from "../../matrix/index.ts";
import { mapped, symmetrize, dot } from "../../matrix/internal.ts";
import { isUnknown, type Label } from "../../score/index.ts";
import { closedForm, factorOf, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";

export interface OnlineMetric {
  /** Number of rows, or pairs, so far. */
  readonly count: number;
  /** M, d x d; undefined as long as there are too few rows. */
  matrix(): Matrix | undefined;
  /** The metric so far, in the form of a fit. Costs d^3. */
  metric(): Mahalanobis;
}

export interface OnlineRows extends OnlineMetric {
  /** A row and its class (MLCA) or chunklet (RCA); unknown ones are left out. */
  add(row: ArrayLike<number>, label: Label | null): void;
}

export interface OnlinePairs extends OnlineMetric {
  /** Two rows that belong together, or do not. */
  add(a: ArrayLike<number>, b: ArrayLike<number>, together: boolean): void;
}

/** M = W W', W = G^-1 B: G the scatter of the rows about their mean, B the class sums about it, each over sqrt(n_c). */
export function onlineMlca(features: number): OnlineRows {
  const d = checkedFeatures("onlineMlca", features);
  const total = movingInverse(d);
  const mean = new Float64Array(d);
  const classes = new Map<Label, { count: number; sum: Float64Array }>();
  let count = 0;
  const product = (): Matrix | undefined => {
    const inverse = classes.size < 2 ? undefined : total.inverse();
    if (inverse === undefined) return undefined;
    const B = matrix(classes.size, d);
    [...classes.values()].forEach(({ count: n, sum }, c) => {
      for (let f = 0; f < d; f++) B.data[c * d + f] = (sum[f] - n * mean[f]) / Math.sqrt(n);
    });
    return gram(multiply(B, inverse)); // of W'
  };
  return {
    get count() {
      return count;
    },
    add(row, label) {
      requireRow("onlineMlca", row, d);
      if (label === null || isUnknown(label)) return;
      const own = classes.get(label) ?? { count: 0, sum: new Float64Array(d) };
      classes.set(label, own);
      moveMean(total, mean, row, ++count);
      own.count++;
      for (let f = 0; f < d; f++) own.sum[f] += row[f];
    },
    matrix: product,
    metric: () => described("mlca", product(), "onlineMlca: there are too few rows for a metric"),
  };
}

/** M = (C / rows)^-1, C the scatter of the rows about the means of their chunklets. */
export function onlineRca(features: number): OnlineRows {
  const d = checkedFeatures("onlineRca", features);
  const within = movingInverse(d);
  const chunklets = new Map<Label, { count: number; mean: Float64Array }>();
  let count = 0;
  const product = (): Matrix | undefined => {
    const inverse = within.inverse();
    return inverse && mapped(inverse, (value) => count * value);
  };
  return {
    get count() {
      return count;
    },
    add(row, label) {
      requireRow("onlineRca", row, d);
      if (label === null || isUnknown(label) || label === -1) return;
      const own = chunklets.get(label) ?? { count: 0, mean: new Float64Array(d) };
      chunklets.set(label, own);
      count++;
      moveMean(within, own.mean, row, ++own.count);
    },
    matrix: product,
    metric: () => described("rca", product(), "onlineRca: there are too few rows in chunklets for a metric"),
  };
}

/**
 * @param options u and l, bounds on squared distances of must-links and cannot-links; gamma, the weight of a pair against what
 * was learned before (default 1); M to start from (default: the identity)
 */
export function onlineItml(
  features: number,
  options: { readonly bounds: readonly [number, number]; readonly gamma?: number; readonly prior?: Matrix },
): OnlinePairs {
  const d = checkedFeatures("onlineItml", features);
  const { bounds, gamma = 1, prior } = options;
  const [u, l] = bounds;
  if (!(u > 0 && u < Infinity && l > 0 && l < Infinity)) {
    throw inputError(`onlineItml: the bounds must be two finite numbers above 0, got ${u} and ${l}`);
  }
  if (!(gamma > 0 && gamma < Infinity)) throw inputError(`onlineItml: gamma must be above 0, got ${gamma}`);
  if (prior !== undefined && (prior.rows !== d || prior.cols !== d)) {
    throw inputError(`onlineItml: the prior is ${prior.rows} x ${prior.cols}, but there are ${d} columns`);
  }
  const M = prior === undefined ? identity(d) : matrix(d, d, prior.data.slice());
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(a, b, together) {
      requireRow("onlineItml", a, d);
      requireRow("onlineItml", b, d);
      const v = Float64Array.from({ length: d }, (_, f) => a[f] - b[f]);
      const p = dot(v, multiplyVector(M, v));
      if (!(p > 0)) return; // equal rows: nothing moves
      const bound = together ? u : l;
      count++;
      if (together ? p <= bound : p >= bound) return;
      // The projection on p' = xi with slack: 1 / p' = 1 / p + t, 1 / xi = 1 / bound - t / gamma, p' = xi.
      const t = (gamma / (gamma + 1)) * (1 / bound - 1 / p);
      addOuter(M, v, t);
    },
    matrix: () => matrix(d, d, M.data.slice()),
    metric: () => described("itml", M, ""),
  };
}

function moveMean(scatter: MovingInverse, mean: Float64Array, row: ArrayLike<number>, count: number): void {
  const v = Float64Array.from(mean, (value, f) => row[f] - value);
  for (let f = 0; f < mean.length; f++) mean[f] += v[f] / count;
  if (count > 1) scatter.add(v, (count - 1) / count);
}

function described(method: string, M: Matrix | undefined, missing: string): Mahalanobis {
  if (M === undefined) throw inputError(missing);
  return mahalanobis({
    method,
    factor: factorOf(symmetrize(matrix(M.rows, M.cols, M.data.slice()))),
    ...closedForm("updated, not fitted", 0),
    warnings: [],
  });
}

function checkedFeatures(method: string, features: number): number {
  if (Number.isInteger(features) && features > 0) return features;
  throw inputError(`${method}: the number of columns must be a whole number above 0, got ${features}`);
}

function requireRow(method: string, row: ArrayLike<number>, d: number): void {
  if (row.length !== d)
    throw inputError(`${method}: a row has ${row.length} columns, but ${d} were expected`);
  for (let f = 0; f < d; f++) {
    if (!Number.isFinite(row[f])) throw inputError(`${method}: column ${f} of a row is ${row[f]}`);
  }
}

/**
 * The inverse of a scatter matrix G that grows by outer products: G <- G + w v v' costs d^2 by the formula of Sherman and
 * Morrison (1950). It is recomputed from G when it does not exist yet, and every `fresh` steps, so rounding
 * does not accumulate.
 */
type MovingInverse = ReturnType<typeof movingInverse>;

/** Number of steps by the formula, in multiples of d: the following factor costs as much as d of them. */
const FRESH = 20;

function movingInverse(d: number) {
  const G = matrix(d, d);
  let known: Matrix | undefined;
  let steps = 0;
  const made = (): Matrix | undefined => {
    steps = 0;
    return tryCholesky(G)?.solve(identity(d));
  };
  return {
    add(v: Float64Array, weight: number): void {
      rankOneUpdate(G, weight, v);
      if (known === undefined || ++steps > FRESH * d) {
        known = undefined;
        return;
      }
      addOuter(known, v, weight);
    },
    /** G^-1, or undefined where G is singular. */
    inverse: (): Matrix | undefined => (known ??= made()),
  };
}

/** A <- (A^-1 + w v v')^-1 = A - w A v v'A / (1 + w v'A v), in place. */
function addOuter(A: Matrix, v: Float64Array, weight: number): void {
  const Av = multiplyVector(A, v);
  rankOneUpdate(A, -weight / (1 + weight * dot(v, Av)), Av);
}
