import type { rule } from "../core/internal.ts";
import type { Constraints, Triplet } from "../data/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { AnyMetric, ClassMoments, Mahalanobis } from "../metric/index.ts";
import { passed } from "./fromFunction.ts";
import type { GivenOptions, Method } from "./method.ts";

/** A metric learning method, for `kindred metric` and `kindred metrics`. */
export interface MetricMethod extends Method<OpenMetric> {
  /** When to take it. */
  readonly when: string;
  readonly needs: MetricNeed;
  /** The sums over the rows that suffice for learning; absent: it needs the rows themselves. */
  readonly sums?: "moments" | "class moments";
}

/** The input of a metric. */
export type MetricNeed = "labels" | "pairs" | "triplets" | "chunklets" | "chunklets and cannot-links";

/** The side information of one run; a method uses what it needs. */
export interface SideInformation {
  /** One per row, empty if unknown. */
  readonly labels?: readonly string[];
  readonly pairs?: Constraints;
  /** Row numbers [anchor, nearer, farther]. */
  readonly triplets?: readonly Triplet[];
  /** One per row, empty or -1 for rows in none. */
  readonly chunklets?: readonly string[];
}

/** The code of a method. */
export interface OpenMetric {
  /** All options by their names; those with a `control` are for people. */
  readonly options: rule.OptionRules;
  learn(X: Matrix, side: SideInformation, options?: MetricOptions): AnyMetric;
  /** The same from sums, for any number of rows. */
  fromMoments?(moments: RowMoments, options?: MetricOptions): Mahalanobis;
}

export type MetricOptions = GivenOptions;

/** The result of one pass over labelled rows. */
export interface RowMoments {
  /** For classes; -1 is one of them if they are -1 and 1. */
  readonly classes: ClassMoments;
  /** For chunklets, where -1 means none. */
  readonly chunklets: ClassMoments;
  readonly all: ClassMoments;
  /** For each class separately, if the method requests "class moments". */
  readonly groups?: readonly ClassMoments[];
}

type Room = typeof import("../metric/index.ts");
type FromMoments = (room: Room, moments: RowMoments, options: never) => Mahalanobis;

/** Every metric that `kindred metric` learns. A new one needs its function, an export of its room, and an entry here. */
const ENTRIES: Readonly<Record<string, MetricEntry>> = {
  mlca: {
    needs: "labels",
    title: "MLCA",
    sentence: "Closed form, linear in the rows: least squares on the class indicators.",
    when: "the first choice for grouping new data like labelled data; large tables",
    sums: "moments",
    fromMoments: (room, { classes }, options) => room.mlcaFromMoments(classes, options),
  },
  lda: {
    needs: "labels",
    title: "Linear discriminant analysis",
    sentence: "Closed form: Fisher's discriminant directions, at most one less than classes.",
    when: "classes of one cloud each, also if one lies between two others",
    sums: "moments",
    fromMoments: (room, { classes }, options) => room.ldaFromMoments(classes, options),
  },
  rca: {
    needs: "chunklets",
    title: "Relevant component analysis",
    sentence: "Closed form: whitens the variation within groups of similar rows.",
    when: "small groups of similar rows are known, but not which groups differ",
    sums: "moments",
    fromMoments: (room, { chunklets, all }, options) => room.rcaFromMoments(chunklets, options, all),
  },
  kissme: {
    needs: "pairs",
    title: "KISSME",
    sentence: "Closed form: likelihood ratio of differences, similar against different pairs.",
    when: "many pairs, several times the number of columns",
    sums: "class moments",
    fromMoments: (room, { groups, all }, options) => room.kissmeFromMoments(groups!, options, all),
  },
  dca: {
    needs: "chunklets and cannot-links",
    title: "Discriminative component analysis",
    sentence: "Closed form: variation between groups that differ, against variation within groups.",
    when: "groups of similar rows and some pairs that differ are known",
  },
  xqda: {
    needs: "labels",
    title: "Quadratic discriminant analysis of differences (XQDA)",
    sentence: "Closed form: discriminant directions and likelihood ratio from all pairs at once.",
    when: "many classes of few rows each",
  },
  lfda: {
    needs: "labels",
    title: "Local Fisher discriminant analysis",
    sentence: "Closed form: discriminant analysis that keeps the clouds of a class separate.",
    when: "classes of several clouds, for neighbour methods",
  },
  itml: {
    needs: "pairs",
    title: "Information-theoretic metric learning",
    sentence: "The metric closest to the Euclidean one that keeps bounds on the pairs.",
    when: "some pairs of each kind, any number of columns; the safe choice for pairs",
  },
  mmc: {
    needs: "pairs",
    title: "Xing's metric (MMC)",
    sentence: "Cannot-links far apart while must-links stay near, regularised.",
    when: "pairs, if only a few directions matter; diagonal weights columns",
  },
  sdml: {
    needs: "pairs",
    title: "Sparse distance metric learning",
    sentence: "A sparse metric: few products of columns count.",
    when: "few pairs and many columns, if the metric should be readable",
  },
  pcca: {
    needs: "pairs",
    title: "Pairwise constrained component analysis",
    sentence: "A few directions in which pairs fall on the right side of distance 1.",
    when: "many columns, if the result should have few dimensions",
  },
  "pcca-kernel": {
    needs: "pairs",
    title: "Kernel PCCA",
    sentence: "The same in the feature space of a kernel, so the directions may bend.",
    when: "pairs that no straight direction separates, up to a few thousand rows",
    call: "pccaKernel",
  },
  "dist-boost": {
    needs: "pairs",
    title: "DistBoost",
    sentence: "Boosts Gaussian mixtures that are fitted under the pairs; a distance, not a matrix.",
    when: "many pairs of rows in clouds; set components to the number of classes",
    call: "distBoost",
  },
  triplets: {
    needs: "triplets",
    title: "Metric from triplets",
    sentence: "A row is nearer to a second than to a third, by a margin; proved by the dual.",
    when: "comparisons instead of pairs: this row is closer to that one than to another",
  },
  lrml: {
    needs: "pairs",
    title: "Laplacian regularised metric learning",
    sentence: "Closed form: pairs, smoothed over the graph of nearest rows.",
    when: "few pairs, but many rows without pairs",
  },
  lmnn: {
    needs: "labels",
    title: "Large margin nearest neighbours",
    sentence: "Rows of other classes stay outside a row's own neighbours, by a margin.",
    when: "nearest-neighbour classification; it improves neighbours, not k-means",
  },
  nca: {
    needs: "labels",
    title: "Neighbourhood component analysis",
    sentence: "Raises the expected leave-one-out accuracy of a soft neighbour rule.",
    when: "nearest-neighbour classification, some thousand rows; low-dimensional pictures with dims 2",
  },
  scml: {
    needs: "labels",
    title: "Sparse compositional metric learning",
    sentence: "A sparse combination of locally discriminating directions.",
    when: "nearest-neighbour classification with many columns; few directions explain the answer",
  },
  lajugie: {
    needs: "labels",
    title: "Large margins for partitions (Lajugie)",
    sentence: "k-means on the training rows should give the classes, by a margin.",
    when: "the partition as a whole counts and mlca is not good enough; slower",
  },
};

