import { random, type Random } from "../../core/index.ts";
import { rule, sizesOf } from "../../core/internal.ts";
import { checkConstraints, type CheckedConstraints, type Constraints, type Pair } from "../../data/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { matrix, row, type Matrix } from "../../matrix/index.ts";
import { requireModerate, squaredDistance } from "../../matrix/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { checkRowWeights, requireClusters } from "../clusterInput.ts";
import { densePoints, type Points } from "../kmeans/points.ts";
import type { ReportIteration } from "../kmeans/lloyd.ts";
import { bestOfRestarts, RUN_RULES } from "../kmeans/restarts.ts";
import { seedCenters } from "../kmeans/seeding.ts";
import { contract, groupMembers, violatedPairs } from "./contracted.ts";

/** The common options of the soft methods. */
export const SOFT_RULES = {
  ...RUN_RULES,
  ...PAIR_RULES,
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  penalty: rule.real({
    min: 0,
    default: 1,
    says: "price of a violated pair, against half a squared distance",
  }),
  closure: rule.flag(true, { says: "also counts the pairs implied by the given ones" }),
  maxIterations: rule.integer({ min: 1, default: 200, says: "maximum number of iterations of each start" }),
};

export type SoftPairOptions = rule.OptionsOf<typeof SOFT_RULES>;

/** One run of a method with soft pairs. */
export interface SoftRun {
  readonly labels: Int32Array;
  /** K x d. */
  readonly centers: Float64Array;
  readonly objective: number;
  /** The objective after each iteration. */
  readonly history: readonly number[];
  readonly converged: boolean;
}

type Settings = Pick<
  rule.ResolvedOptions<typeof SOFT_RULES>,
  "clusters" | "restarts" | "maxIterations" | "seed" | "onProgress"
>;

/**
 * A k-means under soft pairs: the best of several runs, the first from the neighbourhoods of the pairs and the others from
 * k-means++, as a clustering by centres.
 */
export function softKmeans<M extends string>(
  method: M,
  points: Points,
  X: Matrix,
  { constraints, weights, warnings }: SoftProblem,
  settings: Settings,
  kind: PairCertificate["kind"],
  runFrom: (start: Float64Array, stream: Random, report: ReportIteration) => SoftRun,
): CenterClustering<M, PairCertificate> {
  const { clusters: K, seed } = settings;
  const streams = random(seed);
  const { centers, ...run } = bestOfRestarts<SoftRun>(
    settings,
    warnings,
    ({ objective }) => objective,
    (restart, report) => {
      const stream = streams.split();
      const start =
        restart === 0
          ? neighborhoodCenters(X, constraints, weights, K, stream)
          : seedCenters(points, K, weights, stream);
      return runFrom(start, stream, report);
    },
  );
  return centerClustering(X, {
    method,
    ...run,
    centers: matrix(K, X.cols, centers),
    certificate: pairCertificate(constraints, run.labels, run.converged ? kind : "none"),
    warnings,
  });
}

/** The outcome of the pairs. */
export interface PairCertificate {
  /**
   * `local optimum`: no row and no must-link group has a better cluster while the rest stays. `fixed point`
   * (LCVQE): another iteration changes nothing.
   */
  readonly kind: "local optimum" | "fixed point" | "none";
  /** Given must-links and cannot-links that the labels violate. */
  readonly violatedMustLinks: number;
  readonly violatedCannotLinks: number;
}

export function pairCertificate(
  pairs: Constraints,
  labels: Int32Array,
  kind: PairCertificate["kind"],
): PairCertificate {
  const { mustLinks, cannotLinks } = violatedPairs(pairs, labels);
  return { kind, violatedMustLinks: mustLinks, violatedCannotLinks: cannotLinks };
}

/** Maximum number of pairs made from a closure: a budget of memory. */
const MOST_PAIRS = 2_000_000;

