import { random } from "../../core/index.ts";
import { optionError, rule } from "../../core/internal.ts";
import { fillHints, hintLinks, type Hints, type Pair } from "../../data/index.ts";
import { asMatrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import type { Fit } from "../decide.ts";
import { fitHints, prepareFit } from "../fit.ts";
import { saidIn } from "../said.ts";
import { openShare } from "../doubt.ts";
import { pairKey, tellingPair, type TellingPair } from "./tellingPair.ts";
import { arrange, QUICK_SAMPLE } from "../arrange.ts";
import { heaviest, numbersOf, posterior, spreadOut } from "../posterior.ts";
import type { GivenPartition } from "../shelf.ts";
import { trustIn, type HintTrust } from "../trust.ts";

const askQuestionsOptions = {
  /** K; not needed. */
  clusters: rule.integer({ min: 1 }),
  /**
   * Number of answers of this round; default: as long as there is something to ask. Skipped questions do not count, unless more
   * are skipped than this.
   */
  budget: rule.integer({ min: 0, default: Infinity }),
  /** Answers of earlier rounds. */
  hints: rule.given<Partial<Hints>>("hints", (value) => typeof value === "object" && value !== null, {}),
  /** Partitions found without hints, the default first; others are added. */
  library: rule.given<readonly GivenPartition[]>("an array of partitions", Array.isArray, []),
  /** The number of clusters without hints, if it is known; 1 if there are no groups, and so no such partition. */
  without: rule.integer({ min: 1 }),
  /** "zscore" (default) or "none", for rows that are already scaled. */
  scale: rule.oneOf(["zscore", "none"], "zscore"),
  seed: rule.seed,
};

export type AskQuestionsOptions = Readonly<rule.OptionsOf<typeof askQuestionsOptions>>;

export type Reply = "same" | "different" | "skip" | "undo";

export interface AskedPair {
  /** Do row a and row b belong together? */
  readonly a: number;
  readonly b: number;
  /** 1, 2, ... */
  readonly number: number;
  /** For people. */
  readonly why: string;
  /** The share of the doubt that the answer is expected to remove. */
  readonly gain: number;
  /** The probability of the answer "same". */
  readonly likely: number;
  /** Share of the rows whose cluster is undecided. */
  readonly open: number;
  readonly clusters: number;
  /** How likely each number of clusters is, likeliest first. */
  readonly numbers: readonly { readonly clusters: number; readonly weight: number }[];
  /** The groups so far, largest first: their rows, among those that the questions are about. */
  readonly groups: readonly (readonly number[])[];
  /** The answer that was given before, which the others speak against. */
  readonly before?: "same" | "different";
  /** The value of the answers when the members last learned; absent before. */
  readonly trust?: HintTrust;
  /** Further questions no longer help: few rows are undecided, or the last answers were all predicted. */
  readonly enough: boolean;
}

/** Numbers of answers after which the members learn again; then every 20. */
const REFITS = [5, 10, 15, 20, 30, 40, 50, 65, 80, 100];
/**
 * Share of undecided rows below which questions no longer help, and the number of consecutive predicted
 * answers.
 */
const FEW_OPEN = 0.02;
const FORESEEN = 15;
/** Members that are heard on a question. */
const HEARD = 40;

/**
 * Asks a person about pairs of rows: yields a question, takes "same", "different", "skip" or "undo", and
 * returns all hints, including those of earlier rounds. The next question and the fits depend only on the
 * answers and the seed, so a round can be resumed with the hints that it returned.
 */
export function* askQuestions(
  data: MatrixLike,
  options: AskQuestionsOptions = {},
): Generator<AskedPair, Hints, Reply> {
  const X = asMatrix(data, "askQuestions");
  const settings = rule.resolveOptions("askQuestions", options, askQuestionsOptions);
  const { budget, seed, scale, clusters, without, library } = settings;
  requireFinite(X);
  if (X.rows < 2) throw optionError("askQuestions: two rows are needed to ask about a pair");
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`askQuestions: cannot make ${clusters} clusters of ${X.rows} rows`);
  }
  const earlier = fillHints(settings.hints);
  const links = hintLinks(X.rows, earlier);
  const rows = arrange(X, {
    scale,
    seed,
    sample: QUICK_SAMPLE,
    keep: [...links.same, ...links.different].flatMap(({ a, b }) => [a, b]),
  });
  const prepared = prepareFit(rows.X, {
    clusters,
    without,
    given: rows.partitions(library),
    seed,
  });
  const answers: { a: number; b: number; same: boolean; foreseen: boolean }[] = [];
  const skips: Pair[] = [];
  const order: ("answer" | "skip")[] = [];
  /** Pairs that were asked again. */
  const repeated = new Set<string>();
  const fits = new Map<number, Fit>();
  let latest: { fit: Fit; at: number };

  const saidNow = (): ReturnType<typeof saidIn> => {
    const pairs = [...earlier.pairs, ...answers.map(({ a, b, same }) => ({ a, b, same }))];
    return saidIn({ ...earlier, pairs }, X.rows, rows, { clusters });
  };
  const learn = (): void => {
    const at = answers.length;
    const fit = fits.get(at) ?? fitHints(prepared, saidNow());
    fits.set(at, fit);
    latest = { fit, at };
  };
  learn();
  while (answers.length < budget && skips.length < budget) {
    const { fit } = latest!;
    const said = saidNow();
    const { known } = said.without(fit.accused);
    // The same members after the latest answers; those that learned keep what they predicted.
    const now = posterior(fit.members, said.statements, prepared.shelf.usual);
    const members = heaviest(now, HEARD);
    const numbers = numbersOf(now);
    const K = clusters ?? numbers[0].clusters;
    const fitted = known.answers - answers.length + latest!.at;
    const skipped = new Set(
      [...(earlier.skipped ?? []), ...skips].map(([a, b]) => pairKey(rows.placeOf(a), rows.placeOf(b))),
    );
    const usable = (a: number, b: number): boolean => !skipped.has(pairKey(a, b));
    const doubted = doubtedPair(fit, repeated);
    const stream = random(seed + 1000 * (order.length + 1));
    const chosen = doubted ?? tellingPair(spreadOut(members), known, usable, stream);
    if (chosen === undefined) break;
    const open = openShare(fit.labels, members);
    const last = answers.slice(-FORESEEN);
    const question: AskedPair = {
      a: rows.rowOf(chosen.a),
      b: rows.rowOf(chosen.b),
      number: order.length + 1,
      why: doubted === undefined ? reason(chosen.likely, known.answers) : AGAIN,
      gain: chosen.gain,
      likely: chosen.likely,
      open,
      clusters: K,
      numbers,
      groups: groupsOf(fit.labels, rows.rowOf),
      ...(doubted !== undefined && { before: doubted.before }),
      ...(fitted > 0 && { trust: trustIn(fit, fitted) }),
      enough: open < FEW_OPEN || (last.length === FORESEEN && last.every(({ foreseen }) => foreseen)),
    };
    const reply = yield question;
    if (doubted !== undefined) repeated.add(pairKey(chosen.a, chosen.b));
    if (reply === "undo") {
      const undone = order.pop();
      if (undone === "answer") answers.pop();
      else if (undone === "skip") skips.pop();
      const before = [...fits.keys()].filter((at) => at <= answers.length);
      const at = Math.max(...before);
      for (const later of fits.keys()) if (later > at) fits.delete(later);
      latest = { fit: fits.get(at)!, at };
      continue;
    }
    const { a, b } = question;
    if (reply === "skip") {
      skips.push([a, b]);
      order.push("skip");
      continue;
    }
    const same = reply === "same";
    answers.push({ a, b, same, foreseen: same === chosen.likely > 0.5 });
    order.push("answer");
    const due = REFITS.includes(answers.length) || (answers.length > 100 && answers.length % 20 === 0);
    const outgrown = clusters === undefined && !same && saidNow().without(fit.accused).colorable(K) > K;
    if ((due || outgrown || doubted !== undefined) && answers.length < budget) learn();
  }
  const skipped = [...(earlier.skipped ?? []), ...skips];
  return {
    ...earlier,
    pairs: [...earlier.pairs, ...answers.map(({ a, b, same }) => ({ a, b, same }))],
    ...(skipped.length > 0 && { skipped }),
  };
}

