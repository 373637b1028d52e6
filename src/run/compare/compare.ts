import { KindredError, type OnProgress, random } from "../../core/index.ts";
import { inputError, meanOf, option, optionError, rule } from "../../core/internal.ts";
import { arrivedTable, type AsyncRows, type Rows } from "../../data/internal.ts";
import { COLUMN_OPTIONS, prepare, type Prepared } from "../input/prepare.ts";
import {
  type CompareAnswer,
  type CompareTask,
  inTurn,
  type ResampleAnswer,
  type TaskRunner,
} from "./compareTasks.ts";
import { among, type Comparison, comparisonOf, type FailedMethod } from "./comparison.ts";
import {
  choicesOf,
  failure,
  type Fit,
  fitting,
  grouped,
  isDefault,
  judgeOf,
  type MethodChoice,
  nameOf,
  ranked,
} from "./methodChoices.ts";
import { unknownOption } from "../methods.ts";
import { requireSquares } from "../../matrix/internal.ts";
import { checkedOptions, type ClusterOptions, tableOptions } from "../cluster.ts";

/** Share of the rows in a resample. */
const SHARE = 0.8;

/** Shares of the time after which the default's choice must end with its best so far, and all other fits. */
const CHOICE_END = 0.85;
const FITS_END = 0.95;

/**
 * Compares the partitions of all methods on a table, and recommends one.
 *
 *     const { partitions, recommendation } = await compare(await readTable("customers.csv"), { clusters: 5 });
 *
 * The default of `cluster` comes first, and its partition is the recommendation. All methods get the same
 * rows, and all partitions are judged in the same space. Methods with the same partition are one row of the
 * result.
 */
export async function compare(rows: Rows | AsyncRows, options: CompareOptions = {}): Promise<Comparison> {
  const checked: CompareOptions = checkedOptions("compare", options, { ...tableOptions, ...ownOptions });
  const table = await arrivedTable(rows, "compare");
  const compared = await compareRun(prepare(table, among(checked, [...COLUMN_OPTIONS, "seed"])), checked);
  // What an abort ended is no comparison of the finished methods.
  options.signal?.throwIfAborted();
  return compared;
}

/** Compares on prepared rows. */
export async function compareRun(prepared: Prepared, options: CompareOptions): Promise<Comparison> {
  const start = performance.now();
  const { seed, budget, resamples, clusters: asked, ...calls } = resolved(prepared, options);
  const { table, X, names, space } = prepared;
  const rows = { X, names, space, source: table.source };
  const { run = inTurn } = calls;
  const wanted = await choicesOf(calls.methods);
  const { kept, left } = fitting(wanted, X);
  const auto: MethodChoice = { method: "auto", options: {} };
  calls.onPlan?.({ methods: 1 + kept.length, rows: X.rows, features: X.cols });

  const answers: Omit<Fit, "judgement">[] = [];
  const failed: FailedMethod[] = [...left];
  const state: State = { ended: 0, planned: 1 + kept.length, stopped: false };
  const answered = (task: CompareTask, answer: CompareAnswer, old: boolean): void => {
    const choice = { method: task.method, options: task.options };
    if (!("labels" in answer)) return;
    answers.push({ choice, answer });
    calls.onMethod?.({ name: nameOf(choice), seconds: answer.seconds, kept: old });
  };
  const refused = (task: CompareTask, error: Error): void => {
    failed.push(failure({ method: task.method, options: task.options }, "error", told(error, calls.spell)));
  };
  const end = start + 1000 * FITS_END * budget;
  const first: CompareTask = {
    ...auto,
    seed,
    clusters: asked,
    until: Date.now() + 1000 * CHOICE_END * budget,
  };
  const taskOf = (choice: MethodChoice, clusters: number): CompareTask => ({ ...choice, clusters, seed });
  const listener = listening(calls.onProgress, state, answered, refused);
  state.stopped = await run(
    rows,
    [first, ...(asked === undefined ? [] : kept.map((choice) => taskOf(choice, asked)))],
    listener,
    end,
  );
  const chosen = answers.find(({ choice }) => isDefault(choice));
  const clusters = asked ?? Math.max(2, chosen?.answer.clusters ?? 2);
  if (asked === undefined && !state.stopped) {
    const tasks = kept.map((choice) => taskOf(choice, clusters));
    state.stopped = await run(rows, tasks, listener, end);
  }
  for (const choice of [auto, ...kept]) {
    const isKnown = (one: MethodChoice): boolean => nameOf(one) === nameOf(choice);
    if (answers.some((one) => isKnown(one.choice)) || failed.some(isKnown)) continue;
    failed.push(
      state.stopped
        ? failure(choice, "stopped", "unfinished when it was stopped")
        : failure(choice, "time", "not done within the time"),
    );
  }
  if (answers.length === 0) {
    throw inputError(
      `no method was done: ${failed.map(({ name, message }) => `${name}: ${message}`).join("; ")}`,
      { code: state.stopped ? "stopped" : "nothing-done" },
    );
  }

  const record = space.kind === "features" && space.metric === undefined ? space.record : undefined;
  const judge = judgeOf(X, record, seed, chosen?.answer.stopped === false ? chosen.answer.belief : undefined);
  const fits = answers.map((one): Fit => ({ ...one, judgement: judge(one.answer.labels) }));
  const groups = grouped(ranked(fits, clusters));
  const stabilities = new Map<Fit, number>();
  if (resamples > 0 && !state.stopped && performance.now() < end) {
    calls.onResample?.({ partitions: groups.length, resamples });
    const scores = new Map<string, number[]>();
    const tasks = resampleTasks(groups, X.rows, resamples, seed);
    Object.assign(state, { ended: 0, planned: tasks.length });
    const scored = (task: CompareTask, answer: CompareAnswer): void => {
      const own = scores.get(nameOf(task)) ?? [];
      own.push((answer as ResampleAnswer).score);
      scores.set(nameOf(task), own);
    };
    // A method that fails on fewer rows has no stability; its fit still counts.
    const onScores = listening(calls.onProgress, state, scored, () => {});
    state.stopped = await run(rows, tasks, onScores, end);
    for (const [leader] of groups) {
      const own = scores.get(nameOf(leader.choice)) ?? [];
      // Sums in a fixed order: threads answer in any order.
      if (own.length === resamples) stabilities.set(leader, meanOf(own.toSorted((a, b) => a - b)));
    }
  }
  return comparisonOf({
    prepared,
    options,
    groups,
    stabilities,
    failed,
    clusters,
    start,
    stopped: state.stopped,
  });
}

