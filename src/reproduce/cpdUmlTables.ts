import type { ScaleKind } from "../data/scaling.ts";

/**
 * P3, "Unsupervised metric learning via nonlinear feature space transformations", Tables 1 to 3: the protocol as data,
 * the numbers of the text, and what can be said about them.
 */
export const SETS = ["breast", "diabetes", "cars", "dermatology", "ecoli", "usps20"] as const;
export type CpdSet = (typeof SETS)[number];

export const METHODS = [
  "kmeans",
  "aml",
  "rpcaOm",
  "fme",
  "cpdUml",
  "kernelKmeans",
  "naml",
  "rRpcaOm",
  "rFme",
  "rCpdUml",
] as const;
export type CpdMethod = (typeof METHODS)[number];

/** Beside the ten of the text: the spectral step alone (no field), and CPD-UML with the setting that is stablest. */
export const EXTRAS = ["spectral", "rSpectral", "cpdStable"] as const;
export type CpdRow = CpdMethod | (typeof EXTRAS)[number];

export const TITLES: Readonly<Record<CpdRow, string>> = {
  kmeans: "K-means",
  aml: "AML",
  rpcaOm: "RPCA-OM",
  fme: "FME",
  cpdUml: "CPD-UML",
  kernelKmeans: "Kernel K-means",
  naml: "NAML",
  rRpcaOm: "r-RPCA-OM",
  rFme: "r-FME",
  rCpdUml: "r-CPD-UML",
  spectral: "spectral step only",
  rSpectral: "r-spectral step only",
  cpdStable: "CPD-UML, stability",
};

export const MEASURES = ["accuracy", "nmi", "purity"] as const;
export type Measure = (typeof MEASURES)[number];
export const TABLES: Readonly<Record<Measure, string>> = {
  accuracy: "Table 1: accuracy",
  nmi: "Table 2: NMI",
  purity: "Table 3: purity",
};

/** The text does not say how columns are scaled. Pixels have one unit already. */
export const DATA: Readonly<
  Record<CpdSet, { readonly name: string; readonly scale: ScaleKind; readonly missing?: "mean" }>
> = {
  breast: { name: "breast-cancer-wisconsin", scale: "zscore" },
  diabetes: { name: "diabetes", scale: "zscore" },
  cars: { name: "cars", scale: "zscore" },
  dermatology: { name: "dermatology", scale: "zscore", missing: "mean" },
  ecoli: { name: "ecoli", scale: "zscore" },
  usps20: { name: "usps20", scale: "none" },
};

/** Mean, deviation and score of a cell, in the order of SETS; null where the text at hand has a blank. */
export type PublishedCell = readonly [mean: number, deviation: number, score: number];
export type PublishedRow = readonly (PublishedCell | null)[];

