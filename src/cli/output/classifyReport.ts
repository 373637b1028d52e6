import type { ColumnRelevance } from "../../features/index.ts";
import { sharesByColumn } from "../../features/internal.ts";
import type { Classifier, CrossValidation, Validation } from "../../classify/index.ts";
import type { Note } from "../../core/index.ts";
import { percent, plural } from "../../core/internal.ts";
import { writeCsv, type WritableTable, type WriteOptions } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { FittedClassifier } from "../../method/index.ts";
import type { TableRows } from "../../rows/index.ts";
import type { NewRows } from "../../run/internal.ts";
import { encodeLabels, isUnknown, type Label } from "../../score/index.ts";
import { columns, factLines } from "./terminal.ts";

/** The results of `kindred classify` in each of its modes. */
export interface ClassifyOutcome {
  readonly json: object;
  readonly text: string;
  /** The predictions as CSV. */
  lines(csv: WriteOptions): Iterable<string>;
}

interface Run {
  readonly method: string;
  readonly scaling: string;
  readonly seconds: number;
  /** The column decisions, for people. */
  readonly decisions: readonly string[];
  /** The engine of the training rows, and its work; absent for files. */
  readonly engine?: string;
}

/** What a mode tells beyond its run. */
interface Told {
  readonly json: object;
  readonly data: object;
  readonly facts: readonly (readonly string[])[];
  readonly notes: readonly Note[];
  readonly warnings: readonly string[];
  /** Lines below the facts. */
  readonly tables?: readonly string[];
  readonly written?: WritableTable;
}

function outcome({ method, scaling, seconds, decisions, engine }: Run, told: Told): ClassifyOutcome {
  const { json, data, facts, notes, warnings, tables = [], written } = told;
  const closing = [
    ["time", `${(1000 * seconds).toFixed(0)} ms`],
    ...(engine === undefined ? [] : [["engine", engine]]),
  ];
  return {
    json: { method, ...json, warnings, data, scaling, ...(engine !== undefined && { engine }), seconds },
    text: [
      ...(decisions.length === 0 ? [] : [...decisions.join("").trimEnd().split("\n"), ""]),
      ...factLines([...facts, ...closing], notes, warnings),
      ...tables,
    ].join("\n"),
    lines: (csv) => (written === undefined ? [] : writeCsv(written, csv)),
  };
}

/** A warning, and the number of fits that had it. */
export interface Remark {
  readonly text: string;
  readonly count: number;
}

/** The predicted classes, with their probabilities if the method has them. */
interface Predictions {
  readonly labels: readonly Label[];
  readonly probabilities?: readonly number[];
}

export function predicted(classifier: Classifier, Y: Matrix): Predictions {
  const labels = classifier.predict(Y);
  const P = classifier.probabilities?.(Y);
  if (P === undefined) return { labels };
  return {
    labels,
    probabilities: labels.map((label, i) => P.data[i * P.cols + classifier.classes.indexOf(label)]),
  };
}

/** As columns of CSV. */
function predictedColumns(
  labels: readonly Label[],
  probabilities?: readonly (number | "")[],
): NonNullable<WritableTable["columns"]> {
  return [
    { name: "predicted", values: labels },
    ...(probabilities === undefined ? [] : [{ name: "probability", values: probabilities }]),
  ];
}

interface Validated extends Run {
  readonly rows: TableRows;
  /** Rows without a class, with the predictions of the classifier learned from all others. */
  readonly filled?: Predictions & { readonly rows: readonly number[] };
  readonly validation: Validation | CrossValidation;
  /** Warnings of the fits that were tested, by kind. */
  readonly remarks: ReadonlyMap<string, Remark>;
  /** Learned from all rows, for --model. */
  readonly fitted?: FittedClassifier;
  readonly train?: number;
}

