import { random, type Random } from "../core/index.ts";
import { rule } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";

/** A generated data set. */
export interface Generated {
  readonly X: Matrix;
  /** The class of each row, 0 .. K-1. */
  readonly labels: Int32Array;
  readonly names: readonly string[];
}

const SEED = rule.integer({ min: 0, default: 0 });

/** @param row the class and the values of each row, in order */
function generated(rows: number, cols: number, row: (i: number) => readonly number[]): Generated {
  const X = matrix(rows, cols);
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    const [label, ...values] = row(i);
    X.data.set(values, i * cols);
    return label;
  });
  return { X, labels, names: Array.from({ length: cols }, (_, j) => `x${j + 1}`) };
}

const TWO_MOONS = {
  perMoon: rule.integer({ min: 1, default: 100 }),
  /** Standard deviation of the noise added to both coordinates. */
  noise: rule.real({ min: 0, default: 0.1 }),
  seed: SEED,
};

export type TwoMoonsOptions = rule.OptionsOf<typeof TWO_MOONS>;

/** Two interleaved half circles of radius 1, the second turned over and moved by (1, 1/2). */
export function twoMoons(options: TwoMoonsOptions = {}): Generated {
  const { perMoon, noise, seed } = rule.resolveOptions("twoMoons", options, TWO_MOONS);
  const draw = random(seed);
  return generated(2 * perMoon, 2, (i) => {
    const moon = i < perMoon ? 0 : 1;
    const angle = Math.PI * draw.uniform();
    const x = (moon === 0 ? Math.cos(angle) : 1 - Math.cos(angle)) + noise * draw.normal();
    const y = (moon === 0 ? Math.sin(angle) : 0.5 - Math.sin(angle)) + noise * draw.normal();
    return [moon, x, y];
  });
}

const LAW = {
  /** Rows per Gaussian; there are six, two per class. */
  perCluster: rule.integer({ min: 1, default: 500 }),
  /** The share of rows whose label is replaced by one of the other two classes. */
  labelNoise: rule.real({ min: 0, max: 1, default: 0 }),
  seed: SEED,
};

export type LawOptions = rule.OptionsOf<typeof LAW>;

/** The centres of Law et al., section 5.1: class c has the rows 2c and 2c + 1. */
export const LAW_CENTERS = [
  [-6, 0, 0],
  [0, 60, 0],
  [6, 0, 0],
  [6, 60, 0],
  [3, 60, 6],
  [-6, 0, 6],
] as const;

/**
 * The two-subcluster set of Law et al. (Closed-form training of Mahalanobis distance, section 5.1): six unit
 * Gaussians in R^3, two far apart in each of three classes, so that the widest direction carries no
 * information about the class.
 */
export function law(options: LawOptions = {}): Generated & { readonly trueLabels: Int32Array } {
  const { perCluster, labelNoise, seed } = rule.resolveOptions("law", options, LAW);
  const draw = random(seed);
  const n = perCluster * LAW_CENTERS.length;
  const { labels: trueLabels, ...made } = generated(n, 3, (i) => {
    const cluster = Math.floor(i / perCluster);
    return [cluster >> 1, ...LAW_CENTERS[cluster].map((center) => center + draw.normal())];
  });
  const labels = trueLabels.slice();
  for (const i of draw.sample(Math.round(labelNoise * n), n))
    labels[i] = (labels[i] + 1 + draw.integer(2)) % 3;
  return { ...made, labels, trueLabels };
}

const BLOBS = {
  rows: rule.integer({ min: 1, default: 300 }),
  features: rule.integer({ min: 1, default: 2 }),
  clusters: rule.integer({ min: 1, default: 3 }),
  /** Standard deviation of each blob. */
  deviation: rule.real({ min: 0, default: 1 }),
  /** Centres are uniform in the cube from -box to box. */
  box: rule.real({ min: 0, default: 10 }),
  seed: SEED,
};

export type BlobsOptions = rule.OptionsOf<typeof BLOBS>;

/** Round Gaussian clusters of (nearly) equal size around uniform centres. */
export function blobs(options: BlobsOptions = {}): Generated {
  const settings = rule.resolveOptions("blobs", options, BLOBS);
  const { rows, features, clusters, deviation, box } = settings;
  const draw = random(settings.seed);
  const centers = Float64Array.from({ length: clusters * features }, () => box * (2 * draw.uniform() - 1));
  return generated(rows, features, (i) => {
    const cluster = Math.floor((i * clusters) / rows);
    const center = centers.subarray(cluster * features, (cluster + 1) * features);
    return [cluster, ...center.map((value) => value + deviation * draw.normal())];
  });
}

const RINGS = {
  rows: rule.integer({ min: 1, default: 300 }),
  rings: rule.integer({ min: 1, default: 2 }),
  /** Standard deviation of the radius; ring k has radius k + 1. */
  noise: rule.real({ min: 0, default: 0.08 }),
  seed: SEED,
};

export type RingsOptions = rule.OptionsOf<typeof RINGS>;

/** Concentric rings in the plane, rows in proportion to the radius so that all are equally dense. */
export function rings(options: RingsOptions = {}): Generated {
  const settings = rule.resolveOptions("rings", options, RINGS);
  const { rows, rings, noise } = settings;
  const draw: Random = random(settings.seed);
  const total = (rings * (rings + 1)) / 2;
  let ring = 0;
  return generated(rows, 2, (i) => {
    while (i * total >= ((ring + 1) * (ring + 2) * rows) / 2) ring++;
    const radius = ring + 1 + noise * draw.normal();
    const angle = 2 * Math.PI * draw.uniform();
    return [ring, radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

const OUTLIERS = {
  perClass: rule.integer({ min: 1, default: 100 }),
  /** Number of outlier features, 0 to 7, each from another distribution. */
  outliers: rule.integer({ min: 0, max: 7, default: 7 }),
  /** Standard deviation of every outlier feature. */
  outlierDeviation: rule.real({ above: 0, default: 5 }),
  /** Class c has the mean `separation` e_c; all have unit variance. */
  separation: rule.real({ min: 0, default: 4 }),
  /** Whether the columns are put in random order. */
  permute: rule.flag(true),
  seed: SEED,
};

export type GaussianMixtureOutliersOptions = rule.OptionsOf<typeof OUTLIERS>;

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
  const settings = rule.resolveOptions("gaussianMixtureOutliers", options, OUTLIERS);
  const { perClass, outliers, outlierDeviation, separation } = settings;
  const draw = random(settings.seed);
  const d = 3 + outliers;
  const column = Int32Array.from({ length: d }, (_, j) => j); // feature -> column
  if (settings.permute) draw.shuffle(column);
  const { X, labels } = generated(3 * perClass, d, (i) => {
    const label = Math.floor(i / perClass);
    const values = Array.from({ length: d }, (_, f) =>
      f < 3 ? (f === label ? separation : 0) + draw.normal() : outlierDeviation * LAWS[f - 3].draw(draw),
    );
    const row: number[] = [label];
    values.forEach((value, f) => (row[1 + column[f]] = value));
    return row;
  });
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
