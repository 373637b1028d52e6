import { type Command, InvalidArgumentError } from "commander";
import {
  crossValidate,
  repeatedHoldout,
  type CrossValidation,
  type FitClassifier,
  type Validation,
} from "../../classify/index.ts";
import type { OnProgress } from "../../core/index.ts";
import { optionError } from "../../core/internal.ts";
import { scale, takeTableRows, type ScaleKind } from "../../data/index.ts";
import { isSparse, matrix, takeRows, toDense, type Matrix } from "../../matrix/index.ts";
import {
  classifiers,
  flagOf,
  shownOptions,
  type ClassifierMethod,
  type OpenClassifier,
} from "../../method/index.ts";
import { loadClassifierModel, placingIn, storeClassifierModel } from "../../model/index.ts";
import { learnClassifier, requireSums, type SummedRows } from "../../rows/index.ts";
import { encodeLabels } from "../../score/index.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { engineOptions, OPTIONAL_DATA, type EngineOptions } from "../options/engineInput.ts";
import { version } from "../manifest.ts";
import { named, readModelJson } from "../options/metricFile.ts";
import { ownOptions } from "../options/methodFlags.ts";
import { addMethodFlags, listMethods, methodOf, methodOption, streamFlag } from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { newRows } from "../options/newRows.ts";
import { placeOf, sourcesOf, weighed, withRows, type ReadRows } from "../options/rows.ts";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  prepareInput,
  type TableOptions,
} from "../options/tableInput.ts";
import { decisions, spaceText } from "../output/clusterText.ts";
import {
  learnedOutcome,
  predicted,
  predictionOutcome,
  validationOutcome,
  type ClassifyOutcome,
  type Remark,
} from "../output/classifyReport.ts";
import { outputFile, requireOneToStdout, type OutputFile } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface ClassifyOptions extends Omit<TableOptions, "use">, EngineOptions {
  readonly test?: string;
  readonly use?: string;
  readonly folds?: number;
  readonly train?: number;
  readonly repeats?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "forest";

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, classifiers, DEFAULT);
  const opened = await method.open();
  command
    .argument(OPTIONAL_DATA, `rows with known classes, or with --use the rows to classify: ${DATA_HELP}`)
    .addOption(methodOption("how to classify", classifiers, DEFAULT))
    .option("--test <file>", "rows to classify with a classifier learned from all of <data>")
    .option(
      "--folds <n>",
      "cross-validate with this many folds (default: 10, without --test)",
      integerAtLeast(2),
    )
    .option("--train <share>", "instead of folds: learn from this share of the rows, test the others", share)
    .option(
      "--repeats <n>",
      "how often folds (default: 1) or splits (default: 10) are drawn",
      integerAtLeast(1),
    )
    .addOption(seedOption())
    .option("--use <model>", "classify <data> with a file from --model, without learning");
  columnOptions(command, "learned", { use: false });
  featureOptions(command, { weights: false });
  fileOptions(command);
  engineOptions(command);
  command
    .addOption(streamFlag(classifiers))
    .option("--out <file>", "write the predicted classes as CSV; - is standard output")
    .option("--model <file>", "write the classifier learned from all of <data> as JSON")
    .option("--json", "print one JSON object");
  addMethodFlags(command, method, opened.options, { letters: { "--neighbors": "-k" } });
  listMethods(command, classifiers);
  command.action((given: readonly string[], options: ClassifyOptions) => {
    const sources = sourcesOf(given, options);
    if (options.use === undefined) return learn(sources, options, method, opened);
    const own = shownOptions(opened.options).map(({ name }) => name);
    for (const name of [...LEARNING, ...own]) {
      if (command.getOptionValueSource(name) === "cli") {
        throw optionError(`--use classifies without learning; it cannot be combined with ${flagOf(name)}`);
      }
    }
    if (sources.length === 0)
      throw optionError("--use needs rows to classify: a file, or a data set by name");
    return reuse(sources, options, options.use);
  });
}

/** Options that cannot be combined with --use. */
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
  sources: readonly string[],
  options: ClassifyOptions,
  method: ClassifierMethod,
  opened: OpenClassifier,
): Promise<void> {
  // A method that cuts columns one by one takes them unscaled.
  const { use: _, ...given } = options;
  const own = method.scale === "none" ? { scale: given.scale ?? ("none" as const) } : {};
  const reading = { ...given, ...own, told: true };
  const place = placeOf(sources, reading);
  checkUsage(options);
  if (place !== "table") checkSumsUsage(options, method, place);
  const files = { out: toFile(options.out, "--out"), model: toFile(options.model, "--model") };
  const progress = progressLine();
  const { onProgress } = progress;
  const outcome = await withRows(sources, reading, onProgress, (rows) =>
    outcomeOf(rows, reading, method, opened, {
      model: files.model,
      onProgress,
    }),
  ).finally(progress.done);
  await emit(outcome, options, files);
}

