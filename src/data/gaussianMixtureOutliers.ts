import { random, type Random } from "../core/index.ts";
import { flag, integer, real, resolveOptions, type OptionsOf } from "../core/internal.ts";
import { matrix } from "../matrix/index.ts";
import type { Generated } from "./generate.ts";

const RULES = {
  perClass: integer({ min: 1, default: 100 }),
  /** Number of outlier features, 0 to 7, each from another distribution. */
  outliers: integer({ min: 0, max: 7, default: 7 }),
  /** Standard deviation of every outlier feature. */
  outlierDeviation: real({ above: 0, default: 5 }),
  /** Class c has the mean `separation` e_c; all have unit variance. */
  separation: real({ min: 0, default: 4 }),
  /** Whether the columns are put in random order. */
  permute: flag(true),
  seed: integer({ min: 0, default: 0 }),
};

export type GaussianMixtureOutliersOptions = OptionsOf<typeof RULES>;

/** Distributions of mean 0 and standard deviation 1: light and heavy tails, skew, two modes. */
const LAWS: readonly { readonly name: string; readonly draw: (r: Random) => number }[] = [
  { name: "normal", draw: (r) => r.normal() },
  { name: "uniform", draw: (r) => Math.sqrt(12) * (r.uniform() - 0.5) },
  { name: "laplace", draw: (r) => (r.uniform() < 0.5 ? -1 : 1) * Math.SQRT1_2 * exponential(r) },
  { name: "exponential", draw: (r) => exponential(r) - 1 },
  { name: "student5", draw: (r) => studentFive(r) * Math.sqrt(3 / 5) },
  { name: "lognormal", draw: lognormal },
  { name: "bimodal", draw: (r) => (r.uniform() < 0.5 ? -0.9 : 0.9) + Math.sqrt(0.19) * r.normal() },
];

/**
 * The Gaussian mixture with outlier features (Sui, Xu, Qian and Liu 2018, Convex clustering with metric
 * learning, section 4.2): three classes of unit variance in R^3, and features that are independent of the
 * class, each from one distribution of high variance. The paper gives neither means nor distributions; the
 * means are 4 e_c, and the distributions are those above scaled to one standard deviation. Columns are
 * permuted, so no method can profit from relevant columns first.
 */
export function gaussianMixtureOutliers(
  options: GaussianMixtureOutliersOptions = {},
): Generated & { readonly relevant: Int32Array } {
  const settings = resolveOptions("gaussianMixtureOutliers", options, RULES);
  const { perClass, outliers, outlierDeviation, separation } = settings;
  const draw = random(settings.seed);
  const d = 3 + outliers;
  const column = Int32Array.from({ length: d }, (_, j) => j); // feature -> column
  if (settings.permute) draw.shuffle(column);
  const X = matrix(3 * perClass, d);
  const labels = new Int32Array(3 * perClass);
  for (let i = 0; i < X.rows; i++) {
    const label = Math.floor(i / perClass);
    labels[i] = label;
    for (let f = 0; f < 3; f++) X.data[i * d + column[f]] = (f === label ? separation : 0) + draw.normal();
    for (let f = 3; f < d; f++) X.data[i * d + column[f]] = outlierDeviation * LAWS[f - 3].draw(draw);
  }
  const names: string[] = Array.from({ length: d }, () => "");
  for (let f = 0; f < d; f++) names[column[f]] = f < 3 ? `x${f + 1}` : LAWS[f - 3].name;
  return { X, labels, names, relevant: column.slice(0, 3).sort() };
}

function exponential(r: Random): number {
  return -Math.log1p(-r.uniform());
}

/** Student's t with 5 degrees of freedom, variance 5/3. */
function studentFive(r: Random): number {
  let chiSquared = 0;
  for (let k = 0; k < 5; k++) chiSquared += r.normal() ** 2;
  return r.normal() / Math.sqrt(chiSquared / 5);
}

/** Log-normal of log-scale 1/2: mean exp(1/8), variance (exp(1/4) - 1) exp(1/4). */
function lognormal(r: Random): number {
  const variance = Math.expm1(0.25) * Math.exp(0.25);
  return (Math.exp(0.5 * r.normal()) - Math.exp(0.125)) / Math.sqrt(variance);
}
