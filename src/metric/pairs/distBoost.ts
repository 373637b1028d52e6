/**
 * DistBoost (T. Hertz, A. Bar-Hillel and D. Weinshall, 2004, "Boosting margin based distance functions for clustering"):
 * boosting over pairs of rows. A weak learner is a Gaussian mixture fitted under the pairs (`constrainedMixture`) to
 * rows weighted by the pairs that are still wrong; with c(x) the most probable component and p(x) its probability,
 *
 *     h_t(x, y) = p_t(x) p_t(y) if c_t(x) = c_t(y), else -p_t(x) p_t(y)
 *     r_t = sum_pairs W y h_t,   a_t = 1/2 log((1 + r_t) / (1 - r_t)),   W <- W exp(-a_t y h_t) / sum
 *
 * and H = sum_t a_t h_t / sum_t a_t in [-1, 1], 1 for the same. The distance (1 - H) / 2 lies in [0, 1] but
 * is not a metric: a row between two components has distance 1/2 even to itself.
 */
import {
  asMatrix,
  fromRows,
  matrix,
  identity,
  multiplyTransposeB,
  multiplyTransposeVector,
  solveTriangular,
  squaredNorms,
  tryCholesky,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  requireFinite,
  rowMajorForm,
  centered,
  columnMeans,
  columnVariances,
  weightedGram,
} from "../../matrix/internal.ts";
import { random, type Random } from "../../core/index.ts";
import { form, inputError, meanOf, plain, progressGate, rule, softmax } from "../../core/internal.ts";
import type { Pair, CheckedConstraints } from "../../data/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { pairedRows } from "./pairedRows.ts";

