import { kmeans } from "../cluster/kmeans.ts";
import type { Edges } from "../graph/edges.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { multiplyTransposeB } from "../matrix/multiply.ts";
import { modularity } from "../score/modularity.ts";
import { adjustedRand } from "../score/rand.ts";
import { comparisonGraph } from "./candidates.ts";
import { cc } from "./cc.ts";
import { ccml } from "./ccml.ts";
import { ccscml } from "./ccscml.ts";
import type { Certificate } from "./problem.ts";

/** How much of the recipe is run: with all neighbourhoods, with the small one, on k-means centres. */
export type Form = "full" | "light" | "landmarks";

/** One partition of the pool that the default chooses from. */
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

/** What the methods make of the rows, best first. */
export function candidatePool(
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
  // Where the number of clusters was asked for, partitions that have it go before those that missed it.
  const exact = pool.filter(({ labels }) => labelCount(labels) === clusters);
  const missed = pool.filter((candidate) => !exact.includes(candidate));
  return exact.length > 0 ? [...settle(exact), ...missed] : settle(pool);
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