const AGAIN = "the rows and your other answers speak against what you said of these two: is it so?";

/** An answer about two rows that is accused of being a mistake, and was not asked again. */
function doubtedPair(
  { accused }: Fit,
  repeated: ReadonlySet<string>,
):
  | (Pick<TellingPair, "a" | "b" | "likely" | "gain"> & { readonly before: "same" | "different" })
  | undefined {
  for (const { statement, likely } of accused) {
    const { part, place: a, compared, same, times } = statement;
    const b = compared[0];
    if (part !== "pairs" || times > 1 || repeated.has(pairKey(a, b))) continue;
    const said = same ? likely : 1 - likely;
    return { a, b, likely: said, gain: 0, before: same ? "same" : "different" };
  }
  return undefined;
}

function groupsOf(labels: Int32Array, rowOf: (place: number) => number): number[][] {
  const groups = new Map<number, number[]>();
  labels.forEach((label, place) => {
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label)!.push(rowOf(place));
  });
  return [...groups.values()].sort((p, q) => q.length - p.length || p[0] - q[0]);
}

function reason(likely: number, answers: number): string {
  const ways =
    answers === 0
      ? "the rows can be grouped in several ways, which"
      : "the ways to group the rows that fit your answers";
  const sure = Math.round(100 * Math.max(likely, 1 - likely));
  const guess = `${likely > 0.5 ? "probably the same" : "probably different"}, ${sure} %`;
  return `${ways} disagree on these two rows (${guess}): the answer decides between them`;
}
