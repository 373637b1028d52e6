import { comparisonGraph, rankPartitions } from "../../cluster/index.ts";
import { kmeansInOrder } from "../../cluster/internal.ts";
import { matrix, multiplyTransposeB, type Matrix } from "../../matrix/index.ts";
import { fitCc } from "./cc.ts";
import { alternate, ccml, ccmlSetting } from "./ccml.ts";
import { ccscml } from "./ccscml.ts";
import type { Certificate } from "../solve/problem.ts";

/**
 * How much of the recipe runs: with all neighbourhoods, with the small one, on k-means centres, on means of
 * cells.
 */
export type Form = "full" | "light" | "landmarks" | "representatives";

/** One partition of the pool of candidates. */
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

/** The partitions of all methods, best first. */
export function candidatePool(
  Z: Matrix,
  form: Form,
  clusters: number | undefined,
  seed: number,
  going: (label: string, fraction: number) => boolean,
): RecipeCandidate[] {
  const pool: Unranked[] = [];
  const sizes = form === "light" ? [10] : [30, 10];
  let count = clusters;
  for (const [s, neighbors] of sizes.entries()) {
    if (!going(`convex clustering, ${neighbors} neighbours`, s / sizes.length)) break;
    const chain = convexChain(Z, neighbors, count, form, (label) => going(label, (s + 0.5) / sizes.length));
    pool.push(...chain);
    count ??= labelCount(chain[0].labels);
  }
  if (pool.length === 0 || (going("k-means", 0.95) && count !== 1)) {
    const { labels, converged } = kmeansInOrder(Z, { clusters: count ?? 2, seed });
    pool.push({ method: "kmeans", labels, converged });
  }
  return rankPartitions(comparisonGraph(Z), pool, clusters).map(({ partition, modularity }) => ({
    ...partition,
    modularity,
  }));
}

type Unranked = Omit<RecipeCandidate, "modularity">;

/** CC, then CCML from it, then CCSCML from the better of the two. */
function convexChain(
  Z: Matrix,
  neighbors: number,
  clusters: number | undefined,
  form: Form,
  going: (label: string) => boolean,
): Unranked[] {
  const options = {
    scale: "none",
    neighbors: Math.min(neighbors, Math.max(2, Math.floor(Z.rows / 5))),
  } as const;
  const setting = ccmlSetting(Z, { ...options, ...(clusters !== undefined && { clusters }) });
  const first = fitCc(setting);
  const { chosen, path, candidates } = first;
  const { gamma, certificate } = first.step;
  const count = clusters ?? chosen.sizes.length;
  const converged = path.complete && path.steps.every((step) => step.converged);
  const chain: Unranked[] = [
    { method: "cc", neighbors, labels: chosen.labels, gamma, certificate, converged },
  ];
  if (count < 2 || Z.rows <= count) return chain;
  let start = candidates.includes(chosen) ? chosen : undefined;
  // The U step of CCML couples all features: its work grows with d^2, and faster than n.
  const small = Z.rows <= 1000 && Z.rows * Z.cols * Z.cols <= 1e5;
  if (form !== "light" && small && going(`CCML, ${neighbors} neighbours`)) {
    // With K given, CCML starts with the path that CC has just followed.
    const { rounds } =
      clusters === undefined ? ccml(Z, { ...options, clusters: count }) : alternate(setting, first);
    rounds.forEach(({ fit, B }, round) => {
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
