import { type Command, InvalidArgumentError } from "commander";
import {
  crossValidate,
  repeatedHoldout,
  type CrossValidation,
  type FitClassifier,
  type Validation,
} from "../../classify/index.ts";
import { optionError } from "../../core/errors.ts";
import type { OnProgress } from "../../core/progress.ts";
import { scale, type ScaleKind } from "../../data/index.ts";
import { isSparse, toDense, type Matrix } from "../../matrix/index.ts";
import {
  classifiers,
  flagOf,
  shownOptions,
  type ClassifierMethod,
  type OpenClassifier,
} from "../../method/index.ts";
import { loadClassifierModel, storeClassifierModel } from "../../model/classifierModel.ts";
import { learnClassifier, requireSums, type RowSource } from "../../rows/index.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { engineOptions, OPTIONAL_DATA, type EngineOptions } from "../options/engineInput.ts";
import { inputOptions, type InputOptions } from "../options/input.ts";
import { version } from "../manifest.ts";
import { named, readModelJson, scaledFor } from "../options/metricFile.ts";
import { ownOptions } from "../options/methodFlags.ts";
import {
  addMethodFlags,
  listMethods,
  methodOf,
  methodOption,
  scaleOption,
  streamFlag,
} from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { readNewRows } from "../options/newRows.ts";
import { placeOf, withRows } from "../options/rows.ts";
import {
  learnedOutcome,
  predictionOutcome,
  validationOutcome,
  type ClassifyOutcome,
  type Remark,
} from "../output/classifyReport.ts";
import { outputFile, requireOneToStdout, type OutputFile } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface ClassifyOptions extends InputOptions, EngineOptions {
  readonly test?: string;
  readonly use?: string;
  readonly folds?: number;
  readonly train?: number;
  readonly repeats?: number;
  readonly seed?: number;
  readonly scale?: ScaleKind;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "forest";

/** The options of a method appear once the method is named, so that help and errors speak about that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, classifiers, DEFAULT);
  const opened = await method.open();
  const unscaled = classifiers.filter((known) => known.scale === "none").map(({ name }) => name);
  const scaling = scaleOption();
  scaling.description = `put the columns on a common scale, by the training rows (default: zscore; none for ${unscaled.join(", ")})`;
  command
    .argument(
      OPTIONAL_DATA,
      "rows with known classes (several files are streamed); with --use, the rows to classify",
    )
    .addOption(methodOption("how to classify", classifiers, DEFAULT))
    .option("--test <file>", "rows to classify by what was learned from all of <data>")
    .option(
      "--folds <n>",
      "cross-validate with so many folds (default: 10, without --test)",
      integerAtLeast(2),
    )
    .option("--train <share>", "instead of folds: learn from this share of the rows, test the others", share)
    .option(
      "--repeats <n>",
      "times that folds (default: 1) or splits (default: 10) are drawn",
      integerAtLeast(1),
    )
    .addOption(seedOption())
    .addOption(scaling)
    .option("--use <model>", "classify <data> by what --model wrote, without learning");
  inputOptions(command, "learned");
  engineOptions(command);
  command
    .addOption(streamFlag(classifiers))
    .option("--out <file>", "write the predicted classes as CSV; - is standard output")
    .option("--model <file>", "write what was learned from all of <data> as JSON")
    .option("--json", "print one JSON object");
  addMethodFlags(command, method, opened.options, { letters: { "--neighbors": "-k" } });
  listMethods(command, classifiers);
  command.action((source: string | undefined, options: ClassifyOptions) => {
    if (options.use === undefined) return learn(source, options, method, opened);
    const own = shownOptions(opened.options).map(({ name }) => name);
    for (const name of [...LEARNING, ...own]) {
      if (command.getOptionValueSource(name) === "cli") {
        throw optionError(`--use classifies without learning; it cannot be combined with ${flagOf(name)}`);
      }
    }
    if (source === undefined)
      throw optionError("--use needs rows to classify: a file, or a data set by name");
    return reuse(source, options, options.use);
  });
}

/** What cannot be combined with --use. */
const LEARNING = [
  "method",
  "test",
  "folds",
  "train",
  "repeats",
  "scale",
  "model",
  "stream",
  "engine",
  "query",
  "table",
  "database",
  "remote",
  "memory",
];

async function learn(
  source: string | undefined,
  options: ClassifyOptions,
  method: ClassifierMethod,
  opened: OpenClassifier,
): Promise<void> {
  const place = placeOf(source, options);
  checkUsage(options);
  if (place !== "table") checkSumsUsage(options, method, place);
  const files = { out: toFile(options.out, "--out"), model: toFile(options.model, "--model") };
  const progress = progressLine();
  const { onProgress } = progress;
  const outcome = await withRows(source, options, onProgress, (rows) =>
    outcomeOf(rows, options, method, opened, { model: files.model, onProgress }),
  ).finally(progress.done);
  await emit(outcome, options, files);
}

async function outcomeOf(
  rows: RowSource,
  options: ClassifyOptions,
  method: ClassifierMethod,
  opened: OpenClassifier,
  { model, onProgress }: { readonly model?: OutputFile; readonly onProgress: OnProgress },
): Promise<ClassifyOutcome> {
  const label = rows.kind === "table" ? rows.table.label?.name : options.label;
  if (label === undefined) throw optionError("classify needs --label, the column of known classes");
  const { test, train, seed } = options;
  const kind = options.scale ?? method.scale;
  const own = ownOptions(opened.options, options);
  const start = performance.now();
  const remarks = new Map<string, Remark>();
  const validation =
    test === undefined && rows.kind === "table"
      ? validate(rows, fitterOf(opened, kind, { ...own, seed }, remarks), options, onProgress)
      : undefined;
  const learned =
    test === undefined && model === undefined
      ? undefined
      : await learnClassifier(rows, method, { scale: kind, seed, own, onProgress });
  if (learned !== undefined) {
    const { scaling, fitted } = learned;
    const stored = storeClassifierModel({ label, scaling, classifier: fitted.classifier });
    await model?.write([`${JSON.stringify({ kindred: version(), ...stored })}\n`]);
  }
  const run = { method: method.name, scaling: kind, seconds: (performance.now() - start) / 1000 };
  if (validation !== undefined && rows.kind === "table") {
    const { table } = rows;
    return validationOutcome({ ...run, table, validation, remarks, fitted: learned?.fitted, train });
  }
  const { fitted, scaling, names, source, notes, engine } = learned!;
  const training = { source, rows: learned!.rows, features: scaling.columns.length, notes };
  const told = { ...run, ...(engine !== undefined && { engine }), training, fitted };
  if (test === undefined) return learnedOutcome(told);
  const fresh = await readNewRows(test, label, options, onProgress);
  const Y = scaledFor(fresh, { path: source, scaling }, "classifier");
  return predictionOutcome({ ...told, fresh, Y, names });
}

/**
 * Scaling is part of what is learned: it sees the training rows of a fold only.
 *
 * @param remarks warnings of the fits, one for each kind, and how many of them had it
 */
function fitterOf(
  { fit }: OpenClassifier,
  kind: ScaleKind,
  own: object,
  remarks: Map<string, Remark>,
): FitClassifier {
  return (X, labels) => {
    const scaled = scale(X, kind);
    const { classifier } = fit(scaled.X, labels, { ...own });
    for (const text of classifier.warnings) {
      // Fits name different classes, but it is the same warning.
      const sort = text.replace(/:.*/s, "").replace(/^classes /, "class ");
      const before = remarks.get(sort);
      remarks.set(sort, { text: before?.text ?? text, count: (before?.count ?? 0) + 1 });
    }
    return { predict: (Y) => classifier.predict(scaled.apply(Y)) };
  };
}

async function reuse(source: string, options: ClassifyOptions, path: string): Promise<void> {
  const out = toFile(options.out, "--out");
  const model = named(path, () => loadClassifierModel(readModelJson(path)));
  const progress = progressLine();
  const fresh = await readNewRows(source, options.label ?? model.label, options, progress.onProgress);
  progress.done();
  const start = performance.now();
  const { scaling, classifier } = model;
  const Y = scaledFor(fresh, { path, scaling }, "classifier");
  const outcome = predictionOutcome({
    method: classifier.method,
    scaling: scaling.kind,
    names: [],
    fresh,
    Y,
    fitted: { classifier, facts: `read from ${path}` },
    seconds: (performance.now() - start) / 1000,
  });
  await emit(outcome, options, { out });
}

function validate(
  { table }: Extract<RowSource, { kind: "table" }>,
  fit: FitClassifier,
  { folds, train, repeats, seed }: ClassifyOptions,
  onProgress: OnProgress,
): Validation | CrossValidation {
  const X: Matrix = isSparse(table.X) ? toDense(table.X) : table.X;
  const labels = table.label!.values;
  return train === undefined
    ? crossValidate(X, labels, fit, { folds, repeats, seed, onProgress })
    : repeatedHoldout(X, labels, fit, { train, repeats, seed, onProgress });
}

/** Files first, then the answer: JSON, or the table of predictions with the report on standard error, or the report. */
async function emit(
  { json, text, lines }: ClassifyOutcome,
  options: ClassifyOptions,
  files: { readonly out?: OutputFile; readonly model?: OutputFile },
): Promise<void> {
  await files.out?.write(lines());
  if (options.json === true) return writeOut([`${JSON.stringify(json)}\n`]);
  if (options.out === "-") {
    tell(text);
    return writeOut(lines());
  }
  await writeOut([`${text}\n`]);
  for (const file of [files.out, files.model]) if (file !== undefined) tell(`wrote ${file.path}`);
}

/** Options that contradict each other or would have no effect. */
function checkUsage(options: ClassifyOptions): void {
  const { test, folds, train, repeats, out, batch } = options;
  if (batch !== undefined) throw optionError("--batch: classify scales all training rows together");
  requireOneToStdout(options);
  if (folds !== undefined && train !== undefined) throw optionError("--folds and --train: give one of them");
  if (test !== undefined && (folds ?? train ?? repeats) !== undefined) {
    throw optionError(
      "--test learns from all rows; it cannot be combined with --folds, --train or --repeats",
    );
  }
  if (train !== undefined && out !== undefined) {
    throw optionError("--out with --train: a row is predicted in some splits and not in others; use --folds");
  }
}

/** What rows that do not come here at once are not learned by or tested by. */
function checkSumsUsage(
  options: ClassifyOptions,
  method: ClassifierMethod,
  place: "stream" | "engine",
): void {
  requireSums(method, place, classifiers);
  const told = place === "stream" ? "a stream" : "a table of an engine";
  const { label, test, model, out, folds, train, repeats, scale: kind } = options;
  if (label === undefined) throw optionError("classify needs --label, the column of known classes");
  if ((folds ?? train ?? repeats) !== undefined || (test === undefined && model === undefined)) {
    throw optionError(
      `${told} is learned from as a whole, not cross-validated: give --test with rows to classify, or --model`,
    );
  }
  if (test === undefined && out !== undefined)
    throw optionError("--out: without --test nothing is predicted");
  if (kind !== undefined && kind !== "none") {
    throw optionError(`--scale ${kind}: ${method.name} learns from the values of ${told} as they are`);
  }
}

function toFile(path: string | undefined, option: string): OutputFile | undefined {
  return path === undefined || path === "-" ? undefined : outputFile(path, option);
}

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError("It must be between 0 and 1, as 0.1.");
  return value;
}