export const PUBLISHED: Readonly<Record<Measure, Readonly<Record<CpdMethod, PublishedRow>>>> = {
  accuracy: {
    kmeans: [
      [96.39, 0.34, 2.5],
      [96.42, 0.12, 3.5],
      [42.67, 0.35, 0.0],
      [69.64, 7.73, 4.5],
      [57.11, 3.23, 6.0],
      [62.29, 3.12, 3.0],
    ],
    aml: [
      [96.34, 0.35, 1.5],
      [96.49, 0.09, 4.5],
      [43.67, 0.5, 1.5],
      [63.17, 3.07, 0.0],
      [58.87, 3.27, 6.0],
      [64.36, 3.93, 4.0],
    ],
    rpcaOm: [
      [96.54, 0.49, 3.5],
      [96.71, 0.31, 6.0],
      [43.81, 0.78, 1.5],
      [71.15, 4.5, 5.0],
      [58.55, 3.28, 6.0],
      [62.64, 3.87, 3.5],
    ],
    fme: [
      [96.36, 0.3, 1.5],
      [96.57, 0.35, 4.5],
      [48.86, 2.11, 4.5],
      [77.72, 3.68, 8.0],
      [58.59, 3.54, 6.0],
      [66.27, 4.09, 6.0],
    ],
    cpdUml: [
      [97.06, 0.44, 8.5],
      [97.52, 0.19, 8.0],
      [45.33, 0.73, 3.0],
      [68.67, 7.48, 4.0],
      [57.01, 3.67, 5.5],
      [64.78, 3.64, 4.5],
    ],
    kernelKmeans: [
      [96.56, 0.29, 4.0],
      [95.57, 0.13, 1.0],
      [61.71, 0.08, 6.0],
      [64.98, 2.02, 1.5],
      [55.04, 2.49, 3.0],
      [56.14, 4.98, 0.5],
    ],
    naml: [
      [96.56, 0.3, 4.0],
      [95.57, 0.15, 1.0],
      [62.13, 0.54, 7.0],
      [66.6, 2.01, 3.5],
      [49.62, 2.82, 0.5],
      [57.76, 3.82, 0.5],
    ],
    rRpcaOm: [
      [96.76, 0.27, 6.5],
      [95.57, 0.14, 1.0],
      [49.55, 2.53, 4.5],
      [65.69, 3.75, 2.5],
      [52.72, 5.26, 2.0],
      [67.44, 4.29, 7.5],
    ],
    rFme: [
      [96.73, 0.25, 5.0],
      [96.79, 0.14, 6.5],
      [63.38, 1.51, 8.5],
      [79.45, 3.86, 8.0],
      [50.78, 2.53, 1.0],
      [68.13, 5.47, 7.5],
    ],
    rCpdUml: [[96.95, 0.41, 8.0], [97.75, 0.1, 9.0], null, [80.37, 4.8, 8.0], null, null],
  },
  nmi: {
    kmeans: [
      [76.1, 1.73, 2.5],
      [76.31, 0.63, 1.0],
      [18.17, 0.5, 5.5],
      [80.91, 4.96, 4.0],
      [56.77, 2.14, 7.5],
      [61.73, 1.49, 3.0],
    ],
    aml: [
      [75.83, 1.8, 1.5],
      [76.58, 0.11, 1.5],
      [20.53, 0.77, 8.5],
      [79.15, 2.8, 3.0],
      [57.81, 2.07, 7.5],
      [62.51, 3.25, 3.5],
    ],
    rpcaOm: [
      [77.07, 2.52, 3.5],
      [77.88, 1.64, 5.5],
      [20.04, 0.64, 7.5],
      [82.27, 4.29, 6.0],
      [51.22, 2.42, 4.0],
      [60.78, 2.4, 2.5],
    ],
    fme: [
      [75.93, 1.5, 1.5],
      [77.01, 1.77, 3.0],
      [19.45, 2.44, 8.0],
      [84.75, 3.58, 8.0],
      [56.73, 2.76, 7.5],
      [64.01, 2.73, 6.0],
    ],
    cpdUml: [
      [79.63, 2.35, 8.5],
      [83.31, 0.64, 8.0],
      [18.19, 0.51, 5.5],
      [79.46, 5.09, 4.0],
      [46.98, 8.29, 2.0],
      [61.12, 3.32, 2.5],
    ],
    kernelKmeans: [
      [77.01, 1.58, 4.0],
      [77.06, 0.1, 3.5],
      [8.5, 0.05, 3.0],
      [74.65, 3.62, 0.0],
      [51.04, 1.76, 4.0],
      [59.48, 3.05, 1.5],
    ],
    naml: [
      [77.01, 1.58, 4.0],
      [77.06, 0.11, 3.5],
      [1.5, 0.95, 0.0],
      [79.86, 1.43, 3.0],
      [45.66, 4.03, 1.5],
      [60.87, 3.11, 2.5],
    ],
    rRpcaOm: [
      [78.19, 1.5, 6.5],
      [77.08, 1.47, 3.5],
      [3.3, 1.9, 1.0],
      [79.84, 2.66, 3.5],
      [18.36, 1.85, 0.0],
      [66.12, 2.66, 8.0],
    ],
    rFme: [
      [77.95, 1.37, 5.0],
      [78.32, 0.79, 6.5],
      [6.38, 0.62, 2.0],
      [85.96, 3.17, 8.5],
      [49.74, 2.89, 3.5],
      [67.02, 3.76, 8.0],
    ],
    rCpdUml: [
      [79.25, 2.43, 8.0],
      [85.76, 0.81, 9.0],
      [10.12, 2.26, 4.0],
      [81.46, 2.65, 5.0],
      [57.85, 2.18, 7.5],
      [65.34, 2.01, 7.5],
    ],
  },
  purity: {
    kmeans: [
      [96.39, 0.34, 2.5],
      [96.42, 0.12, 3.5],
      [62.85, 0.36, 4.5],
      [81.36, 4.45, 4.0],
      [81.17, 1.58, 7.5],
      [69.78, 2.54, 3.5],
    ],
    aml: [
      [96.34, 0.35, 1.5],
      [96.49, 0.09, 4.5],
      [62.91, 0.38, 4.5],
      [78.94, 1.81, 2.5],
      [81.39, 1.42, 7.5],
      [71.08, 4.32, 4.5],
    ],
    rpcaOm: [
      [96.54, 0.49, 3.5],
      [96.71, 0.31, 6.0],
      [63.85, 0.8, 7.0],
      [82.64, 3.85, 5.0],
      [74.5, 1.85, 2.5],
      [69.6, 3.58, 3.5],
    ],
    fme: [
      [96.36, 0.3, 1.5],
      [96.57, 0.35, 4.5],
      [63.86, 1.07, 7.0],
      [85.27, 3.2, 8.0],
      [80.43, 2.11, 7.0],
      [72.68, 3.37, 7.0],
    ],
    cpdUml: [
      [97.06, 0.44, 8.5],
      [97.52, 0.19, 8.0],
      [63.1, 0.49, 4.5],
      [81.02, 4.45, 3.5],
      [74.88, 5.82, 3.5],
      [69.8, 3.61, 3.5],
    ],
    kernelKmeans: [
      [96.56, 0.29, 4.0],
      [95.57, 0.13, 1.0],
      [62.16, 0.05, 1.0],
      [76.8, 1.94, 0.0],
      [76.03, 1.57, 4.0],
      [65.29, 4.29, 0.5],
    ],
    naml: [
      [96.56, 0.3, 4.0],
      [95.57, 0.15, 1.0],
      [62.21, 0.32, 1.0],
      [79.37, 1.02, 3.0],
      [70.9, 3.93, 1.0],
      [66.69, 3.38, 0.5],
    ],
    rRpcaOm: [
      [96.76, 0.27, 6.5],
      [95.57, 0.14, 1.0],
      [62.29, 0.41, 1.0],
      [79.26, 2.16, 3.0],
      [52.84, 5.29, 0.0],
      [73.46, 2.95, 7.5],
    ],
    rFme: [
      [96.73, 0.25, 5.0],
      [96.79, 0.14, 6.5],
      [63.38, 1.76, 5.5],
      [85.44, 3.16, 8.0],
      [76.01, 2.62, 4.0],
      [72.77, 3.42, 7.0],
    ],
    rCpdUml: [
      [96.95, 0.41, 8.0],
      [97.75, 0.1, 9.0],
      [64.86, 0.85, 9.0],
      [85.59, 2.56, 8.0],
      [82.09, 1.74, 8.0],
      [74.44, 2.14, 7.5],
    ],
  },
};

