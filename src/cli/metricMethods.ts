import { Option } from "commander";
import { optionError } from "../core/errors.ts";
import type { Constraints } from "../data/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { ClassMoments, Mahalanobis } from "../metric/index.ts";
import { finiteNumber, integerAtLeast } from "./arguments.ts";

/** What a metric is learned from. */
export type Need = "labels" | "pairs" | "chunklets" | "chunklets and cannot-links";

/** The side information of one run; a method reads what it needs. */
export interface SideInformation {
  readonly labels?: readonly string[];
  readonly pairs?: Constraints;
  readonly chunklets?: readonly string[];
}

/** What a stream leaves of labelled rows, scaled. */
export interface StreamedMoments {
  /** The classes, -1 among them where they are -1 and 1; the chunklets, where -1 is in none; all rows. */
  readonly classes: ClassMoments;
  readonly chunklets: ClassMoments;
  readonly all: ClassMoments;
  /** Each class by itself, for methods that ask for it. */
  readonly groups?: readonly ClassMoments[];
}

export interface MetricMethod {
  readonly name: string;
  readonly needs: Need;
  readonly summary: string;
  /** When to take it, in a sentence. */
  readonly when: string;
  readonly options: readonly Option[];
  /** It reports its progress. */
  readonly iterative?: boolean;
  /** It makes random choices of its own. */
  readonly seeded?: boolean;
  learn(X: Matrix, side: SideInformation, own: Record<string, unknown>): Promise<Mahalanobis>;
  /** The same from what one pass over the rows leaves, whatever their number; absent where rows are needed again. */
  readonly stream?: {
    /** It needs the second moments of each class. */
    readonly groups?: boolean;
    learn(moments: StreamedMoments, own: Record<string, unknown>): Promise<Mahalanobis>;
  };
}

const load = () => import("../metric/index.ts");
const integer = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(integerAtLeast(1));
const number = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(finiteNumber);

const dims = integer("--dims <n>", "directions to keep");
const shrinkage = number("--shrinkage <s>", "share of the diagonal in the covariance, 0 to 1");
const tolerance = number("--tolerance <t>", "residual at which to stop");
const maxIterations = integer("--max-iterations <n>", "at most this many iterations");
const neighbors = integer("--neighbors <n>", "nearest rows that are looked at");

