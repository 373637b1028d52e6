import {
  assignClusters,
  bigSize,
  cc,
  ccml,
  ccscml,
  type ConvexClustering,
  type HalfStep,
  rcc,
  scc,
  solveRcc,
} from "kindred/convex";
import { gaussianMixtureOutliers, scale, type ScaleKind } from "kindred/data";
import { components } from "kindred/graph";
import type { Matrix } from "kindred/matrix";
import { rand } from "kindred/score";
import { outcomeOf } from "./convexCell.ts";

/**
 * One repetition of the experiment behind Figures 4.2 to 4.5 of Sui (2018), Figures 2 and 3 of Sui et al.
 * (2018): three Gaussian classes of 100 rows in R^3 and 0 to 7 features that are independent of the class.
 * The text gives neither means nor distributions nor deviations; the protocol below states the ones used
 * here.
 */
export const OUTLIERS = {
  perClass: 100,
  /** Class c has the mean 4 e_c and unit variance. */
  separation: 4,
  /**
   * Standard deviation of every outlier feature, each from another distribution (normal, uniform, Laplace,
   * exponential, ...).
   */
  outlierDeviation: 5,
  outliers: [0, 1, 2, 3, 4, 5, 6, 7],
  /** The text gives no deviation: its figure again over these, on raw data and draws of their own. */
  sweep: { deviations: [1, 2, 3, 3.5, 4, 5], outliers: [1, 3, 5, 7], repetitions: 10, firstSeed: 101 },
  scales: ["none", "zscore"] as readonly ScaleKind[],
  repetitions: 50,
  clusters: 3,
  /** Rounds of CCML with the graph rebuilt in the learned metric; the others use the methods' defaults. */
  rebuiltIterations: 6,
  /** Convergence is followed at this many outlier features, for so many iterations. */
  convergence: { outliers: 7, iterations: 5 },
} as const;

export const FIGURE_METHODS = ["cc", "rcc", "scc", "ccml", "ccmlRebuilt", "ccscml"] as const;
export type FigureMethod = (typeof FIGURE_METHODS)[number];

export interface RepetitionTask {
  readonly kind: "repetition";
  readonly scale: ScaleKind;
  readonly outliers: number;
  /** Of every outlier feature. */
  readonly deviation: number;
  /** Seed of the generator. */
  readonly seed: number;
}

export type Repetition = ReturnType<typeof runRepetition>;

export type ConvergingMethod = "rcc" | "ccml" | "ccmlRebuilt" | "ccscml";

/** After each iteration; the first entry of CCML is the start with B = I. */
export interface Convergence {
  readonly rand: readonly number[];
  readonly objective: readonly number[];
}

export function runRepetition({ scale: kind, outliers, deviation, seed }: RepetitionTask) {
  const { perClass, separation, clusters, rebuiltIterations } = OUTLIERS;
  const drawn = gaussianMixtureOutliers({
    perClass,
    separation,
    outlierDeviation: deviation,
    outliers,
    seed,
  });
  const X = scale(drawn.X, kind).X;
  const truth = drawn.labels;
  const options = { clusters, scale: "none" } as const;
  const plain = cc(X, options);
  const robust = rcc(X, options);
  const kept = ccml(X, options);
  const rebuilt = ccml(X, { ...options, rebuildGraph: true, iterations: rebuiltIterations });
  // A start without K clusters has no Fisher directions; CCSCML then keeps it.
  const composed =
    plain.sizes.length === clusters ? ccscml(X, { ...options, start: plain.labels }) : undefined;
  const outcomes = {
    cc: outcomeOf(plain),
    rcc: outcomeOf(robust),
    scc: outcomeOf(scc(X, options)),
    ccml: outcomeOf(kept, kept.rounds),
    ccmlRebuilt: outcomeOf(rebuilt, rebuilt.rounds),
    ccscml: composed === undefined ? outcomeOf(plain) : outcomeOf(composed, composed.rounds),
  };
  const gaps = Object.values(outcomes).flatMap((outcome) => outcome.gaps);
  const score = (method: FigureMethod) => {
    const { chosen, offered } = outcomes[method];
    const first = rand(chosen.labels, truth);
    return {
      chosen: first,
      best: offered.reduce((best, { labels }) => Math.max(best, rand(labels, truth)), first),
    };
  };
  return {
    /** Rand index (0 to 1) of the partition chosen without labels, and of the best candidate. */
    scores: Object.fromEntries(FIGURE_METHODS.map((method) => [method, score(method)])) as Record<
      FigureMethod,
      ReturnType<typeof score>
    >,
    /** The largest relative duality gap of all solves. */
    gap: gaps.reduce((worst, gap) => Math.max(worst, gap), 0),
    solves: gaps.length,
    ...(outliers === OUTLIERS.convergence.outliers &&
      seed < OUTLIERS.sweep.firstSeed && {
        convergence: {
          rcc: robustConvergence(X, truth, robust),
          ccml: fixedGamma(X, truth, plain),
          ccmlRebuilt: {
            rand: rebuilt.rounds.map(({ fit }) => rand(fit.chosen.labels, truth)),
            objective: centersOnly(rebuilt.history),
          },
          ccscml: {
            rand: composed?.rounds.map(({ fit }) => rand(fit.chosen.labels, truth)) ?? [],
            objective: centersOnly(composed?.history ?? []),
          },
        },
      }),
  };
}

/** Figure 4.3: RCC at its gamma after 1, 2, ... solves of its fixed point. */
function robustConvergence(
  X: Matrix,
  truth: Int32Array,
  { gamma, beta, graph }: ConvexClustering & { readonly beta: number },
): Convergence {
  const scores: number[] = [];
  const objective: number[] = [];
  for (let maxIterations = 1; maxIterations <= OUTLIERS.convergence.iterations; maxIterations++) {
    const { fused, certificate } = solveRcc({ X, graph, norm: 1 }, { gamma, beta, maxIterations });
    const { labels, sizes } = components(graph, fused);
    const { clusters } = OUTLIERS;
    const found = assignClusters(X, labels, sizes, clusters, bigSize(X.rows, clusters), "largest");
    scores.push(rand((found ?? { labels }).labels, truth));
    objective.push(certificate.primal);
  }
  return { rand: scores, objective };
}

/** Figure 4.4: CCML as in the text, with fixed gamma and graph; every half step must lower the objective. */
function fixedGamma(X: Matrix, truth: Int32Array, { gamma }: ConvexClustering): Convergence {
  const { clusters, convergence } = OUTLIERS;
  const { iterations } = convergence;
  const { rounds, history } = ccml(X, { clusters, scale: "none", gamma, iterations });
  return { rand: rounds.map(({ fit }) => rand(fit.chosen.labels, truth)), objective: centersOnly(history) };
}

function centersOnly(history: readonly HalfStep[]): number[] {
  return history.filter(({ step }) => step === "centers").map(({ objective }) => objective);
}
