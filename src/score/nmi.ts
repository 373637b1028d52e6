import { rule } from "../core/internal.ts";
import { contingency, LABEL_RULES, type Contingency, type LabelOptions } from "./contingency.ts";
import type { Labeling } from "./labels.ts";

/**
 * Normalised mutual information (A. Strehl and J. Ghosh, 2002; N. X. Vinh, J. Epps and J. Bailey, 2010)
 *
 *     NMI(A, B) = I(A; B) / N,    N = mean, geometric mean, min or max of H(A) and H(B), or the joint entropy H(A, B)
 *
 * The normalisations give different numbers: state which one was used.
 */
export type Normalization = "arithmetic" | "geometric" | "min" | "max" | "joint";

const RULES = {
  ...LABEL_RULES,
  normalization: rule.oneOf<Normalization>(["arithmetic", "geometric", "min", "max", "joint"], "arithmetic"),
};

export type NmiOptions = rule.OptionsOf<typeof RULES>;

/** In [0, 1]. 1 when both labelings have a single class; 0 when only one of them has. */
export function nmi(predicted: Labeling, truth: Labeling, options: NmiOptions = {}): number {
  const { normalization, unknown } = rule.resolveOptions("nmi", options, RULES);
  return nmiOf(contingency(predicted, truth, { unknown }), normalization);
}

export function nmiOf(table: Contingency, normalization: Normalization = "arithmetic"): number {
  if (table.first.length === 1 && table.second.length === 1) return 1;
  if (table.first.length === 1 || table.second.length === 1) return 0;
  const h1 = entropy(table.first, table.rows);
  const h2 = entropy(table.second, table.rows);
  const information = mutualInformationOf(table);
  const bound = {
    arithmetic: (h1 + h2) / 2,
    geometric: Math.sqrt(h1 * h2),
    min: Math.min(h1, h2),
    max: Math.max(h1, h2),
    joint: h1 + h2 - information,
  }[normalization];
  return Math.min(1, information / bound);
}

/**
 * A. Rosenberg and J. Hirschberg (2007), "V-measure": homogeneity is I / H(classes), 1 if each cluster has rows of one class;
 * completeness is I / H(clusters), 1 if each class is in one cluster; their harmonic mean, V, is `nmi` with the arithmetic mean.
 */
export function homogeneity(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return homogeneityOf(contingency(predicted, truth, options));
}

/** I / H(clusters): see `homogeneity`. */
export function completeness(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return completenessOf(contingency(predicted, truth, options));
}

/** The harmonic mean of homogeneity and completeness. */
export function vMeasure(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return vMeasureOf(contingency(predicted, truth, options));
}

export function homogeneityOf(table: Contingency): number {
  if (table.second.length === 1) return 1;
  return Math.min(1, mutualInformationOf(table) / entropy(table.second, table.rows));
}

export function completenessOf(table: Contingency): number {
  if (table.first.length === 1) return 1;
  return Math.min(1, mutualInformationOf(table) / entropy(table.first, table.rows));
}

export function vMeasureOf(table: Contingency): number {
  const [h, c] = [homogeneityOf(table), completenessOf(table)];
  return h + c === 0 ? 0 : (2 * h * c) / (h + c);
}

/** I(A; B) in nats, never negative. */
export function mutualInformation(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return mutualInformationOf(contingency(predicted, truth, options));
}

export function mutualInformationOf(table: Contingency): number {
  const { rows: n, first, second, a, b, counts } = table;
  let sum = 0;
  for (let c = 0; c < counts.length; c++) {
    sum += (counts[c] / n) * Math.log((n * counts[c]) / (first[a[c]] * second[b[c]]));
  }
  return Math.max(0, sum);
}

export function entropy(sizes: Float64Array, n: number): number {
  let sum = 0;
  for (const size of sizes) sum -= (size / n) * Math.log(size / n);
  return sum;
}
