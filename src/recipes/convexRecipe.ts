import { clusterMeans, labelCount, squareRoot } from "../convex/internal.ts";
import type { Certificate } from "../convex/index.ts";
import { extended, inputError, progressGate, rule } from "../core/internal.ts";
import { kmeansInOrder } from "../cluster/internal.ts";
import { scale } from "../data/index.ts";
import {
  asMatrix,
  identity,
  multiply,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import { principalComponents, requireSquares } from "../matrix/internal.ts";
import { ROWS_SOLVED, type ConvexCompression } from "./compressedCc.ts";
import { placedRows, type ConvexPlacing } from "./placedRows.ts";
import {
  candidatePool,
  representativePool,
  type Form,
  type PoolRequest,
  type RecipeCandidate,
} from "./recipePool.ts";
import { type LearnedMetric, learnedMetric } from "./result.ts";

export const convexRecipeOptions = {
  /** K; without it the most persistent number of clusters on the path of convex clustering. */
  clusters: rule.integer({ min: 1 }),
  /** Default "none": rows are not scaled. */
  scale: rule.oneOf(["zscore", "minmax", "none"], "none"),
  batch: rule.given<ArrayLike<string | number>>("one label per row", rule.isList),
  /** Of k-means. */
  seed: rule.seed,
  /** "auto" chooses by size. */
  form: rule.oneOf(["auto", "full", "light", "landmarks", "representatives"], "auto", {
    says: "how much work is done",
    usual: "by the size of the data",
  }),
  onProgress: rule.progress,
};

export type ConvexRecipeOptions = rule.OptionsOf<typeof convexRecipeOptions>;

export interface ConvexRecipe extends ConvexPlacing {
  readonly method: "convex-recipe";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Means of the clusters' rows, in the units of the data. */
  readonly centers: Matrix;
  readonly form: Form;
  /** Why this form. */
  readonly reason: string;
  /** The candidates, the chosen one first, then by decreasing modularity. */
  readonly candidates: readonly RecipeCandidate[];
  /** For the chosen candidate's convex problem; absent if k-means was chosen. */
  readonly certificate?: Certificate;
  readonly objective?: number;
  /** In the form "representatives": the loss of the rows. */
  readonly compression?: ConvexCompression;
  readonly metric: RecipeMetric;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  toJSON(): object;
}

/** The metric of the chosen candidate, on the scaled features or, if there is a projection, on its components. */
export interface RecipeMetric extends LearnedMetric {
  /** V, features x components. */
  readonly projection?: Matrix;
}

/**
 * Number of features above which the data are projected, the share of variance kept, and the maximum number
 * of components.
 */
const PROJECT_ABOVE = 20;
const VARIANCE = 0.95;
const MOST_COMPONENTS = 200;
const LANDMARKS = 1000;

/**
 * The convex recipe: the chain CC -> CCML -> CCSCML on two neighbourhood sizes, and k-means, each for K
 * clusters. The answer is the partition with the largest modularity on the 10-nearest-neighbour graph; among
 * those within 2 % of it, the one that agrees best with all others (rankPartitions.ts). Data with more than
 * 20 features are first projected on the principal components that hold 95 % of their variance.
 *
 * Above the size that takes about a minute it uses a lighter form, with a note: "light" has one neighbourhood
 * size, "landmarks" clusters k-means centres instead of rows, "representatives" (from 50000 rows on) clusters
 * weighted means of cells by CC and k-means alone (compressedCc.ts).
 */
export function convexRecipe(input: MatrixLike, options?: ConvexRecipeOptions): ConvexRecipe {
  const X = asMatrix(input, "convexRecipe");
  const {
    clusters,
    seed,
    form: asked,
    batch,
    onProgress,
    ...rest
  } = rule.resolveOptions("convexRecipe", options, convexRecipeOptions);
  if (clusters !== undefined && clusters > X.rows) {
    throw inputError(`convexRecipe: ${clusters} clusters cannot be made of ${X.rows} rows`);
  }
  const scaled = scale(X, rest.scale, batch === undefined ? {} : { batch });
  requireSquares(scaled.X, "convexRecipe");
  const warnings = [...scaled.notes];
  const space = projection(scaled.X, warnings);
  const { form, reason } = chooseForm(space.Z, asked);
  const progress = progressGate(onProgress);
  const going = (label: string, fraction: number): boolean => progress({ label, fraction });
  const request = { form, clusters, seed, going };
  const { pool, labels, compression }: Pool =
    form === "representatives" ? representativePool(space.Z, request, warnings) : rowPool(space.Z, request);
  if (progress.stopped) warnings.push("stopped on request; the best result so far is returned");
  const chosen = pool[0];
  const count = labelCount(labels);
  if (clusters !== undefined && count !== clusters) {
    warnings.push(
      `${clusters} clusters were asked for, but no method found a partition with that many: this one has ${count} ` +
        `(are there enough distinct rows?)`,
    );
  }
  const { means, sizes } = clusterMeans(X, labels, count);
  const B = chosen.B ?? identity(space.Z.cols);
  const map = space.V === undefined ? squareRoot(B) : multiply(space.V, squareRoot(B));
  const placing = placedRows({ X, labels, centers: means, scaled, map });
  return extended(placing, {
    method: "convex-recipe" as const,
    clusters: count,
    labels,
    sizes,
    centers: means,
    form,
    reason,
    candidates: pool,
    ...(chosen.certificate !== undefined && {
      certificate: chosen.certificate,
      objective: chosen.certificate.primal,
    }),
    ...(compression !== undefined && { compression }),
    metric: recipeMetric(B, space.V, map, scaled.kept, X.cols),
    converged: chosen.converged && !progress.stopped,
    warnings,
  });
}

function projection(Z: Matrix, warnings: string[]): { Z: Matrix; V?: Matrix } {
  if (Z.cols <= PROJECT_ABOVE) return { Z };
  const { scores, V, share } = principalComponents(Z, VARIANCE, MOST_COMPONENTS);
  const percent = (100 * share).toFixed(0);
  warnings.push(
    `clustered in ${V.cols} principal components, ${percent} % of the variance of ${Z.cols} features`,
  );
  return { Z: scores, V };
}

/** Relevance in terms of the features: the diagonal of V B V' = map map', which is never formed. */
function recipeMetric(
  B: Matrix,
  V: Matrix | undefined,
  map: Matrix,
  kept: readonly number[],
  features: number,
): RecipeMetric {
  if (V === undefined) return learnedMetric(B, kept, features);
  const relevance = new Float64Array(features);
  let trace = 0;
  for (let f = 0; f < map.rows; f++) {
    for (let r = 0; r < map.cols; r++) relevance[kept[f]] += map.data[f * map.cols + r] ** 2;
    trace += relevance[kept[f]];
  }
  return {
    matrix: B,
    relevance: relevance.map((share) => share / trace),
    eigenvalues: symmetricEigen(B).values,
    projection: V,
  };
}

/**
 * By the work of a path: edges x features x gammas, growing with the square root of the rows beyond 2000.
 * Measured at 3.5e8 of these per minute, including metric learning.
 */
function chooseForm({ rows, cols }: Matrix, asked: "auto" | Form): { form: Form; reason: string } {
  if (asked !== "auto") return { form: asked, reason: "as asked for" };
  const gammas = 30;
  const perNeighbor = rows * cols * gammas * Math.sqrt(Math.max(1, rows / 2000));
  const light = 7 * perNeighbor; // 10 neighbours, of which some are mutual
  const full = light + 20 * perNeighbor;
  const size = `${rows} rows and ${cols} dimensions`;
  if (rows > ROWS_SOLVED) {
    return {
      form: "representatives",
      reason: `${size}: weighted representatives are clustered instead of rows, by CC and k-means`,
    };
  }
  if (full <= 3.5e8) return { form: "full", reason: `${size} take less than about a minute` };
  if (light <= 3.5e8) {
    return { form: "light", reason: `${size}: with 10 neighbours only, and no CCML, to stay near a minute` };
  }
  return {
    form: "landmarks",
    reason: `${size}: ${LANDMARKS} k-means centres are clustered instead of rows`,
  };
}

/** The candidates, best first, and the rows' labels by the first. */
interface Pool {
  readonly pool: readonly RecipeCandidate[];
  readonly labels: Int32Array;
  readonly compression?: ConvexCompression;
}

function rowPool(Z: Matrix, request: PoolRequest): Pool {
  if (request.form !== "landmarks" || Z.rows <= LANDMARKS) {
    const pool = candidatePool(Z, request);
    return { pool, labels: pool[0].labels };
  }
  const { seed } = request;
  const { centers, labels } = kmeansInOrder(Z, { clusters: LANDMARKS, seed, restarts: 1, maxIterations: 10 });
  const pool = candidatePool(centers, request);
  return { pool, labels: labels.map((landmark) => pool[0].labels[landmark]) };
}
