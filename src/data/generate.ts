import { random, type Random } from "../core/index.ts";
import { integer, real, resolveOptions, type OptionsOf } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";

/** A generated data set. */
export interface Generated {
  readonly X: Matrix;
  /** The class of each row, 0 .. K-1. */
  readonly labels: Int32Array;
  readonly names: readonly string[];
}

const SEED = integer({ min: 0, default: 0 });
const axes = (count: number): string[] => Array.from({ length: count }, (_, j) => `x${j + 1}`);

const TWO_MOONS = {
  perMoon: integer({ min: 1, default: 100 }),
  /** Standard deviation of the noise added to both coordinates. */
  noise: real({ min: 0, default: 0.1 }),
  seed: SEED,
};

export type TwoMoonsOptions = OptionsOf<typeof TWO_MOONS>;

/** Two interleaved half circles of radius 1, the second turned over and moved by (1, 1/2). */
export function twoMoons(options: TwoMoonsOptions = {}): Generated {
  const { perMoon, noise, seed } = resolveOptions("twoMoons", options, TWO_MOONS);
  const draw = random(seed);
  const X = matrix(2 * perMoon, 2);
  const labels = new Int32Array(2 * perMoon);
  for (let i = 0; i < X.rows; i++) {
    const moon = i < perMoon ? 0 : 1;
    const angle = Math.PI * draw.uniform();
    X.data[2 * i] = (moon === 0 ? Math.cos(angle) : 1 - Math.cos(angle)) + noise * draw.normal();
    X.data[2 * i + 1] = (moon === 0 ? Math.sin(angle) : 0.5 - Math.sin(angle)) + noise * draw.normal();
    labels[i] = moon;
  }
  return { X, labels, names: axes(2) };
}

const LAW = {
  /** Rows per Gaussian; there are six, two per class. */
  perCluster: integer({ min: 1, default: 500 }),
  /** The share of rows whose label is replaced by one of the other two classes. */
  labelNoise: real({ min: 0, max: 1, default: 0 }),
  seed: SEED,
};

export type LawOptions = OptionsOf<typeof LAW>;

/** The centres of Law et al., section 5.1: class c has the rows 2c and 2c + 1. */
const LAW_CENTERS = [
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
  const { perCluster, labelNoise, seed } = resolveOptions("law", options, LAW);
  const draw = random(seed);
  const n = perCluster * LAW_CENTERS.length;
  const X = matrix(n, 3);
  const trueLabels = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const cluster = Math.floor(i / perCluster);
    for (let j = 0; j < 3; j++) X.data[3 * i + j] = LAW_CENTERS[cluster][j] + draw.normal();
    trueLabels[i] = cluster >> 1;
  }
  const labels = trueLabels.slice();
  for (const i of draw.sample(Math.round(labelNoise * n), n))
    labels[i] = (labels[i] + 1 + draw.integer(2)) % 3;
  return { X, labels, trueLabels, names: axes(3) };
}

const BLOBS = {
  rows: integer({ min: 1, default: 300 }),
  features: integer({ min: 1, default: 2 }),
  clusters: integer({ min: 1, default: 3 }),
  /** Standard deviation of each blob. */
  deviation: real({ min: 0, default: 1 }),
  /** Centres are uniform in the cube from -box to box. */
  box: real({ min: 0, default: 10 }),
  seed: SEED,
};

export type BlobsOptions = OptionsOf<typeof BLOBS>;

/** Round Gaussian clusters of (nearly) equal size around uniform centres. */
export function blobs(options: BlobsOptions = {}): Generated {
  const settings = resolveOptions("blobs", options, BLOBS);
  const { rows, features, clusters, deviation, box } = settings;
  const draw = random(settings.seed);
  const centers = Float64Array.from({ length: clusters * features }, () => box * (2 * draw.uniform() - 1));
  const X = matrix(rows, features);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const cluster = Math.floor((i * clusters) / rows);
    labels[i] = cluster;
    for (let j = 0; j < features; j++) {
      X.data[i * features + j] = centers[cluster * features + j] + deviation * draw.normal();
    }
  }
  return { X, labels, names: axes(features) };
}

const RINGS = {
  rows: integer({ min: 1, default: 300 }),
  rings: integer({ min: 1, default: 2 }),
  /** Standard deviation of the radius; ring k has radius k + 1. */
  noise: real({ min: 0, default: 0.08 }),
  seed: SEED,
};

export type RingsOptions = OptionsOf<typeof RINGS>;

/** Concentric rings in the plane, rows in proportion to the radius so that all are equally dense. */
export function rings(options: RingsOptions = {}): Generated {
  const settings = resolveOptions("rings", options, RINGS);
  const { rows, rings, noise } = settings;
  const draw: Random = random(settings.seed);
  const total = (rings * (rings + 1)) / 2;
  const X = matrix(rows, 2);
  const labels = new Int32Array(rows);
  let ring = 0;
  for (let i = 0; i < rows; i++) {
    while (i * total >= ((ring + 1) * (ring + 2) * rows) / 2) ring++;
    const radius = ring + 1 + noise * draw.normal();
    const angle = 2 * Math.PI * draw.uniform();
    X.data[2 * i] = radius * Math.cos(angle);
    X.data[2 * i + 1] = radius * Math.sin(angle);
    labels[i] = ring;
  }
  return { X, labels, names: axes(2) };
}
