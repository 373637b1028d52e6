import { printedRows } from "../aligned.ts";

/**
 * L. Wu, R. Jin, S. C. H. Hoi, J. Zhu and N. Yu (2009), "Learning Bregman distance functions and its application for
 * semi-supervised clustering", Table 2: precision, recall and F1 over pairs, with standard deviations, in percent.
 */
/** Its data sets, by their names in a data folder. Breast: 9 features; the text counts the id as a tenth. */
export const DATA = {
  breast: "breast-cancer-wisconsin",
  diabetes: "diabetes",
  ionosphere: "ionosphere",
  liver: "liver-disorders",
  sonar: "sonar",
  a1a: "a1a",
} as const;
export type BregmanSet = keyof typeof DATA;
export const SETS = Object.keys(DATA) as BregmanSet[];

export const TITLES = {
  kmeans: "k-means",
  ckmeans: "Ck-means",
  itml: "ITML",
  xing: "Xing",
  rca: "RCA",
  dca: "DCA",
  distboost: "DistBoost",
  bkmeans: "Bk-means",
} as const;
export type BregmanMethod = keyof typeof TITLES;
export const METHODS = Object.keys(TITLES) as BregmanMethod[];

/** Precision, its deviation, recall, its deviation, F1, its deviation. */
export type PublishedCell = readonly [number, number, number, number, number, number];

/** A line for each method, a cell for each set; "-" where the text has none. */
export const PUBLISHED = {
  ...published(
    ["breast", "diabetes", "ionosphere"],
    `
    kmeans    72.85 3.77 72.52 2.3 72.73 3.42  | 52.47 8.93 57.17 3.68 56.41 4.53 | 62.35 6.3 53.39 2.74 57.28 6.2
    ckmeans   98.1 2.2 81.01 0.1 85.31 1.48    | 60.06 1.13 55.98 0.64 57.57 0.85 | 57.05 1.24 51.28 1.58 61.46 1.36
    itml      97.05 2.77 88.96 0.3 91.94 2.15  | 73.93 1.28 70.11 0.41 71.55 0.81 | 97.1 2.7 59.99 0.31 72.62 1.24
    xing      93.61 0.14 84.19 0.83 88.11 0.22 | 58.11 0.48 58.31 0.16 58.21 0.31 | 63.46 0.11 64.1 0.03 63.52 0.39
    rca       85.4 0.14 94.16 0.29 90.18 2.94  | 59.86 2.99 62.7 2.18 61.22 2.59  | 100 6.19 50.36 1.44 66.99 0.45
    dca       94.53 0.34 93.23 0.29 93.88 0.22 | 61.23 2.05 64.88 0.56 63 0.75    | 66.36 3.01 67.01 2.12 66.68 0
    distboost 94.76 0.24 93.83 0.31 94.29 0.29 | 64.45 1.02 68.33 0.98 66.33 1    | 75.91 1.11 69.34 0.91 72.72 1.03
    bkmeans   99.04 0.1 98.33 0.24 98.37 0.19  | 99.42 0.4 64.68 0.63 77.43 0.92  | 97.64 1.93 62.71 1.94 73.28 1.93
  `,
  ),
  ...published(
    ["liver", "sonar", "a1a"],
    `
    kmeans    63.92 8.6 50.5 0.4 55.67 5.96     | 52.98 2.05 50.84 1.69 51.87 1.47 | 55.81 1.01 69.99 0.91 62.1 0.99
    ckmeans   62.9 8.43 50.35 1.68 55.13 1.63   | 60.44 4.53 51.71 1.17 55.32 1.37 | 69.91 0.08 80.34 0.18 77.01 0.12
    itml      93.53 3.28 55.57 0.1 68.73 1.4    | 98.68 2.46 56.31 2.28 70.46 2.35 | 99.99 0.98 70.3 0.54 81.76 0.76
    xing      95.42 2.85 49.65 0.08 65.31 1.1   | 96.99 4.53 69.81 0.05 79.83 2.7  | 57.7 1.32 70.89 1.01 63.62 1.21
    rca       59.56 18.95 52.15 1.68 54.92 5.76 | 100 13.69 69.81 1.33 79.83 5.85  | 76.64 0.08 66.96 0.35 69.96 0.18
    dca       70.18 4.27 50.41 0.07 58.67 1.63  | 100 0.64 59.75 0.3 73.11 0.57    | 57.15 1.32 71.76 1.87 63.63 1.55
    distboost 51.6 1.43 52.88 1.31 52.23 1.37   | 76.64 0.57 74.48 0.69 75.54 0.62 | -
    bkmeans   96.89 4.11 50.29 2.09 66.86 3.1   | 99.2 1.62 74.24 1.23 82.52 1.44  | 99.98 0.21 77.72 0.17 86.32 0.19
  `,
  ),
};

function published<S extends BregmanSet>(sets: readonly S[], text: string) {
  type Row = Readonly<Partial<Record<BregmanMethod, PublishedCell>>>;
  const rows = sets.map((set, s) => {
    const cells = printedRows(text).map(([method, row]) => [method, row[s].split(" ").map(Number)] as const);
    return [set, Object.fromEntries(cells.filter(([, cell]) => cell.length > 1)) as Row] as const;
  });
  return Object.fromEntries(rows) as Readonly<Record<S, Row>>;
}

export const PROTOCOL = {
  runs: 20,
  /** Half must-links, half cannot-links: the numbers of the text, and shares of the number of rows. */
  budgets: ["1000", "0.1 n", "0.3 n"] as const,
  distBoost: { rounds: 10, iterations: 5 },
} as const;
export type Budget = (typeof PROTOCOL.budgets)[number];

/** Pairs of each kind for a set of n rows. */
export function pairsOf(budget: Budget, n: number): number {
  if (budget === "1000") return 500;
  return Math.max(1, Math.round(((budget === "0.1 n" ? 0.1 : 0.3) * n) / 2));
}

/**
 * The distance (the larger of the differences in precision and recall, in points) of the nearest partition
 * into at most two clusters from a printed cell. With a of the n1 rows of one class and b of the n2 rows of
 * the other in one cluster, precision and recall are functions of (a, b), and all values are tried.
 */
export function distanceToPossible(precision: number, recall: number, n1: number, n2: number): number {
  const choose = (n: number): number => (n * (n - 1)) / 2;
  const together = choose(n1) + choose(n2);
  let least = Infinity;
  for (let a = 0; a <= n1; a++) {
    for (let b = 0; b <= n2; b++) {
      const right = choose(a) + choose(b) + choose(n1 - a) + choose(n2 - b);
      const predicted = choose(a + b) + choose(n1 + n2 - a - b);
      const apart = Math.max(
        Math.abs((100 * right) / predicted - precision),
        Math.abs((100 * right) / together - recall),
      );
      least = Math.min(least, apart);
    }
  }
  return least;
}
