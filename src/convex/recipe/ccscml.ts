import { asMatrix, matrix, multiply, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import {
  extended,
  given,
  integer,
  isList,
  numericError,
  optionError,
  real,
  resolveOptions,
  type RulesOf,
} from "../../core/internal.ts";
import { inValueOrder } from "../../matrix/internal.ts";
import { rowsAsGiven } from "../path/rowsAsGiven.ts";
import type { Edges } from "../../graph/index.ts";
import { clusterMeans } from "../path/assignment.ts";
import { better } from "../path/candidates.ts";
import { fitCc } from "./cc.ts";
import { convexFamily } from "./convexFamily.ts";
import { primalObjective } from "../solve/certificate.ts";
import { fisherDirections } from "./fisher.ts";
import { type Fit, fitPath } from "../path/fit.ts";
import { groupMeans, groupProblem } from "../path/hints.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";
import { type ConvexClustering, convexClustering, type HalfStep } from "../path/result.ts";
import {
  COMMON,
  type ConvexOptions,
  makeSetting,
  type ResolvedOptions,
  type Setting,
  warnComponents,
  weightGraph,
} from "../path/setting.ts";

/**
 * Convex clustering with sparse compositional metric learning (Sui, dissertation, Texas A&M, 2018, section 4.6):
 *
 *     min 1/2 sum_j (Q'x_j - u_j)' Sigma (Q'x_j - u_j) + gamma sum_l w_l ||u_i - u_j||_q ,   prod sigma_i >= 1
 *
 * by alternation from a clustering: Q are its s Fisher directions (fisher.ts), sigma_i = (prod_t A_t)^(1/s) / A_i with
 * A_i = 1/2 sum_j (q_i'x_j - u_ji)^2 and U the cluster means in the new basis, then convex clustering of Q'x.
 * The reproduction showed, beyond the text: U of the old basis is meaningless in the new one; neighbours and
 * weights must be recomputed on Sigma^(1/2) Q'x, because the old ones are much worse; gamma is chosen again
 * each time. The Q step does not minimise the objective, so the history need not decrease.
 */
export interface CcscmlOptions extends ConvexOptions {
  readonly iterations?: number;
  /** s, at most K - 1; K - 1 unless given. */
  readonly directions?: number;
  /** S_W + ridge diag(S_W) replaces S_W. */
  readonly ridge?: number;
  /** Share of each cluster, closest to its mean, used to learn the directions. */
  readonly fraction?: number;
  /** The clustering to start from, 0 .. K - 1; convex clustering unless given. */
  readonly start?: ArrayLike<number>;
}

export interface Ccscml extends ConvexClustering {
  /** d x s on the scaled features. */
  readonly projection: Matrix;
  /** Sigma's diagonal. */
  readonly sigma: Float64Array;
  /** The alternations, of which the best by `choose` is the result. */
  readonly rounds: readonly CcscmlRound[];
}

export interface CcscmlRound {
  readonly Q: Matrix;
  readonly sigma: Float64Array;
  /** Fisher's lambda of the directions. */
  readonly separation: Float64Array;
  readonly fit: Pick<Fit<ConvexSolution>, "chosen" | "candidates" | "step" | "path">;
}

export const ccscmlOptions: RulesOf<CcscmlOptions> = {
  ...COMMON,
  iterations: integer({ min: 1, max: 100, default: 3, says: "rounds of metric learning" }),
  directions: integer({
    min: 1,
    says: "maximum number of directions to learn",
    usual: "one less than the clusters",
  }),
  ridge: real({
    min: 0,
    max: 10,
    default: 0.1,
    says: "share added to the diagonal of the scatter within clusters",
  }),
  fraction: real({ above: 0, max: 1, default: 0.75, says: "share of each cluster used for learning" }),
  start: given<ArrayLike<number>>("one label 0 .. K - 1 per row", isList),
};

interface CcscmlResolved extends ResolvedOptions {
  readonly iterations: number;
  readonly directions?: number;
  readonly ridge: number;
  readonly fraction: number;
  readonly start?: ArrayLike<number>;
}

export function ccscml(input: MatrixLike, options?: CcscmlOptions): Ccscml {
  const X = asMatrix(input, "ccscml");
  const given = resolveOptions("ccscml", options, ccscmlOptions) as CcscmlResolved;
  return inValueOrder(X, given, ["batch", "start"], fitted, rowsAsGiven);
}

function fitted(X: Matrix, given: CcscmlResolved): Ccscml {
  const setting = makeSetting("ccscml", X, given);
  const resolved = setting.options as CcscmlResolved;
  warnComponents(setting);
  const first = startLabels(setting, resolved);
  const clusters = first.reduce((most, label) => Math.max(most, label), 0) + 1;
  if (clusters < 2) {
    throw numericError(
      `ccscml: the clustering to start from has one cluster, and one cluster has no Fisher direction; ` +
        `ask for at least 2 clusters or give another start`,
    );
  }
  const fixed = { ...resolved, clusters };
  const warnings: string[] = [];
  const history: HalfStep[] = [];
  const rounds: CcscmlRound[] = [];
  let labels = first;
  let best: Round | undefined;
  for (let round = 1; round <= resolved.iterations; round++) {
    const next = oneRound(setting, fixed, labels, clusters);
    const { chosen } = next.fit;
    history.push(...next.history);
    rounds.push({ Q: next.Q, sigma: next.sigma, separation: next.separation, fit: next.fit });
    if (resolved.gamma !== undefined || better(chosen, best?.fit.chosen, clusters, setting.judge))
      best = next;
    if (chosen.sizes.length !== clusters) {
      warnings.push(
        `round ${round} ended with ${chosen.sizes.length} clusters instead of ${clusters}, and is the last`,
      );
      break;
    }
    labels = chosen.labels;
    if (setting.stopped()) break;
  }
  const { fit, Q, sigma, graph } = best!;
  const result = convexClustering({
    setting: { ...setting, graph },
    fit,
    B: compose(Q, sigma),
    history,
    warnings,
  });
  return extended(result, { projection: Q, sigma, rounds });
}

function startLabels(setting: Setting, options: CcscmlResolved): Int32Array {
  const { start, clusters } = options;
  if (start === undefined) {
    return fitCc(setting).chosen.labels;
  }
  const labels = Int32Array.from(start);
  if (labels.length !== setting.X.rows) {
    throw optionError(`ccscml: start has ${labels.length} labels for ${setting.X.rows} rows`);
  }
  const seen = new Set(labels);
  for (let c = 0; c < seen.size; c++) {
    if (!seen.has(c))
      throw optionError(`ccscml: start must use the labels 0 .. K - 1, but ${c} does not occur`);
  }
  if (clusters !== undefined && clusters !== seen.size) {
    throw optionError(`ccscml: start has ${seen.size} clusters, but ${clusters} were asked for`);
  }
  return labels;
}

interface Round {
  readonly graph: Edges;
  readonly fit: Fit<ConvexSolution>;
  readonly Q: Matrix;
  readonly sigma: Float64Array;
  readonly separation: Float64Array;
  readonly history: readonly HalfStep[];
}

function oneRound(setting: Setting, options: CcscmlResolved, labels: Int32Array, clusters: number): Round {
  const X = setting.scaled.X;
  const directions = options.directions ?? Math.min(clusters - 1, X.cols);
  const { fraction, ridge } = options;
  const { Q, values } = fisherDirections(X, labels, clusters, { directions, fraction, ridge });
  const P = multiply(X, Q);
  const means = memberMeans(P, labels, clusters);
  const sigma = diagonalMetric(P, means);
  const weighted = scaleColumns(P, sigma.map(Math.sqrt));
  const { hints } = setting;
  const graph = weightGraph(setting.method, weighted, options, [], hints);
  const problem: ConvexProblem = { X: P, graph, norm: options.norm, metric: sigma };
  const judge = { ...setting.judge, space: weighted };
  const fit = fitPath(convexFamily(problem, options, hints), options, judge);
  const { gamma, certificate } = fit.step;
  const grouped = groupProblem(problem, hints);
  const before = primalObjective(grouped.problem, gamma, groupMeans(means, hints)) + grouped.constant;
  return {
    graph,
    fit,
    Q,
    sigma,
    separation: values,
    history: [
      { step: "metric", gamma, objective: before },
      { step: "centers", gamma, objective: certificate.primal },
    ],
  };
}

/** Each row's cluster mean: U after a change of basis. */
function memberMeans(P: Matrix, labels: Int32Array, clusters: number): Matrix {
  const { means } = clusterMeans(P, labels, clusters);
  const U = matrix(P.rows, P.cols);
  for (let i = 0; i < P.rows; i++) {
    for (let s = 0; s < P.cols; s++) U.data[i * P.cols + s] = means.data[labels[i] * P.cols + s];
  }
  return U;
}

/** sigma_i = (prod_t A_t)^(1/s) / A_i (Sui 2018, (4.47)), the A_i held above 1e-9 of their sum. */
function diagonalMetric(P: Matrix, U: Matrix): Float64Array {
  const s = P.cols;
  const A = new Float64Array(s);
  for (let p = 0; p < P.data.length; p++) A[p % s] += 0.5 * (P.data[p] - U.data[p]) ** 2;
  const total = A.reduce((sum, a) => sum + a, 0);
  if (total === 0) return new Float64Array(s).fill(1);
  const logs = A.map((a) => Math.log(Math.max(a, 1e-9 * total)));
  const mean = logs.reduce((sum, a) => sum + a, 0) / s;
  return logs.map((a) => Math.exp(mean - a));
}

function scaleColumns(P: Matrix, factors: Float64Array): Matrix {
  return matrix(
    P.rows,
    P.cols,
    P.data.map((value, p) => value * factors[p % P.cols]),
  );
}

/** B = Q Sigma Q' (Sui 2018, (4.37)). */
function compose(Q: Matrix, sigma: Float64Array): Matrix {
  const d = Q.rows;
  const B = matrix(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      let sum = 0;
      for (let s = 0; s < Q.cols; s++) {
        sum += Q.data[i * Q.cols + s] * sigma[s] * Q.data[j * Q.cols + s];
      }
      B.data[i * d + j] = sum;
    }
  }
  return B;
}
