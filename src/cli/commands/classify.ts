import { type Command, InvalidArgumentError, Option } from "commander";
import {
  crossValidate,
  repeatedHoldout,
  type CrossValidation,
  type FitClassifier,
  type Validation,
} from "../../classify/index.ts";
import { optionError } from "../../core/errors.ts";
import type { OnProgress } from "../../core/progress.ts";
import { scale, type Scaled, type ScaleKind, type NumberTable } from "../../data/index.ts";
import { isSparse, toDense, type Matrix } from "../../matrix/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { classifierFileText, readClassifierFile } from "../classifierFile.ts";
import {
  classifyMethod,
  classifyMethods,
  type ClassifyMethod,
  type Fitted,
  type OwnOptions,
} from "../classifyMethods.ts";
import {
  predictionOutcome,
  validationOutcome,
  type ClassifyOutcome,
  type Remark,
} from "../classifyReport.ts";
import type { Learning } from "../classifySums.ts";
import { checkSumsUsage, checkUsage } from "../classifyUsage.ts";
import { engineOptions, isOnEngine, OPTIONAL_DATA, type EngineOptions } from "../engineInput.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { scaledFor } from "../metricFile.ts";
import { readNewRows } from "../newRows.ts";
import { outputFile, type OutputFile } from "../outputFile.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";
import { isStreamed } from "../streamInput.ts";