/** Every method of `kindred metric`. A new one is a file in src/metric/ and an entry here. */
export const metricMethods: readonly MetricMethod[] = [
  {
    name: "mlca",
    needs: "labels",
    summary: "closed form, linear in the rows: least squares on the class indicators",
    when: "the first to try for clustering new data as labelled data is grouped; large tables",
    options: [new Option("--no-center", "do not subtract the column means")],
    learn: async (X, { labels }, own) => (await load()).mlca(X, labels!, own),
    stream: { learn: async ({ classes }, own) => (await load()).mlcaFromMoments(classes, own) },
  },
  {
    name: "lda",
    needs: "labels",
    summary: "closed form: Fisher's discriminant directions, at most one less than classes",
    when: "classes of one cloud each, also one that lies between two others",
    options: [dims, shrinkage],
    learn: async (X, { labels }, own) => (await load()).lda(X, labels!, own),
    stream: { learn: async ({ classes }, own) => (await load()).ldaFromMoments(classes, own) },
  },
  {
    name: "rca",
    needs: "chunklets",
    summary: "closed form: whitens what varies within groups known to be alike",
    when: "small groups of alike rows are known, but not which groups differ",
    options: [dims, shrinkage],
    learn: async (X, { chunklets }, own) => (await load()).rca(X, chunklets!, own),
    stream: { learn: async ({ chunklets, all }, own) => (await load()).rcaFromMoments(chunklets, own, all) },
  },
  {
    name: "kissme",
    needs: "pairs",
    summary: "closed form: likelihood ratio of differences, alike against different",
    when: "many pairs, several times the number of columns",
    options: [shrinkage],
    learn: async (X, { pairs }, own) => (await load()).kissme(X, { ...pairs!, ...own }),
    stream: {
      groups: true,
      learn: async ({ groups, all }, own) => (await load()).kissmeFromMoments(groups!, own, all),
    },
  },
  {
    name: "dca",
    needs: "chunklets and cannot-links",
    summary: "closed form: what varies between groups known to differ, against what varies within",
    when: "alike groups are known and some pairs that differ",
    options: [dims, shrinkage],
    learn: async (X, { chunklets, pairs }, own) =>
      (await load()).dca(X, chunklets!, { cannotLink: pairs!.cannotLink, ...own }),
  },
  {
    name: "xqda",
    needs: "labels",
    summary: "closed form: discriminant directions and likelihood ratio from all pairs at once",
    when: "many classes of few rows each",
    options: [dims, shrinkage],
    learn: async (X, { labels }, own) => (await load()).xqda(X, labels!, own),
  },
  {
    name: "lfda",
    needs: "labels",
    summary: "closed form: discriminant analysis that keeps the parts of a class apart",
    when: "classes of several clouds, judged by neighbours",
    options: [
      dims,
      neighbors,
      new Option("--embedding <kind>", "scale of the directions").choices([
        "weighted",
        "plain",
        "orthonormal",
      ]),
    ],
    learn: async (X, { labels }, own) => (await load()).lfda(X, labels!, own),
  },
  {
    name: "itml",
    needs: "pairs",
    summary: "the metric nearest to Euclid's that keeps bounds on the pairs",
    when: "some pairs of either kind, whatever the number of columns; the safe choice for pairs",
    options: [
      number("--gamma <g>", "weight of the bounds (default: 1)"),
      new Option("--bounds <kind>", "where the bounds come from").choices(["percentile", "squared"]),
      new Option("--prior <kind>", "the metric to stay near").choices(["identity", "covariance"]),
      tolerance,
      maxIterations,
    ],
    iterative: true,
    learn: async (X, { pairs }, own) => (await load()).itml(X, { ...pairs!, ...own }),
  },
  {
    name: "mmc",
    needs: "pairs",
    summary: "Xing's: cannot-links far apart while must-links stay near, regularised",
    when: "pairs, and only a few directions matter; --diagonal weighs columns",
    options: [
      new Option("--diagonal", "learn one weight per column only"),
      number("--regularization <r>", "how flat the spectrum is kept; 0 is the text's exact optimum"),
      shrinkage,
      tolerance,
      maxIterations,
    ],
    iterative: true,
    learn: async (X, { pairs }, own) => (await load()).mmc(X, { ...pairs!, ...own }),
  },
  {
    name: "sdml",
    needs: "pairs",
    summary: "a sparse metric: few products of columns count",
    when: "pairs are few against the columns and the metric should be readable",
    options: [
      number("--balance <b>", "weight of the pairs, 0 to below 1"),
      number("--sparsity <s>", "weight of the sparsity"),
      tolerance,
      maxIterations,
    ],
    learn: async (X, { pairs }, own) => (await load()).sdml(X, { ...pairs!, ...own }),
  },
  {
    name: "pcca",
    needs: "pairs",
    summary: "a few directions in which pairs fall on the right side of distance 1",
    when: "many columns and a low-dimensional answer is wanted",
    options: [
      dims,
      number("--beta <b>", "sharpness of the loss"),
      number("--ridge <r>", "weight of the size of the directions"),
      tolerance,
      maxIterations,
    ],
    iterative: true,
    learn: async (X, { pairs }, own) => (await load()).pcca(X, { ...pairs!, ...own }),
  },
  {
    name: "lrml",
    needs: "pairs",
    summary: "closed form: pairs, smoothed over the graph of nearest rows",
    when: "few pairs but many rows without any",
    options: [
      neighbors,
      number("--similar <w>", "weight of the must-links"),
      number("--different <w>", "weight of the cannot-links"),
    ],
    learn: async (X, { pairs }, own) => (await load()).lrml(X, { ...pairs!, ...own }),
  },
  {
    name: "lmnn",
    needs: "labels",
    summary: "large margins: rows of other classes stay outside a row's own neighbours",
    when: "nearest-neighbour classification; it improves neighbours, not k-means",
    options: [neighbors, number("--push <w>", "weight of the margins"), dims, tolerance, maxIterations],
    iterative: true,
    seeded: true,
    learn: async (X, { labels }, own) => (await load()).lmnn(X, labels!, own),
  },
  {
    name: "nca",
    needs: "labels",
    summary: "neighbourhood components: expected leave-one-out accuracy of a soft neighbour rule",
    when: "nearest-neighbour classification, some thousand rows; low-dimensional pictures with --dims 2",
    options: [
      dims,
      new Option("--objective <kind>", "sum of the probabilities or of their logarithms").choices([
        "sum",
        "log",
      ]),
      tolerance,
      maxIterations,
    ],
    iterative: true,
    learn: async (X, { labels }, own) => (await load()).nca(X, labels!, own),
  },
  {
    name: "scml",
    needs: "labels",
    summary: "a sparse combination of locally discriminating directions",
    when: "nearest-neighbour classification with many columns; few directions explain the answer",
    options: [
      integer("--bases <n>", "directions to choose from"),
      number("--sparsity <s>", "weight of the number of directions"),
      neighbors,
      integer("--impostors <n>", "rows of other classes in the triplets of a row"),
      tolerance,
      maxIterations,
    ],
    iterative: true,
    seeded: true,
    learn: async (X, { labels }, own) => (await load()).scml(X, labels!, own),
  },
  {
    name: "lajugie",
    needs: "labels",
    summary: "large margins for whole partitions: k-means on the training rows should give the classes",
    when: "the partition as a whole counts and mlca is not good enough; slower",
    options: [
      number("--regularization <r>", "weight of the size of the metric (default: 0.01)"),
      new Option("--no-whiten", "measure the size of the metric in the columns as they are"),
      tolerance,
      maxIterations,
    ],
    iterative: true,
    learn: async (X, { labels }, own) => (await load()).lajugie(X, labels!, own),
  },
];

export function metricMethod(name: string): MetricMethod {
  const method = metricMethods.find((known) => known.name === name);
  if (method === undefined) {
    throw optionError(
      `--method ${name}: there is no such metric; the metrics are ${metricMethods.map((known) => known.name).join(", ")}`,
    );
  }
  return method;
}

export function requireStreamable({ name, stream }: MetricMethod, from = "from a stream"): void {
  if (stream !== undefined) return;
  const able = metricMethods.filter((method) => method.stream !== undefined).map((method) => method.name);
  throw optionError(`${name} needs all rows at once; ${from} learn ${able.join(", ")}`);
}
