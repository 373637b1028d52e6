import { scale } from "kindred/data";
import { type Matrix, multiplyTransposeA, symmetricEigen } from "kindred/matrix";
import { endingOf, type FailedTask, type Finished } from "../ending.ts";
import { classedSet, knownSets, where } from "../knownSets.ts";
import { type Cell, columnSquares, trivialScores } from "./convexCell.ts";
import {
  DATA,
  gridOf,
  type Method,
  METHODS,
  omission,
  type Protocol,
  PROTOCOLS,
  PUBLISHED,
  type PublishedColumn,
  type SetName,
  SETS,
  STATED,
  type TableName,
} from "./convexTables.ts";
import type { CellTask, Task } from "./convexTask.ts";
import { learnedMetrics } from "./convexPictures.ts";
import { outlierFigure, repetitionTasks, sweepTasks } from "./outlierFigure.ts";
import { OUTLIERS, type Repetition, type RepetitionTask } from "./outlierRepetition.ts";

export interface ConvexPlanOptions {
  /** Which table; none if undefined. */
  readonly table?: TableName;
  readonly figures?: boolean;
  /** Figure 4.2 over the deviation of the outlier features. */
  readonly sweep?: boolean;
  readonly sets?: readonly SetName[];
  /** Columns of the table. */
  readonly protocols?: readonly Protocol["name"][];
  /** One setting instead of a grid, without the slow cells, 5 repetitions. */
  readonly quick?: boolean;
  readonly repetitions?: number;
  /** Folder of further data sets; default: the environment's KINDRED_DATA. */
  readonly folder?: string;
}

export type ConvexPlan = Awaited<ReturnType<typeof planConvex>>;

/**
 * The tables and figures of the convex family as a list of tasks, in the order of the printed rows, and as a
 * report on the finished tasks. The caller decides where the tasks run; the numbers do not depend on it.
 */
export async function planConvex(options: ConvexPlanOptions) {
  const { table, figures = false, sweep = false, quick = false, folder } = options;
  const usual = sweep ? OUTLIERS.sweep.repetitions : OUTLIERS.repetitions;
  const { repetitions = quick ? 5 : usual } = options;
  const protocols = PROTOCOLS.filter(({ name }) => options.protocols?.includes(name) !== false);
  const wanted = table === undefined ? [] : (options.sets ?? SETS);
  const inTable = wanted.filter((set) => PUBLISHED[table!].rows[set] !== undefined);
  const known = await knownSets(inTable, (set) => DATA[set].data, folder);
  const skipped = [
    ...wanted
      .filter((set) => !inTable.includes(set))
      .map((set) => ({ set, why: `Table ${table} has no such row` })),
    ...known.skipped,
  ];
  const sets = [];
  const tasks: Task[] = [];
  for (const set of known.sets) {
    const { clusters, data } = DATA[set];
    const { X, truth, source } = await classedSet(data, folder);
    const shape = { rows: X.rows, features: X.cols, clusters };
    sets.push({
      set,
      source,
      ...shape,
      ...trivialScores(truth, clusters),
      ...dataFacts(X, STATED[set].relevant),
    });
    for (const protocol of protocols) {
      for (const method of METHODS) {
        if (omission(protocol, set, method, quick) !== undefined) continue;
        tasks.push({ kind: "cell", set, protocol: protocol.name, method, quick, ...where(folder) });
      }
    }
  }
  if (figures) tasks.push(...repetitionTasks(repetitions));
  if (sweep) tasks.push(...sweepTasks(repetitions));
  const relevance = figures ? await learnedMetrics(folder) : [];
  const asked = { figures, sweep, quick, repetitions, relevance, protocols };
  return { ...(table !== undefined && { table }), ...asked, sets, skipped, tasks };
}

/** The rank of the centred rows, and the places of features by their raw variance, the least first. */
function dataFacts(X: Matrix, features: readonly number[]): { rank: number; places: number[] } {
  const { X: centred } = scale(X, "zscore");
  const { values } = symmetricEigen(multiplyTransposeA(centred, centred));
  const rank = values.filter((value) => value > 1e-10 * values[0]).length;
  const squares = columnSquares(X);
  const places = features.map((f) => 1 + squares.filter((square) => square < squares[f - 1]).length);
  return { rank, places };
}

export type ConvexReport = ReturnType<typeof reportConvex>;
export type TableReport = ReturnType<typeof tableReport>;
export type SetReport = TableReport["sets"][number];
export type RowReport = SetReport["protocols"][number];

export type CellDone = Finished<CellTask, Cell>;

export type RepetitionDone = Finished<RepetitionTask, Repetition>;

export type Done = CellDone | RepetitionDone;

export function reportConvex(
  plan: ConvexPlan,
  done: readonly Done[],
  failed: readonly FailedTask<Task>[] = [],
) {
  const cells = done.filter((one): one is CellDone => one.task.kind === "cell");
  const repetitions = done.filter((one): one is RepetitionDone => one.task.kind === "repetition");
  const figure = plan.figures || plan.sweep ? outlierFigure(repetitions) : undefined;
  return {
    table: plan.table && tableReport(plan, plan.table, cells, failed),
    figure: figure && { ...figure, relevance: plan.relevance, protocol: OUTLIERS },
    /** The largest relative duality gap of every solve of every finished task, and the number of solves. */
    certificates: {
      gap: cells.reduce((worst, { result }) => Math.max(worst, result.gap ?? 0), figure?.gap ?? 0),
      solves: cells.reduce((sum, { result }) => sum + result.solves, figure?.solves ?? 0),
    },
    skipped: plan.skipped,
    ...endingOf(plan, done, failed),
  };
}

function tableReport(
  plan: ConvexPlan,
  name: TableName,
  done: readonly CellDone[],
  failed: readonly FailedTask<Task>[],
) {
  const { quick } = plan;
  const sets = plan.sets.map((planned) => {
    const { set } = planned;
    const rows = plan.protocols.map((protocol) => {
      const here = done.filter(({ task }) => task.set === set && task.protocol === protocol.name);
      const omitted = METHODS.flatMap((method) => {
        const why = omission(protocol, set, method, quick);
        return why === undefined ? [] : [[method, why]];
      });
      const threw = failed.flatMap(({ task, why }) =>
        task.kind === "cell" && task.set === set && task.protocol === protocol.name
          ? [[task.method, why]]
          : [],
      );
      const { title, chosenBy, assignment } = protocol;
      return {
        protocol: protocol.name,
        title,
        chosenBy,
        assignment,
        /** For RCC and SCC; single cells may have fewer, see their number of settings. */
        grid: gridOf(protocol, set, "rcc", quick),
        cells: Object.fromEntries(here.map(({ task, result }) => [task.method, result])) as Partial<
          Record<Method, Cell>
        >,
        omitted: Object.fromEntries(omitted) as Partial<Record<Method, string>>,
        failed: Object.fromEntries(threw) as Partial<Record<Method, string>>,
      };
    });
    const published: Readonly<Partial<Record<PublishedColumn, number>>> = PUBLISHED[name].rows[set] ?? {};
    return { ...planned, published, protocols: rows };
  });
  return { name, source: PUBLISHED[name].source, quick, sets };
}