export function validationOutcome(run: Validated): ClassifyOutcome {
  const { rows: table, validation, remarks, fitted, train, method, scaling, filled } = run;
  const { rows, cols: features } = table.X;
  const { ids, label, notes, source } = table;
  const known = label!.values;
  const blanks = new Map(filled?.rows.map((row, place) => [row, place] as const));
  const predictions = "predictions" in validation ? validation.predictions : undefined;
  const { accuracy, standardError, deviation, accuracies } = validation;
  const classes = encodeLabels(known).classes.map(String).toSorted();
  const met = confusion(known, predictions ?? known, classes);
  const fits = Array.from(
    remarks.values(),
    ({ text, count }) => `${text} (in ${count} of ${accuracies.length} fits)`,
  );
  const parts = `${accuracies.length} ${train === undefined ? "folds" : "splits"}`;
  const onAll = fitted === undefined ? "" : `; on all rows: ${fitted.facts}`;
  return outcome(run, {
    json: {
      ...(train !== undefined && { train }),
      accuracy,
      standardError,
      deviation,
      accuracies,
      largestClass: largestShare(met),
      classes: met.classes,
      ...(predictions !== undefined && { confusion: met.counts, predictions }),
      ...(filled !== undefined && { filled }),
    },
    data: { source, rows, features, notes },
    facts: [
      ["data", `${source}, ${rows} rows x ${features} features, ${classes.length} classes`],
      ["method", `${method}, scaling ${scaling}${onAll}`],
      [
        "accuracy",
        `${percent(accuracy, 1)} +- ${percent(standardError, 1)} (mean and standard error of ${parts})`,
      ],
      ["to beat", `${percent(largestShare(met), 1)}, by always naming the largest class`],
      ...(filled === undefined
        ? []
        : [
            [
              "filled",
              `${plural(filled.rows.length, "row")} without a class: ${countsText(classes, filled.labels)}`,
            ],
          ]),
    ],
    notes,
    warnings: [...new Set([...validation.warnings, ...fits, ...(fitted?.classifier.warnings ?? [])])],
    tables: predictions === undefined ? [] : ["", ...confusionTable(met)],
    written: {
      ids,
      label,
      columns: predictedColumns(
        (predictions ?? []).map((own, i) => filled?.labels[blanks.get(i) ?? -1] ?? own ?? ""),
        filled?.probabilities && known.map((_, i) => filled.probabilities![blanks.get(i) ?? -1] ?? ""),
      ),
    },
  });
}

/** The report lines about the training rows. */
interface Training {
  readonly source: string;
  readonly rows: number;
  readonly features: number;
  readonly notes: readonly Note[];
}

interface Learned extends Run {
  readonly training: Training;
  readonly fitted: FittedClassifier;
}

/** A classifier that was trained and not tested. */
export function learnedOutcome(run: Learned): ClassifyOutcome {
  const { training, fitted, method, scaling } = run;
  const { classes, warnings } = fitted.classifier;
  const { source, rows, features, notes } = training;
  return outcome(run, {
    json: { classes, converged: fitted.converged ?? null },
    data: training,
    facts: [
      ["data", `${source}, ${rows} rows x ${features} features, ${classes.length} classes`],
      ["method", `${method}, scaling ${scaling}; ${fitted.facts}`],
    ],
    notes,
    warnings,
  });
}

interface Predicted extends Run {
  /** Absent if the classifier was read from a file. */
  readonly training?: Training;
  readonly fresh: NewRows;
  readonly fitted: FittedClassifier;
  /** The table column of each number that the classifier saw. */
  readonly sources: readonly string[];
}

