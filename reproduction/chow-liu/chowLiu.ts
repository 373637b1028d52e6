import { tTest } from "kindred/score";
import { endingOf, type FailedTask, type Finished } from "../ending.ts";
import { classedSet, knownSets, where } from "../knownSets.ts";
import { errorOf, type Spread, spread } from "../learners.ts";
import type { Claim } from "../page.ts";
import { type SplitResult, type SplitTask } from "./chowLiuSplit.ts";
import {
  type ChowLiuClassifier,
  type ChowLiuSelector,
  type ChowLiuSet,
  CLASSIFIERS,
  DATA,
  figureName,
  type Opponent,
  OPPONENTS,
  PROTOCOL,
  SELECTIONS,
  SETS,
} from "./chowLiuTables.ts";

export interface ChowLiuPlanOptions {
  readonly sets?: readonly ChowLiuSet[];
  /** Three sizes and three splits. */
  readonly quick?: boolean;
  readonly repetitions?: number;
  /** Share of the rows to train on. */
  readonly train?: number;
  /** The second reading: the classifiers are cross-validated inside the rows that the selection does not see. */
  readonly inside?: boolean;
  readonly folder?: string;
}

export type ChowLiuPlan = Awaited<ReturnType<typeof planChowLiu>>;
export type ChowLiuSetFacts = ChowLiuPlan["sets"][number];

/** The figures as a list of tasks, one per split, and as a report on the finished tasks. */
export async function planChowLiu(options: ChowLiuPlanOptions = {}) {
  const { quick = false, folder, train = PROTOCOL.train, inside = false } = options;
  const { repetitions = quick ? PROTOCOL.quickRepetitions : PROTOCOL.repetitions } = options;
  const sizes = quick ? PROTOCOL.quickSizes : PROTOCOL.sizes;
  const known = await knownSets(options.sets ?? SETS, (set) => DATA[set].data, folder);
  const sets = [];
  const tasks: SplitTask[] = [];
  for (const set of known.sets) {
    const { X, truth, source } = await classedSet(DATA[set].data, folder);
    sets.push({ set, source, rows: X.rows, features: X.cols, classes: new Set(truth).size });
    for (let seed = 1; seed <= repetitions; seed++) {
      tasks.push({ kind: "split", set, seed, train, sizes, inside, ...where(folder) });
    }
  }
  return { sizes, train, inside, repetitions, sets, skipped: known.skipped, tasks };
}

export type ChowLiuReport = ReturnType<typeof reportChowLiu>;
export type ChowLiuSetReport = ReturnType<typeof setReport>;
export type ChowLiuFigure = ReturnType<typeof figureReport>;

export interface FigureClaim extends Claim {
  readonly figure: string;
}

export type SplitDone = Finished<SplitTask, SplitResult>;

export function reportChowLiu(
  plan: ChowLiuPlan,
  done: readonly SplitDone[],
  failed: readonly FailedTask[] = [],
) {
  const { sizes, train, inside, skipped } = plan;
  const sets = plan.sets.flatMap((facts) => {
    // In the order of seeds, not of completion.
    const results = done
      .filter(({ task }) => task.set === facts.set)
      .toSorted((a, b) => a.task.seed - b.task.seed)
      .map(({ result }) => result);
    return results.length === 0 ? [] : [setReport(facts, results, sizes)];
  });
  const claims = sets.flatMap(({ figures }) => figures.flatMap((figure) => claimsOf(figure, sizes)));
  const ending = endingOf(plan, done, failed);
  return { sizes, train, inside, protocol: PROTOCOL, sets, claims, skipped, ...ending };
}

function setReport(facts: ChowLiuSetFacts, results: readonly SplitResult[], sizes: readonly number[]) {
  const over = (value: (result: SplitResult) => number): Spread => spread(results.map(value));
  return {
    ...facts,
    splits: results.length,
    majority: over(({ majority }) => majority),
    /** Number of features that CLT chose by gain. */
    byGain: over(({ byGain }) => byGain),
    constant: over(({ constant }) => constant),
    constantSelected: over(({ constantSelected }) => constantSelected),
    figures: CLASSIFIERS.map((classifier) => figureReport(facts.set, classifier, results, sizes)),
  };
}

function figureReport(
  set: ChowLiuSet,
  classifier: ChowLiuClassifier,
  results: readonly SplitResult[],
  sizes: readonly number[],
) {
  const values = (name: ChowLiuSelector): (readonly number[])[] =>
    results.map(({ accuracies }) => accuracies[name][classifier]);
  const overall = bySelection((name) => values(name).map(average));
  return {
    figure: figureName(set, classifier),
    classifier,
    /** Accuracy by size. */
    curves: bySelection((name) => sizes.map((_, s) => spread(values(name).map((row) => row[s])))),
    /** For the mean over all sizes. */
    overall: bySelection((name) => spread(overall[name])),
    /** With all features. */
    all: spread(results.map(({ all }) => all[classifier])),
    /** CLT minus the other method in the same split, for the mean over all sizes. */
    differences: Object.fromEntries(
      OPPONENTS.map((name) => [name, difference(overall.clt, overall[name])]),
    ) as Record<Opponent, Difference>,
  };
}

export type Difference = ReturnType<typeof difference>;

function difference(a: readonly number[], b: readonly number[]) {
  const each = a.map((value, i) => value - b[i]);
  return {
    ...spread(each),
    /** Splits in which CLT was better. */
    wins: each.filter((value) => value > 0).length,
    /** Of a paired t-test, two-sided; splits share rows, so it is rather too small than too large. */
    p: a.length < 2 ? null : tTest(a, b).p,
  };
}

/** The claims of the text about its figures. */
function claimsOf({ figure, differences, curves }: ChowLiuFigure, sizes: readonly number[]): FigureClaim[] {
  const better = (["mrmr", "cfs"] as const).map((name): FigureClaim => {
    const { mean, p } = differences[name];
    const decided = p !== null && p < PROTOCOL.significance;
    return {
      claim: `CLT outperforms ${name === "mrmr" ? "mRMR" : "CFS"}`,
      figure,
      verdict: decided ? (mean > 0 ? "holds" : "the opposite holds") : "not decided",
      because: `${points(mean)} +- ${points(errorOf(differences[name]), false)} points${p === null ? "" : `, p ${p < 0.001 ? "< 0.001" : p.toFixed(3)}`}`,
    };
  });
  const last = sizes.length - 1;
  const before = sizes.indexOf(sizes[last] - 10);
  if (before < 0) return better;
  const rise = curves.clt[last].mean - curves.clt[before].mean;
  const stable: FigureClaim = {
    claim: "the accuracy of CLT is stable below 50 features",
    figure,
    verdict: rise < PROTOCOL.stable ? "holds" : "does not hold",
    because: `${points(rise)} points from ${sizes[before]} to ${sizes[last]} features`,
  };
  return [...better, stable];
}

function points(share: number, signed: boolean = true): string {
  const text = (100 * share).toFixed(1);
  return signed && share >= 0 ? `+${text}` : text;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function bySelection<V>(value: (name: ChowLiuSelector) => V): Record<ChowLiuSelector, V> {
  return Object.fromEntries(SELECTIONS.map((name) => [name, value(name)])) as Record<ChowLiuSelector, V>;
}