/** Values of the free parameters; the text searches all powers between the ends of each list. */
export interface CpdGrid {
  readonly amlLambdas: readonly number[];
  /** Of RPCA-OM, as multiples of K; and K - 1, the default. */
  readonly planes: readonly number[];
  /** mu and gamma of FME, and of its kernel form. */
  readonly fme: readonly (readonly [number, number])[];
  readonly rFme: readonly (readonly [number, number])[];
  readonly sigmas: readonly number[];
  readonly lambdas: readonly number[];
  readonly widths: readonly number[];
  readonly kernelSigmas: readonly number[];
  readonly kernelLambdas: readonly number[];
}

const powers = (base: number, exponents: readonly number[]): number[] => exponents.map((e) => base ** e);

const EVERY_SECOND: CpdGrid = {
  amlLambdas: powers(10, [-3, -2, -1, 0, 1, 2, 3]),
  planes: [0.5, 1, 2],
  fme: [0.01, 1, 100].flatMap((mu) => [0.01, 1, 100].map((gamma) => [mu, gamma] as const)),
  rFme: [
    [0.01, 100],
    [1, 1],
    [1, 100],
    [100, 1],
  ],
  sigmas: powers(2, [0, 2, 4, 6, 8, 10]),
  lambdas: powers(10, [0, 2, 4, 6, 8, 10]),
  widths: powers(2, [0, 2, 4, 6]),
  kernelSigmas: powers(2, [0, 1, 2]),
  kernelLambdas: powers(10, [0, 2, 4]),
};