export const distBoostOptions = {
  ...PAIR_RULES,
  /** Components of each mixture; default: 2 to 6, the number whose first mixture agrees best with the pairs. */
  components: rule.integer({
    min: 2,
    says: "components of each mixture; the number of classes, if it is known",
    usual: "2 to 6, the number that agrees best with the pairs",
  }),
  /** Weak learners. */
  rounds: rule.integer({ min: 1, max: 10_000, default: 20, says: "number of mixtures to boost" }),
  /** Steps of EM for each. */
  iterations: rule.integer({ min: 1, max: 10_000, default: 10, says: "EM steps for each mixture" }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type DistBoostOptions = rule.OptionsOf<typeof distBoostOptions>;

/** The r of chance, up to the rounding of its sum. */
const CHANCE = 1e-12;
/** Of the default: a budget, five mixtures beside the twenty of the rounds. */
const MOST_COMPONENTS = 6;
/** Learned strengths are below 4, since an agreement counts as at most 0.999. */
const MOST_STRENGTH = 100;

/** A boosted distance in the form of a file. */
const distBoostForm = form.record({
  kind: form.choice("dist-boost"),
  /** That rows must have. */
  columns: form.size("columns", { min: 1 }),
  components: form.size("components", { min: 1 }),
  /** The components of each weak learner; the whitener is columns x columns, lower triangular, row by row. */
  learners: form.list(
    form.list(
      form.record({
        share: form.number({ min: 0 }),
        mean: form.numbers("columns"),
        whitener: rowMajorForm("columns", "columns"),
        logDeterminant: form.number(),
      }),
      "components",
    ),
    "learners",
  ),
  /** a_t of the learners that are better than chance. */
  strengths: form.numbers("learners", { above: 0, max: MOST_STRENGTH }),
  /** r_t, the weighted agreement of each learner with the pairs. */
  agreements: form.numbers("learners"),
  /** The share of pairs whose H has the wrong sign. */
  pairError: form.number({ min: 0, max: 1 }),
  warnings: form.list(form.text()),
});

export interface DistBoostData extends form.StoredOf<typeof distBoostForm> {}

type Parts = form.LoadedOf<typeof distBoostForm>;

export interface DistBoost extends Omit<Parts, "kind" | "learners"> {
  readonly method: "dist-boost";
  /** H of each pair of rows of Y, in [-1, 1]. */
  similarities(Y: Matrix, pairs: readonly Pair[]): Float64Array;
  /** (1 - H) / 2. */
  distance(a: ArrayLike<number>, b: ArrayLike<number>): number;
  /**
   * Rows sqrt(2 a_t / sum a) p_t(x) (e_{c_t(x)} - 1/components), learner by learner, for Euclidean methods:
   * with two components their inner products are H; with more, H minus chance agreement.
   */
  transform(Y: MatrixLike): Matrix;
  toJSON(): DistBoostData;
  /** The same: it is its own model. */
  model(): DistBoostData;
}

export function distBoost(input: MatrixLike, options: DistBoostOptions = {}): DistBoost {
  const resolved = rule.resolveOptions("distBoost", options, distBoostOptions);
  const { rounds, iterations, seed, onProgress, ...given } = resolved;
  const checked = pairedRows("distBoost", input, options, "both");
  const { X, mustLink, cannotLink, warnings } = checked;
  const pairs = [...mustLink, ...cannotLink];
  const y = Int8Array.from(pairs, (_, p) => (p < mustLink.length ? 1 : -1));
  const W = new Float64Array(pairs.length).fill(1 / pairs.length);
  const streams = random(seed);
  /** A mixture of K components under the weights, with h and r of the pairs. */
  const weak = (K: number) => {
    const rowWeights = pairWeights(X.rows, pairs, W);
    const learner = constrainedMixture(X, rowWeights, checked, K, iterations, streams.split());
    const h = agreement(learner.classify(X), pairs);
    let r = 0;
    for (let p = 0; p < pairs.length; p++) r += W[p] * y[p] * h[p];
    return { K, learner, h, r };
  };
  // The error on the pairs is at most prod_t sqrt(1 - r_t^2), so the first mixtures say how many components to take.
  const numbers = Array.from({ length: Math.min(MOST_COMPONENTS, X.rows) - 1 }, (_, k) => k + 2);
  const components = given.components ?? numbers.map(weak).reduce((a, b) => (b.r > a.r + CHANCE ? b : a)).K;
  if (components > X.rows) throw inputError(`distBoost: ${components} components for ${X.rows} rows`);
  const report = progressGate(onProgress);
  const learners: ConstrainedMixture[] = [];
  const strengths: number[] = [];
  const agreements: number[] = [];
  const margin = new Float64Array(pairs.length);
  for (let t = 0; t < rounds; t++) {
    if (!report({ fraction: t / rounds, label: `weak learner ${t + 1} of ${rounds}` })) {
      warnings.push(`stopped by onProgress after ${t} rounds`);
      break;
    }
    const { learner, h, r } = weak(components);
    // Its strength would be 0, and a total of 0 has no shares.
    if (r <= CHANCE) continue;
    // A learner that agrees with every pair would get all the weight.
    const strength = 0.5 * Math.log((1 + Math.min(r, 0.999)) / (1 - Math.min(r, 0.999)));
    let sum = 0;
    for (let p = 0; p < pairs.length; p++) {
      margin[p] += strength * y[p] * h[p];
      W[p] *= Math.exp(-strength * y[p] * h[p]);
      sum += W[p];
    }
    for (let p = 0; p < pairs.length; p++) W[p] /= sum;
    learners.push(learner);
    strengths.push(strength);
    agreements.push(r);
  }
  if (learners.length === 0)
    warnings.push("no weak learner is better than chance: the distance is 1/2 everywhere");
  return describe({
    kind: "dist-boost",
    columns: X.cols,
    components,
    learners: learners.map((learner) => learner.components),
    strengths: Float64Array.from(strengths),
    agreements: Float64Array.from(agreements),
    pairError: margin.filter((value) => value <= 0).length / pairs.length,
    warnings,
  });
}

type Classified = ReturnType<ConstrainedMixture["classify"]>;

/** Each row's share of the weights of its pairs, with mean 1; rows in no pair keep a small one. */
function pairWeights(n: number, pairs: readonly Pair[], W: Float64Array): Float64Array {
  const weights = new Float64Array(n).fill(0.1);
  pairs.forEach(([i, j], p) => {
    weights[i] += (n * W[p]) / 2;
    weights[j] += (n * W[p]) / 2;
  });
  return weights;
}

function agreement({ component, confidence }: Classified, pairs: readonly Pair[]): Float64Array {
  return Float64Array.from(pairs, ([i, j]) => {
    const sure = confidence[i] * confidence[j];
    return component[i] === component[j] ? sure : -sure;
  });
}

function describe(parts: Parts): DistBoost {
  const { kind: _, learners, ...known } = parts;
  const { columns: d, components, strengths } = known;
  const mixtures = learners.map(mixture);
  const total = strengths.reduce((sum, strength) => sum + strength, 0);
  const classified = (Y: Matrix): Classified[] => {
    if (Y.cols !== d)
      throw inputError(`distBoost was learned on ${d} columns, but these rows have ${Y.cols}`);
    requireFinite(Y);
    return mixtures.map((learner) => learner.classify(Y));
  };
  const similarities = (Y: Matrix, pairs: readonly Pair[]): Float64Array => {
    const H = new Float64Array(pairs.length);
    classified(Y).forEach((one, t) => {
      agreement(one, pairs).forEach((h, p) => (H[p] += (strengths[t] / total) * h));
    });
    return H;
  };
  return plain({
    ...known,
    method: "dist-boost",
    similarities,
    distance(a, b) {
      if (a.length !== d || b.length !== d) {
        throw inputError(
          `distBoost was learned on ${d} columns, but a point has ${a.length === d ? b.length : a.length}`,
        );
      }
      return (1 - similarities(fromRows([a, b]), [[0, 1]])[0]) / 2;
    },
    transform(input) {
      const Y = asMatrix(input, "distBoost");
      const M = components;
      // Without a learner all rows are the same: columns of 0.
      const moved = matrix(Y.rows, Math.max(1, learners.length) * M);
      classified(Y).forEach(({ component, confidence }, t) => {
        const size = Math.sqrt((2 * strengths[t]) / total);
        for (let i = 0; i < Y.rows; i++) {
          for (let k = 0; k < M; k++) {
            moved.data[i * moved.cols + t * M + k] =
              size * confidence[i] * ((component[i] === k ? 1 : 0) - 1 / M);
          }
        }
      });
      return moved;
    },
    toJSON: () => distBoostForm.save(parts),
  });
}

/** Reads the output of `toJSON`. */
export function loadDistBoost(data: DistBoostData): DistBoost {
  return describe(form.load(distBoostForm, data, "the DistBoost distance"));
}

/**
 * A Gaussian mixture under pairs (N. Shental, A. Bar-Hillel, T. Hertz and D. Weinshall, 2003, "Computing Gaussian mixture
 * models with EM using equivalence constraints"), on weighted rows. A must-link group chooses its component once,
 *
 *     q_g(k)  ~  pi_k prod_{i in g} N(x_i; mu_k, S_k) exp(-sum_{g' cannot-linked} q_g'(k) cost)
 *
 * the last factor being a mean field instead of the exact sum over a graph of cannot-links, which is
 * exponential. All components share the ridge that keeps their covariances positive definite.
 */
type ConstrainedMixture = ReturnType<typeof mixture>;

interface Component {
  readonly share: number;
  readonly mean: Float64Array;
  /** Inverse of the Cholesky factor of the covariance, row by row. */
  readonly whitener: Matrix;
  readonly logDeterminant: number;
}

/** Strength of a cannot-link between its groups, in units of log probability. */
const COST = 4;

export function constrainedMixture(
  rows: Matrix,
  weights: Float64Array,
  constraints: CheckedConstraints,
  components: number,
  iterations: number,
  stream: Random,
): ConstrainedMixture {
  const { group, groups, cannotLink } = constraints;
  const K = components;
  const q = new Float64Array(groups * K);
  const scores = new Float64Array(groups * K);
  // Relative to the means of the columns: far from the origin the differences within a component would be
  // lost in its mean.
  const center = columnMeans(rows);
  const X = centered(rows, center);
  const ridge = 0.05 * (meanOf(columnVariances(X)) || 1);
  let model = initial(X, weights, K, ridge, stream);
  for (let t = 0; t < iterations; t++) {
    const logs = logDensities(X, model);
    scores.fill(0);
    for (let i = 0; i < X.rows; i++) {
      for (let k = 0; k < K; k++) scores[group[i] * K + k] += logs[i * K + k];
    }
    // The prior counts once for a group.
    for (let g = 0; g < groups; g++) {
      for (let k = 0; k < K; k++) scores[g * K + k] += Math.log(model[k].share);
    }
    softmax(scores, K, q);
    for (let sweep = 0; sweep < 3; sweep++) {
      const pushed = scores.slice();
      for (const [i, j] of cannotLink) {
        for (let k = 0; k < K; k++) {
          pushed[group[i] * K + k] -= COST * q[group[j] * K + k];
          pushed[group[j] * K + k] -= COST * q[group[i] * K + k];
        }
      }
      softmax(pushed, K, q);
    }
    model = maximise(X, weights, group, q, K, ridge);
  }
  return mixture(
    model.map((component) => ({ ...component, mean: component.mean.map((value, f) => value + center[f]) })),
  );
}

function mixture(components: readonly Component[]) {
  const K = components.length;
  return {
    components,
    /** The most probable component of each row of Y and its probability. */
    classify(Y: Matrix) {
      const logs = logDensities(Y, components);
      const component = new Int32Array(Y.rows);
      const confidence = new Float64Array(Y.rows);
      const posterior = new Float64Array(K);
      for (let i = 0; i < Y.rows; i++) {
        const own = logs.subarray(i * K, (i + 1) * K).map((log, k) => log + Math.log(components[k].share));
        softmax(own, K, posterior);
        for (let k = 1; k < K; k++) if (posterior[k] > posterior[component[i]]) component[i] = k;
        confidence[i] = posterior[component[i]];
      }
      return { component, confidence };
    },
  };
}

/** Random rows as means, one covariance for all. */
function initial(X: Matrix, weights: Float64Array, K: number, ridge: number, stream: Random): Component[] {
  const n = X.rows;
  const everything = new Float64Array(n * K).fill(1 / K);
  const rows = new Int32Array(n).map((_, i) => i);
  const pooled = maximise(X, weights, rows, everything, K, ridge);
  const chosen = stream.sample(K, n);
  return pooled.map((component, k) => ({
    ...component,
    mean: X.data.slice(chosen[k] * X.cols, (chosen[k] + 1) * X.cols),
  }));
}

function maximise(
  X: Matrix,
  weights: Float64Array,
  group: Int32Array,
  q: Float64Array,
  K: number,
  ridge: number,
): Component[] {
  const d = X.cols;
  const fitted = Array.from({ length: K }, (_, k) => {
    const own = weights.map((weight, i) => weight * q[group[i] * K + k]);
    const mass = own.reduce((sum, weight) => sum + weight, 1e-9);
    const mean = multiplyTransposeVector(X, own).map((sum) => sum / mass);
    const S = weightedGram(centered(X, mean), (i) => own[i] / mass);
    for (let f = 0; f < d; f++) S.data[f * (d + 1)] += ridge;
    const { L, logDeterminant } = tryCholesky(S)!;
    return { share: mass, mean, whitener: solveTriangular(L, identity(d)), logDeterminant };
  });
  const total = fitted.reduce((sum, { share }) => sum + share, 0);
  return fitted.map((component) => ({ ...component, share: component.share / total }));
}

/** log N(x_i; mu_k, S_k) without the constant. */
function logDensities(X: Matrix, model: readonly Component[]): Float64Array {
  const K = model.length;
  const logs = new Float64Array(X.rows * K);
  model.forEach(({ mean, whitener, logDeterminant }, k) => {
    const squares = squaredNorms(multiplyTransposeB(centered(X, mean), whitener));
    for (let i = 0; i < X.rows; i++) logs[i * K + k] = -(squares[i] + logDeterminant) / 2;
  });
  return logs;
}
