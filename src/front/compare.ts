import { inputError, KindredError, option, optionError, spelled } from "../core/errors.ts";
import { note, type Note } from "../core/notes.ts";
import type { OnProgress } from "../core/progress.ts";
import { random } from "../core/random.ts";
import type { Table } from "../data/columns/column.ts";
import { flagOf, shownOptions, type ClusteringMethod } from "../method/index.ts";
import { requireSquares } from "../matrix/requireSquares.ts";
import { isSparse } from "../matrix/sparse.ts";
import { profilesOf, textsOf } from "../model/index.ts";
import { typicalRows } from "../model/representatives.ts";
import { adjustedRand } from "../score/index.ts";
import { againstClasses } from "./againstClasses.ts";
import { asTable, type Rows } from "./asTable.ts";
import { hasLevels } from "../features/index.ts";
import { prepare, spreadLabels, toldTable, type ClusterOptions, type Prepared } from "./cluster.ts";
import {
  MOST_ROWS,
  inTurn,
  type CompareAnswer,
  type CompareTask,
  type FitAnswer,
  type ResampleAnswer,
  type TaskRunner,
} from "./compareTasks.ts";
import type {
  ComparedMethod,
  ComparedPartition,
  Comparison,
  FailedMethod,
  Recommendation,
  Use,
} from "./comparison.ts";
import { disagreement } from "./disagreement.ts";
import { hinted } from "./hinted.ts";
import { judgeOf, type Judge, type Judgement } from "./judgement.ts";
import { methodNamed, methods as allMethods } from "./methods.ts";

/** The options of a comparison: the options of `cluster` for columns, and these. */
export interface CompareOptions extends ColumnChoice {
  /** The number of clusters; default: the number that the default of `cluster` finds. */
  readonly clusters?: number;
  readonly seed?: number;
  /** Names of methods, or methods with their own options; default: all that need only the rows. */
  readonly methods?: readonly (string | MethodChoice)[];
  /** Time limit in seconds for everything; the comparison uses the methods finished by then. Default 60. */
  readonly budget?: number;
  /** Number of resamples (80 % of the rows each) for the stability of every distinct partition; default 0. */
  readonly resamples?: number;
  /** Returning false compares the finished methods. */
  readonly onProgress?: OnProgress;
  /** Called after every method. */
  readonly onMethod?: (done: {
    readonly name: string;
    readonly seconds: number;
    readonly kept: boolean;
  }) => void;
  /** Called before resamples are drawn and fitted. */
  readonly onResample?: (plan: { readonly partitions: number; readonly resamples: number }) => void;
  /** Where the fits run; default: one after the other, in this thread. */
  readonly run?: TaskRunner;
  /** How options are written in messages. */
  readonly spell?: (option: string) => string;
}

type ColumnChoice = Pick<ClusterOptions, (typeof COLUMN_OPTIONS)[number]>;

