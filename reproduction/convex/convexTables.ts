import type { ScaleKind } from "kindred/data";

/**
 * The published tables of the convex family, and the protocol of each cell as data.
 *
 * X. Sui, L. Xu, X. Qian and T. Liu (2018), "Convex clustering with metric learning", Pattern Recognition 81, Table 1;
 * X. Sui (2018), "Feature selection for supervised and unsupervised learning", dissertation, Texas A&M, Table 4.2.
 * Their accuracy is the Rand index, here as there in per cent.
 */
export const HEADINGS = {
  kmeans: "k-means",
  ncut: "N-cut",
  cc: "CC",
  rcc: "RCC",
  scc: "SCC",
  ccml: "CCML",
  ccscml: "CCSCML",
  ccmlRebuilt: "CCML rebuilt",
} as const;
export type Method = keyof typeof HEADINGS;
export const METHODS = Object.keys(HEADINGS) as Method[];
/** Methods in the rows of a text; the rebuilt graph is an addition. */
export type PublishedColumn = Exclude<Method, "ccmlRebuilt">;

export const SETS = ["seeds", "wine", "image", "dlbcl"] as const;
export type SetName = (typeof SETS)[number];

export interface PublishedTable {
  readonly source: string;
  readonly rows: Readonly<Partial<Record<SetName, Readonly<Partial<Record<PublishedColumn, number>>>>>>;
}

export type TableName = "1" | "4.2";

export const PUBLISHED: Readonly<Record<TableName, PublishedTable>> = {
  "1": {
    source: "Sui, Xu, Qian and Liu 2018, Table 1",
    rows: {
      seeds: { kmeans: 72.5, ncut: 73.3, cc: 72, rcc: 75.4, ccml: 75.6 },
      wine: { kmeans: 70, ncut: 70.1, cc: 65.4, rcc: 67.2, ccml: 71.5 },
      image: { kmeans: 73.4, ncut: 72, cc: 80.5, rcc: 83, ccml: 82.2 },
    },
  },
  "4.2": {
    source: "Sui 2018 (dissertation), Table 4.2",
    rows: {
      seeds: { kmeans: 72.5, ncut: 73.3, cc: 72, rcc: 75.4, scc: 72.5, ccml: 75.6, ccscml: 80.5 },
      wine: { kmeans: 70, ncut: 70.1, cc: 65.4, rcc: 67.2, scc: 69, ccml: 71.5, ccscml: 72.9 },
      image: { kmeans: 73.4, ncut: 72, cc: 80.5, rcc: 83, scc: 81.7, ccml: 82.2, ccscml: 86 },
      dlbcl: { kmeans: 49.2, ncut: 54.5, cc: 65.2, rcc: 67.5, scc: 65.5, ccml: 68.2, ccscml: 70.2 },
    },
  },
};

export interface DataSet {
  /** Its name among the data sets. */
  readonly data: string;
  readonly clusters: number;
  /** Rows of each measuring platform, in order; scaled separately in all protocols except the paper's. */
  readonly batches?: readonly number[];
}

export const DATA: Readonly<Record<SetName, DataSet>> = {
  seeds: { data: "seeds", clusters: 3 },
  wine: { data: "wine", clusters: 3 },
  image: { data: "segment", clusters: 7 },
  dlbcl: { data: "dlbcl", clusters: 3, batches: [141, 180] },
};

/** Every combination is tried. A method ignores lists that do not apply to it. */
export interface Grid {
  readonly scales: readonly ScaleKind[];
  /** Principal components that replace the features; 0 is none. */
  readonly components: readonly number[];
  readonly neighbors: readonly (number | "n/K")[];
  readonly alphas: readonly number[];
  /** RCC: beta in units of the median ||x_f - mean_f|| over the features. */
  readonly betas: readonly number[];
  /** SCC: gamma2 in units of the mean ||x_f - mean_f||^2 over the features. */
  readonly gamma2s: readonly number[];
  /** CCML: graph of the data, or rebuilt in the learned metric ("ccmlRebuilt" is always the latter). */
  readonly rebuilt: readonly boolean[];
  /** CCML and CCSCML: number of alternations; doubled with a rebuilt graph. */
  readonly iterations: number;
}

export interface Protocol {
  readonly name: "paper" | "oracle" | "unsupervised" | "minmax" | "raw";
  readonly title: string;
  /** Whether labels chose gamma and the settings. */
  readonly chosenBy: "oracle" | "unsupervised";
  /** strict: every component is a cluster, and K of them are required. */
  readonly assignment: "strict" | "practical";
  readonly grids: Readonly<Record<SetName, Grid>>;
  /** What differs for one method. */
  readonly overrides?: Readonly<Partial<Record<SetName, Readonly<Partial<Record<Method, Partial<Grid>>>>>>>;
  /** Cells that are not run, and why. */
  readonly omitted: Readonly<Partial<Record<SetName, Readonly<Partial<Record<Method, string>>>>>>;
}