interface State {
  ended: number;
  planned: number;
  stopped: boolean;
}

function listening(
  onProgress: OnProgress | undefined,
  state: State,
  done: (task: CompareTask, answer: CompareAnswer, kept: boolean) => void,
  failed: (task: CompareTask, error: Error) => void,
): Parameters<TaskRunner>[2] {
  // Several tasks may run at a time; the total never decreases.
  const running = new Map<CompareTask, number>();
  let most = 0;
  const tell = (task: CompareTask, fraction: number, label: string): boolean => {
    running.set(task, fraction);
    const open = [...running.values()].reduce((sum, value) => sum + value, 0);
    most = Math.min(1, Math.max(most, (state.ended + open) / state.planned));
    const what = `${task.resample === undefined ? "" : `resample ${task.resample.number + 1} of `}${nameOf(task)}`;
    return onProgress?.({ fraction: most, label: label === "" ? what : `${what}: ${label}` }) !== false;
  };
  const ended = (task: CompareTask): void => {
    state.ended++;
    tell(task, 0, "");
    running.delete(task);
  };
  return {
    done(task, answer, kept) {
      done(task, answer, kept);
      ended(task);
    },
    failed(task, error) {
      failed(task, error);
      ended(task);
    },
    progress: tell,
  };
}

function told(error: Error, spell: CompareOptions["spell"]): string {
  if (error instanceof KindredError && spell !== undefined) return error.told(spell);
  return error.message;
}

/** The same resamples for every partition, all of one after the other, the quick ones first. */
function resampleTasks(
  groups: readonly [Fit, ...Fit[]][],
  rows: number,
  resamples: number,
  seed: number,
): CompareTask[] {
  const source = random(seed);
  const most = Math.max(...groups.map(([{ answer }]) => answer.clusters));
  const samples = Array.from({ length: resamples }, () =>
    source.sample(Math.max(Math.min(rows, most), Math.ceil(SHARE * rows)), rows).sort(),
  );
  return groups
    .map(([leader]) => leader)
    .toSorted((a, b) => a.answer.seconds - b.answer.seconds)
    .flatMap(({ choice, answer }) =>
      samples.map((sample, number) => ({
        ...choice,
        clusters: answer.clusters,
        seed,
        resample: { number, rows: sample, labels: sample.map((i) => answer.labels[i]) },
      })),
    );
}

const ownOptions = {
  /** The number of clusters; default: the number that the default of `cluster` finds. */
  clusters: rule.integer({ min: 1 }),
  seed: rule.seed,
  /** Names of methods, or methods with their own options; default: all that need only the rows. */
  methods: rule.given<readonly (string | MethodChoice)[]>("an array", Array.isArray),
  /** Time limit in seconds for everything; the comparison uses the methods finished by then. Default 60. */
  budget: rule.real({ above: 0, default: 60 }),
  /** Number of resamples (80 % of the rows each) for the stability of every distinct partition; default 0. */
  resamples: rule.integer({ min: 0, default: 0 }),
  /** Returning false compares the finished methods. */
  onProgress: rule.progress,
  /** Called after every method. */
  onMethod:
    rule.callback<
      (done: { readonly name: string; readonly seconds: number; readonly kept: boolean }) => void
    >(),
  /** Called before the first fit. */
  onPlan:
    rule.callback<
      (plan: { readonly methods: number; readonly rows: number; readonly features: number }) => void
    >(),
  /** Called before resamples are drawn and fitted. */
  onResample: rule.callback<(plan: { readonly partitions: number; readonly resamples: number }) => void>(),
  /** Where the fits run; default: one after the other, in this thread. */
  run: rule.callback<TaskRunner>(),
  /** How options are written in messages. */
  spell: rule.callback<(option: string) => string>(),
};

/** The options of a comparison: the options of `cluster` for columns, and its own. */
export type CompareOptions = Readonly<rule.OptionsOf<typeof ownOptions>> &
  Pick<ClusterOptions, (typeof COLUMN_OPTIONS)[number]>;

function resolved({ table, X }: Prepared, options: CompareOptions): rule.ResolvedOptions<typeof ownOptions> {
  const own = Object.entries(options).filter(([name]) => !COLUMN_OPTIONS.some((known) => known === name));
  const strange = own.find(([name]) => !Object.hasOwn(ownOptions, name));
  if (strange !== undefined) throw unknownOption("compare", strange[0], []);
  const all = rule.resolveOptions("compare", Object.fromEntries(own), ownOptions);
  const { clusters } = all;
  if (X.rows < 3) throw inputError(`${table.source} has fewer than three rows; comparing needs three`);
  requireSquares(X, "compare");
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`${option("clusters")} is ${clusters}, but ${table.source} has only ${X.rows} rows`);
  }
  return all;
}
