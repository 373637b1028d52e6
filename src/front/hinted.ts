import { option, optionError } from "../core/errors.ts";
import { given } from "../core/options.ts";
import type { OnProgress } from "../core/progress.ts";
import { fillHints, type Hints, type Pair } from "../data/index.ts";
import type { FeatureRecord } from "../features/index.ts";
import type { HintedClustering } from "../hints/index.ts";
import { toDense } from "../matrix/index.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { isSparse } from "../matrix/sparse.ts";
import type { ClusteringMethod, Fact, FitOptions, Fitted, OptionRules } from "../method/index.ts";
import { clusterMeans } from "../method/placing.ts";
import type { Trust } from "../model/clustering.ts";

/** The default where there are hints: everything that the default tries, and what learns from the hints, votes. */
export const hinted: ClusteringMethod = {
  name: "hints",
  title: "Learn from hints",
  group: "From hints",
  sentence:
    "Learns from a few pairs, groups or labels what alike means; keeps every hint, says what they taught.",
  needs: { clusters: "optional", pairs: "optional", labels: "optional", seed: true },
  takes: "longest",
  async open() {
    const [{ learnFromHints }, { chosenPartition }] = await Promise.all([
      import("../hints/index.ts"),
      import("../compare/chosenPartition.ts"),
    ]);
    return {
      options: {
        onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
      } as unknown as OptionRules,
      fit(rows, options, { record, names, unhinted } = {}) {
        const X = isSparse(rows) ? toDense(rows) : rows;
        const { clusters, seed, onProgress } = options;
        const hints = hintsOf(options);
        const given = { clusters, seed, onProgress };
        const free =
          unhinted === undefined
            ? chosenPartition(X, given, record)
            : chosenPartition(unhinted.X, given, unhinted.record);
        const library = [
          { name: "default", labels: free.labels },
          ...free.candidates
            .slice(1, MOST_CANDIDATES)
            .map(({ labels, methods }) => ({ name: methods[0].method, labels })),
        ].filter(({ labels }) => new Set(labels).size > 1);
        const fit = learnFromHints(X, hints, { clusters, seed, onProgress, library, scale: "none" });
        return fittedBy(X, fit, sourcesOf(X, record, names));
      },
    };
  },
};

/** Partitions of the default's pool that vote. */
const MOST_CANDIDATES = 8;

/** Pairs, labels and other hints as one. */
export function hintsOf({ hints, mustLink = [], cannotLink = [], labels }: FitOptions): Hints {
  const given = fillHints((hints as Partial<Hints> | undefined) ?? {});
  const pair = (same: boolean) => (one: Pair) => ({ a: one[0], b: one[1], same });
  const known = (labels ?? []).flatMap((label, row) =>
    label === "" || label === "-1" ? [] : [{ row, label }],
  );
  const all: Hints = {
    ...given,
    pairs: [...given.pairs, ...mustLink.map(pair(true)), ...cannotLink.map(pair(false))],
    labels: [...given.labels, ...known],
  };
  if (all.pairs.length + all.groups.length + all.labels.length + all.not.length === 0) {
    throw optionError(
      `the method hints needs hints: ${option("hints")}, ${option("mustLink")}, ${option("cannotLink")} or ${option("labels")}`,
    );
  }
  return all;
}

/** The column of the table that each column of X comes from. */
function sourcesOf(X: Matrix, record?: FeatureRecord, names?: readonly string[]): readonly string[] {
  if (record !== undefined) return record.parts.flatMap(({ column, names: own }) => own.map(() => column));
  return names ?? Array.from({ length: X.cols }, (_, f) => `column ${f}`);
}

type HintedFit = Fitted & { readonly trust: Trust; readonly names: readonly (string | undefined)[] };

function fittedBy(X: Matrix, fit: HintedClustering, sources: readonly string[]): HintedFit {
  const labels = Int32Array.from(fit.labels);
  const { clusters, sizes, trust, explained, metric, moved, contradictions, advice } = fit;
  const centers = clusterMeans(X, labels, clusters);
  const map = diagonal(
    metric.columns.map(({ after, before }) => Math.sqrt(after / Math.max(before, 1e-12))),
    X,
  );
  const shares = new Map<string, { before: number; after: number }>();
  for (const { column, before, after } of metric.columns) {
    const sum = shares.get(sources[column]) ?? { before: 0, after: 0 };
    shares.set(sources[column], { before: sum.before + before, after: sum.after + after });
  }
  const changes = Array.from(shares, ([name, share]) => ({ name, ...share })).sort(
    (a, b) => b.after - a.after,
  );
  const facts: Fact[] = [
    [
      "hints",
      `${counted(explained.answers, "answer")}; ${percent(explained.share)} foreseen when held out` +
        (fit.guarded ? "; they do not support more than the default partition, which was kept" : ""),
    ],
    [
      "columns",
      changes
        .slice(0, 5)
        .map(({ name, before, after }) => `${name} ${percent(before)} -> ${percent(after)}`)
        .join(", "),
    ],
    ["moved", `${counted(moved.length, "row")} elsewhere than without the hints`],
    ["next", advice.message],
  ];
  return {
    labels,
    clusters,
    sizes,
    converged: true,
    warnings: fit.notes.map(({ message }) => message),
    centers,
    placing: fit.placing,
    ...(map !== undefined && { metric: squared(map) }),
    facts,
    details: {
      members: fit.members,
      explained,
      guarded: fit.guarded,
      moved,
      contradictions,
      advice,
      columns: changes,
    },
    drawing: {},
    trust: {
      word: WORDS[trust.word],
      why:
        `agreement of about ${trust.expected.toFixed(2)} with what was meant was reached at such hints ` +
        `(${counted(trust.answers, "answer")}, support ${trust.support.toFixed(2)})`,
    },
    names: fit.names.map((name) => name ?? undefined),
  };
}

const WORDS = { poor: "weak", fair: "doubtful", good: "clear", "very good": "clear" } as const;

/** The weights of the columns as a map; nothing where they are all the same. */
function diagonal(factors: readonly number[], { cols }: Matrix): Matrix | undefined {
  if (factors.length !== cols || factors.every((factor) => Math.abs(factor - factors[0]) < 1e-9))
    return undefined;
  const map = matrix(cols, cols);
  factors.forEach((factor, f) => (map.data[f * (cols + 1)] = factor));
  return map;
}

function squared(map: Matrix): Matrix {
  return { ...map, data: map.data.map((value) => value * value) };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
