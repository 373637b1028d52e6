import { multiply, type Matrix } from "../../matrix/index.ts";
import { scaledColumns, spectral } from "../../matrix/internal.ts";
import { numericError, optionError, rule } from "../../core/internal.ts";
import type { Edges } from "../../graph/index.ts";
import { labelCount, memberMeans } from "../path/assignment.ts";
import { better } from "../path/candidates.ts";
import { type Fit, fitPath } from "../path/fit.ts";
import { groupMeans, groupProblem, rowValues } from "../path/hints.ts";
import { variantRule, COMMON, type Setting, warnComponents, weightGraph } from "../path/setting.ts";
import { primalObjective } from "../solve/certificate.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";
import { fitCc } from "./cc.ts";
import type { RoundFit } from "./ccml.ts";
import { fisherDirections } from "./fisher.ts";
import { centersStep, type HalfStep, type Outcome, squareLoss } from "./loss.ts";

export const ccscmlOptions = {
  ...COMMON,
  iterations: rule.integer({ min: 1, max: 100, default: 3, says: "rounds of metric learning" }),
  /** s, at most K - 1 (d as printed); K - 1 unless given. */
  directions: rule.integer({
    min: 1,
    says: "maximum number of directions to learn",
    usual: "one less than the clusters",
  }),
  /** S_W + ridge diag(S_W) replaces S_W. */
  ridge: rule.real({
    min: 0,
    max: 10,
    default: 0.1,
    says: "share added to the diagonal of the scatter within clusters",
  }),
  /** Share of each cluster, closest to its mean, used to learn the directions. */
  fraction: rule.real({ above: 0, max: 1, default: 0.75, says: "share of each cluster used for learning" }),
  /** The clustering to start from, 0 .. K - 1; convex clustering unless given. */
  start: rule.given<ArrayLike<number>>("one label 0 .. K - 1 per row", rule.isList),
  /**
   * "printed": any number of directions up to d and a start of any number of clusters; no ridge; Sigma from the centres of the
   * previous basis; weights of the data in all rounds.
   */
  variant: variantRule,
};

export type CcscmlOptions = rule.OptionsOf<typeof ccscmlOptions>;
export type CcscmlSetting = Setting<rule.ResolvedOptions<typeof ccscmlOptions>>;

export interface LearnedDirections {
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
  readonly fit: RoundFit;
}

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
export function ccscmlRecipe(setting: CcscmlSetting): Outcome<ConvexSolution, LearnedDirections> {
  warnComponents(setting);
  const { options, judge } = setting;
  const printed = options.variant === "printed";
  let labels = startLabels(setting);
  let clusters = labelCount(labels);
  if (clusters < 2) {
    throw numericError(
      `ccscml: the clustering to start from has one cluster, and one cluster has no Fisher direction; ` +
        `ask for at least 2 clusters or give another start`,
    );
  }
  const warnings: string[] = [];
  const history: HalfStep[] = [];
  const rounds: CcscmlRound[] = [];
  let best: Round | undefined;
  let before: Fit<ConvexSolution> | undefined;
  for (let round = 1; round <= options.iterations; round++) {
    const next = oneRound(setting, labels, clusters, before);
    const { fit, Q, sigma, separation } = next;
    if (printed) {
      warnings.push(...literalWarnings(next, round, history.at(-1)));
      before = fit;
    }
    history.push(...next.history);
    rounds.push({ Q, sigma, separation, fit });
    if (options.gamma !== undefined || better(fit.chosen, best?.fit.chosen, clusters, judge)) best = next;
    const count = fit.chosen.sizes.length;
    if (printed && count > 1) clusters = count;
    else if (count !== clusters) {
      warnings.push(`round ${round} ended with ${count} clusters instead of ${clusters}, and is the last`);
      break;
    }
    labels = fit.chosen.labels;
    if (setting.stopped()) break;
  }
  const { fit, Q, sigma, graph } = best!;
  const more = { projection: Q, sigma, rounds };
  return { setting: { ...setting, graph }, fit, B: compose(Q, sigma), history, warnings, more };
}

