import { option, optionError, percent, plural } from "../../core/internal.ts";
import { fillHints, hintLinks, type Hints, type Pair } from "../../data/index.ts";
import { hintCount } from "../../data/internal.ts";
import type { FeatureRecord } from "../../features/index.ts";
import { type HintedClustering, learnFromHints, type LearnFromHintsOptions } from "../../hints/index.ts";
import { isSparse, matrix, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";
import type { Fact, FitContext, FitOptions, Fitted } from "../../method/index.ts";
import { clusterMeans } from "../../method/internal.ts";
import type { Trust } from "../../model/index.ts";
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
  const {
    library,
    clusters: without,
    trust,
  } = unhintedLibrary(X, { clusters, seed, onProgress }, { record, unhinted });
  const fit = learnFromHints(X, hints, {
    clusters,
    without,
    seed,
    onProgress,
    library,
    scale: "none",
    certain: options.certain as LearnFromHintsOptions["certain"],
    nameOf,
  });
  const before = without > 1 && library.length > 0 ? heldBy(library[0].labels, hints) : undefined;
  return fittedBy(X, fit, { without, before, trust }, sourcesOf(X, record, names), { tableRow, nameOf });
}

/** The pairs of rows that the hints compare, and the number of them that a partition keeps. */
function heldBy(labels: ArrayLike<number>, hints: Hints): Held {
  const { same, different } = hintLinks(labels.length, hints);
  const pairs = [...same, ...different];
  return {
    pairs: pairs.length,
    kept: pairs.filter((hint) => (labels[hint.a] === labels[hint.b]) === hint.same).length,
  };
}

interface Held {
  readonly pairs: number;
  readonly kept: number;
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

/** What the model tells of the hints; rows are those of the table. */
export interface HintDetails extends Pick<
  HintedClustering,
  "members" | "explained" | "guarded" | "undecided" | "moved" | "contradictions" | "suspicious" | "advice"
> {
  /** Share of each column in the distance, before and after, largest first. */
  readonly columns: readonly { readonly name: string; readonly before: number; readonly after: number }[];
}

type HintedFit = Fitted & { readonly details: HintDetails };

function fittedBy(
  X: Matrix,
  fit: HintedClustering,
  {
    without,
    before,
    trust,
  }: { readonly without: number; readonly before: Held | undefined; readonly trust: Trust },
  sources: readonly string[],
  { tableRow = (row) => row, nameOf = String }: Pick<FitContext, "tableRow" | "nameOf">,
): HintedFit {
  const labels = Int32Array.from(fit.labels);
  const { clusters, sizes, explained, metric, advice } = fit;
  // Answers that move no row teach nothing of the columns.
  const changed = fit.moved.length > 0 || without !== clusters;
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
  const suspicious = fit.suspicious.map((one) => ({ ...one, rows: one.rows.map(tableRow) }));
  const centers = clusterMeans(X, labels, clusters);
  const weights = metric.columns.map((one) => (changed ? one : { ...one, after: one.before }));
  const map = diagonal(
    weights.map(({ after, before: then }) => Math.sqrt(after / Math.max(then, 1e-12))),
    X,
  );
  const shares = new Map<string, { before: number; after: number }>();
  for (const { column, before: then, after } of weights) {
    const sum = shares.get(sources[column]) ?? { before: 0, after: 0 };
    shares.set(sources[column], { before: sum.before + then, after: sum.after + after });
  }
  const changes = Array.from(shares, ([name, share]) => ({ name, ...share })).sort(
    (a, b) => b.after - a.after,
  );
  const facts: Fact[] = [
    ["hints", answersText(explained, before, contradictions.length > 0)],
    ...(clusters > 1 && changed ? [["columns", columnText(changes)] satisfies Fact] : []),
    ["moved", movedText(fit, without, nameOf)],
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
      suspicious,
      advice: { ...advice, questions: advice.questions.map(ends) },
      columns: changes,
    },
    drawing: {},
    trust: trustText(fit, {
      trust,
      confirmed: !changed && before !== undefined && before.kept === before.pairs,
    }),
    names: fit.names.map((name) => name ?? undefined),
  };
}

/** No partition without hints is there to be kept or changed: one cluster does not keep the hints. */
const GUESS =
  "without hints all rows are one cluster, and the hints hardly show what divides it: the clusters are a guess that " +
  "keeps the hints";

/** Answers that all hold without hints do not make the clusters less sure. */
function trustText(
  { trust: { word, support, answers, expected }, clusters }: HintedClustering,
  without: { readonly trust: Trust; readonly confirmed: boolean },
): Trust {
  if (answers === 0)
    return {
      word: "doubtful",
      why: "there is no answer to learn from, so nothing says whether these clusters are meant",
    };
  if (clusters === 1)
    return { word: "doubtful", why: "all rows are in one cluster: there is nothing to tell apart" };
  const told: Trust = {
    word: WORDS[word],
    why:
      `in tests with ${plural(answers, "answer")} and such support (${support.toFixed(2)}), groups matched the true ` +
      `ones by ${expected.toFixed(2)} of 1`,
  };
  const sure = (one: Trust): number => ["weak", "doubtful", "clear"].indexOf(one.word);
  return without.confirmed && sure(without.trust) >= sure(told) ? without.trust : told;
}

/** How many answers the clusters without hints keep, and how many can be predicted from the others. */
function answersText(
  { answers, share }: HintedClustering["explained"],
  before: Held | undefined,
  contradicted: boolean,
): string {
  if (answers === 0)
    return contradicted
      ? "none is used, as they contradict each other"
      : "they name clusters, but compare no two rows";
  // Answers that were set aside or not used for learning would make two totals.
  const held = before?.pairs === answers ? `${keptText(before)} without hints, ` : "";
  return `${plural(answers, "answer")}; ${held}${percent(share)} ${held === "" ? "of them " : ""}predicted when held out`;
}

function keptText({ pairs, kept }: Held): string {
  if (kept === pairs) return pairs === 1 ? "it holds" : "all hold";
  return kept === 0 ? "none holds" : `${kept} ${kept === 1 ? "holds" : "hold"}`;
}

/** Maximum number of columns in a line. */
const NAMED = 5;
/** Maximum number of moved rows that are named. */
const NAMED_ROWS = 5;

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
  const these = enough.length === 1 ? "it tells" : `these ${enough.length} tell`;
  const all = rest === 0 ? "" : `; ${these} the clusters apart as well as all ${changes.length}`;
  return `share of the distance: ${named.join(", ")}${more}${all}`;
}

/** The rows in another cluster than without hints: how many, why, and some of those that no hint names. */
function movedText(
  { moved, labels, clusters }: HintedClustering,
  without: number,
  nameOf: (row: number) => string,
): string {
  if (without === 1 && clusters > 1) return "without hints all rows are one cluster";
  const then = without === clusters ? "" : ` (${plural(without, "cluster")} then)`;
  if (moved.length === 0) return `no row is in another cluster than without hints${then}`;
  const learned = moved.filter(({ why }) => why === "vote");
  const told = moved.length - learned.length;
  const some = learned.slice(0, NAMED_ROWS).map(({ row }) => nameOf(row));
  const such = learned.length > some.length ? "such as " : "";
  const reasons = [
    ...(told > 0 ? [`${told} named in hints`] : []),
    ...(learned.length > 0 ? [`${learned.length} by what the hints taught (${such}${some.join(", ")})`] : []),
  ];
  const are = moved.length === 1 ? "is" : "are";
  return `${moved.length} of ${labels.length} rows ${are} in another cluster than without hints${then}: ${reasons.join(", ")}`;
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