export interface MethodChoice {
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Methods that need only the rows. */
export const comparable: readonly ClusteringMethod[] = allMethods.filter(
  ({ name, needs }) => name !== hinted.name && needs.pairs !== "required" && needs.labels !== "required",
);

/** Of these, the methods that are compared by default. */
export const compared: readonly string[] = comparable
  .filter(({ needs }) => needs.oneUnit !== true)
  .map(({ name }) => name);

/** Adjusted Rand index above which two partitions count as the same. */
export const SAME = 0.98;
/** Share of the rows in a resample. */
const SHARE = 0.8;
const BUDGET = 60;
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
export async function compare(rows: Rows, options: CompareOptions = {}): Promise<Comparison> {
  return compareRun(prepare(asTable(rows, "compare"), given(options, [...COLUMN_OPTIONS, "seed"])), options);
}

/** Options of `cluster` that concern the columns of a table. */
const COLUMN_OPTIONS = ["label", "id", "use", "ignore", "scale", "missing", "weights", "text"] as const;

const KNOWN: ReadonlySet<string> = new Set([
  ...COLUMN_OPTIONS,
  "clusters",
  "seed",
  "methods",
  "budget",
  "resamples",
  "onProgress",
  "onMethod",
  "onResample",
  "run",
  "spell",
]);

/** The given ones among these options. */
function given(options: CompareOptions, names: readonly (keyof CompareOptions)[]): ClusterOptions {
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

interface Fit {
  readonly choice: MethodChoice;
  readonly answer: FitAnswer;
  readonly judgement: Judgement;
}

/** Compares on prepared rows. */
export async function compareRun(prepared: Prepared, options: CompareOptions): Promise<Comparison> {
  const start = performance.now();
  const { seed = 0, budget = BUDGET, resamples = 0 } = options;
  await checkOptions(prepared, options);
  const { table, X, names, space } = prepared;
  const rows = { X, names, space, source: table.source };
  const run = options.run ?? inTurn;
  const wanted = await choicesOf(options.methods);
  const { kept, left } = fitting(wanted, X);
  const auto: MethodChoice = { method: "auto", options: {} };

  const judge = lazily(() => judgeOf(X, seed, space.kind !== "features" || !hasLevels(space.record)));
  const fits: Fit[] = [];
  const failed: FailedMethod[] = [...left];
  const state: State = { ended: 0, planned: 1 + kept.length, stopped: false };
  const answered = (task: CompareTask, answer: CompareAnswer, old: boolean): void => {
    const choice = { method: task.method, options: task.options };
    if (!("labels" in answer)) return;
    fits.push({ choice, answer, judgement: judge(answer.labels) });
    options.onMethod?.({ name: nameOf(choice), seconds: answer.seconds, kept: old });
  };
  const refused = (task: CompareTask, error: Error): void => {
    failed.push(failure({ method: task.method, options: task.options }, "error", told(error, options.spell)));
  };
  const end = start + 1000 * FITS_END * budget;
  const first: CompareTask = {
    ...auto,
    seed,
    ...(options.clusters !== undefined && { clusters: options.clusters }),
    until: Date.now() + 1000 * CHOICE_END * budget,
  };
  const taskOf = (choice: MethodChoice, clusters: number): CompareTask => ({ ...choice, clusters, seed });
  const listener = listening(options.onProgress, state, answered, refused);
  const { clusters: asked } = options;
  state.stopped = await run(
    rows,
    [first, ...(asked === undefined ? [] : kept.map((choice) => taskOf(choice, asked)))],
    listener,
    end,
  );
  const chosen = fits.find(({ choice }) => isDefault(choice));
  const clusters = asked ?? Math.max(2, chosen?.answer.clusters ?? 2);
  if (asked === undefined && !state.stopped) {
    const tasks = kept.map((choice) => taskOf(choice, clusters));
    state.stopped = await run(rows, tasks, listener, end);
  }
  for (const choice of [auto, ...kept]) {
    const isKnown = (one: MethodChoice): boolean => nameOf(one) === nameOf(choice);
    if (fits.some((fit) => isKnown(fit.choice)) || failed.some(isKnown)) continue;
    failed.push(
      state.stopped
        ? failure(choice, "stopped", "unfinished when it was stopped")
        : failure(choice, "time", "not done within the time"),
    );
  }
  if (fits.length === 0) {
    throw inputError(
      `no method was done: ${failed.map(({ name, message }) => `${name}: ${message}`).join("; ")}`,
      { code: state.stopped ? "stopped" : "nothing-done" },
    );
  }

  const groups = grouped(ranked(fits, clusters));
  const stabilities = new Map<Fit, number>();
  if (resamples > 0 && !state.stopped && performance.now() < end) {
    options.onResample?.({ partitions: groups.length, resamples });
    const scores = new Map<string, number[]>();
    const tasks = resampleTasks(groups, X.rows, resamples, seed);
    Object.assign(state, { ended: 0, planned: tasks.length });
    const scored = (task: CompareTask, answer: CompareAnswer): void => {
      const own = scores.get(nameOf(task)) ?? [];
      own.push((answer as ResampleAnswer).score);
      scores.set(nameOf(task), own);
    };
    // A method that fails on fewer rows has no stability; its fit still counts.
    const onScores = listening(options.onProgress, state, scored, () => {});
    state.stopped = await run(rows, tasks, onScores, end);
    for (const [leader] of groups) {
      const own = scores.get(nameOf(leader.choice)) ?? [];
      // Sums in a fixed order: threads answer in any order.
      if (own.length === resamples) stabilities.set(leader, mean(own.toSorted((a, b) => a - b)));
    }
  }
  return described({
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

async function checkOptions(
  { table, X }: Prepared,
  { clusters, budget, resamples, ...rest }: CompareOptions,
): Promise<void> {
  for (const name of Object.keys(rest)) {
    if (!KNOWN.has(name)) throw optionError(`compare has no option "${name}"`);
  }
  if (X.rows < 3) throw inputError(`${table.source} has fewer than three rows; comparing needs three`);
  requireSquares(X, "compare");
  if (clusters !== undefined && !(Number.isSafeInteger(clusters) && clusters >= 1)) {
    throw optionError(`${option("clusters")} must be an integer, at least 1`);
  }
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`${option("clusters")} is ${clusters}, but ${table.source} has only ${X.rows} rows`);
  }
  if (budget !== undefined && !(budget > 0)) {
    throw optionError(`${option("budget")} must be a number of seconds above 0`);
  }
  if (resamples !== undefined && !(Number.isSafeInteger(resamples) && resamples >= 0)) {
    throw optionError(`${option("resamples")} must be an integer, at least 0`);
  }
}

/**
 * Every method that needs only the rows, or the requested ones; quick methods first, so the time limit
 * affects few.
 */
async function choicesOf(asked: CompareOptions["methods"]): Promise<MethodChoice[]> {
  const named = asked ?? compared;
  const effort: readonly ClusteringMethod["takes"][] = [undefined, "longer", "longest"];
  const found = named.map((one) => {
    const choice = typeof one === "string" ? { method: one, options: {} } : one;
    const method = methodNamed(choice.method);
    if (!comparable.includes(method)) {
      const { needs } = method;
      const what = needs.labels === "required" ? "labels" : needs.pairs === "required" ? "pairs" : "hints";
      throw optionError(
        `${option("methods")}: ${method.name} needs ${what}, which a comparison does not have`,
      );
    }
    return { choice: { ...choice, method: method.name }, method };
  });
  for (const { choice, method } of found) {
    const { options } = await method.open();
    const known = shownOptions(options).map(({ name }) => name);
    const strange = Object.keys(choice.options).find((name) => !known.includes(name));
    if (strange !== undefined) {
      throw optionError(
        `${method.name} has no option "${strange}"${known.length === 0 ? "" : `; its options are ${known.join(", ")}`}`,
      );
    }
  }
  const seen = new Set<string>();
  return (
    found
      // The default is always included.
      .filter(({ choice }) => !isDefault(choice) && !seen.has(nameOf(choice)) && seen.add(nameOf(choice)))
      .toSorted((a, b) => effort.indexOf(a.method.takes) - effort.indexOf(b.method.takes))
      .map(({ choice }) => choice)
  );
}

/** Sparse rows are not sampled. */
function fitting(
  choices: readonly MethodChoice[],
  X: Prepared["X"],
): { kept: MethodChoice[]; left: FailedMethod[] } {
  const tooLarge = ({ method }: MethodChoice): boolean =>
    isSparse(X) && methodNamed(method).needs.quadratic === true && X.rows > MOST_ROWS;
  return {
    kept: choices.filter((choice) => !tooLarge(choice)),
    left: choices
      .filter(tooLarge)
      .map((choice) =>
        failure(choice, "memory", `left out: its memory grows with the square of the ${X.rows} rows`),
      ),
  };
}

function isDefault({ method, options }: MethodChoice): boolean {
  return method === "auto" && Object.keys(options).length === 0;
}

/** "cc --neighbors 10": in the form of `kindred cluster --method`. */
export function nameOf({ method, options }: MethodChoice): string {
  const own = Object.entries(options).map(([name, value]) =>
    value === true
      ? flagOf(name)
      : value === false
        ? `--no-${flagOf(name).slice(2)}`
        : `${flagOf(name)} ${String(value as string | number)}`,
  );
  return [method, ...own].join(" ");
}

function failure(choice: MethodChoice, why: FailedMethod["why"], message: string): FailedMethod {
  return { name: nameOf(choice), ...choice, why, message };
}

function told(error: Error, spell: CompareOptions["spell"]): string {
  if (error instanceof KindredError && spell !== undefined) return error.told(spell);
  return error.message;
}

/**
 * The default's choice first. The others by the same rule: those with the requested number of clusters first,
 * then by the evidence for their weakest border, then by likelihood.
 */
function ranked(fits: readonly Fit[], clusters: number): Fit[] {
  const order = (fit: Fit): readonly number[] => [
    isDefault(fit.choice) ? 0 : 1,
    fit.answer.clusters === clusters ? 0 : 1,
    -(fit.judgement.evidence ?? -Infinity),
    -(fit.judgement.likelihood ?? -Infinity),
  ];
  return fits
    .map((fit) => ({ fit, keys: [...order(fit), nameOf(fit.choice)] }))
    .toSorted((a, b) => {
      for (const [k, key] of a.keys.entries()) {
        if (key < b.keys[k]) return -1;
        if (key > b.keys[k]) return 1;
      }
      return 0;
    })
    .map(({ fit }) => fit);
}

/** Fits with (nearly) the same partition form one group, represented by the first. */
function grouped(fits: readonly Fit[]): [Fit, ...Fit[]][] {
  const groups: [Fit, ...Fit[]][] = [];
  for (const fit of fits) {
    const like = groups.find(([leader]) => agreementOf(leader, fit) >= SAME);
    if (like === undefined) groups.push([fit]);
    else like.push(fit);
  }
  return groups;
}

function agreementOf(a: Fit, b: Fit): number {
  return adjustedRand(a.answer.labels, b.answer.labels, { unknown: "class" });
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

interface Finished {
  readonly prepared: Prepared;
  readonly options: CompareOptions;
  readonly groups: readonly [Fit, ...Fit[]][];
  readonly stabilities: ReadonlyMap<Fit, number>;
  readonly failed: readonly FailedMethod[];
  readonly clusters: number;
  readonly start: number;
  readonly stopped: boolean;
}

function described(all: Finished): Comparison {
  const { prepared, options, groups, stabilities, failed, clusters, start, stopped } = all;
  const { table, X } = prepared;
  const classes = classesOf(table, options.label);
  const spread = (labels: Int32Array): Int32Array =>
    prepared.rows === undefined ? labels : spreadLabels(labels, prepared.rows, table.rows);
  const [[best]] = groups;
  const recommended = spread(best.answer.labels);
  const shown = toldTable(prepared);
  const count = best.answer.clusters;
  const typical = isSparse(X)
    ? []
    : typicalRows(X, best.answer.labels, count).map((rows) => rows.map((row) => prepared.rows?.[row] ?? row));
  const profiles = profilesOf(shown, recommended, count, [], typical);
  const agreement = groups.map(([a]) => groups.map(([b]) => (a === b ? 1 : agreementOf(a, b))));
  const partitions = groups.map((group, g): ComparedPartition => {
    const [{ answer, judgement, choice }] = group;
    const methods = group.map((fit) => comparedMethod(fit, spread, classes));
    const [{ labels }] = methods;
    const stability = stabilities.get(group[0]);
    return {
      use: useOf(choice, answer, options, clusters),
      clusters: answer.clusters,
      sizes: sizesOf(labels, answer.clusters),
      labels,
      methods,
      ...judgement,
      agreement: agreement[0][g],
      ...(stability !== undefined && { stability }),
      ...(classes !== undefined && { scores: againstClasses(labels, classes) }),
      differs: g === 0 ? null : disagreement(shown, recommended, labels),
    };
  });
  return {
    source: table.source,
    rows: table.rows,
    features: X.cols,
    clusters,
    found: options.clusters === undefined,
    label: classes === undefined ? null : options.label!,
    partitions,
    agreement,
    recommendation: recommendationOf(
      groups,
      profiles.map(({ cluster, name, rows, share, words }) => ({ cluster, name, rows, share, words })),
    ),
    failed,
    notes: notesOf(prepared, options, best, clusters),
    seconds: (performance.now() - start) / 1000,
    stopped,
  };
}

function notesOf({ table, notes }: Prepared, options: CompareOptions, best: Fit, clusters: number): Note[] {
  const { clusters: asked, spell = (name: string): string => `option "${name}"` } = options;
  const found =
    asked !== undefined
      ? []
      : isDefault(best.choice) && best.answer.clusters === 1
        ? [
            note(
              "no-clusters",
              "The default finds no clusters. The other methods looked for 2, to show how the rows would split.",
            ),
          ]
        : [
            note(
              "clusters-found",
              isDefault(best.choice)
                ? `The default finds ${clusters} clusters, and the other methods looked for the same number (${spell("clusters")} sets another).`
                : `The number of clusters was not given, and the default did not finish: the methods looked for ${clusters}.`,
              { option: "clusters" },
            ),
          ];
  return [
    ...table.notes,
    ...notes,
    ...best.answer.warnings.map((text) => note("method", text)),
    ...found,
  ].map((one) => ({ ...one, message: spelled(one.message, spell) }));
}

function comparedMethod(
  { choice, answer, judgement }: Fit,
  spread: (labels: Int32Array) => Int32Array,
  classes: readonly string[] | undefined,
): ComparedMethod {
  const labels = Array.from(spread(answer.labels));
  return {
    name: nameOf(choice),
    ...choice,
    labels,
    clusters: answer.clusters,
    converged: answer.converged,
    warnings: answer.warnings,
    seconds: answer.seconds,
    ...judgement,
    ...(classes !== undefined && { scores: againstClasses(labels, classes) }),
  };
}

function recommendationOf(
  groups: readonly [Fit, ...Fit[]][],
  profiles: Recommendation["profiles"],
): Recommendation {
  const [[best, ...same]] = groups;
  const { answer, choice, judgement } = best;
  const trust = answer.trust ?? null;
  const complete = isDefault(choice) && !answer.stopped;
  const by = answer.facts.find(([name]) => name === "chosen")?.[1];
  const count = answer.clusters === 1 ? "no clusters" : `${answer.clusters} clusters`;
  const how = isDefault(choice)
    ? `${count}, the choice of the default${by === undefined ? "" : ` (${by})`}`
    : `${count}, by ${nameOf(choice)}${judgement.evidence === null ? "" : `, whose weakest border has the most evidence`}`;
  const others = same.map((fit) => nameOf(fit.choice));
  const sentences = [
    how,
    ...(others.length === 0 ? [] : [`${listed(others)} ${others.length === 1 ? "gives" : "give"} the same`]),
    ...(complete
      ? []
      : [
          isDefault(choice)
            ? "The time was over before everything was tried"
            : "The choice of the default did not finish",
        ]),
    ...(trust === null
      ? []
      : [
          `Trust: ${trust.word}${trust.probability === undefined ? "" : ` (${Math.round(100 * trust.probability)} %)`}, ${trust.why}`,
        ]),
  ];
  return { complete, trust, profiles, words: `${sentences.join(". ")}.` };
}

function useOf(choice: MethodChoice, answer: FitAnswer, options: CompareOptions, clusters: number): Use {
  const asked = isDefault(choice)
    ? given(options, ["clusters"])
    : { method: choice.method, clusters, ...choice.options };
  const all: ClusterOptions = { ...asked, ...given(options, ["seed", ...COLUMN_OPTIONS]) };
  return {
    options: all,
    call: `await cluster(table${Object.keys(all).length === 0 ? "" : `, ${literal(all)}`})`,
    exact: !answer.stopped,
  };
}

/** { method: "kmeans", clusters: 3 } */
function literal(options: object): string {
  const parts = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${parts.join(", ")} }`;
}

/** The known classes are used here, after everything else, and nowhere else. */
function classesOf(table: Table, label: string | undefined): readonly string[] | undefined {
  const column = label === undefined ? undefined : table.columns.find(({ name }) => name === label);
  return column === undefined ? undefined : textsOf(column);
}

function sizesOf(labels: readonly number[], clusters: number): number[] {
  const sizes = Array.from({ length: clusters }, () => 0);
  for (const label of labels) if (label >= 0) sizes[label]++;
  return sizes;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Made when the first partition arrives: other threads work by then. */
function lazily(make: () => Judge): Judge {
  let made: Judge | undefined;
  return (labels) => (made ??= make())(labels);
}

export type { Comparison };
