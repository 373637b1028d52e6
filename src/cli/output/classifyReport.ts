import type { CrossValidation, Validation } from "../../classify/index.ts";
import type { NumberTable, ScaleKind } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { encodeLabels } from "../../score/index.ts";
import type { FittedClassifier } from "../../method/index.ts";
import { columns } from "./columns.ts";
import { writeCsv } from "./csvOutput.ts";
import { accuracyOf, confusion, confusionTable, largestShare, percent } from "./confusion.ts";

/** What `kindred classify` has to say, in each of the ways it can be asked for. */
export interface ClassifyOutcome {
  readonly json: object;
  readonly text: string;
  /** The predictions as CSV. */
  lines(): Iterable<string>;
}

interface Run {
  readonly method: string;
  readonly scaling: ScaleKind;
  readonly seconds: number;
  /** Which engine has the rows that were learned from, and what it did; absent where they are files. */
  readonly engine?: string;
}

/** A warning, and how many fits had one of its kind. */
export interface Remark {
  readonly text: string;
  readonly count: number;
}

export interface Validated extends Run {
  readonly table: NumberTable;
  readonly validation: Validation | CrossValidation;
  /** Warnings of the fits that were tested, by kind. */
  readonly remarks: ReadonlyMap<string, Remark>;
  /** Learned from all rows, for --model. */
  readonly fitted?: FittedClassifier;
  readonly train?: number;
}

export function validationOutcome(run: Validated): ClassifyOutcome {
  const { table, validation, remarks, fitted, train, method, scaling, seconds } = run;
  const { rows, cols: features } = table.X;
  const known = table.label!.values;
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
      warnings,
      data: { source: table.source, rows, features, notes: table.notes },
      scaling,
      seconds,
    },
    text: [
      ...columns([...facts, ...closing(run, table.notes, warnings)], "   "),
      ...(predictions === undefined ? [] : ["", ...confusionTable(met)]),
    ].join("\n"),
    lines: () =>
      writeCsv({
        ids: table.ids,
        label: table.label,
        columns: [{ name: "predicted", values: (predictions ?? []).map((label) => label ?? "") }],
      }),
  };
}

/** What the report says about the rows that were learned from. */
export interface Training {
  readonly source: string;
  readonly rows: number;
  readonly features: number;
  readonly notes: readonly string[];
}

export interface Learned extends Run {
  readonly training: Training;
  readonly fitted: FittedClassifier;
}

/** A classifier that was learned and not tested. */
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
    text: columns(
      [
        ["data", `${source}, ${rows} rows x ${features} features, ${classes.length} classes`],
        ["method", `${method}, scaling ${scaling}; ${fitted.facts}`],
        ...closing(run, notes, warnings),
      ],
      "   ",
    ).join("\n"),
    lines: () => [],
  };
}

export interface Predicted extends Run {
  /** Absent where the classifier was read from a file. */
  readonly training?: Training;
  readonly fresh: NumberTable;
  /** The new rows, scaled as the training rows were. */
  readonly Y: Matrix;
  readonly fitted: FittedClassifier;
  /** Of the columns that the classifier saw. */
  readonly names: readonly string[];
}

export function predictionOutcome(run: Predicted): ClassifyOutcome {
  const { training, fresh, Y, fitted, names, method, scaling, seconds, engine } = run;
  const { classifier, facts, importance, converged } = fitted;
  const { classes, warnings } = classifier;
  const predictions = classifier.predict(Y);
  const P = classifier.probabilities?.(Y);
  // Of the class that was predicted.
  const probabilities = P && predictions.map((label, i) => P.data[i * P.cols + classes.indexOf(label)]);
  const met = confusion(fresh.label?.values ?? [], predictions, classes);
  const accuracy = accuracyOf(met);
  const counts = classes.map((name) => `${name}: ${predictions.filter((label) => label === name).length}`);
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
        importance: Object.fromEntries(names.map((name, f) => [name, importance[f]])),
      }),
      warnings,
      data: { source: fresh.source, rows: fresh.X.rows, notes: fresh.notes },
      scaling,
      ...(engine !== undefined && { engine }),
      seconds,
    },
    text: [
      ...columns(
        [
          ...learnedFrom,
          ["method", `${method}, scaling ${scaling}; ${facts}`],
          ["rows", `${fresh.source}, ${predictions.length} rows; predicted ${counts.join(", ")}`],
          ...scored,
          ...closing(run, [...(training?.notes ?? []), ...fresh.notes], warnings),
        ],
        "   ",
      ),
      ...(accuracy === undefined ? [] : ["", ...confusionTable(met)]),
      ...(importance === undefined ? [] : ["", ...importanceTable(names, importance)]),
    ].join("\n"),
    lines: () =>
      writeCsv({
        ids: fresh.ids,
        label: fresh.label,
        columns: [
          { name: "predicted", values: predictions },
          ...(probabilities === undefined ? [] : [{ name: "probability", values: probabilities }]),
        ],
      }),
  };
}

function closing(
  { seconds, engine }: Run,
  notes: readonly string[],
  warnings: readonly string[],
): string[][] {
  return [
    ["time", `${(1000 * seconds).toFixed(0)} ms`],
    ...(engine === undefined ? [] : [["engine", engine]]),
    ...notes.map((note) => ["note", note]),
    ...warnings.map((warning) => ["warning", warning]),
  ];
}

function importanceTable(names: readonly string[], importance: ArrayLike<number>): string[] {
  const order = names.map((_, f) => f).toSorted((a, b) => importance[b] - importance[a]);
  const shown = order.slice(0, 10).map((f) => [names[f], percent(importance[f])]);
  const lines = columns([["feature", "importance"], ...shown]);
  if (order.length > shown.length) {
    lines.push(`and ${order.length - shown.length} more features (--json has all)`);
  }
  return lines;
}
