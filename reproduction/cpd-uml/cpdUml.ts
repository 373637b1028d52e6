import type { ScaleKind } from "kindred/data";
import { compareMethods } from "kindred/score";
import { endingOf, type FailedTask } from "../ending.ts";
import { knownSets, where } from "../knownSets.ts";
import { spread } from "../learners.ts";
import type { MoonsResult, MoonsTask } from "./cpdUmlMoons.ts";
import { PUBLISHED } from "./cpdUmlPublished.ts";
import {
  type CpdMethod,
  type CpdSet,
  DATA,
  EXTRAS,
  type GridName,
  type Measure,
  MEASURES,
  METHODS,
  PROTOCOL,
  REMARKS,
  SETS,
} from "./cpdUmlTables.ts";
import { type CpdUmlResult, type CpdUmlTask, loadCpdSet, type Starts } from "./cpdUmlTask.ts";

export interface CpdUmlPlanOptions {
  readonly sets?: readonly CpdSet[];
  readonly runs?: number;
  readonly grid?: GridName;
  /** For the columns of all sets, instead of the values in `DATA`. */
  readonly scale?: ScaleKind;
  /** Of every k-means. */
  readonly starts?: Starts;
  /** Without the kernel methods and the stability search. */
  readonly linearOnly?: boolean;
  readonly moons?: boolean;
  readonly folder?: string;
}

export type CpdUmlPlan = Awaited<ReturnType<typeof planCpdUml>>;
export type PlannedCpdSet = CpdUmlPlan["sets"][number];

/** Tables 1 to 3 of the text and its two moons as a list of tasks, and as a report on the finished tasks. */
export async function planCpdUml(options: CpdUmlPlanOptions) {
  const { runs = PROTOCOL.runs, grid, scale, starts, folder, moons = true } = options;
  const known = await knownSets(options.sets ?? SETS, (set) => DATA[set].name, folder);
  const twoMoons = await knownSets(moons ? ["two-moons", "two-moons-test"] : [], (set) => set, folder);
  const skipped = [
    ...known.skipped,
    ...twoMoons.skipped.slice(0, 1).map(({ why }) => ({ set: "two moons", why })),
  ];
  const sets = [];
  for (const set of known.sets) {
    const { X, truth, source } = await loadCpdSet(set, folder, scale);
    const counts = new Map<string, number>();
    for (const name of truth) counts.set(name, (counts.get(name) ?? 0) + 1);
    // In percent: the accuracy of one cluster, and a lower bound of every purity.
    const majority = (100 * Math.max(...counts.values())) / X.rows;
    sets.push({ set, source, rows: X.rows, features: X.cols, clusters: counts.size, majority });
  }
  const tasks: (CpdUmlTask | MoonsTask)[] = [];
  if (twoMoons.sets.length === 2) tasks.push({ kind: "cpd-uml moons", ...where(folder) });
  const changes = {
    ...(grid !== undefined && { grid }),
    ...(scale !== undefined && { scale }),
    ...(starts !== undefined && { starts }),
  };
  // Run by run, so an early stop leaves about the same share of each set.
  for (let run = 0; run < runs; run++) {
    for (const { set } of sets) {
      const common = { kind: "cpd-uml", set, run, ...changes, ...where(folder) } as const;
      tasks.push({ ...common, part: "linear" });
      if (options.linearOnly === true) continue;
      tasks.push({ ...common, part: "kernel" });
      if (run < PROTOCOL.stabilityRuns && set !== "usps20") tasks.push({ ...common, part: "stability" });
    }
  }
  return {
    runs,
    ...(scale !== undefined && { scale }),
    ...(starts !== undefined && { starts }),
    sets,
    skipped,
    tasks,
  };
}

export type CpdUmlReport = ReturnType<typeof reportCpdUml>;
export type CpdSetReport = ReturnType<typeof setReport>;
export type RowReport = ReturnType<typeof measureRows>[number];

export type CpdUmlDone =
  | { readonly task: CpdUmlTask; readonly result: CpdUmlResult }
  | { readonly task: MoonsTask; readonly result: MoonsResult };

