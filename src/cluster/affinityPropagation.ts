import { inputError, optionError, option, plain, progressGate, rule, sizesOf } from "../core/internal.ts";
import {
  asMatrix,
  matrix,
  squaredDistances,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import { mapped, requireFinite, requireSquares, valueOrder } from "../matrix/internal.ts";
import { requireClusters } from "./clusterInput.ts";
import type { Clustered } from "./clustered.ts";
import { metricRule, nearestRowPlacing, requireDistances } from "./givenDistances.ts";

export const affinityPropagationOptions = {
  /** Instead of a preference: the preference is searched for. */
  clusters: rule.integer({ min: 1 }),
  preference: rule.real({
    says: "how much each row wants to be an exemplar; a larger one gives more clusters",
    usual: "the median of minus the squared distances",
  }),
  damping: rule.real({ min: 0.5, below: 1, default: 0.8, says: "share of the old messages that is kept" }),
  maxIterations: rule.integer({ min: 1, default: 1000, says: "maximum number of iterations" }),
  patience: rule.integer({
    min: 1,
    default: 15,
    says: "iterations without a change of exemplars that end it",
  }),
  metric: metricRule,
  onProgress: rule.progress,
};

export type AffinityPropagationOptions = rule.OptionsOf<typeof affinityPropagationOptions>;

export interface AffinityPropagation extends Clustered {
  readonly method: "affinity-propagation";
  /** The row that stands for each cluster. */
  readonly exemplars: Int32Array;
  readonly preference: number;
  /** The net similarity: of all rows to their exemplars, and the preferences of these. */
  readonly objective: number;
  readonly iterations: number;
}

const NAME = "affinityPropagation";
const MOST_ROWS = 10_000;
/** Halvings of the range of preferences that are tried for a number of clusters. */
const HALVINGS = 25;

/**
 * Affinity propagation (B. J. Frey and D. Dueck, 2007): rows choose exemplars among themselves that maximise
 *
 *     sum_i s(i, exemplar of i),    s(i, j) = -||x_i - x_j||^2,    s(k, k) = preference,
 *
 * by messages between all pairs of rows. The number of clusters follows from the preference. It is no proof: the messages
 * may not settle, which a warning says.
 *
 * When not: more than a few thousand rows, for its n^2 messages; k-medoids finds exemplars of a given number with a proof.
 */
export function affinityPropagation(
  input: MatrixLike,
  options: AffinityPropagationOptions = {},
): AffinityPropagation {
  const X = asMatrix(input, NAME);
  const settings = rule.resolveOptions(NAME, options, affinityPropagationOptions);
  const { clusters, metric } = settings;
  requireClusters(NAME, X, clusters);
  if (X.rows > MOST_ROWS) {
    throw inputError(
      `${NAME}: ${X.rows} rows are too many for its messages between all pairs; at most ${MOST_ROWS}. kMedoids takes more`,
    );
  }
  if (clusters !== undefined && settings.preference !== undefined) {
    throw optionError(`${NAME}: give one of ${option("clusters")} and ${option("preference")}`);
  }
  const given = metric === "precomputed";
  if (given) requireDistances(NAME, X);
  else {
    requireFinite(X);
    requireSquares(X, NAME);
  }
  // Ties follow the order of the values.
  const order = given ? Int32Array.from({ length: X.rows }, (_, i) => i) : valueOrder(X);
  const S = given
    ? mapped(X, (d) => -d * d)
    : mapped(squaredDistances(takeRows(X, order)), (squared) => -Math.max(0, squared));
  const gate = progressGate(settings.onProgress);
  const usual = medianSimilarity(S);
  const run = (preference: number): Messages => propagated(S, preference, settings, gate);
  const found =
    clusters === undefined ? run(settings.preference ?? usual) : searched(run, clusters, S, usual);
  const { exemplars: places, labels: own, preference, iterations, converged } = found;
  const labels = new Int32Array(X.rows);
  order.forEach((i, p) => (labels[i] = own[p]));
  const K = places.length;
  const warnings: string[] = [];
  if (gate.stopped) warnings.push("stopped by onProgress");
  else if (!converged) {
    warnings.push(`the messages had not settled after ${iterations} iterations; more damping may help`);
  }
  if (clusters !== undefined && K !== clusters) {
    warnings.push(`no preference gave ${clusters} clusters; ${K} were made`);
  }
  let objective = K * preference;
  own.forEach((k, p) => {
    if (places[k] !== p) objective += S.data[p * S.cols + places[k]];
  });
  return plain<AffinityPropagation>({
    method: "affinity-propagation",
    clusters: K,
    labels,
    sizes: sizesOf(labels, K),
    exemplars: places.map((p) => order[p]),
    preference,
    objective,
    iterations,
    converged,
    warnings,
    ...nearestRowPlacing(NAME, given ? undefined : X, labels, K),
  });
}

interface Messages {
  readonly exemplars: Int32Array;
  readonly labels: Int32Array;
  readonly preference: number;
  readonly iterations: number;
  readonly converged: boolean;
}

function propagated(
  S: Matrix,
  preference: number,
  { damping, maxIterations, patience }: rule.ResolvedOptions<typeof affinityPropagationOptions>,
  gate: ReturnType<typeof progressGate>,
): Messages {
  const n = S.rows;
  const s = S.data.slice();
  for (let k = 0; k < n; k++) s[k * n + k] = preference;
  // Equal similarities make messages swing for ever: each gets its own share of rounding, the same in every run.
  for (let p = 0; p < s.length; p++) s[p] += (((p * 7919) % 10_007) / 10_007) * 1e-14 * Math.abs(s[p]);
  const R = new Float64Array(n * n);
  const A = new Float64Array(n * n);
  const sums = new Float64Array(n);
  let chosen = new Uint8Array(n);
  let quiet = 0;
  let iteration = 0;
  while (
    iteration < maxIterations &&
    quiet < patience &&
    gate({ fraction: iteration / maxIterations, label: "messages" })
  ) {
    iteration++;
    sums.fill(0);
    for (let i = 0; i < n; i++) {
      let [first, second, at] = [-Infinity, -Infinity, -1];
      for (let k = 0, p = i * n; k < n; k++, p++) {
        const value = A[p] + s[p];
        if (value > first) [second, first, at] = [first, value, k];
        else if (value > second) second = value;
      }
      for (let k = 0, p = i * n; k < n; k++, p++) {
        R[p] = damping * R[p] + (1 - damping) * (s[p] - (k === at ? second : first));
        if (k !== i) sums[k] += Math.max(0, R[p]);
      }
    }
    for (let i = 0, p = 0; i < n; i++) {
      for (let k = 0; k < n; k++, p++) {
        const available = i === k ? sums[k] : Math.min(0, R[k * n + k] + sums[k] - Math.max(0, R[p]));
        A[p] = damping * A[p] + (1 - damping) * available;
      }
    }
    const now = chosen.map((_, k) => (R[k * n + k] + A[k * n + k] > 0 ? 1 : 0));
    quiet = now.some((value, k) => value !== chosen[k]) || !now.includes(1) ? 0 : quiet + 1;
    chosen = now;
  }
  let exemplars = Int32Array.from(chosen.keys()).filter((k) => chosen[k] === 1);
  if (exemplars.length === 0) exemplars = Int32Array.of(centralRow(S));
  const assigned = nearest(s, n, exemplars);
  // Of each cluster the row with the largest total similarity stands for it.
  exemplars = exemplars.map((_, k) => {
    const rows = Int32Array.from(assigned.keys()).filter((i) => assigned[i] === k);
    const total = (j: number): number => rows.reduce((sum, i) => sum + s[i * n + j], 0);
    return rows.reduce((best, j) => (total(j) > total(best) ? j : best));
  });
  return {
    exemplars,
    labels: nearest(s, n, exemplars),
    preference,
    iterations: iteration,
    converged: quiet >= patience,
  };
}

/** The most similar exemplar of each row; exemplars have themselves. */
function nearest(s: Float64Array, n: number, exemplars: Int32Array): Int32Array {
  const own = new Map(Array.from(exemplars, (e, k) => [e, k]));
  return Int32Array.from({ length: n }, (_, i) => {
    const itself = own.get(i);
    if (itself !== undefined) return itself;
    return exemplars.reduce((best, e, k) => (s[i * n + e] > s[i * n + exemplars[best]] ? k : best), 0);
  });
}

function centralRow(S: Matrix): number {
  const totals = matrix(1, S.rows).data;
  S.data.forEach((value, p) => (totals[p % S.rows] += value));
  return totals.indexOf(totals.reduce((a, b) => Math.max(a, b)));
}

/** The preference by halving: a larger one gives more clusters, not strictly. */
function searched(
  run: (preference: number) => Messages,
  clusters: number,
  S: Matrix,
  usual: number,
): Messages {
  const least = S.data.reduce((a, b) => Math.min(a, b), 0);
  // With minus the sum of all similarities one cluster is best, with 0 every row its own.
  let [low, high] = [Math.min(least, usual) * S.rows, 0];
  let best: Messages | undefined;
  for (let t = 0; t < HALVINGS; t++) {
    const fit = run(t === 0 ? usual : low < 0 && high < 0 ? -Math.sqrt(low * high) : (low + high) / 2);
    // Messages that have not settled are no answer, if there is another.
    const miss = (m: Messages): number => Math.abs(m.exemplars.length - clusters) + (m.converged ? 0 : 0.5);
    if (best === undefined || miss(fit) < miss(best)) best = fit;
    if (miss(fit) === 0) break;
    if (fit.exemplars.length > clusters) high = fit.preference;
    else low = fit.preference;
  }
  return best!;
}

function medianSimilarity(S: Matrix): number {
  const sorted = S.data.slice().sort();
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}