export interface ClassifyOptions extends InputOptions, EngineOptions {
  readonly method: string;
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
export function define(command: Command, args: readonly string[]): void {
  const at = args.findIndex((arg) => arg === "--method" || arg === "-m");
  const attached = args.find((arg) => arg.startsWith("--method="))?.slice("--method=".length);
  const method = classifyMethod((at >= 0 ? args[at + 1] : attached) ?? DEFAULT);
  command
    .argument(
      OPTIONAL_DATA,
      "rows with known classes (several files are streamed); with --use, the rows to classify",
    )
    .addOption(
      new Option("-m, --method <name>", "how to classify")
        .choices(classifyMethods.map(({ name }) => name))
        .default(DEFAULT),
    )
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
    .option("--seed <n>", "of every random choice (default: 0)", integerAtLeast(0))
    .addOption(
      new Option(
        "--scale <kind>",
        "put the columns on a common scale, by the training rows (default: zscore; none for forest, naive-bayes)",
      ).choices(["zscore", "minmax", "none"]),
    )
    .option("--use <model>", "classify <data> by what --model wrote, without learning");
  inputOptions(command, "learned");
  engineOptions(command);
  command
    .option("--stream", "learn in batches, from data larger than memory (naive-bayes)")
    .option("--out <file>", "write the predicted classes as CSV; - is standard output")
    .option("--model <file>", "write what was learned from all of <data> as JSON")
    .option("--json", "print one JSON object");
  for (const option of method.options) command.addOption(option.helpGroup(`Options of ${method.name}:`));
  const width = Math.max(...classifyMethods.map(({ name }) => name.length));
  const list = classifyMethods.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  command.addHelpText(
    "after",
    `\nMethods (their options: kindred classify --method NAME --help):\n${list.join("\n")}`,
  );
  command.action((source: string | undefined, options: ClassifyOptions) => {
    if (options.use === undefined) return learn(source, options, method);
    const own = method.options.map((option) => option.attributeName());
    for (const name of [...LEARNING, ...own]) {
      if (command.getOptionValueSource(name) === "cli") {
        throw optionError(`--use classifies without learning: --${dashed(name)} has no use`);
      }
    }
    if (source === undefined)
      throw optionError("--use needs rows to classify: a file, or a data set by name");
    return reuse(source, options, options.use);
  });
}

/** What --use has no use for. */
const LEARNING = [
  "method",
  "test",
  "folds",
  "train",
  "repeats",
  "seed",
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
  method: ClassifyMethod,
): Promise<void> {
  const onEngine = isOnEngine(source, options);
  const streamed = !onEngine && isStreamed(source!, options.stream);
  checkUsage(options, method);
  if (onEngine) checkSumsUsage(options, method, "on an engine");
  if (streamed) checkSumsUsage(options, method, "from a stream");
  const files = { out: toFile(options.out, "--out"), model: toFile(options.model, "--model") };
  const progress = progressLine();
  const learning = { model: files.model, onProgress: progress.onProgress };
  let outcome: ClassifyOutcome;
  try {
    if (onEngine || streamed) {
      const { fromEngine, fromStream } = await import("../classifySums.ts");
      const own = ownOptions(options, method);
      outcome = onEngine
        ? await fromEngine(options, method, own, learning)
        : await fromStream(source!, options, method, own, learning);
    } else {
      outcome = await fromTable(source!, options, method, learning);
    }
  } finally {
    progress.done();
  }
  await emit(outcome, options, files);
}

async function fromTable(
  source: string,
  options: ClassifyOptions,
  method: ClassifyMethod,
  { model, onProgress }: Learning,
): Promise<ClassifyOutcome> {
  const table = await readInput(source, options, onProgress);
  const { label } = table;
  if (label === undefined) throw optionError("classify needs --label, the column of known classes");
  const X = dense(table);
  const kind = options.scale ?? method.scale;
  const own = { ...ownOptions(options, method), ...(method.seeded && { seed: options.seed }) };
  const start = performance.now();
  const remarks = new Map<string, Remark>();
  const validation =
    options.test === undefined
      ? validate(X, label.values, fitterOf(method, kind, own, remarks), options, onProgress)
      : undefined;
  let whole: { fitted: Fitted; scaled: Scaled<Matrix> } | undefined;
  if (options.test !== undefined || model !== undefined) {
    const scaled = scale(X, kind, { names: table.names });
    whole = { scaled, fitted: method.fit(scaled.X, label.values, own, onProgress) };
    await model?.write([classifierFileText(label.name, scaled.scaling, whole.fitted.classifier)]);
  }
  const run = { method: method.name, scaling: kind, seconds: (performance.now() - start) / 1000 };
  if (validation !== undefined) {
    const { train } = options;
    return validationOutcome({ ...run, table, validation, remarks, fitted: whole?.fitted, train });
  }
  const { fitted, scaled } = whole!;
  const fresh = await readNewRows(options.test!, label.name, options, onProgress);
  const Y = scaledFor(fresh, { path: source, scaling: scaled.scaling }, "classifier");
  const training = { source: table.source, rows: X.rows, features: X.cols, notes: table.notes };
  return predictionOutcome({ ...run, training, fresh, Y, fitted, names: scaled.names });
}

/**
 * Scaling is part of what is learned: it sees the training rows of a fold only.
 *
 * @param remarks warnings of the fits, one for each kind, and how many of them had it
 */
function fitterOf(
  method: ClassifyMethod,
  kind: ScaleKind,
  own: OwnOptions,
  remarks: Map<string, Remark>,
): FitClassifier {
  return (X, labels) => {
    const scaled = scale(X, kind);
    const { classifier } = method.fit(scaled.X, labels, own);
    for (const text of classifier.warnings) {
      // Fits name different classes, but it is the same warning.
      const kind = text.replace(/:.*/s, "").replace(/^classes /, "class ");
      const before = remarks.get(kind);
      remarks.set(kind, { text: before?.text ?? text, count: (before?.count ?? 0) + 1 });
    }
    return { predict: (Y) => classifier.predict(scaled.apply(Y)) };
  };
}

async function reuse(source: string, options: ClassifyOptions, path: string): Promise<void> {
  const out = toFile(options.out, "--out");
  const file = readClassifierFile(path);
  const progress = progressLine();
  const fresh = await readNewRows(source, options.label ?? file.label, options, progress.onProgress);
  progress.done();
  const start = performance.now();
  const Y = scaledFor(fresh, file, "classifier");
  const fitted = { classifier: file.classifier, facts: `read from ${path}` };
  const run = { method: file.classifier.method, scaling: file.scaling.kind, names: [] };
  const outcome = predictionOutcome({
    ...run,
    fresh,
    Y,
    fitted,
    seconds: (performance.now() - start) / 1000,
  });
  await emit(outcome, options, { out });
}

function validate(
  X: Matrix,
  labels: readonly string[],
  fit: FitClassifier,
  { folds, train, repeats, seed }: ClassifyOptions,
  onProgress: OnProgress,
): Validation | CrossValidation {
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

function toFile(path: string | undefined, option: string): OutputFile | undefined {
  return path === undefined || path === "-" ? undefined : outputFile(path, option);
}

function dense({ X }: NumberTable): Matrix {
  return isSparse(X) ? toDense(X) : X;
}

function ownOptions(options: ClassifyOptions, method: ClassifyMethod): Record<string, unknown> {
  const given = options as unknown as Record<string, unknown>;
  return Object.fromEntries(
    method.options.map((option) => [option.attributeName(), given[option.attributeName()]]),
  );
}

/** "minLeaf" as it is typed: "min-leaf". */
function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError("It must be between 0 and 1, as 0.1.");
  return value;
}
