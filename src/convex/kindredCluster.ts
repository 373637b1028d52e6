import { kmeans } from "../cluster/kmeans.ts";
import { inputError } from "../core/errors.ts";
import { given, integer, oneOf, resolveOptions } from "../core/options.ts";
import { type OnProgress, progressGate } from "../core/progress.ts";
import { scale, type ScaleKind } from "../data/scaling.ts";
import type { Edges } from "../graph/edges.ts";
import { symmetricEigen } from "../matrix/eigen.ts";
import { identity, matrix, type Matrix } from "../matrix/matrix.ts";
import { multiply, multiplyTransposeB } from "../matrix/multiply.ts";
import { modularity } from "../score/modularity.ts";
import { adjustedRand } from "../score/rand.ts";
import { clusterMeans, nearestCenter } from "./assignment.ts";
import { comparisonGraph } from "./candidates.ts";
import { cc } from "./cc.ts";
import { ccml } from "./ccml.ts";
import { ccscml } from "./ccscml.ts";
import { principalComponents } from "./principal.ts";
import type { Certificate } from "./problem.ts";
import { type LearnedMetric, learnedMetric, squareRoot } from "./result.ts";

/**
 * The default of `kindred cluster`: the chain CC -> CCML -> CCSCML on two neighbourhood sizes, and k-means, each asked
 * for K clusters. The answer is the partition of largest modularity on the 10-nearest-neighbour graph (METHODS 8: of the
 * label-free rules tried there the best); among those within 2 % of it, the one that agrees best with all others. Data
 * with more than 20 features are first projected on the principal components that hold 95 % of their variance.
 *
 * Above what this solves in about a minute it takes a lighter form and says so: "light" has one neighbourhood size,
 * "landmarks" clusters k-means centres in the place of rows.
 */
export interface KindredClusterOptions {
  /** K; without it the most persistent number of clusters on the path of convex clustering. */
  readonly clusters?: number;
  readonly scale?: ScaleKind;
  readonly batch?: ArrayLike<string | number>;
  /** Of k-means. */
  readonly seed?: number;
  /** "auto" chooses by size. */
  readonly form?: "auto" | Form;
  readonly onProgress?: OnProgress;
}

export type Form = "full" | "light" | "landmarks";

export interface KindredClustering {
  readonly method: "auto";
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Means of the clusters' rows, in the units of the data. */
  readonly centers: Matrix;
  readonly form: Form;
  /** Why this form. */
  readonly reason: string;
  /** The candidates, the chosen one first, then by falling modularity. */
  readonly candidates: readonly RecipeCandidate[];
  /** Of the chosen candidate's convex problem; absent if k-means was chosen. */
  readonly certificate?: Certificate;
  readonly objective?: number;
  readonly metric: RecipeMetric;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  predict(Y: Matrix, batch?: ArrayLike<string | number>): Int32Array;
}

/** The metric of the chosen candidate, on the scaled features or, if there is a projection, on its components. */
export interface RecipeMetric extends LearnedMetric {
  /** V, features x components. */
  readonly projection?: Matrix;
}

export interface RecipeCandidate {
  readonly method: "cc" | "ccml" | "ccscml" | "kmeans";
  /** Neighbours of the weight graph; absent for k-means. */
  readonly neighbors?: number;
  /** Round of metric learning. */
  readonly round?: number;
  readonly gamma?: number;
  readonly modularity: number;
  readonly labels: Int32Array;
  readonly certificate?: Certificate;
  readonly converged: boolean;
  /** B on the projected data; the identity when absent. */
  readonly B?: Matrix;
}

