import { asGiven, inValueOrder, mapped, reorderedRows, scaled } from "../../matrix/internal.ts";
import { asRows, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { random } from "../../core/index.ts";
import { inputError, numericError, option, plain, rule, sizesOf } from "../../core/internal.ts";
import { placeByCenters } from "../placeByCenters.ts";
import { bestLloyd, RUN_RULES, START_RULES } from "./restarts.ts";
import { certify, type KmeansCertificate } from "./certificate.ts";
import { reduceToDistinct, checkedScale, checkRowWeights, checkStart } from "../clusterInput.ts";
import type { Clustered, Iterated } from "../clustered.ts";
import type { Points } from "./points.ts";
import { startThreadsFor, withPoints } from "./withPoints.ts";

export const kmeansOptions = {
  ...RUN_RULES,
  ...START_RULES,
  tolerance: rule.real({
    min: 0,
    below: 1,
    default: 0,
    says: "stops when an iteration lowers the objective by no more than this share",
  }),
};

export type KmeansOptions = rule.OptionsOf<typeof kmeansOptions>;

/** Fewer clusters than requested are made only if there are fewer distinct rows (with a warning). */
export interface Kmeans extends Clustered, Iterated {
  readonly method: "kmeans";
  readonly centers: Matrix;
  readonly certificate: KmeansCertificate;
  /** The nearest centre of each row of Y. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "nearest-center";
}

/**
 * k-means: the partition into K clusters and their centres that minimise
 *
 *     E = sum_i w_i ||x_i - c_{l_i}||^2
 *
 * by Lloyd's algorithm (lloyd.ts) from greedy k-means++ centres (seeding.ts), the best of several restarts.
 * Finding the global minimum of E is NP-hard; the result is a local optimum, and the certificate says so.
 */
export function kmeans(input: MatrixLike | Sparse, options: KmeansOptions): Kmeans {
  const X = asRows(input, "kmeans");
  startThreadsFor(X);
  return inValueOrder(X, options, ["weights"], kmeansInOrder, asGiven(), reorderedRows);
}

/** The same on rows with a fixed order, which random starts and ties follow. */
export function kmeansInOrder(X: Matrix | Sparse, options: KmeansOptions): Kmeans {
  const { run, scale, warnings, certificate } = fit(X, options, certify);
  const { labels, converged } = run;
  const { objective } = certificate;
  if (!Number.isFinite(objective)) {
    throw numericError("kmeans: the sum of squared distances exceeds the number range; scale the data first");
  }
  const history = run.history.map((value) => Math.max(objective, value / scale / scale));
  history[history.length - 1] = objective;
  const K = run.centers.length / X.cols;
  const centers = mapped(matrix(K, X.cols, run.centers), (value) => value / scale);
  return plain({
    method: "kmeans",
    clusters: K,
    labels,
    sizes: sizesOf(labels, K),
    centers,
    objective,
    iterations: history.length,
    converged,
    history,
    certificate,
    warnings,
    placement: "nearest-center" as const,
    predict: placeByCenters(centers),
  });
}

/** Only the labels of it, without the certificate: the start of another method. */
export function kmeansLabels(
  X: Matrix | Sparse,
  options: KmeansOptions,
): Pick<Kmeans, "labels" | "clusters" | "warnings" | "objective"> {
  const { run, scale, warnings } = fit(X, options, () => undefined);
  const objective = run.history[run.history.length - 1] / scale / scale;
  return { labels: run.labels, clusters: run.centers.length / X.cols, objective, warnings };
}

/** The best run on the rows times a power of two that keeps squares in range, with what `proof` says of it. */
function fit<C>(X: Matrix | Sparse, options: KmeansOptions, proof: (...of: Parameters<typeof certify>) => C) {
  const resolved = rule.resolveOptions("kmeans", options, kmeansOptions);
  const { initialCenters } = resolved;
  const weights = checkRowWeights("kmeans", resolved.weights, X.rows);
  const asked = checkStart("kmeans", X, resolved);
  const warnings: string[] = [];
  return withPoints(X, (points) => {
    const scale = checkedScale(X, initialCenters, points.largest);
    const work = (data: Matrix | Sparse, points: Points) => {
      const K = reduceToDistinct(points, weights, asked, warnings);
      if (initialCenters !== undefined && K < asked) {
        const rows = weights === undefined ? "rows" : "rows of positive weight";
        throw inputError(
          `kmeans: ${option("initialCenters")} has ${asked} rows, but the data has only ${K} distinct ${rows}`,
        );
      }
      const initial = initialCenters?.data.map((value) => value * scale);
      const rules = { assigner: points.assigner(K), clusters: K, initial, free: true };
      const plan = { ...resolved, ...rules, points, weights, scale };
      const run = bestLloyd(plan, random(resolved.seed), warnings);
      return { run, scale, warnings, certificate: proof(data, points, weights, run, scale) };
    };
    if (scale === 1) return work(X, points);
    const data = scaled(X, scale);
    return withPoints(data, (points) => work(data, points));
  });
}
