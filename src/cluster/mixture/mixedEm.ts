/**
 * Expectation maximisation (Dempster, Laird and Rubin 1977) for a mixture of Gaussians with one covariance
 * and independent multinomials,
 *
 *     p(x, c) = sum_k pi_k N(x; mu_k, S) prod_v theta_{k v c_v},
 *
 * where missing levels do not count. It maximises the log-likelihood minus (n ridge / 2) tr S^-1 plus prior
 * sum log theta: the M-step adds `ridge` to the diagonal of S and `prior` rows to each level of each
 * component, so neither a flat direction nor an absent level makes anything infinite.
 *
 * With one covariance the within scatter is that of all rows minus that of the means: an iteration costs n K
 * d.
 */
import { numericError } from "../../core/internal.ts";
import {
  gram,
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";

/** One categorical column: codes 0 .. levels - 1, -1 if missing. */
export interface CodedColumn {
  readonly codes: Int32Array;
  readonly levels: number;
}

export interface MixedParameters {
  /** pi. */
  readonly weights: Float64Array;
  /** K x d. */
  readonly means: Matrix;
  /** d x d. */
  readonly covariance: Matrix;
  /** For each categorical column K x levels probabilities. */
  readonly levels: readonly Matrix[];
}

export interface MixedRun {
  readonly parameters: MixedParameters;
  readonly logLikelihood: number;
  /** The penalised log-likelihood after each iteration; never falls. */
  readonly history: readonly number[];
  readonly converged: boolean;
  readonly stopped: boolean;
  readonly died: number;
  /** n x K, for the last parameters. */
  readonly posteriors: Matrix;
  /** The logarithm of the density of each row. */
  readonly logDensities: Float64Array;
}

export interface MixedSettings {
  readonly ridge: number;
  readonly prior: number;
  readonly maxIterations: number;
  /** Converged when an iteration adds no more than this to the mean penalised log-likelihood of a row. */
  readonly tolerance: number;
  readonly report: (iteration: number, objective: number) => boolean;
}

/** A component with fewer rows than this is removed. */
const DEAD = 1e-3;
/** A component whose density relative to the largest is below e to this power gets no share of a row. */
const NEGLIGIBLE = -40;

export function mixedEm(
  X: Matrix,
  columns: readonly CodedColumn[],
  start: Matrix,
  settings: MixedSettings,
  before: readonly number[] = [],
): MixedRun {
  const total = gram(X);
  let R = start;
  let died = 0;
  const history = [...before];
  for (let iteration = 1; ; iteration++) {
    const alive = withoutDead(R);
    died += alive.died;
    R = alive.R;
    const parameters = maximized(X, columns, R, total, settings);
    const { posteriors, logDensities } = expected(parameters, X, columns);
    let logLikelihood = 0;
    for (const value of logDensities) logLikelihood += value;
    const objective = logLikelihood + penalty(parameters, X.rows, settings);
    const last = history.length > 0 ? history[history.length - 1] : -Infinity;
    history.push(objective);
    R = posteriors;
    const converged = objective - last <= settings.tolerance * X.rows && alive.died === 0;
    const stopped = !settings.report(iteration, objective);
    if (converged || stopped || iteration >= settings.maxIterations) {
      return { parameters, logLikelihood, logDensities, history, converged, stopped, died, posteriors };
    }
  }
}

/** The E-step: probabilities of the components for each row, and the logarithm of its density. */
export function expected(
  { weights, means, covariance, levels }: MixedParameters,
  X: Matrix,
  columns: readonly CodedColumn[],
) {
  const n = X.rows;
  const d = X.cols;
  const K = weights.length;
  const posteriors = matrix(n, K);
  const { data } = posteriors;
  const base = Float64Array.from(weights, Math.log);
  const own = new Float64Array(n);
  if (d > 0) {
    const { inverse, logDeterminant } = inverted(covariance);
    // log N = x' S^-1 mu - mu' S^-1 mu / 2 - x' S^-1 x / 2 - log |2 pi S| / 2; the third term is the same for all k.
    const A = multiply(means, inverse);
    for (let k = 0; k < K; k++) {
      let square = 0;
      for (let f = 0; f < d; f++) square += means.data[k * d + f] * A.data[k * d + f];
      base[k] -= square / 2;
    }
    data.set(multiplyTransposeB(X, A).data);
    const Y = multiply(X, inverse);
    const constant = (d * Math.log(2 * Math.PI) + logDeterminant) / 2;
    for (let i = 0; i < n; i++) {
      let square = 0;
      for (let p = i * d; p < (i + 1) * d; p++) square += X.data[p] * Y.data[p];
      own[i] = -square / 2 - constant;
    }
  }
  columns.forEach(({ codes, levels: L }, v) => {
    const logs = Float64Array.from(levels[v].data, Math.log);
    for (let i = 0; i < n; i++) {
      const code = codes[i];
      if (code < 0) continue;
      for (let k = 0; k < K; k++) data[i * K + k] += logs[k * L + code];
    }
  });
  const logDensities = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let most = -Infinity;
    for (let k = 0; k < K; k++) {
      const value = (data[i * K + k] += base[k]);
      if (value > most) most = value;
    }
    let sum = 0;
    for (let k = 0; k < K; k++) {
      const below = data[i * K + k] - most;
      sum += data[i * K + k] = below < NEGLIGIBLE ? 0 : Math.exp(below);
    }
    for (let k = 0; k < K; k++) data[i * K + k] /= sum;
    logDensities[i] = own[i] + most + Math.log(sum);
  }
  return { posteriors, logDensities };
}