function startLabels(setting: CcscmlSetting): Int32Array {
  const { start, clusters } = setting.options;
  if (start === undefined) return fitCc(setting).chosen.labels;
  const labels = Int32Array.from(start);
  if (labels.length !== setting.X.rows) {
    throw optionError(`ccscml: start has ${labels.length} labels for ${setting.X.rows} rows`);
  }
  const seen = new Set(labels);
  for (let c = 0; c < seen.size; c++) {
    if (!seen.has(c))
      throw optionError(`ccscml: start must use the labels 0 .. K - 1, but ${c} does not occur`);
  }
  if (clusters !== undefined && clusters !== seen.size && setting.options.variant === "repaired") {
    throw optionError(`ccscml: start has ${seen.size} clusters, but ${clusters} were asked for`);
  }
  return labels;
}

interface Round extends Omit<CcscmlRound, "fit"> {
  readonly graph: Edges;
  readonly fit: Fit<ConvexSolution>;
  readonly history: readonly HalfStep[];
}

/** @param before as printed: the round whose centres, of another basis, enter the Sigma step */
function oneRound(
  setting: CcscmlSetting,
  labels: Int32Array,
  clusters: number,
  before: Fit<ConvexSolution> | undefined,
): Round {
  const { hints, options } = setting;
  const X = setting.scaled.X;
  const { fraction, norm } = options;
  const literal = options.variant === "printed";
  const ridge = literal ? 0 : options.ridge;
  // Q step: the Fisher directions of the clusters.
  const directions = options.directions ?? Math.min(clusters - 1, X.cols);
  const { Q, values } = fisherDirections(X, labels, clusters, { directions, fraction, ridge, literal });
  // Sigma step: from the cluster means U in the new basis.
  const P = multiply(X, Q);
  const kept = before !== undefined && before.solution.U.cols === P.cols;
  const U = kept ? rowValues(before.solution.U, hints) : memberMeans(P, labels, clusters);
  const sigma = diagonalMetric(P, U);
  // U step: convex clustering of Q'x in the metric Sigma.
  const weighted = scaledColumns(P, (s) => Math.sqrt(sigma[s]));
  const graph = literal ? setting.graph : weightGraph(setting.method, weighted, options, [], hints);
  const problem: ConvexProblem = { X: P, graph, norm, metric: sigma };
  const judge = { ...setting.judge, space: weighted };
  const wanted = literal ? (options.clusters ?? clusters) : clusters;
  const fit = fitPath(squareLoss(problem, setting), { ...options, clusters: wanted }, judge);
  const { gamma } = fit.step;
  const grouped = groupProblem(problem, hints);
  const objective = primalObjective(grouped.problem, gamma, groupMeans(U, hints)) + grouped.constant;
  const history: HalfStep[] = [{ step: "metric", gamma, objective }, centersStep(fit)];
  return { graph, fit, Q, sigma, separation: values, history };
}

/** What is wrong with a round of the printed form: directions that mean nothing, and an objective that rises. */
function literalWarnings(
  { separation, history: [metric] }: Round,
  round: number,
  last: HalfStep | undefined,
) {
  const warnings: string[] = [];
  const arbitrary = separation.filter((value) => !(value > 1e-9 * separation[0])).length;
  if (arbitrary > 0) {
    warnings.push(
      `round ${round}: ${arbitrary} of ${separation.length} directions are null vectors of S_B, which depend on the order of the columns`,
    );
  }
  if (last !== undefined && last.gamma === metric.gamma && metric.objective > last.objective) {
    warnings.push(
      `round ${round}: the Q and Sigma steps raise the objective from ${last.objective.toPrecision(4)} to ${metric.objective.toPrecision(4)}`,
    );
  }
  return warnings;
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

/** B = Q Sigma Q' (Sui 2018, (4.37)). */
function compose(Q: Matrix, sigma: Float64Array): Matrix {
  return spectral(Q, (s) => sigma[s]);
}
