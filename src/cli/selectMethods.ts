import { Option } from "commander";
import { inputError, optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { LevelCounts, Selection } from "../select/index.ts";
import { integerAtLeast } from "./arguments.ts";

/** Features in the order of their rank, and what `kindred select` shows of them. */
export interface Ranked {
  /** Columns of X. */
  readonly features: readonly number[];
  /** One number per rank under each heading. */
  readonly figures: Readonly<Record<string, ArrayLike<number>>>;
  readonly facts: readonly (readonly [string, string])[];
  /** Drawn under the table. */
  readonly tree?: string;
  /** What only this method has to say, for --json. */
  readonly json: object;
  readonly warnings: readonly string[];
}

export interface SelectRun {
  readonly labels?: readonly string[];
  readonly batch?: readonly string[];
  readonly names: readonly string[];
  readonly features?: number;
  readonly own: Readonly<Record<string, unknown>>;
  readonly onProgress: OnProgress;
}

export interface SelectMethod {
  readonly name: string;
  readonly summary: string;
  /** Learns from classes; otherwise from the rows alone. */
  readonly supervised: boolean;
  readonly options: readonly Option[];
  run(X: Matrix, run: SelectRun): Promise<Ranked>;
  /** The same from counts, of rows that are never in memory at once; absent where counts of pairs do not do. */
  fromCounts?(counts: LevelCounts, options: Readonly<Record<string, unknown>>): Promise<Ranked>;
}

const load = () => import("../select/index.ts");
const informationOptions: readonly Option[] = [
  new Option("--discretize <kind>", "how values become levels (default: sigma, at mean -/+ sd)").choices([
    "sigma",
    "width",
    "frequency",
    "given",
  ]),
  new Option("--bins <n>", "levels of width and frequency (default: 5)").argParser(integerAtLeast(2)),
  new Option("--estimator <name>", "of entropies (default: plug-in)").choices(["plug-in", "miller-madow"]),
  new Option("--unit <unit>", "of information (default: nats)").choices(["nats", "bits"]),
];

type Select = (X: Matrix, labels: readonly string[], options: object) => Selection;
type SelectFromCounts = (counts: LevelCounts, options: object) => Selection;

function supervised(
  name: string,
  summary: string,
  own: readonly Option[],
  select: () => Promise<Select>,
  fromCounts?: () => Promise<SelectFromCounts>,
): SelectMethod {
  return {
    name,
    summary,
    supervised: true,
    options: [...own, ...informationOptions],
    async run(X, { labels, names, features, own }) {
      return ranked((await select())(X, labels!, { names, features, ...own }), (await load()).drawTree);
    },
    ...(fromCounts && {
      async fromCounts(counts, options) {
        return ranked((await fromCounts())(counts, options), (await load()).drawTree);
      },
    }),
  };
}

/** Every method of `kindred select`. */
export const selectMethods: readonly SelectMethod[] = [
  supervised(
    "chow-liu",
    "the largest gain of the difference of two Chow-Liu trees, with and without the class",
    [new Option("--fill <how>", "when no gain is left (default: mrmr)").choices(["mrmr", "none"])],
    async () => (await load()).chowLiuSelect,
    async () => (await load()).chowLiuSelectFromCounts,
  ),
  supervised(
    "mrmr",
    "relevance to the class less the mean redundancy with the features selected before",
    [
      new Option("--form <form>", "of the criterion (default: difference)").choices([
        "difference",
        "quotient",
      ]),
    ],
    async () => (await load()).mrmr,
    async () => (await load()).mrmrFromCounts,
  ),
  supervised(
    "cfs",
    "the set of the largest merit: correlation with the class against correlation within",
    [new Option("--search <how>", "(default: forward)").choices(["forward", "best-first"])],
    async () => (await load()).cfs,
    async () => (await load()).cfsFromCounts,
  ),
  supervised(
    "jmi",
    "joint information with the class, paired with each feature selected before",
    [],
    async () => (await load()).jmi,
  ),
  supervised(
    "max-relevance",
    "information with the class, each feature alone: a baseline",
    [],
    async () => (await load()).maxRelevance,
    async () => (await load()).maxRelevanceFromCounts,
  ),
  {
    name: "ccscml",
    summary: "no classes: the share of each feature in the metric that convex clustering learns",
    supervised: false,
    options: [
      new Option("-k, --clusters <n>", "number of clusters (default: the most persistent)").argParser(
        integerAtLeast(2),
      ),
      new Option("--neighbors <n>", "of the weight graph (default: 30, fewer for few rows)").argParser(
        integerAtLeast(1),
      ),
      new Option("--iterations <n>", "rounds of metric learning (default: 3)").argParser(integerAtLeast(1)),
    ],
    run: byLearnedMetric,
  },
];

export function selectMethod(name: string): SelectMethod {
  const method = selectMethods.find((known) => known.name === name);
  if (method !== undefined) return method;
  throw optionError(
    `there is no method "${name}"; the methods are ${selectMethods.map((known) => known.name).join(", ")}`,
  );
}

export function requireFeatures(wanted: number | undefined, source: string, available: number): void {
  if (wanted === undefined || wanted <= available) return;
  throw inputError(`--features ${wanted}: ${source} has only ${available} features`);
}

/** Refuses methods that counts of pairs of features are not enough for. */
export function requireFromCounts(
  { name, fromCounts }: SelectMethod,
  where: "from a stream" | "on an engine",
): void {
  if (fromCounts !== undefined) return;
  const able = selectMethods.filter((method) => method.fromCounts !== undefined).map((method) => method.name);
  throw optionError(
    `${name} needs all rows at once${name === "jmi" ? ", to count three columns together" : ""}; ` +
      `${where} select by ${able.join(", ")}`,
  );
}

function ranked(selection: Selection, draw: (tree: NonNullable<Selection["tree"]>) => string): Ranked {
  const { features, scores, gains, relevance, redundancy, tree, certificate, warnings } = selection;
  const { discretization, estimator, unit, filledFrom, constant } = selection;
  const bound =
    certificate === undefined
      ? []
      : [
          [
            "score",
            `${short(certificate.score)}; no set of as many has more than ${short(certificate.upperBound)}`,
          ],
        ];
  return {
    features: Array.from(features),
    figures: { score: scores, ...(gains !== undefined && { gain: gains }), relevance, redundancy },
    facts: [
      ["levels", LEVELS[discretization.kind]],
      ["information", `in ${unit}, ${estimator}`],
      ...(bound as [string, string][]),
    ],
    ...(tree !== undefined && { tree: draw(tree) }),
    json: {
      unit,
      estimator,
      certificate: certificate ?? null,
      filledFrom: filledFrom ?? null,
      constant: Array.from(constant, (f) => discretization.columns[f]),
      discretization,
      tree:
        tree === undefined
          ? null
          : {
              ...tree,
              columns: Array.from(tree.columns),
              order: Array.from(tree.order),
              parents: Array.from(tree.parents),
              weights: Array.from(tree.weights),
            },
    },
    warnings,
  };
}

const LEVELS = {
  sigma: "three per feature, cut at mean - sd and mean + sd",
  width: "intervals of equal width",
  frequency: "intervals of about as many rows each",
  given: "the values as they are",
};

const DEFAULT_FEATURES = 20;

async function byLearnedMetric(
  X: Matrix,
  { names, features, own, onProgress, batch }: SelectRun,
): Promise<Ranked> {
  const { ccscml } = await import("../convex/index.ts");
  const { metric, sizes, warnings, converged } = ccscml(X, { ...own, scale: "zscore", batch, onProgress });
  const order = names
    .map((_, f) => f)
    .toSorted((a, b) => metric.relevance[b] - metric.relevance[a] || a - b)
    .slice(0, features ?? DEFAULT_FEATURES);
  return {
    features: order,
    figures: { share: order.map((f) => metric.relevance[f]) },
    facts: [
      [
        "clusters",
        `${sizes.length}, ${converged ? "converged" : "NOT converged"}; the features were z-scored`,
      ],
    ],
    json: { clusters: sizes.length, sizes: Array.from(sizes), converged },
    warnings,
  };
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
