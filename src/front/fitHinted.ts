import { option, optionError } from "../core/errors.ts";
import type { Pair } from "../data/constraints.ts";
import { fillHints, hintCount, type Hints } from "../data/hints/hints.ts";
import type { FeatureRecord } from "../features/index.ts";
import { learnFromHints, type HintedClustering } from "../hints/index.ts";
import { toDense } from "../matrix/index.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { isSparse, type Sparse } from "../matrix/sparse.ts";
import type { Fact, FitContext, FitOptions, Fitted } from "../method/index.ts";
import { clusterMeans } from "../method/placing.ts";
import type { Trust } from "../model/clustering.ts";
import { unhintedLibrary } from "./unhintedLibrary.ts";

/** Fits the method `hints`, and tells in words what the hints taught. */
export async function fitHinted(
  rows: Matrix | Sparse,
  options: FitOptions,
  { record, names, unhinted, tableRow, nameOf }: FitContext = {},
): Promise<HintedFit> {
  const X = isSparse(rows) ? toDense(rows) : rows;
  const { clusters, seed, onProgress } = options;
  const hints = hintsOf(options);
  const { library, clusters: without } = await unhintedLibrary(
    X,
    { clusters, seed, onProgress },
    { record, unhinted },
  );
  const fit = learnFromHints(X, hints, {
    clusters,
    without,
    seed,
    onProgress,
    library,
    scale: "none",
    nameOf,
  });
  return fittedBy(X, fit, without, sourcesOf(X, record, names), tableRow);
}

/** Pairs, labels and other hints combined. */
function hintsOf({ hints, mustLink = [], cannotLink = [], labels }: FitOptions): Hints {
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
  if (hintCount(all) === 0) {
    throw optionError(
      `the method hints needs hints: ${option("hints")}, ${option("mustLink")}, ${option("cannotLink")} or ${option("labels")}`,
    );
  }
  return all;
}

/** The table column of each column of X. */
function sourcesOf(X: Matrix, record?: FeatureRecord, names?: readonly string[]): readonly string[] {
  if (record !== undefined) return record.parts.flatMap(({ column, names: own }) => own.map(() => column));
  return names ?? Array.from({ length: X.cols }, (_, f) => `column ${f}`);
}

type HintedFit = Fitted & { readonly trust: Trust; readonly names: readonly (string | undefined)[] };

function fittedBy(
  X: Matrix,
  fit: HintedClustering,
  without: number,
  sources: readonly string[],
  tableRow: (row: number) => number = (row) => row,
): HintedFit {
  const labels = Int32Array.from(fit.labels);
  const { clusters, sizes, trust, explained, metric, advice } = fit;
  const moved = fit.moved.map((one) => ({ ...one, row: tableRow(one.row) }));
  const ends = <Hint extends { a: number; b: number }>(hint: Hint): Hint => ({
    ...hint,
    a: tableRow(hint.a),
    b: tableRow(hint.b),
  });
  const contradictions = fit.contradictions.map((one) => ({
    ...one,
    rows: one.rows.map(tableRow),
    setAside: one.setAside.map(ends),
  }));
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
      explained.answers === 0
        ? "they name clusters, but compare no two rows"
        : `${counted(explained.answers, "answer")}; ${percent(explained.share)} of them predicted when held out`,
    ],
    ["columns", columnText(changes)],
    ["moved", movedText(moved, labels.length, clusters, without)],
    ["next", advice.message],
  ];
  return {
    labels,
    clusters,
    sizes,
    converged: true,
    warnings: fit.notes.map(({ code, message }) =>
      without === 1 && clusters > 1 && (code === "guard" || code === "undecided") ? GUESS : message,
    ),
    centers,
    placing: fit.placing,
    ...(map !== undefined && { metric: squared(map) }),
    facts,
    details: {
      members: fit.members,
      explained,
      guarded: fit.guarded,
      undecided: fit.undecided,
      moved,
      contradictions,
      advice: { ...advice, questions: advice.questions.map(ends) },
      columns: changes,
    },
    drawing: {},
    trust: {
      word: WORDS[trust.word],
      why:
        `runs with similar hints (${counted(trust.answers, "answer")}, support ${trust.support.toFixed(2)}) ` +
        `reached an agreement of about ${trust.expected.toFixed(2)} with the true groups`,
    },
    names: fit.names.map((name) => name ?? undefined),
  };
}

/** No partition without hints is there to be kept or changed: one cluster does not keep the hints. */
const GUESS =
  "without hints all rows are one cluster, and the hints hardly show what divides it: the clusters are a guess that " +
  "keeps the hints";

/** Maximum number of columns in a line. */
const NAMED = 5;

/**
 * The columns that separate the clusters, as few as possible for the same quality, with their shares of the
 * distance.
 */
function columnText(changes: readonly { name: string; before: number; after: number }[]): string {
  const enough = changes.filter(({ after }) => after > 0);
  const named = enough
    .slice(0, NAMED)
    .map(({ name, before, after }) => `${name} ${percent(before)} -> ${percent(after)}`);
  const more = enough.length > NAMED ? `, and ${enough.length - NAMED} more` : "";
  const rest = changes.length - enough.length;
  const all =
    rest === 0
      ? ""
      : `; ${enough.length === 1 ? "this column alone does" : "these columns alone do"} as well as all ${changes.length}`;
  return `share of the distance: ${named.join(", ")}${more}${all}`;
}

/** The number of rows in another cluster than without hints, and why. */
function movedText(
  moved: readonly { readonly why: "hint" | "vote" }[],
  rows: number,
  clusters: number,
  without: number,
): string {
  if (without === 1 && clusters > 1) return "without hints all rows are one cluster";
  const then = without === clusters ? "" : ` (${counted(without, "cluster")} then)`;
  if (moved.length === 0) return `no row is in another cluster than without hints${then}`;
  const told = moved.filter(({ why }) => why === "hint").length;
  const learned = moved.length - told;
  const reasons = [
    ...(told > 0 ? [`${told} named in hints`] : []),
    ...(learned > 0 ? [`${learned} by what the hints taught`] : []),
  ];
  const are = moved.length === 1 ? "is" : "are";
  return `${moved.length} of ${rows} rows ${are} in another cluster than without hints${then}: ${reasons.join(", ")}`;
}

const WORDS = { poor: "weak", fair: "doubtful", good: "clear", "very good": "clear" } as const;

/** The weights of the columns as a map; nothing if they are all the same. */
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