/** -(n ridge / 2) tr S^-1 + prior sum log theta. */
function penalty(
  { covariance, levels }: MixedParameters,
  n: number,
  { ridge, prior }: MixedSettings,
): number {
  let sum = 0;
  const d = covariance.rows;
  if (d > 0) {
    const { inverse } = inverted(covariance);
    for (let f = 0; f < d; f++) sum -= ((n * ridge) / 2) * inverse.data[f * d + f];
  }
  for (const { data } of levels) for (const theta of data) sum += prior * Math.log(theta);
  return sum;
}

export function inverted(covariance: Matrix) {
  const factor = tryCholesky(covariance);
  if (factor === undefined) {
    throw numericError("mixedMixture: the covariance is flat in some direction; raise the ridge");
  }
  return { inverse: factor.solve(identity(covariance.rows)), logDeterminant: factor.logDeterminant };
}

function maximized(
  X: Matrix,
  columns: readonly CodedColumn[],
  R: Matrix,
  total: Matrix,
  { ridge, prior }: MixedSettings,
): MixedParameters {
  const { rows: n, cols: d } = X;
  const K = R.cols;
  const counts = new Float64Array(K);
  for (let p = 0; p < R.data.length; p++) counts[p % K] += R.data[p];
  const means = multiplyTransposeA(R, X);
  for (let p = 0; p < means.data.length; p++) means.data[p] /= counts[Math.floor(p / d)];
  const covariance = matrix(d, d);
  for (let a = 0; a < d; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = total.data[a * d + b];
      for (let k = 0; k < K; k++) sum -= counts[k] * means.data[k * d + a] * means.data[k * d + b];
      covariance.data[a * d + b] = covariance.data[b * d + a] = sum / n + (a === b ? ridge : 0);
    }
  }
  const levels = columns.map(({ codes, levels: L }) => {
    const theta = matrix(K, L);
    theta.data.fill(prior);
    for (let i = 0; i < n; i++) {
      const code = codes[i];
      if (code < 0) continue;
      for (let k = 0; k < K; k++) theta.data[k * L + code] += R.data[i * K + k];
    }
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let c = 0; c < L; c++) sum += theta.data[k * L + c];
      for (let c = 0; c < L; c++) theta.data[k * L + c] /= sum;
    }
    return theta;
  });
  return { weights: counts.map((count) => count / n), means, covariance, levels };
}

function withoutDead(R: Matrix) {
  const { rows: n, cols: K, data } = R;
  const counts = new Float64Array(K);
  for (let p = 0; p < data.length; p++) counts[p % K] += data[p];
  const kept = Array.from(counts.keys()).filter((k) => counts[k] >= DEAD);
  if (kept.length === K) return { R, died: 0 };
  const left = matrix(n, kept.length);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (const k of kept) sum += data[i * K + k];
    kept.forEach((k, p) => (left.data[i * kept.length + p] = data[i * K + k] / sum));
  }
  return { R: left, died: K - kept.length };
}
