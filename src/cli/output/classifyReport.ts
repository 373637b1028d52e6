import type { Note } from "../../core/index.ts";
import { plural } from "../../core/internal.ts";
import type { Classifier, CrossValidation, Validation } from "../../classify/index.ts";
import { writeCsv, type WriteOptions } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { TableRows } from "../../rows/index.ts";
import type { NewRows } from "../../run/internal.ts";
import { encodeLabels } from "../../score/index.ts";
import type { FittedClassifier } from "../../method/index.ts";
import { columns } from "./terminal.ts";
import { noteFacts } from "./terminal.ts";
import { accuracyOf, confusion, confusionTable, largestShare, percent } from "./confusion.ts";

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

/** A warning, and the number of fits that had it. */
export interface Remark {
  readonly text: string;
  readonly count: number;
}

/** The predicted classes, with their probabilities if the method has them. */
export interface Predictions {
  readonly labels: readonly (string | number)[];
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

export interface Validated extends Run {
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
  const { rows: table, validation, remarks, fitted, train, method, scaling, seconds, filled } = run;
  const { rows, cols: features } = table.X;
  const known = table.label!.values;
  const blanks = new Map(filled?.rows.map((row, place) => [row, place] as const));
  const predictions = "predictions" in validation ? validation.predictions : undefined;
  const { accuracy, standardError, deviation, accuracies } = validation;
  const classes = encodeLabels(known).classes.map(String).toSorted();
  const met = confusion(known, predictions ?? known, classes);
  const warnings = [
    ...new Set([
      ...validation.warnings,
      ...Array.from(
        remarks.values(),
        ({ text, count }) => `${text} (in ${count} of ${accuracies.length} fits)`,
      ),
      ...(fitted?.classifier.warnings ?? []),
    ]),
  ];
  const parts = `${accuracies.length} ${train === undefined ? "folds" : "splits"}`;
  const facts = [
    ["data", `${table.source}, ${rows} rows x ${features} features, ${classes.length} classes`],
    [
      "method",
      `${method}, scaling ${scaling}${fitted === undefined ? "" : `; on all rows: ${fitted.facts}`}`,
    ],
    ["accuracy", `${percent(accuracy)} +- ${percent(standardError)} (mean and standard error of ${parts})`],
    ["to beat", `${percent(largestShare(met))}, by always naming the largest class`],
    ...(filled === undefined
      ? []
      : [
          [
            "filled",
            `${plural(filled.rows.length, "row")} without a class: ${countsText(classes, filled.labels)}`,
          ],
        ]),
  ];
  return {
    json: {
      method,
      ...(train === undefined ? {} : { train }),
      accuracy,
      standardError,
      deviation,
      accuracies,
      largestClass: largestShare(met),
      classes: met.classes,
      ...(predictions !== undefined && { confusion: met.counts, predictions }),
      ...(filled !== undefined && { filled }),
      warnings,
      data: { source: table.source, rows, features, notes: table.notes },
      scaling,
      seconds,
    },
    text: [
      ...said(run),
      ...columns([...facts, ...closing(run, table.notes, warnings)], "   "),
      ...(predictions === undefined ? [] : ["", ...confusionTable(met)]),
    ].join("\n"),
    lines: (csv) =>
      writeCsv(
        {
          ids: table.ids,
          label: table.label,
          columns: [
            {
              name: "predicted",
              values: (predictions ?? []).map(
                (label, i) => filled?.labels[blanks.get(i) ?? -1] ?? label ?? "",
              ),
            },
            ...(filled?.probabilities === undefined
              ? []
              : [
                  {
                    name: "probability",
                    values: known.map((_, i) => filled.probabilities![blanks.get(i) ?? -1] ?? ""),
                  },
                ]),
          ],
        },
        csv,
      ),
  };
}

/** The report lines about the training rows. */
export interface Training {
  readonly source: string;
  readonly rows: number;
  readonly features: number;
  readonly notes: readonly Note[];
}

export interface Learned extends Run {
  readonly training: Training;
  readonly fitted: FittedClassifier;
}

/** A classifier that was trained and not tested. */
export function learnedOutcome(run: Learned): ClassifyOutcome {
  const { training, fitted, method, scaling, seconds, engine } = run;
  const { classes, warnings } = fitted.classifier;
  const { source, rows, features, notes } = training;
  return {
    json: {
      method,
      classes,
      converged: fitted.converged ?? null,
      warnings,
      data: { source, rows, features, notes },
      scaling,
      ...(engine !== undefined && { engine }),
      seconds,
    },
    text: [
      ...said(run),
      ...columns(
        [
          ["data", `${source}, ${rows} rows x ${features} features, ${classes.length} classes`],
          ["method", `${method}, scaling ${scaling}; ${fitted.facts}`],
          ...closing(run, notes, warnings),
        ],
        "   ",
      ),
    ].join("\n"),
    lines: () => [],
  };
}

export interface Predicted extends Run {
  /** Absent if the classifier was read from a file. */
  readonly training?: Training;
  readonly fresh: NewRows;
  readonly fitted: FittedClassifier;
  /** The table column of each number that the classifier saw. */
  readonly sources: readonly string[];
}

export function predictionOutcome(run: Predicted): ClassifyOutcome {
  const { training, fresh, fitted, sources, method, scaling, seconds, engine } = run;
  const { classifier, facts, converged } = fitted;
  const { classes, warnings } = classifier;
  const { labels: predictions, probabilities } = predicted(classifier, fresh.Y);
  const importance = fitted.importance === undefined ? undefined : byColumn(sources, fitted.importance);
  const met = confusion(fresh.label?.values ?? [], predictions, classes);
  const accuracy = accuracyOf(met);
  const learnedFrom =
    training === undefined
      ? []
      : [["data", `${training.source}, ${training.rows} rows x ${training.features} features`]];
  const scored =
    accuracy === undefined
      ? []
      : [
          [
            "accuracy",
            `${percent(accuracy)}; ${percent(largestShare(met))} by always naming the largest class`,
          ],
        ];
  return {
    json: {
      method,
      classes,
      predictions,
      probabilities: probabilities ?? null,
      accuracy: accuracy ?? null,
      ...(accuracy !== undefined && { knownClasses: met.classes, confusion: met.counts }),
      converged: converged ?? null,
      ...(importance !== undefined && {
        importance: Object.fromEntries(importance),
      }),
      warnings,
      data: { source: fresh.source, rows: fresh.Y.rows, notes: fresh.notes },
      scaling,
      ...(engine !== undefined && { engine }),
      seconds,
    },
    text: [
      ...said(run),
      ...columns(
        [
          ...learnedFrom,
          ["method", `${method}, scaling ${scaling}; ${facts}`],
          [
            "rows",
            `${fresh.source}, ${predictions.length} rows; predicted ${countsText(classes, predictions)}`,
          ],
          ...scored,
          ...closing(run, [...(training?.notes ?? []), ...fresh.notes], warnings),
        ],
        "   ",
      ),
      ...(accuracy === undefined ? [] : ["", ...confusionTable(met)]),
      ...(importance === undefined ? [] : ["", ...importanceTable(importance)]),
    ].join("\n"),
    lines: (csv) =>
      writeCsv(
        {
          ids: fresh.ids,
          label: fresh.label,
          columns: [
            { name: "predicted", values: predictions },
            ...(probabilities === undefined ? [] : [{ name: "probability", values: probabilities }]),
          ],
        },
        csv,
      ),
  };
}

function closing({ seconds, engine }: Run, notes: readonly Note[], warnings: readonly string[]): string[][] {
  return [
    ["time", `${(1000 * seconds).toFixed(0)} ms`],
    ...(engine === undefined ? [] : [["engine", engine]]),
    ...noteFacts(notes),
    ...warnings.map((warning) => ["warning", warning]),
  ];
}

/** The column decisions, followed by an empty line. */
function said({ decisions }: Run): string[] {
  return decisions.length === 0 ? [] : [...decisions.join("").trimEnd().split("\n"), ""];
}

function countsText(classes: readonly (string | number)[], labels: readonly (string | number)[]): string {
  return classes.map((name) => `${name}: ${labels.filter((label) => label === name).length}`).join(", ");
}

/** Numbers of one column are added; the largest first. */
function byColumn(sources: readonly string[], importance: ArrayLike<number>): [string, number][] {
  const sums = new Map<string, number>();
  sources.forEach((name, f) => sums.set(name, (sums.get(name) ?? 0) + importance[f]));
  return [...sums].toSorted((a, b) => b[1] - a[1]);
}

function importanceTable(importance: readonly (readonly [string, number])[]): string[] {
  const shown = importance.slice(0, 10).map(([name, share]) => [name, percent(share)]);
  const lines = columns([["column", "importance"], ...shown]);
  if (importance.length > shown.length) {
    lines.push(`and ${importance.length - shown.length} more columns (--json has all)`);
  }
  return lines;
}