export const metrics: readonly MetricMethod[] = Object.entries(ENTRIES).map(
  ([name, { call = name as MetricName, fromMoments, ...said }]) => ({
    name,
    ...said,
    open: () => opened(call, said.needs, fromMoments),
  }),
);

/** How the functions of the library take their input. */
const CALLS = {
  labels: (learn, X, { labels }, options) => learn(X, labels, options),
  triplets: (learn, X, { triplets }, options) => learn(X, triplets, options),
  pairs: (learn, X, { pairs }, options) => learn(X, { ...pairs, ...options }),
  chunklets: (learn, X, { chunklets }, options) => learn(X, chunklets, options),
  "chunklets and cannot-links": (learn, X, { chunklets, pairs }, options) =>
    learn(X, chunklets, { cannotLink: pairs?.cannotLink, ...options }),
} satisfies Record<
  MetricNeed,
  (
    learn: (X: Matrix, ...rest: unknown[]) => AnyMetric,
    X: Matrix,
    side: SideInformation,
    options: object,
  ) => AnyMetric
>;

type MetricName = {
  [K in keyof Room]: `${K & string}Options` extends keyof Room
    ? Room[K] extends (...all: never[]) => AnyMetric
      ? K
      : never
    : never;
}[keyof Room] &
  string;

interface MetricEntry extends Omit<MetricMethod, "name" | "open"> {
  /** How sums suffice for it. */
  readonly fromMoments?: FromMoments;
  /** The function of the library; default: of the same name. */
  readonly call?: MetricName;
}

async function opened(call: MetricName, needs: MetricNeed, fromMoments?: FromMoments): Promise<OpenMetric> {
  const room = await import("../metric/index.ts");
  const options: rule.OptionRules = room[`${call}Options`];
  const learn = room[call] as unknown as (X: Matrix, ...rest: unknown[]) => AnyMetric;
  return {
    options,
    learn: (X, side, given = {}) => CALLS[needs](learn, X, side, passed(options, given)),
    ...(fromMoments && {
      fromMoments: (moments: RowMoments, given: MetricOptions = {}) =>
        fromMoments(room, moments, passed(options, given) as never),
    }),
  };
}