const RULES = {
  clusters: integer({ min: 1 }),
  scale: oneOf<ScaleKind>(["zscore", "minmax", "none"], "zscore"),
  batch: given<ArrayLike<string | number>>("one label per row", (value) => typeof value === "object"),
  seed: integer({ min: 0, default: 0 }),
  form: oneOf<"auto" | Form>(["auto", "full", "light", "landmarks"], "auto"),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

/** Features above which the data are projected, the share of variance kept, and the most components. */
const PROJECT_ABOVE = 20;
const VARIANCE = 0.95;
const MOST_COMPONENTS = 200;
const LANDMARKS = 1000;

export function kindredCluster(X: Matrix, options?: KindredClusterOptions): KindredClustering {
  const { clusters, seed, form: asked, batch, onProgress, ...rest } = resolveOptions("auto", options, RULES);
  if (clusters !== undefined && clusters > X.rows) {
    throw inputError(`auto: ${clusters} clusters cannot be made of ${X.rows} rows`);
  }
  const scaled = scale(X, rest.scale, batch === undefined ? {} : { batch });
  const warnings = [...scaled.notes];
  const space = projection(scaled.X, warnings);
  const { form, reason } = chooseForm(space.Z, asked);
  const progress = progressGate(onProgress);
  const rows = form === "landmarks" ? landmarks(space.Z, seed) : { Z: space.Z, nearest: undefined };
  const pool = candidatePool(rows.Z, form, clusters, seed, (label, fraction) =>
    progress({ label, fraction }),
  );
  if (progress.stopped) warnings.push("stopped on request; the best of what was done by then is returned");
  const chosen = pool[0];
  const { nearest } = rows;
  const labels = nearest === undefined ? chosen.labels : nearest.map((landmark) => chosen.labels[landmark]);
  const count = labels.reduce((most, label) => Math.max(most, label), 0) + 1;
  const { means, sizes } = clusterMeans(X, labels, count);
  const B = chosen.B ?? identity(space.Z.cols);
  const map = space.V === undefined ? squareRoot(B) : multiply(space.V, squareRoot(B));
  const centers = multiply(clusterMeans(scaled.X, labels, count).means, map);
  return {
    method: "auto",
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
    metric: recipeMetric(B, space.V, map, scaled.kept, X.cols),
    converged: chosen.converged && !progress.stopped,
    warnings,
    predict(Y, batch) {
      if (Y.cols !== X.cols) {
        throw inputError(`auto: the rows to predict have ${Y.cols} columns, the data had ${X.cols}`);
      }
      const mapped = multiply(scaled.apply(Y, batch), map);
      return Int32Array.from({ length: Y.rows }, (_, i) => nearestCenter(mapped, i, centers));
    },
  };
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
 * By the work of a path: edges x features x gammas, growing with the square root of the rows beyond 2000. Measured at
 * 3.5e8 of these per minute, metric learning included.
 */
function chooseForm({ rows, cols }: Matrix, asked: "auto" | Form): { form: Form; reason: string } {
  if (asked !== "auto") return { form: asked, reason: "as asked for" };
  const gammas = 30;
  const perNeighbor = rows * cols * gammas * Math.sqrt(Math.max(1, rows / 2000));
  const light = 7 * perNeighbor; // 10 neighbours, of which some are mutual
  const full = light + 20 * perNeighbor;
  const size = `${rows} rows and ${cols} dimensions`;
  if (full <= 3.5e8) return { form: "full", reason: `${size} take less than about a minute` };
  if (light <= 3.5e8) {
    return { form: "light", reason: `${size}: with 10 neighbours only, and no CCML, to stay near a minute` };
  }
  return {
    form: "landmarks",
    reason: `${size}: ${LANDMARKS} k-means centres are clustered in the place of rows`,
  };
}

function landmarks(Z: Matrix, seed: number): { Z: Matrix; nearest?: Int32Array } {
  if (Z.rows <= LANDMARKS) return { Z };
  const { centers, labels } = kmeans(Z, { clusters: LANDMARKS, seed, restarts: 1, maxIterations: 10 });
  return { Z: centers, nearest: labels };
}

/** What the methods make of the rows, best first. */
function candidatePool(
  Z: Matrix,
  form: Form,
  clusters: number | undefined,
  seed: number,
  going: (label: string, fraction: number) => boolean,
): RecipeCandidate[] {
  const pool: RecipeCandidate[] = [];
  const graph = Z.rows > 1 ? comparisonGraph(Z) : emptyGraph(Z.rows);
  const add = (candidate: Omit<RecipeCandidate, "modularity">): void => {
    pool.push({ ...candidate, modularity: modularity(graph, candidate.labels) });
  };
  const sizes = form === "light" ? [10] : [30, 10];
  let count = clusters;
  for (const [s, neighbors] of sizes.entries()) {
    if (!going(`convex clustering, ${neighbors} neighbours`, s / sizes.length)) break;
    const chain = convexChain(Z, neighbors, count, form, (label) => going(label, (s + 0.5) / sizes.length));
    chain.forEach(add);
    count ??= labelCount(chain[0].labels);
  }
  if (pool.length === 0 || (going("k-means", 0.95) && count !== 1)) {
    const { labels, converged } = kmeans(Z, { clusters: count ?? 2, seed });
    add({ method: "kmeans", labels, converged });
  }
  return settle(pool);
}

/** Within this share of the largest modularity candidates are taken for equally good. */
const CLOSE = 0.02;

/**
 * The choice, first, and the others by falling modularity. Modularity cannot tell candidates apart that are close; of
 * these the one is taken that agrees best with all candidates, by the mean adjusted Rand index.
 */
function settle(pool: RecipeCandidate[]): RecipeCandidate[] {
  pool.sort((a, b) => b.modularity - a.modularity);
  const enough = pool[0].modularity - CLOSE * Math.abs(pool[0].modularity);
  const close = pool.filter((candidate) => candidate.modularity >= enough);
  const agreement = close.map(({ labels }) =>
    pool.reduce((sum, other) => sum + adjustedRand(labels, other.labels), 0),
  );
  const chosen = close[agreement.indexOf(Math.max(...agreement))];
  return [chosen, ...pool.filter((candidate) => candidate !== chosen)];
}

/** CC, then CCML from it, then CCSCML from the better of both. */
function convexChain(
  Z: Matrix,
  neighbors: number,
  clusters: number | undefined,
  form: Form,
  going: (label: string) => boolean,
): Omit<RecipeCandidate, "modularity">[] {
  const options = {
    scale: "none",
    neighbors: Math.min(neighbors, Math.max(2, Math.floor(Z.rows / 5))),
  } as const;
  const first = cc(Z, { ...options, ...(clusters !== undefined && { clusters }) });
  const count = clusters ?? first.sizes.length;
  const { labels, gamma, certificate, converged } = first;
  const chain: Omit<RecipeCandidate, "modularity">[] = [
    { method: "cc", neighbors, labels, gamma, certificate, converged },
  ];
  if (count < 2 || Z.rows <= count) return chain;
  let start = first.candidates.find((candidate) => candidate.labels === labels);
  // The U step of CCML couples all features: its work grows with d^2, and faster than n.
  const small = Z.rows <= 1000 && Z.rows * Z.cols * Z.cols <= 1e5;
  if (form !== "light" && small && going(`CCML, ${neighbors} neighbours`)) {
    const learned = ccml(Z, { ...options, clusters: count });
    learned.rounds.forEach(({ fit, B }, round) => {
      if (round === 0 || fit.chosen.sizes.length !== count) return;
      const { labels, gamma } = fit.chosen;
      const { certificate, converged } = fit.step;
      chain.push({
        method: "ccml",
        neighbors,
        round,
        labels,
        gamma,
        certificate,
        converged,
        ...(B && { B }),
      });
      if (start === undefined || fit.chosen.modularity > start.modularity) start = fit.chosen;
    });
  }
  if (start === undefined || start.sizes.length !== count || !going(`CCSCML, ${neighbors} neighbours`))
    return chain;
  const learned = ccscml(Z, { ...options, clusters: count, start: start.labels });
  learned.rounds.forEach(({ fit, Q, sigma }, r) => {
    if (fit.chosen.sizes.length !== count) return;
    const { labels, gamma } = fit.chosen;
    const { certificate, converged } = fit.step;
    const B = multiplyTransposeB(scaleColumns(Q, sigma), Q);
    chain.push({ method: "ccscml", neighbors, round: r + 1, labels, gamma, certificate, converged, B });
  });
  return chain;
}

function scaleColumns(Q: Matrix, factors: Float64Array): Matrix {
  return matrix(
    Q.rows,
    Q.cols,
    Q.data.map((value, p) => value * factors[p % Q.cols]),
  );
}

function labelCount(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label), 0) + 1;
}

function emptyGraph(nodes: number): Edges {
  return { nodes, from: new Int32Array(0), to: new Int32Array(0), weights: new Float64Array(0) };
}
