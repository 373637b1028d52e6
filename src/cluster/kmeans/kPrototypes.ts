import { random } from "../../core/index.ts";
import { option, optionError, plain, rule, sizesOf } from "../../core/internal.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { asGiven, columnVariances, inValueOrder, requireFinite } from "../../matrix/internal.ts";
import { checkRowWeights, reduceToDistinct, requireClusters, requireColumns } from "../clusterInput.ts";
import type { Clustered, Iterated } from "../clustered.ts";
import type { CenterRule } from "./lloyd.ts";
import { bestLloyd, RUN_RULES } from "./restarts.ts";
import { withPoints } from "./withPoints.ts";

export const kPrototypesOptions = {
  ...RUN_RULES,
  clusters: rule.required(rule.integer({ min: 1 })),
  restarts: rule.integer({ min: 1, max: 10_000, default: 20, says: "independent starts; the best is kept" }),
  /** The columns that hold codes of categories, by number; the others are numbers. */
  categorical: rule.given<readonly number[]>("an array of column numbers", rule.isList, []),
  gamma: rule.real({
    min: 0,
    says: "what a category that differs counts, in squared units of the numbers",
    usual: "the mean standard deviation of the numbers; 1 without numbers",
  }),
};

export type KPrototypesOptions = rule.OptionsOf<typeof kPrototypesOptions>;

export interface KPrototypes extends Clustered, Iterated {
  readonly method: "k-prototypes";
  /** K x d: the mean of each column of numbers, the most frequent code of each category. */
  readonly centers: Matrix;
  /** What a category that differs counts. */
  readonly gamma: number;
  /** By the least of ||y - c||^2 and gamma for each category that differs. */
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "nearest-center";
}

/**
 * k-modes and k-prototypes (Z. Huang, 1998): k-means for categories, and for numbers beside categories:
 *
 *     minimise  E = sum_i w_i ( ||x_i - c_{l_i}||^2 over the numbers + gamma (number of categories that differ from c_{l_i}) )
 *
 * A centre has the mean of each number and the most frequent code of each category. With indicators of the codes times
 * sqrt(gamma / 2) this is Lloyd's loop: two rows of different codes are gamma apart, and the mode is the best indicator.
 *
 * When not: many categories with many levels, where a mode says little; a mixture (`mixed`) uses all frequencies.
 */
export function kPrototypes(input: MatrixLike, options: KPrototypesOptions): KPrototypes {
  return inValueOrder(asMatrix(input, "kPrototypes"), options, ["weights"], fitted, asGiven());
}

/** k-modes: all columns are codes, and each that differs counts 1. */
export function kModes(
  input: MatrixLike,
  options: Omit<KPrototypesOptions, "categorical" | "gamma">,
): KPrototypes {
  const X = asMatrix(input, "kModes");
  return kPrototypes(X, { ...options, categorical: Array.from({ length: X.cols }, (_, f) => f), gamma: 1 });
}

function fitted(X: Matrix, options: KPrototypesOptions): KPrototypes {
  const settings = rule.resolveOptions("kPrototypes", options, kPrototypesOptions);
  const { categorical, seed } = settings;
  requireClusters("kPrototypes", X, settings.clusters);
  requireFinite(X);
  for (const f of categorical) {
    if (Number.isInteger(f) && f >= 0 && f < X.cols) continue;
    throw optionError(`kPrototypes: ${option("categorical")} names the column ${f}, but there are ${X.cols}`);
  }
  const weights = checkRowWeights("kPrototypes", settings.weights, X.rows);
  const gamma = settings.gamma ?? usualGamma(X, categorical);
  const { S, blocks } = indicated(X, categorical, gamma);
  const warnings: string[] = [];
  const run = withPoints(S, (points) => {
    const clusters = reduceToDistinct(points, weights, settings.clusters, warnings);
    const rules = {
      assigner: points.assigner(clusters),
      rule: modes(blocks, gamma),
      free: true,
      tolerance: 0,
    };
    // The first labels of k-means++ are those of rows as centres, which are their own modes.
    const plan = { ...settings, ...rules, points, weights, clusters, initial: undefined };
    return bestLloyd(plan, random(seed), warnings);
  });
  const { labels, history, converged } = run;
  const K = run.centers.length / S.cols;
  const centers = matrix(K, X.cols);
  for (let k = 0; k < K; k++) {
    blocks.forEach(({ codes, from }, f) => {
      const own = run.centers.subarray(k * S.cols + from, k * S.cols + from + (codes?.length ?? 1));
      centers.data[k * X.cols + f] = codes === undefined ? own[0] : codes[own.indexOf(Math.max(...own))];
    });
  }
  return plain<KPrototypes>({
    method: "k-prototypes",
    clusters: K,
    labels,
    sizes: sizesOf(labels, K),
    centers,
    gamma,
    objective: history[history.length - 1],
    iterations: history.length,
    history,
    converged,
    warnings,
    placement: "nearest-center",
    predict: byPrototypes(centers, categorical, gamma),
  });
}

