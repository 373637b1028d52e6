import { optionError } from "../../core/internal.ts";
import { fillHints, hintLinks, type HintLinks, type Hints, type Pair } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { fitHints, prepare, supportOf, type Fit, type Prepared } from "../fit.ts";
import { withDeductions, type Known } from "../known.ts";
import { colorableFrom, requireColorable } from "../resolve.ts";
import { nextQuestion, openShare, pairKey, type Belief, type NextQuestion } from "./nextQuestion.ts";
import { arrange, QUICK_SAMPLE } from "../arrange.ts";
import { heaviest, numbersOf, posterior } from "../posterior.ts";
import type { GivenPartition } from "../shelf.ts";
import { trustIn, type HintTrust } from "../trust.ts";

export interface AskQuestionsOptions {
  /** K; not needed. */
  readonly clusters?: number;
  /** Number of questions of this round; default: as long as there is something to ask. */
  readonly budget?: number;
  /** Answers of earlier rounds. */
  readonly hints?: Partial<Hints>;
  /** Partitions found without hints, the default first; others are added. */
  readonly library?: readonly GivenPartition[];
  /** The number of clusters without hints, if it is known; 1 if there are no groups, and so no such partition. */
  readonly without?: number;
  /** "zscore" (default) or "none", for rows that are already scaled. */
  readonly scale?: "zscore" | "none";
  readonly seed?: number;
}

export type Reply = "same" | "different" | "skip" | "undo";

export interface AskedPair {
  /** Do row a and row b belong together? */
  readonly a: number;
  readonly b: number;
  /** 1, 2, ... */
  readonly number: number;
  /** For people. */
  readonly why: string;
  /** Share of the rows that the answer affects, times its uncertainty in bits. */
  readonly gain: number;
  /** The probability of the answer "same". */
  readonly likely: number;
  /** Share of the rows whose cluster is undecided. */
  readonly open: number;
  readonly clusters: number;
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
  X: Matrix,
  options: AskQuestionsOptions = {},
): Generator<AskedPair, Hints, Reply> {
  const { budget = Infinity, seed = 0, scale = "zscore", clusters, without } = options;
  requireFinite(X);
  if (X.rows < 2) throw optionError("askQuestions: two rows are needed to ask about a pair");
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`askQuestions: cannot make ${clusters} clusters of ${X.rows} rows`);
  }
  const earlier = fillHints(options.hints ?? {});
  const links = hintLinks(X.rows, earlier);
  const rows = arrange(X, {
    scale,
    seed,
    sample: QUICK_SAMPLE,
    keep: [...links.same, ...links.different].flatMap(({ a, b }) => [a, b]),
  });
  const prepared = prepare(rows.X, {
    clusters,
    without,
    given: rows.partitions(options.library ?? []),
    seed,
  });
  const answers: { a: number; b: number; same: boolean; foreseen: boolean }[] = [];
  const skips: Pair[] = [];
  const order: ("answer" | "skip")[] = [];
  const fits = new Map<number, Fit>();
  let latest: { fit: Fit; at: number };

  const linksNow = (): HintLinks => {
    const all = {
      ...earlier,
      pairs: [...earlier.pairs, ...answers.map(({ a, b, same }) => ({ a, b, same }))],
    };
    return requireColorable(hintLinks(X.rows, all), clusters);
  };
  const knownNow = (): Known => {
    const { same, different } = linksNow();
    const known = rows.known(same, different);
    return clusters === undefined ? known : withDeductions(known, clusters);
  };
  const learn = (): void => {
    const at = answers.length;
    const known = knownNow();
    const fit =
      fits.get(at) ?? fitHints(prepared, known, { known, colorable: (K) => colorableFrom(linksNow(), K) });
    fits.set(at, fit);
    latest = { fit, at };
  };
  learn();
  while (order.length < budget) {
    const { fit } = latest!;
    const known = knownNow();
    // The same members after the latest answers; those that learned keep what they predicted.
    const now = posterior(fit.members, known, prepared.shelf.usual);
    const members = heaviest(now, HEARD);
    const K = clusters ?? numbersOf(now)[0].clusters;
    const fitted = known.answers - answers.length + latest!.at;
    const belief: Belief = {
      members,
      known,
      ...(clusters !== undefined && { clusters }),
      Z: prepared.ground.Z,
      reach: prepared.ground.reach,
      first: firstRow(prepared),
      skipped: new Set(
        [...(earlier.skipped ?? []), ...skips].map(([a, b]) => pairKey(rows.placeOf(a), rows.placeOf(b))),
      ),
    };
    const chosen = nextQuestion(belief, seed + 1000 * (order.length + 1));
    if (chosen === undefined) break;
    const open = Math.max(openShare(belief), chosen.telling?.doubt ?? 0);
    const last = answers.slice(-FORESEEN);
    const question: AskedPair = {
      a: rows.rowOf(chosen.a),
      b: rows.rowOf(chosen.b),
      number: order.length + 1,
      why: reason(chosen, known),
      gain: chosen.gain,
      likely: chosen.likely,
      open,
      clusters: K,
      ...(fitted > 0 && { trust: trustIn(supportOf(fit), fitted) }),
      enough:
        open < FEW_OPEN ||
        (last.length === FORESEEN && last.every(({ foreseen }) => foreseen) && chosen.gain < FEW_OPEN),
    };
    const reply = yield question;
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
    const outgrown = clusters === undefined && !same && colorableFrom(linksNow(), K) > K;
    if ((due || outgrown) && order.length < budget) learn();
  }
  const skipped = [...(earlier.skipped ?? []), ...skips];
  return {
    ...earlier,
    pairs: [...earlier.pairs, ...answers.map(({ a, b, same }) => ({ a, b, same }))],
    ...(skipped.length > 0 && { skipped }),
  };
}

/** If nothing is known: the row nearest to the centre of the default's largest cluster. */
function firstRow({ shelf, ground: { Z } }: Prepared): number {
  const { labels, clusters } = shelf.usual;
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const largest = sizes.indexOf(sizes.reduce((a, b) => Math.max(a, b), 0));
  const d = Z.cols;
  const mean = new Float64Array(d);
  for (let i = 0; i < Z.rows; i++) {
    if (labels[i] === largest) for (let f = 0; f < d; f++) mean[f] += Z.data[i * d + f] / sizes[largest];
  }
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < Z.rows; i++) {
    if (labels[i] !== largest) continue;
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (Z.data[i * d + f] - mean[f]) ** 2;
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

function reason({ telling, speaksFor, groups, likely }: NextQuestion, { rows, answers }: Known): string {
  if (telling !== undefined) {
    const ways =
      answers === 0
        ? "the rows can be grouped in several ways, which"
        : "the ways to group the rows that fit your answers";
    return `${ways} disagree on these two rows: the answer decides between them`;
  }
  const percent = (value: number): string => `${Math.max(1, Math.round(100 * value))} %`;
  const speaks = `the answer affects about ${percent(speaksFor / rows)} of the rows`;
  if (groups < 2) return `to find a first difference; ${speaks}`;
  return `${likely > 0.5 ? "probably the same" : "probably different"} (${percent(Math.max(likely, 1 - likely))} sure); ${speaks}`;
}
