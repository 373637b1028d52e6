import { jsonOf, type rule } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import type { LevelCounts, Selection } from "../select/index.ts";
import { passed } from "./fromFunction.ts";
import type { GivenOptions, Method, Fact } from "./method.ts";
import { short } from "./told.ts";

/** A feature ranking method, for `kindred select`. */
export interface SelectionMethod extends Method<OpenSelection> {
  readonly needs: {
    /** Classes of the rows; absent: it takes none. */
    readonly labels?: "required";
    /** The number of clusters; absent: it takes none. */
    readonly clusters?: "optional";
  };
  /** The sums over the rows that suffice for learning; absent: it needs the rows themselves. */
  readonly sums?: "level counts";
}

/** The code of a method. */
export interface OpenSelection {
  /** All options by their names; those with a `control` are for people. */
  readonly options: rule.OptionRules;
  select(X: Matrix, side: SelectionSide, options?: SelectionOptions): Ranked;
  /** The same from counts of levels and pairs of levels, for any number of rows. */
  fromCounts?(counts: LevelCounts, options?: SelectionOptions): Ranked;
}

export interface SelectionSide {
  /** One per row, empty if unknown. */
  readonly labels?: readonly string[];
  /** One per row: rows of one batch are scaled separately, by methods that scale. */
  readonly batch?: readonly string[];
}

export interface SelectionOptions extends GivenOptions {
  /** Number of features to select; default 20, or all if there are fewer. */
  readonly features?: number;
  readonly clusters?: number;
}

/** Features in the order of their rank. */
export interface Ranked {
  /** Columns of X. */
  readonly features: readonly number[];
  /** One number per rank under each heading. */
  readonly figures: Readonly<Record<string, ArrayLike<number>>>;
  /** The method's own report: lines for people, fields for programs. */
  readonly facts: readonly Fact[];
  readonly details: object;
  /** Drawn under the table. */
  readonly tree?: string;
  readonly warnings: readonly string[];
}

type Room = typeof import("../select/index.ts");

/** Methods that compare levels with classes. */
const BY_INFORMATION: Readonly<Record<string, InformationEntry>> = {
  "chow-liu": {
    call: "chowLiuSelect",
    counts: "chowLiuSelectFromCounts",
    title: "Difference of Chow-Liu trees",
    sentence:
      "The largest gain in the difference of two Chow-Liu trees, with and without the class; for many redundant features.",
  },
  mrmr: {
    call: "mrmr",
    counts: "mrmrFromCounts",
    title: "Minimum redundancy, maximum relevance",
    sentence:
      "Relevance to the class minus the mean redundancy with the features selected before; for few rows.",
  },
  cfs: {
    call: "cfs",
    counts: "cfsFromCounts",
    title: "Correlation-based feature selection",
    sentence:
      "The set with the largest merit: correlation with the class against correlation within; can find the number.",
  },
  jmi: {
    call: "jmi",
    title: "Joint mutual information",
    sentence:
      "Joint information with the class, paired with each feature selected before; for features that inform only together.",
  },
  "max-relevance": {
    call: "maxRelevance",
    counts: "maxRelevanceFromCounts",
    title: "Maximum relevance",
    sentence: "Information with the class, each feature alone: a baseline.",
  },
};

/** Every method of `kindred select`. A new one needs its function, an export of its room, and an entry here. */
export const selections: readonly SelectionMethod[] = [
  ...Object.entries(BY_INFORMATION).map(([name, { call, counts, ...said }]): SelectionMethod => ({
    name,
    ...said,
    needs: { labels: "required" },
    ...(counts && { sums: "level counts" }),
    open: () => byInformation(call, counts),
  })),
  {
    name: "ccscml",
    title: "Share in the metric of convex clustering",
    sentence: "No classes: the share of each feature in the metric that convex clustering learns.",
    needs: { clusters: "optional" },
    async open() {
      const [{ ccscml, ccscmlOptions }, { DEFAULT_FEATURES }] = await Promise.all([
        import("../recipes/index.ts"),
        import("../select/selectionProblem.ts"),
      ]);
      const options = ccscmlOptions;
      return {
        options,
        select(X, { batch }, { features = DEFAULT_FEATURES, ...given } = {}) {
          const fit = ccscml(X, passed(options, { scale: "zscore", ...given, batch }));
          const { metric, sizes, warnings, converged } = fit;
          const order = Array.from(metric.relevance.keys())
            .toSorted((a, b) => metric.relevance[b] - metric.relevance[a] || a - b)
            .slice(0, features);
          return {
            features: order,
            figures: { share: order.map((f) => metric.relevance[f]) },
            facts: [
              [
                "clusters",
                `${sizes.length}, ${converged ? "converged" : "NOT converged"}; the features were z-scored`,
              ],
            ],
            details: { clusters: sizes.length, sizes: Array.from(sizes), converged },
            warnings,
          };
        },
      };
    },
  },
];

interface InformationEntry extends Pick<SelectionMethod, "title" | "sentence"> {
  readonly call: "chowLiuSelect" | "mrmr" | "cfs" | "jmi" | "maxRelevance";
  /** The same from counts of levels. */
  readonly counts?: keyof Room & `${string}FromCounts`;
}

async function byInformation(
  call: InformationEntry["call"],
  callCounts: InformationEntry["counts"],
): Promise<OpenSelection> {
  const room = await import("../select/index.ts");
  const options: rule.OptionRules = room[`${call}Options`];
  const select = room[call] as (X: Matrix, labels: readonly string[], options: object) => Selection;
  const fromCounts = callCounts && (room[callCounts] as (counts: LevelCounts, options: object) => Selection);
  return {
    options,
    select: (X, { labels }, given = {}) => ranked(select(X, labels!, passed(options, given)), room),
    ...(fromCounts && {
      fromCounts(counts: LevelCounts, given: SelectionOptions = {}): Ranked {
        // Counts already contain these.
        const settled = { discretize: undefined, bins: undefined, names: undefined };
        return ranked(fromCounts(counts, passed(options, { ...given, ...settled })), room);
      },
    }),
  };
}

function ranked(selection: Selection, { drawTree }: Room): Ranked {
  const { features, scores, gains, relevance, redundancy, tree, certificate, warnings } = selection;
  const { discretization, estimator, unit, filledFrom, constant } = selection;
  const proof: Fact[] = [];
  if (certificate !== undefined) {
    const [score, bound] = [certificate.score, certificate.upperBound].map((value) => short(value, 6));
    proof.push(["score", `${score}; no set of this size has more than ${bound}`]);
  }
  return {
    features: Array.from(features),
    figures: { score: scores, ...(gains !== undefined && { gain: gains }), relevance, redundancy },
    facts: [["levels", LEVELS[discretization.kind]], ["information", `in ${unit}, ${estimator}`], ...proof],
    ...(tree !== undefined && { tree: drawTree(tree) }),
    details: {
      unit,
      estimator,
      certificate: certificate ?? null,
      filledFrom: filledFrom ?? null,
      constant: Array.from(constant, (f) => discretization.columns[f]),
      discretization,
      tree: tree === undefined ? null : jsonOf(tree),
    },
    warnings,
  };
}

const LEVELS = {
  sigma: "three per feature, cut at mean - sd and mean + sd",
  width: "intervals of equal width",
  frequency: "intervals with about the same number of rows",
  given: "the values as they are",
};