export function reportCpdUml(
  plan: CpdUmlPlan,
  done: readonly CpdUmlDone[],
  failed: readonly FailedTask[] = [],
) {
  const runs = done.flatMap((one) => (one.task.kind === "cpd-uml" ? [one as TableDone] : []));
  const moons = done.find(({ task }) => task.kind === "cpd-uml moons")?.result as MoonsResult | undefined;
  const sets = plan.sets.map((planned) => setReport(planned, runs));
  return {
    /** If they differ from the protocol. */
    scale: plan.scale,
    starts: plan.starts,
    sets,
    moons,
    /** Total points of each method over the sets, by measure; absent before two runs of every method. */
    totals: Object.fromEntries(MEASURES.map((measure) => [measure, totals(measure, sets)])) as Record<
      Measure,
      ReturnType<typeof totals>
    >,
    skipped: plan.skipped,
    ...endingOf(plan, done, failed),
    seconds: done.reduce((sum, { result }) => sum + result.seconds, 0),
  };
}

type TableDone = Extract<CpdUmlDone, { task: CpdUmlTask }>;

function setReport(planned: PlannedCpdSet, runs: readonly TableDone[]) {
  const here = runs.filter(({ task }) => task.set === planned.set);
  const rowsOf = (measure: Measure) => measureRows(planned.set, measure, MEASURES.indexOf(measure), here);
  const measures = { accuracy: rowsOf("accuracy"), nmi: rowsOf("nmi"), purity: rowsOf("purity") };
  return { ...planned, measures, remarks: REMARKS[planned.set] };
}

function measureRows(set: CpdSet, measure: Measure, m: number, done: readonly TableDone[]) {
  const column = SETS.indexOf(set);
  const found = [...METHODS, ...EXTRAS].map((row) => {
    const settings = new Map<string, number[]>();
    const free: number[] = [];
    for (const { result } of done) {
      for (const { row: of, setting, labelFree, values } of result.scores) {
        if (of !== row) continue;
        settings.set(setting, [...(settings.get(setting) ?? []), values[m]]);
        if (labelFree) free.push(values[m]);
      }
    }
    const ranked = [...settings].map(([setting, values]) => ({ setting, values, ...spread(values) }));
    ranked.sort((a, b) => b.mean - a.mean);
    return { row, ranked, free };
  });
  const compared = found.slice(0, METHODS.length);
  const points = (values: (one: (typeof found)[number]) => readonly number[]): Float64Array | undefined => {
    if (compared.some((one) => values(one).length < 2)) return undefined;
    return compareMethods(Object.fromEntries(compared.map((one) => [one.row, values(one)]))).points;
  };
  const best = points(({ ranked }) => ranked[0]?.values ?? []);
  const labelFree = points(({ free }) => free);
  return found.map(({ row, ranked, free }, i) => {
    const text = i < METHODS.length ? PUBLISHED[measure][row as CpdMethod][column] : null;
    const top = ranked.at(0);
    return {
      row,
      text: text ?? undefined,
      /** The setting with the largest mean, chosen on the classes of the unseen rows; one for all runs. */
      best: top && { mean: top.mean, deviation: top.deviation, count: top.count, setting: top.setting },
      /** Over the settings of their means. */
      median: top && median(ranked.map(({ mean }) => mean)),
      settings: ranked.length,
      labelFree: free.length > 0 ? spread(free) : undefined,
      /** Points against the nine others by t-tests over the runs, each at its best, and each without labels. */
      points:
        i < METHODS.length && best !== undefined && labelFree !== undefined
          ? { best: best[i], labelFree: labelFree[i] }
          : undefined,
    };
  });
}

/** For descending or ascending values. */
function median(values: readonly number[]): number {
  return (values[(values.length - 1) >> 1] + values[values.length >> 1]) / 2;
}

function totals(measure: Measure, sets: readonly CpdSetReport[]) {
  const rows = sets.map(({ measures }) => measures[measure].slice(0, METHODS.length));
  if (rows.length === 0 || rows.some((of) => of.some(({ points }) => points === undefined))) return undefined;
  return METHODS.map((method, i) => ({
    method,
    text: rows.reduce((sum, of) => sum + (of[i].text?.[2] ?? missingScore(of)), 0),
    best: rows.reduce((sum, of) => sum + of[i].points!.best, 0),
    labelFree: rows.reduce((sum, of) => sum + of[i].points!.labelFree, 0),
  }));
}

/** The scores of a column add up to 45, which gives the blank one. */
function missingScore(rows: readonly RowReport[]): number {
  const all = (METHODS.length * (METHODS.length - 1)) / 2;
  return all - rows.reduce((sum, { text }) => sum + (text?.[2] ?? 0), 0);
}