async function outcomeOf(
  rows: ReadRows | SummedRows,
  options: Omit<ClassifyOptions, "use">,
  method: ClassifierMethod,
  opened: OpenClassifier,
  { model, onProgress }: { readonly model?: OutputFile; readonly onProgress: OnProgress },
): Promise<ClassifyOutcome> {
  const label = rows.kind === "table" ? rows.label?.name : options.label;
  if (label === undefined) throw optionError("classify needs --label, the column of known classes");
  const { test, train, seed } = options;
  const own = ownOptions(opened.options, options);
  const start = performance.now();
  const remarks = new Map<string, Remark>();
  const validation =
    test === undefined && rows.kind === "table"
      ? validate(rows, fitterOf(opened, rows, options, { ...own, seed }, remarks), options, onProgress)
      : undefined;
  const blanks = rows.kind === "table" ? unknownRows(rows.label!.values) : [];
  const learned =
    test === undefined && model === undefined && blanks.length === 0
      ? undefined
      : await learnClassifier(rows, method, { seed, own, onProgress });
  if (learned !== undefined) {
    const stored = storeClassifierModel({ ...learned, label, classifier: learned.fitted.classifier });
    await model?.write([`${JSON.stringify({ kindred: version(), ...stored })}\n`]);
  }
  const scaling = rows.kind === "table" ? spaceText(rows.space) : "none";
  const run = { method: method.name, scaling, seconds: (performance.now() - start) / 1000 };
  const prepared = rows.kind === "table" ? rows.prepared : undefined;
  if (validation !== undefined && rows.kind === "table") {
    const filled =
      learned === undefined || blanks.length === 0
        ? undefined
        : { rows: blanks, ...predicted(learned.fitted.classifier, takeRows(rows.X, blanks)) };
    return validationOutcome({
      ...run,
      rows,
      validation,
      remarks,
      fitted: learned?.fitted,
      train,
      decisions: decisions(prepared),
      ...(filled !== undefined && { filled }),
    });
  }
  const { fitted, sources, source, notes, engine } = learned!;
  const training = { source, rows: learned!.rows, features: sources.length, notes };
  const told = {
    ...run,
    ...(engine !== undefined && { engine }),
    training,
    fitted,
    decisions: decisions(prepared),
  };
  if (test === undefined) return learnedOutcome(told);
  const fresh = await newRows([test], learned!, label, options, onProgress);
  return predictionOutcome({ ...told, fresh, sources });
}

function unknownRows(labels: readonly string[]): number[] {
  const { codes } = encodeLabels(labels);
  return Array.from(codes.keys()).filter((i) => codes[i] < 0);
}

/**
 * The conversion of columns is part of the learning: it sees only the training rows of a fold. The matrices
 * hold the numbers of the rows.
 *
 * @param remarks warnings of the fits, one for each kind, and how many of them had it
 */
function fitterOf(
  { fit }: OpenClassifier,
  rows: ReadRows,
  options: Omit<ClassifyOptions, "use">,
  own: object,
  remarks: Map<string, Remark>,
): FitClassifier {
  const learnSpace = spaceLearner(rows, options);
  return (training, labels) => {
    const { X, place } = learnSpace(training.data);
    const { classifier } = fit(X, labels, { ...own });
    for (const text of classifier.warnings) {
      // Fits name different classes, but the warning is the same.
      const sort = text.replace(/:.*/s, "").replace(/^classes /, "class ");
      const before = remarks.get(sort);
      remarks.set(sort, { text: before?.text ?? text, count: (before?.count ?? 0) + 1 });
    }
    return { predict: (tested) => classifier.predict(place(tested.data)) };
  };
}

/** Numbers learned from some rows, and a function that converts other rows in the same way. */
interface LearnedSpace {
  readonly X: Matrix;
  place(rows: ArrayLike<number>): Matrix;
}

function spaceLearner(
  { input, prepared, columns }: ReadRows,
  options: Omit<ClassifyOptions, "use">,
): (rows: ArrayLike<number>) => LearnedSpace {
  const { numbers } = input;
  if (numbers !== undefined) {
    const X = isSparse(numbers.X) ? toDense(numbers.X) : numbers.X;
    const kind = (prepared.space.kind === "scaling" ? prepared.space.scaling.kind : "zscore") as ScaleKind;
    return (rows) => {
      const scaled = scale(takeRows(X, rows), kind);
      return { X: scaled.X, place: (others) => scaled.apply(takeRows(X, others)) };
    };
  }
  const table = prepared.rows === undefined ? prepared.table : takeTableRows(prepared.table, prepared.rows);
  return (rows) => {
    const { X, space } = prepareInput({ table: takeTableRows(table, rows) }, weighed(options));
    const place = placingIn({ columns, space });
    return {
      X: X as Matrix,
      place: (others) => place(takeTableRows(table, others)).X,
    };
  };
}

async function reuse(sources: readonly string[], options: ClassifyOptions, path: string): Promise<void> {
  const out = toFile(options.out, "--out");
  const stored = readModelJson(path);
  const model = named(path, () => loadClassifierModel(stored));
  const progress = progressLine();
  const fresh = await newRows(
    sources,
    model,
    options.label ?? model.label,
    options,
    progress.onProgress,
  ).finally(progress.done);
  const start = performance.now();
  const { space, classifier } = model;
  const outcome = predictionOutcome({
    method: classifier.method,
    scaling: spaceText(space),
    sources: [],
    decisions: [],
    fresh,
    fitted: { classifier, facts: `read from ${path}` },
    seconds: (performance.now() - start) / 1000,
  });
  await emit(outcome, options, { out });
}

function validate(
  { X, label }: ReadRows,
  fit: FitClassifier,
  { folds, train, repeats, seed }: ClassifyOptions,
  onProgress: OnProgress,
): Validation | CrossValidation {
  const places = matrix(
    X.rows,
    1,
    Float64Array.from({ length: X.rows }, (_, i) => i),
  );
  const labels = label!.values;
  return train === undefined
    ? crossValidate(places, labels, fit, { folds, repeats, seed, onProgress })
    : repeatedHoldout(places, labels, fit, { train, repeats, seed, onProgress });
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

/** Options that contradict each other or have no effect. */
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

/** Options that streams and engines do not support. */
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
      `${told} is used as a whole for training, not cross-validated: give --test with rows to classify, or --model`,
    );
  }
  if (test === undefined && out !== undefined)
    throw optionError("--out: without --test nothing is predicted");
  if (kind !== undefined && kind !== "none") {
    throw optionError(`--scale ${kind}: ${method.name} learns from the unscaled values of ${told}`);
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
