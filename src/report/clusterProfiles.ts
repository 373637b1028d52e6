import { inputError } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";

/** A distinguishing feature of a cluster, with its effect. */
export interface Difference {
  readonly feature: number;
  readonly name: string;
  /** Mean of the cluster and of all rows, in the units of the data. */
  readonly mean: number;
  readonly overall: number;
  /** (mean - overall) / standard deviation of all rows. */
  readonly effect: number;
  /** Share of the feature's variance that the partition explains, 0 to 1. */
  readonly explained: number;
}

export interface Profile {
  readonly cluster: number;
  readonly size: number;
  /** All features that vary, the most distinguishing first: by |effect| x sqrt(explained). */
  readonly differences: readonly Difference[];
  /** One sentence. */
  readonly words: string;
}

/**
 * The features that distinguish each cluster, in numbers and in words. A feature distinguishes a cluster if
 * the cluster's mean is far from that of all rows and the feature differs little within clusters.
 */
export function clusterProfiles(
  X: Matrix,
  labels: ArrayLike<number>,
  names: readonly string[] = Array.from({ length: X.cols }, (_, f) => `feature ${f}`),
): Profile[] {
  const { rows: n, cols: d, data } = X;
  if (labels.length !== n) {
    throw inputError(`clusterProfiles: ${labels.length} labels for ${n} rows; give one per row`);
  }
  let clusters = 0;
  for (let i = 0; i < n; i++) clusters = Math.max(clusters, labels[i] + 1);
  const sizes = new Int32Array(clusters);
  const means = new Float64Array(clusters * d);
  const overall = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) overall[f] += (data[i * d + f] - overall[f]) / (i + 1);
    const k = labels[i];
    if (k < 0) continue;
    sizes[k]++;
    for (let f = 0; f < d; f++) means[k * d + f] += (data[i * d + f] - means[k * d + f]) / sizes[k];
  }
  const total = new Float64Array(d);
  const between = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let f = 0; f < d; f++) total[f] += (data[i * d + f] - overall[f]) ** 2;
  for (let k = 0; k < clusters; k++) {
    for (let f = 0; f < d; f++) between[f] += sizes[k] * (means[k * d + f] - overall[f]) ** 2;
  }
  return Array.from(sizes, (size, cluster) => {
    const differences: Difference[] = [];
    for (let f = 0; f < d; f++) {
      // The variance of a constant column is the rounding of its mean.
      if (!(total[f] > n * (1e-12 * overall[f]) ** 2) || size === 0) continue;
      const mean = means[cluster * d + f];
      const effect = (mean - overall[f]) / Math.sqrt(total[f] / n);
      const explained = Math.min(1, between[f] / total[f]);
      differences.push({ feature: f, name: names[f], mean, overall: overall[f], effect, explained });
    }
    differences.sort((a, b) => telling(b) - telling(a) || a.feature - b.feature);
    return { cluster, size, differences, words: inWords(size, n, differences) };
  });
}

function telling({ effect, explained }: Difference): number {
  return Math.abs(effect) * Math.sqrt(explained);
}

/** Effects above which a feature is mentioned, and above which the word is "very". */
const WORTH = 0.5;
const VERY = 1.5;
const MOST_WORDS = 4;

function inWords(size: number, n: number, differences: readonly Difference[]): string {
  const share = `${size} of ${n} rows`;
  const told = differences.filter(({ effect }) => Math.abs(effect) >= WORTH).slice(0, MOST_WORDS);
  if (told.length === 0) return `${share}, near the mean of all rows in every single feature`;
  const words = told.map(({ name, effect }) => {
    const how = effect > 0 ? "high" : "low";
    return `${Math.abs(effect) >= VERY ? "very " : ""}${how} ${name}`;
  });
  const last = words.pop()!;
  return `${share} with ${words.length === 0 ? last : `${words.join(", ")} and ${last}`}`;
}