function byPrototypes(
  centers: Matrix,
  categorical: readonly number[],
  gamma: number,
): (Y: MatrixLike) => Int32Array {
  const isCode = new Set(categorical);
  const { rows: K, cols: d } = centers;
  return (input) => {
    const Y = asMatrix(input, "predict");
    requireColumns(Y.cols, d);
    requireFinite(Y);
    return Int32Array.from({ length: Y.rows }, (_, i) => {
      const costs = Float64Array.from({ length: K }, (__, k) => {
        let cost = 0;
        for (let f = 0; f < d; f++) {
          const difference = Y.data[i * d + f] - centers.data[k * d + f];
          cost += isCode.has(f) ? (difference === 0 ? 0 : gamma) : difference * difference;
        }
        return cost;
      });
      return costs.indexOf(Math.min(...costs));
    });
  };
}

/** A column of X in the work matrix: its first column there, and its codes if it is a category. */
interface Block {
  readonly from: number;
  readonly codes?: readonly number[];
}

/** Numbers beside indicators times sqrt(gamma / 2). */
function indicated(X: Matrix, categorical: readonly number[], gamma: number) {
  const { rows: n, cols: d } = X;
  let width = 0;
  const blocks = Array.from({ length: d }, (_, f): Block => {
    const from = width;
    if (!categorical.includes(f)) {
      width++;
      return { from };
    }
    const codes = [...new Set(Array.from({ length: n }, (__, i) => X.data[i * d + f]))].sort((a, b) => a - b);
    width += codes.length;
    return { from, codes };
  });
  const S = matrix(n, width);
  const one = Math.sqrt(gamma / 2);
  blocks.forEach(({ from, codes }, f) => {
    const place = codes && new Map(codes.map((code, at) => [code, from + at]));
    for (let i = 0; i < n; i++) {
      const value = X.data[i * d + f];
      if (place === undefined) S.data[i * width + from] = value;
      else S.data[i * width + place.get(value)!] = one;
    }
  });
  return { S, blocks };
}

/** The mean of numbers; of indicators the most frequent one, the first among equals. */
function modes(blocks: readonly Block[], gamma: number): CenterRule {
  const one = Math.sqrt(gamma / 2);
  return {
    center(k, { sums, masses }, centers) {
      const d = sums.length / masses.length;
      for (const { from, codes } of blocks) {
        const at = k * d + from;
        if (codes === undefined) centers[at] = sums[at] / masses[k];
        else {
          const own = sums.subarray(at, at + codes.length);
          let most = 0;
          for (let c = 1; c < own.length; c++) if (own[c] > own[most] * (1 + 1e-12)) most = c;
          centers.fill(0, at, at + codes.length);
          centers[at + most] = one;
        }
      }
    },
    // sum of w |x - c|^2 changes by m (|c'|^2 - |c|^2) - 2 s'(c' - c).
    objective(objective, before, after, { sums, masses }) {
      const d = before.length / masses.length;
      let change = 0;
      for (let p = 0; p < after.length; p++) {
        const mass = masses[Math.floor(p / d)];
        change += (after[p] - before[p]) * (mass * (after[p] + before[p]) - 2 * sums[p]);
      }
      return objective + Math.min(0, change);
    },
  };
}

/** Huang's advice: the mean standard deviation of the numbers. */
function usualGamma(X: Matrix, categorical: readonly number[]): number {
  const spreads = Array.from(columnVariances(X), Math.sqrt).filter((_, f) => !categorical.includes(f));
  const mean = spreads.reduce((sum, spread) => sum + spread, 0) / Math.max(1, spreads.length);
  return mean > 0 ? mean : 1;
}
