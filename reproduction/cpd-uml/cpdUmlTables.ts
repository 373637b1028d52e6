import type { ScaleKind } from "kindred/data";

/**
 * "Unsupervised metric learning via nonlinear feature space transformations", Tables 1 to 3: the protocol as
 * data, the published numbers, and remarks about them.
 */
export const SETS = ["breast", "diabetes", "cars", "dermatology", "ecoli", "usps20"] as const;
export type CpdSet = (typeof SETS)[number];

const METHOD_TITLES = {
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
} as const;
/**
 * In addition to the ten methods of the text: the spectral step alone (no field), and CPD-UML with the most
 * stable setting.
 */
const EXTRA_TITLES = {
  spectral: "spectral step only",
  rSpectral: "r-spectral step only",
  cpdStable: "CPD-UML, stability",
} as const;
export const TITLES = { ...METHOD_TITLES, ...EXTRA_TITLES };
export type CpdMethod = keyof typeof METHOD_TITLES;
export type CpdRow = keyof typeof TITLES;
export const METHODS = Object.keys(METHOD_TITLES) as CpdMethod[];
export const EXTRAS = Object.keys(EXTRA_TITLES) as (keyof typeof EXTRA_TITLES)[];

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

const powers = (base: number, exponents: readonly number[]): number[] => exponents.map((e) => base ** e);

const settings = (mus: readonly number[], gammas: readonly number[]): (readonly [number, number])[] =>
  mus.map((mu, s) => [mu, gammas[s]]);

/** Values of the free parameters; the text searches all powers between the ends of each list. */
export type CpdGrid = typeof EVERY_SECOND;

const EVERY_SECOND = {
  amlLambdas: powers(10, [-3, -2, -1, 0, 1, 2, 3]),
  /** For RPCA-OM, as multiples of K; and K - 1, the default. */
  planes: [0.5, 1, 2],
  /** mu and gamma of FME, and of its kernel form. */
  fme: [0.01, 1, 100].flatMap((mu) => [0.01, 1, 100].map((gamma) => [mu, gamma] as const)),
  rFme: settings([0.01, 1, 1, 100], [100, 1, 100, 1]),
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
  fme: settings([0.01, 1, 1], [100, 1, 100]),
  rFme: settings([0.01, 1], [100, 1]),
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

/** Impossible statements of the text, for any data and method. */
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
