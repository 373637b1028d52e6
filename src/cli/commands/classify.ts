import type { Command } from "commander";
import {
  crossValidate,
  repeatedHoldout,
  type CrossValidation,
  type FitClassifier,
  type Validation,
} from "../../classify/index.ts";
import type { OnProgress } from "../../core/index.ts";
import { optionError, rule } from "../../core/internal.ts";
import { scale, takeTableRows, type ScaleKind } from "../../data/index.ts";
import { isSparse, matrix, takeRows, toDense, type Matrix } from "../../matrix/index.ts";
import { classifiers, shownOptions, type ClassifierMethod, type OpenClassifier } from "../../method/index.ts";
import { loadClassifierModel, placingIn, storeClassifierModel } from "../../model/index.ts";
import { learnClassifier, requireSums, type SummedRows } from "../../rows/index.ts";
import type { RowsRequest } from "../../run/index.ts";
import {
  inFile,
  newRows,
  OF_ENGINES,
  ownOptions,
  placeOf,
  prepareInput,
  readModelJson,
  sourcesOf,
  spaceText,
  weighed,
  withRows,
  type LearnRequest,
  type ReadRows,
} from "../../run/internal.ts";
import { encodeLabels } from "../../score/index.ts";
import { integerAtLeast, valueOf, DATA_HELP, methodCommand, safeOption } from "../options/words.ts";
import {
  learnedOutcome,
  predicted,
  predictionOutcome,
  validationOutcome,
  type ClassifyOutcome,
  type Remark,
} from "../output/classifyReport.ts";
import { decisions } from "../output/columnText.ts";
import { modelText } from "../manifest.ts";
import { openOutputs, type Outputs } from "../output/outputs.ts";
import { endingBySignal, withProgress } from "../output/terminal.ts";

interface Testing {
  readonly test?: string;
  readonly folds?: number;
  readonly train?: number;
  readonly repeats?: number;
}

type ClassifyFlags = Omit<RowsRequest, "use"> &
  Testing & { readonly use?: string; readonly out?: string; readonly model?: string };

export async function define(command: Command, args: readonly string[]): Promise<void> {
  const { method, opened } = await methodCommand(command, args, {
    methods: classifiers,
    says: "how to classify",
    usual: "forest",
    data: `rows with known classes, or with --use the rows to classify: ${DATA_HELP}`,
    table: { label: "learned", without: ["use", "weights"] },
    own: () =>
      command
        .option("--test <file>", "rows to classify with a classifier learned from all of <data>")
        .option(
          "--folds <n>",
          "cross-validate with this many folds (default: 10, without --test)",
          integerAtLeast(2),
        )
        .option(
          "--train <share>",
          "instead of folds: learn from this share of the rows, test the others",
          valueOf({ kind: "number", above: 0, below: 1 }),
        )
        .option(
          "--repeats <n>",
          "how often folds (default: 1) or splits (default: 10) are drawn",
          integerAtLeast(1),
        )
        .option("--use <model>", "classify <data> with a file from --model, without learning"),
    writes: () =>
      command
        .option("--out <file>", "write the predicted classes as CSV; - is standard output")
        .addOption(safeOption())
        .option("--model <file>", "write the classifier learned from all of <data> as JSON")
        .option("--json", "print one JSON object"),
    letters: { "--neighbors": "-k" },
  });
  command.action((given: readonly string[], flags: ClassifyFlags) => {
    if (flags.use === undefined) return learn(command, given, flags, method, opened);
    const own = shownOptions(opened.options).map(({ name }) => name);
    for (const name of [...LEARNING, ...own]) {
      if (command.getOptionValueSource(name) === "cli") {
        throw optionError(
          `--use classifies without learning; it cannot be combined with ${rule.flagOf(name)}`,
        );
      }
    }
    const sources = sourcesOf(given, {});
    if (sources.length === 0)
      throw optionError("--use needs rows to classify: a file, or a data set by name");
    return reuse(command, sources, flags, flags.use);
  });
}

/** Options that cannot be combined with --use. */
const LEARNING: readonly string[] = [
  "method",
  "test",
  "folds",
  "train",
  "repeats",
  "scale",
  "model",
  "stream",
  "engine",
  ...OF_ENGINES,
];

async function learn(
  command: Command,
  given: readonly string[],
  flags: ClassifyFlags,
  method: ClassifierMethod,
  opened: OpenClassifier,
): Promise<void> {
  // A method that cuts columns one by one takes them unscaled.
  const own = method.scale === "none" ? { scale: flags.scale ?? ("none" as const) } : {};
  const request = { ...flags, ...own, use: undefined, target: true };
  const sources = sourcesOf(given, request);
  const place = placeOf(sources, request);
  checkUsage(flags);
  if (place !== "memory") checkSumsUsage(flags, method, place);
  const outputs = await openOutputs(command, ["out", "model"]);
  const outcome = await withProgress((onProgress) =>
    withRows(sources, request, { onProgress, onEngine: endingBySignal }, (rows) =>
      outcomeOf(rows, request, method, opened, { outputs, onProgress }),
    ),
  );
  await emit(outcome, outputs);
}

async function outcomeOf(
  rows: ReadRows | SummedRows,
  options: LearnRequest & Testing,
  method: ClassifierMethod,
  opened: OpenClassifier,
  { outputs, onProgress }: { readonly outputs: Outputs; readonly onProgress: OnProgress },
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
    test === undefined && !outputs.has("model") && blanks.length === 0
      ? undefined
      : await learnClassifier(rows, method, { seed, own, onProgress });
  if (learned !== undefined) {
    const stored = storeClassifierModel({ ...learned, label, classifier: learned.fitted.classifier });
    await outputs.write("model", modelText(stored));
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
  options: LearnRequest & Testing,
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
  options: LearnRequest & Testing,
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

async function reuse(
  command: Command,
  sources: readonly string[],
  flags: ClassifyFlags,
  path: string,
): Promise<void> {
  const outputs = await openOutputs(command, ["out"]);
  const stored = readModelJson(path);
  const model = inFile(path, () => loadClassifierModel(stored));
  const label = flags.label ?? model.label;
  const fresh = await withProgress((onProgress) => newRows(sources, model, label, flags, onProgress));
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
  await emit(outcome, outputs);
}

function validate(
  { X, label }: ReadRows,
  fit: FitClassifier,
  { folds, train, repeats, seed }: LearnRequest & Testing,
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

async function emit({ json, text, lines }: ClassifyOutcome, outputs: Outputs): Promise<void> {
  await outputs.write("out", lines(outputs.csv));
  await outputs.answer({ json: () => json, text: () => `${text}\n` });
}

/** Options that contradict each other or have no effect. */
function checkUsage(options: ClassifyFlags): void {
  const { test, folds, train, repeats, out, batch } = options;
  if (batch !== undefined) throw optionError("--batch: classify scales all training rows together");
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
function checkSumsUsage(options: ClassifyFlags, method: ClassifierMethod, place: "stream" | "engine"): void {
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