const FULL: CpdGrid = {
  ...EVERY_SECOND,
  sigmas: powers(2, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  lambdas: powers(10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  widths: powers(2, [-5, -3, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10]),
  kernelSigmas: powers(2, [0, 1, 2, 3, 4, 6, 8, 10]),
  kernelLambdas: powers(10, [0, 1, 2, 3, 4, 6, 8, 10]),
};

const FEW: CpdGrid = {
  amlLambdas: powers(10, [-2, 0, 2]),
  planes: [1],
  fme: [
    [0.01, 100],
    [1, 1],
    [1, 100],
  ],
  rFme: [
    [0.01, 100],
    [1, 1],
  ],
  sigmas: powers(2, [0, 2, 4]),
  lambdas: powers(10, [2, 4, 6]),
  widths: powers(2, [2, 4]),
  kernelSigmas: powers(2, [0, 2]),
  kernelLambdas: powers(10, [0, 2]),
};

export type GridName = "few" | "half" | "full";

/** Without a name: every second power, and few values for the 1854 digits. */
export function gridOf(set: CpdSet, name: GridName | undefined): CpdGrid {
  if (name === "full") return FULL;
  return name === "few" || (name === undefined && set === "usps20") ? FEW : EVERY_SECOND;
}

export const PROTOCOL = {
  runs: 20,
  folds: 3,
  /** Starts of k-means, the baseline. */
  restarts: 10,
  /** Kernel principal components. */
  components: 50,
  /** Runs of the stability search, which fits 72 halves for each fold. */
  stabilityRuns: 3,
} as const;

/** What cannot be right in the text, whatever the data and the method. */
export const REMARKS: Readonly<Record<CpdSet, readonly string[]>> = {
  breast: ["the text counts 10 attributes: the id is one of them; 9 are used here"],
  diabetes: [
    "the whole column is impossible: 96 % accuracy without labels, where a logistic regression trained with them " +
      "has 77 % in cross-validation. The numbers look like those of breast",
  ],
  cars: [
    "purity cannot be below the share of the largest class, 62.5 %: kernel k-means (62.16), NAML (62.21) and " +
      "r-RPCA-OM (62.29) of Table 3 are",
    "r-CPD-UML of Table 1 is blank in the text at hand; the scores of a column add up to 45, so its score is 8.5",
    "the text counts 8 attributes; without the name and the class there are 7",
  ],
  dermatology: ["8 ages are missing; the mean of the others is used"],
  ecoli: [
    "the text counts 343 attributes; there are 7, so at most 7 singular vectors for 8 clusters",
    "r-CPD-UML of Table 1 is blank in the text at hand; by the sum of its column its score is 9",
  ],
  usps20: ["r-CPD-UML of Table 1 is blank in the text at hand; by the sum of its column its score is 8"],
};