const DEFAULTS: Grid = {
  scales: ["zscore"],
  components: [0],
  neighbors: [30],
  alphas: [0.1],
  betas: [0.7],
  gamma2s: [0.02],
  rebuilt: [false],
  iterations: 3,
};
const TEXT: Grid = {
  ...DEFAULTS,
  scales: ["none"],
  neighbors: ["n/K"],
  alphas: [0, 0.5, 1, 2, 4, 8],
  betas: [0.1, 0.3, 1],
  gamma2s: [0.01, 0.1, 0.3],
};
const TEXT_CCML: Partial<Grid> = { alphas: [0, 1, 4], rebuilt: [false, true] };
const WIDE: Grid = {
  ...DEFAULTS,
  neighbors: [10, 20, 30, "n/K"],
  alphas: [0, 0.1, 1, 4],
  betas: [0.3, 0.7, 1],
  gamma2s: [0.005, 0.02, 0.1],
  rebuilt: [false, true],
};
const RAW: Grid = { ...DEFAULTS, scales: ["none"] };
const MINMAX: Grid = { ...DEFAULTS, scales: ["minmax"] };
const IMAGE_WIDE: Grid = {
  ...WIDE,
  scales: ["minmax", "zscore"],
  neighbors: [15, 30],
  alphas: [0.1, 1],
  betas: [0.7],
  gamma2s: [0.005, 0.02],
};
// The metric couples the 18 features: one alternation takes half a minute.
const IMAGE_CCML: Partial<Grid> = { neighbors: [30], alphas: [0.1], rebuilt: [false] };
const DLBCL: Grid = { ...DEFAULTS, components: [5] };

const OURS = { ccmlRebuilt: "in the grid of CCML" } as const;
const LARGE_GRAPH = "a full metric on 290000 edges takes hours; A is singular, too";
const SINGULAR =
  "661 features of 321 rows: A is singular, and a metric that couples 661 features does not end within five minutes";

export const PROTOCOLS: readonly Protocol[] = [
  {
    name: "paper",
    title: "paper's: raw, exactly K",
    chosenBy: "oracle",
    assignment: "strict",
    grids: {
      seeds: TEXT,
      wine: TEXT,
      image: { ...TEXT, alphas: [1], betas: [0.3], gamma2s: [0.1], iterations: 1 },
      dlbcl: { ...TEXT, alphas: [0, 1] },
    },
    overrides: { seeds: { ccml: TEXT_CCML }, wine: { ccml: TEXT_CCML }, image: { ncut: { alphas: [0, 1] } } },
    omitted: {
      seeds: OURS,
      wine: OURS,
      image: { ...OURS, ccml: LARGE_GRAPH },
      dlbcl: { ...OURS, ccml: SINGULAR },
    },
  },
  {
    name: "oracle",
    title: "oracle: K big clusters",
    chosenBy: "oracle",
    assignment: "practical",
    grids: {
      seeds: WIDE,
      wine: WIDE,
      image: IMAGE_WIDE,
      dlbcl: { ...WIDE, components: [5, 20], neighbors: [15, 30], alphas: [0.1, 1] },
    },
    overrides: { image: { ccml: IMAGE_CCML } },
    omitted: { seeds: OURS, wine: OURS, image: OURS, dlbcl: OURS },
  },
  {
    name: "unsupervised",
    title: "no labels, z-score",
    chosenBy: "unsupervised",
    assignment: "practical",
    grids: { seeds: DEFAULTS, wine: DEFAULTS, image: DEFAULTS, dlbcl: DLBCL },
    omitted: {},
  },
  {
    name: "minmax",
    title: "no labels, min-max",
    chosenBy: "unsupervised",
    assignment: "practical",
    grids: { seeds: MINMAX, wine: MINMAX, image: MINMAX, dlbcl: { ...DLBCL, scales: ["minmax"] } },
    omitted: {},
  },
  {
    name: "raw",
    title: "no labels, raw",
    chosenBy: "unsupervised",
    assignment: "practical",
    grids: { seeds: RAW, wine: RAW, image: RAW, dlbcl: RAW },
    omitted: { dlbcl: { ccml: SINGULAR, ccmlRebuilt: SINGULAR } },
  },
];

/** What else the text says about a set: its number of Fisher directions, and the features that CCML finds relevant (from 1). */
export const STATED: Readonly<
  Record<SetName, { readonly directions: number; readonly relevant: readonly number[] }>
> = {
  seeds: { directions: 5, relevant: [3] },
  wine: { directions: 2, relevant: [8, 11, 3] },
  image: { directions: 5, relevant: [3, 10, 11, 12, 13] },
  dlbcl: { directions: 200, relevant: [] },
};

/** N-cut without labels: its own defaults, not those of the convex family. */
const NCUT: Partial<Grid> = { neighbors: [10], alphas: [0] };

/** The grid of one cell; `quick` keeps one value of each list, and one alternation. */
export function gridOf(protocol: Protocol, set: SetName, method: Method, quick: boolean): Grid {
  const own = method === "ncut" && protocol.chosenBy === "unsupervised" ? NCUT : {};
  const grid: Grid = { ...protocol.grids[set], ...own, ...protocol.overrides?.[set]?.[method] };
  if (!quick || protocol.chosenBy === "unsupervised") return grid;
  const middle = <T>(list: readonly T[]): readonly T[] => [list[list.length >> 1]];
  return {
    ...grid,
    scales: grid.scales.slice(0, 1),
    components: grid.components.slice(0, 1),
    neighbors: grid.neighbors.length > 1 ? [30] : grid.neighbors,
    alphas: middle(grid.alphas),
    betas: middle(grid.betas),
    gamma2s: middle(grid.gamma2s),
    rebuilt: [false],
    iterations: 1,
  };
}

/** Why a cell is not run, or undefined if it is. */
export function omission(
  protocol: Protocol,
  set: SetName,
  method: Method,
  quick: boolean,
): string | undefined {
  const reason = protocol.omitted[set]?.[method];
  if (reason !== undefined || !quick) return reason;
  const large = set === "image" || set === "dlbcl";
  const left =
    protocol.name === "minmax" ||
    protocol.name === "raw" ||
    method === "ccmlRebuilt" ||
    (protocol.name === "paper" && large && method !== "kmeans") ||
    (set === "image" && method === "ccml");
  return left ? "left out by --quick" : undefined;
}
