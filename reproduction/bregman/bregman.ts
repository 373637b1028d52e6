import { endingOf, type FailedTask, type Finished } from "../ending.ts";
import { knownSets, where } from "../knownSets.ts";
import { spread } from "../learners.ts";
import { type BregmanRunResult, judged, type Judged } from "./bregmanRun.ts";
import {
  type BregmanSet,
  type Budget,
  DATA,
  distanceToPossible,
  METHODS,
  pairsOf,
  PROTOCOL,
  PUBLISHED,
  SETS,
} from "./bregmanTables.ts";
import { type BregmanTask, denseSet } from "./bregmanTask.ts";

/** Table 2 of Wu et al. (2009): the plan of the runs. */
export interface BregmanPlanOptions {
  readonly sets?: readonly BregmanSet[];
  readonly budgets?: readonly Budget[];
  /** 20 in the text. */
  readonly runs?: number;
  /** Folder of the data sets; default: the environment's KINDRED_DATA. */
  readonly folder?: string;
}

export type BregmanPlan = Awaited<ReturnType<typeof planBregman>>;

export type BregmanDone = Finished<BregmanTask, BregmanRunResult>;

/** The results, with the published numbers beside ours. */
export type BregmanReport = ReturnType<typeof reportBregman>;
export type BregmanSetReport = BregmanReport["sets"][number];
export type PublishedReport = ReturnType<typeof publishedReports>[number];
export type BudgetReport = ReturnType<typeof budgetReport>;
export type Figures = ReturnType<typeof figuresOf>;

export async function planBregman(options: BregmanPlanOptions = {}) {
  const { budgets = PROTOCOL.budgets, runs = PROTOCOL.runs, folder } = options;
  const known = await knownSets(options.sets ?? SETS, (set) => DATA[set], folder);
  const sets = [];
  for (const set of known.sets) {
    const { X, truth } = await denseSet(set, folder);
    const sizes = classSizes(truth);
    const alone = new Int32Array(X.rows).map((_, i) => i);
    sets.push({
      set,
      rows: X.rows,
      features: X.cols,
      classes: sizes,
      /** Everything in one cluster, over all pairs. */
      oneCluster: judged(new Int32Array(X.rows), truth, alone).all,
      published: publishedReports(set, sizes),
    });
  }
  // The first run of every task comes first, so an early stop leaves something of everything.
  const tasks: BregmanTask[] = [];
  for (let run = 0; run < runs; run++) {
    for (const { set } of sets) {
      for (const budget of budgets) tasks.push({ kind: "bregman", set, budget, run, ...where(folder) });
    }
  }
  return { runs, sets, skipped: known.skipped, tasks };
}

export function reportBregman(
  plan: BregmanPlan,
  done: readonly BregmanDone[],
  failed: readonly FailedTask[] = [],
) {
  const sets = plan.sets.map((set) => {
    const own = done.filter(({ task }) => task.set === set.set);
    const budgets = PROTOCOL.budgets.flatMap((budget) => {
      const results = own
        .filter(({ task }) => task.budget === budget)
        .sort((a, b) => a.task.run - b.task.run)
        .map(({ result }) => result);
      return results.length > 0 ? budgetReport(budget, 2 * pairsOf(budget, set.rows), results) : [];
    });
    return { ...set, budgets };
  });
  return { runs: plan.runs, sets, skipped: plan.skipped, ...endingOf(plan, done, failed) };
}

function classSizes(truth: Int32Array): readonly number[] {
  const sizes: number[] = [];
  for (const code of truth) sizes[code] = (sizes[code] ?? 0) + 1;
  return sizes;
}

export function publishedReports(set: BregmanSet, sizes: readonly number[]) {
  const reports = METHODS.flatMap((method) => {
    const cell = PUBLISHED[set][method];
    if (cell === undefined) return [];
    const [precision, deviation, recall, recallDeviation, f1] = cell;
    const fromPossible = distanceToPossible(precision, recall, sizes[0], sizes[1]);
    return {
      method,
      cell,
      /** Points to the nearest precision and recall that any partition into two clusters has. */
      fromPossible,
      /** Farther than three times the printed deviations, or a mean of 100 with a deviation. */
      impossible:
        fromPossible > 3 * Math.max(deviation, recallDeviation, 0.5) || (precision === 100 && deviation > 0),
      /** Printed F1 minus the F1 of the printed precision and recall. */
      f1Error: f1 - (2 * precision * recall) / (precision + recall),
    };
  });
  return reports as readonly (typeof reports)[number][];
}

function budgetReport(budget: Budget, pairs: number, results: readonly BregmanRunResult[]) {
  const cells = METHODS.map((method) => {
    const alone = results.flatMap((result) => result.alone[method] ?? []);
    const enforced = results.flatMap((result) => result.enforced[method] ?? []);
    return {
      method,
      alone: alone.length > 0 ? figuresOf(alone) : undefined,
      enforced: enforced.length > 0 ? figuresOf(enforced) : undefined,
      seconds: spread(results.map((result) => result.seconds[method] ?? 0)).mean,
    };
  });
  const implied = spread(results.map((result) => result.implied));
  return { budget, pairs, runs: results.length, implied, cells };
}

function figuresOf(runs: readonly Judged[]) {
  const open = runs.flatMap((run) => run.open ?? []);
  return {
    precision: spread(runs.map(({ all }) => all.precision)),
    recall: spread(runs.map(({ all }) => all.recall)),
    f1: spread(runs.map(({ all }) => all.f1)),
    /** F1 over the pairs that the constraints do not imply; absent where they imply all. */
    openF1: open.length > 0 ? spread(open.map(({ f1 }) => f1)) : undefined,
  };
}