/** The checked input of a soft method. */
export function softProblem(
  method: string,
  X: Matrix,
  options: Pick<SoftPairOptions, "clusters" | "mustLink" | "cannotLink" | "closure" | "weights">,
) {
  requireClusters(method, X, options.clusters);
  requireModerate(X);
  const weights = checkRowWeights(method, options.weights, X.rows);
  const warnings: string[] = [];
  // Indices and self-pairs are checked first, one kind at a time: these are always errors.
  const must = checkConstraints(X.rows, { mustLink: options.mustLink });
  const cannot = checkConstraints(X.rows, { cannotLink: options.cannotLink });
  if (cannot.cannotLink.some(([i, j]) => must.group[i] === must.group[j])) {
    warnings.push(
      "must-links and cannot-links contradict each other: the given pairs are penalised one by one",
    );
    // Groups are then single rows.
    const constraints = { ...cannot, mustLink: must.mustLink };
    return { constraints, pairs: constraints as Constraints, weights, warnings };
  }
  const constraints = checkConstraints(X.rows, options);
  const { size, pairs } =
    options.closure === true && constraints.mustLink.length > 0
      ? closureOf(constraints, MOST_PAIRS)
      : { size: 0, pairs: constraints };
  if (pairs === undefined) {
    warnings.push(`the closure has ${size} pairs: only the given ones are penalised`);
  }
  return {
    constraints,
    /** The pairs that are penalised. */
    pairs: pairs ?? constraints,
    weights,
    warnings,
  };
}

export type SoftProblem = ReturnType<typeof softProblem>;

/** All implied pairs: within must-link groups, and between groups separated by a cannot-link; none above `most`. */
function closureOf(constraints: CheckedConstraints, most: number): { size: number; pairs?: Constraints } {
  const { group, groups } = constraints;
  const members = groupMembers(group, groups);
  const apart = new Map<number, readonly [number, number]>();
  for (const [i, j] of constraints.cannotLink) {
    const [g, h] = [Math.min(group[i], group[j]), Math.max(group[i], group[j])];
    apart.set(g * groups + h, [g, h]);
  }
  let size = 0;
  for (const rows of members) size += (rows.length * (rows.length - 1)) / 2;
  for (const [g, h] of apart.values()) size += members[g].length * members[h].length;
  if (size > most) return { size };
  const mustLink: Pair[] = [];
  const cannotLink: Pair[] = [];
  for (const rows of members) {
    for (let a = 0; a < rows.length; a++) for (let b = 0; b < a; b++) mustLink.push([rows[b], rows[a]]);
  }
  for (const [g, h] of apart.values()) {
    for (const a of members[g]) for (const b of members[h]) cannotLink.push([a, b]);
  }
  return { size, pairs: { mustLink, cannotLink } };
}

/**
 * Starting centres from the pairs (S. Basu, A. Banerjee and R. J. Mooney, 2004): must-link groups are
 * neighbourhoods, and the K that lie far from each other and are large, by farthest-first traversal weighted
 * with their sizes, give the centres. Missing centres are drawn by k-means++ on the contracted groups.
 */
function neighborhoodCenters(
  X: Matrix,
  constraints: CheckedConstraints,
  weights: Float64Array | undefined,
  K: number,
  stream: Random,
): Float64Array {
  const d = X.cols;
  const { points, masses } = contract(X, constraints, weights);
  const Y = points as Matrix;
  const sizes = sizesOf(constraints.group, constraints.groups);
  const candidates = Array.from(sizes.keys()).filter((g) => sizes[g] > 1);
  const seeds = matrix(K, d, seedCenters(densePoints(Y), K, masses, stream));
  if (candidates.length === 0) return seeds.data;
  const chosen: number[] = [candidates.reduce((best, g) => (sizes[g] > sizes[best] ? g : best))];
  const nearest = new Float64Array(constraints.groups).fill(Infinity);
  const approach = (h: number): void => {
    for (const g of candidates) nearest[g] = Math.min(nearest[g], squaredDistance(Y, g, Y, h));
  };
  approach(chosen[0]);
  while (chosen.length < Math.min(K, candidates.length)) {
    const next = candidates.reduce((best, g) =>
      sizes[g] * nearest[g] > sizes[best] * nearest[best] ? g : best,
    );
    if (nearest[next] === 0) break;
    chosen.push(next);
    approach(next);
  }
  const start = matrix(K, d);
  chosen.forEach((g, k) => start.data.set(row(Y, g), k * d));
  // The seeds of k-means++ that lie farthest from the neighbourhoods fill the rest.
  const spare = Array.from({ length: K }, (_, k) => k);
  for (let k = chosen.length; k < K; k++) {
    let best = -1;
    let most = -1;
    for (const s of spare) {
      let least = Infinity;
      for (let c = 0; c < k; c++) least = Math.min(least, squaredDistance(seeds, s, start, c));
      if (least > most) {
        most = least;
        best = s;
      }
    }
    spare.splice(spare.indexOf(best), 1);
    start.data.set(row(seeds, best), k * d);
  }
  return start.data;
}