export function predictionOutcome(run: Predicted): ClassifyOutcome {
  const { training, fresh, fitted, sources, method, scaling } = run;
  const { classifier, facts, converged } = fitted;
  const { classes, warnings } = classifier;
  const { source, ids, label, notes } = fresh;
  const { labels: predictions, probabilities } = predicted(classifier, fresh.Y);
  const importance = fitted.importance === undefined ? undefined : sharesByColumn(sources, fitted.importance);
  const met = confusion(label?.values ?? [], predictions, classes);
  const accuracy = accuracyOf(met);
  return outcome(run, {
    json: {
      classes,
      predictions,
      probabilities: probabilities ?? null,
      accuracy: accuracy ?? null,
      ...(accuracy !== undefined && { knownClasses: met.classes, confusion: met.counts }),
      converged: converged ?? null,
      ...(importance !== undefined && {
        importance: Object.fromEntries(importance.map(({ column, share }) => [column, share])),
      }),
    },
    data: { source, rows: fresh.Y.rows, notes },
    facts: [
      ...(training === undefined
        ? []
        : [["data", `${training.source}, ${training.rows} rows x ${training.features} features`]]),
      ["method", `${method}, scaling ${scaling}; ${facts}`],
      ["rows", `${source}, ${predictions.length} rows; predicted ${countsText(classes, predictions)}`],
      ...(accuracy === undefined
        ? []
        : [
            [
              "accuracy",
              `${percent(accuracy, 1)}; ${percent(largestShare(met), 1)} by always naming the largest class`,
            ],
          ]),
    ],
    notes: [...(training?.notes ?? []), ...notes],
    warnings,
    tables: [
      ...(accuracy === undefined ? [] : ["", ...confusionTable(met)]),
      ...(importance === undefined ? [] : ["", ...importanceTable(importance)]),
    ],
    written: { ids, label, columns: predictedColumns(predictions, probabilities) },
  });
}

function countsText(classes: readonly Label[], labels: readonly Label[]): string {
  return classes.map((name) => `${name}: ${labels.filter((label) => label === name).length}`).join(", ");
}

function importanceTable(importance: readonly ColumnRelevance[]): string[] {
  const shown = importance.slice(0, 10).map(({ column, share }) => [column, percent(share, 1)]);
  const more = importance.length - shown.length;
  return [
    ...columns([["column", "importance"], ...shown]),
    ...(more > 0 ? [`and ${more} more columns (--json has all)`] : []),
  ];
}

/** The confusion matrix: counts[known][predicted]. */
interface Confusion {
  readonly classes: readonly string[];
  readonly counts: readonly (readonly number[])[];
}

/**
 * For the rows with a known class and a prediction; classes as text, in the order of `order`. A label -1 that
 * is not a class there is unknown.
 */
function confusion(
  known: readonly string[],
  labels: readonly (Label | null)[],
  order: readonly Label[],
): Confusion {
  const names = order.map(String);
  const further = known.filter((label) => !isUnknown(label) && !names.includes(label));
  const classes = [...names, ...new Set(further)];
  const place = new Map(classes.map((name, c) => [name, c]));
  const counts = classes.map(() => classes.map(() => 0));
  known.forEach((label, i) => {
    const from = place.get(label);
    const to = place.get(String(labels[i]));
    if (from !== undefined && to !== undefined && labels[i] !== null) counts[from][to]++;
  });
  return { classes, counts };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Share of the diagonal; undefined without rows. */
function accuracyOf({ counts }: Confusion): number | undefined {
  const all = total(counts.flat());
  return all === 0 ? undefined : total(counts.map((row, c) => row[c])) / all;
}

/** The share of the largest class: the accuracy of a rule that uses no feature. */
function largestShare({ counts }: Confusion): number {
  const sizes = counts.map(total);
  return Math.max(...sizes) / total(sizes);
}

/** Number of classes with a row and a column. */
const MOST_CLASSES = 20;

/** Known classes in rows, predicted ones in columns, and the share of each class that was found. */
function confusionTable({ classes, counts }: Confusion): string[] {
  if (classes.length > MOST_CLASSES) {
    return [`(${classes.length} classes: --json has the table of known and predicted classes)`];
  }
  const lines = counts.map((row, c) => {
    const size = total(row);
    return [classes[c], ...row.map(String), size === 0 ? "" : percent(row[c] / size, 1)];
  });
  return columns([["known \\ predicted", ...classes, "found"], ...lines]);
}
