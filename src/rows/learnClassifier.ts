import type { OnProgress } from "../core/index.ts";
import { option, optionError } from "../core/internal.ts";
import type { ScaleKind, Scaling } from "../data/index.ts";
import { classifiers, type ClassifierMethod, type FittedClassifier } from "../method/index.ts";
import type { TableSpace } from "../model/index.ts";
import { allColumns, columnScaling } from "../scale/index.ts";
import { keptColumns } from "./engineRows.ts";
import { asNotes, requireSums, type Outcome, type RowSource, type SummedRows } from "./rowSource.ts";

export interface LearnClassifierOptions {
  /** For rows that are not in memory, where "none" is the only one; rows in memory are already scaled. */
  readonly scale?: ScaleKind;
  readonly seed?: number;
  readonly onProgress?: OnProgress;
  /** The method's own options, by their names. */
  readonly own?: object;
}

/** A classifier with its preprocessing. */
export interface LearnedClassifier extends Outcome, TableSpace {
  readonly fitted: FittedClassifier;
  /** The table column of each number that the classifier sees. */
  readonly sources: readonly string[];
  readonly source: string;
  readonly rows: number;
  /** Time of learning; with reading if the rows are not in memory. */
  readonly seconds: number;
}

/** Learns a classifier from rows in memory, or from sums over other rows. */
export async function learnClassifier(
  rows: RowSource,
  method: ClassifierMethod,
  { scale = "none", own, ...options }: LearnClassifierOptions = {},
): Promise<LearnedClassifier> {
  requireSums(method, rows.kind, classifiers);
  const { fit, sums } = await method.open();
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  if (rows.kind === "table") {
    const { X, sources, columns, space, label, source, notes } = rows;
    if (label === undefined) throw needsLabel();
    const fitted = fit(X, label.values, { ...own, ...options });
    return { fitted, columns, space, sources, source, rows: X.rows, notes, seconds: seconds() };
  }
  if (scale !== "none") {
    throw optionError(
      `${option("scale")} ${scale}: ${method.name} learns from sums over the unscaled values`,
    );
  }
  const found = await summed(rows, sums!({ ...own, ...options }));
  const { scaling, ...learned } = found;
  return {
    ...learned,
    columns: [],
    space: { kind: "scaling", scaling },
    sources: scaling.kept.map((f) => scaling.columns[f]),
    source: rows.source,
    seconds: seconds(),
  };
}

function needsLabel(): Error {
  return optionError(`classify needs ${option("label")}, the column of known classes`);
}

/** Constant columns are left out, as for rows in memory. */
async function summed(
  rows: SummedRows,
  sums: ReturnType<NonNullable<Awaited<ReturnType<ClassifierMethod["open"]>>["sums"]>>,
): Promise<Pick<LearnedClassifier, "fitted" | "rows" | keyof Outcome> & { readonly scaling: Scaling }> {
  if (sums.kind === "level counts") {
    const options = { discretize: "given", pairs: false, varying: true } as const;
    const { counts, scaling, notes, engine } = await rows.levels(options);
    return {
      fitted: sums.learn(counts),
      scaling: scaling!,
      rows: counts.rows + counts.unlabelled,
      notes: asNotes(notes),
      ...(engine !== undefined && { engine }),
    };
  }
  const { statistics, notes, engine } = await rows.classColumns();
  const all = allColumns(statistics);
  const { scaling, notes: more } = columnScaling(all, "none");
  const fitted = sums.learn({
    names: scaling.kept.map((f) => scaling.columns[f]),
    groups: statistics.groups.map((group) => keptColumns(group, scaling.kept)),
  });
  return {
    fitted,
    scaling,
    rows: all.rows,
    notes: asNotes([...notes, ...more]),
    ...(engine !== undefined && { engine }),
  };
}
