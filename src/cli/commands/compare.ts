import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { inputError, optionError } from "../../core/errors.ts";
import { cellStore, type CellStore } from "../../cells/index.ts";
import { kindredCluster } from "../../convex/index.ts";
import { principalComponents } from "../../convex/recipe/principal.ts";
import { scale, type ScaleKind, type NumberTable } from "../../data/index.ts";
import { writeCsv } from "../csvOutput.ts";
import { pca } from "../../embed/index.ts";
import { isSparse, matrix, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";
import { requireSquares } from "../../matrix/requireSquares.ts";
import { comparePage, type ComparedMethod, type CompareResult } from "../../report/index.ts";
import { allScores } from "../../score/index.ts";
import { finiteNumber, integerAtLeast, nameList } from "../arguments.ts";
import { type Axis, type Candidate, candidatesOf, parseAxis } from "../compareGrid.ts";
import { compareMethods, type Compared, type Comparison } from "../compareRun.ts";
import { compareText, recommendation, RULE } from "../compareText.ts";
import { inputOptions, type InputOptions, readInput } from "../input.ts";
import { version } from "../manifest.ts";
import { methods } from "../../front/methods.ts";
import { outputFile, requireDifferent } from "../outputFile.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";

interface CompareOptions extends InputOptions {
  readonly clusters?: number;
  readonly methods?: readonly string[];
  readonly grid?: readonly Axis[];
  readonly scale: ScaleKind;
  readonly seed: number;
  readonly budget: number;
  readonly resamples: number;
  readonly threads?: number;
  readonly resume?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly report?: string;
}

export function define(command: Command, args: readonly string[]): void {
  command
    .argument("<data>", "a file, - or the name of a data set, as for cluster")
    .option(
      "-k, --clusters <n>",
      "number of clusters (default: as many as convex clustering finds)",
      integerAtLeast(1),
    )
    .option("--methods <names>", "only these, separated by commas", nameList)
    .option(
      "--grid <option=values>",
      "try these values of an option of the methods, as in neighbors=10,20; several: every combination",
      parseAxis,
    )
    .addOption(
      new Option("--scale <kind>", "put the columns on a common scale")
        .choices(["zscore", "minmax", "none"])
        .default("zscore"),
    )
    .option("--seed <n>", "of every random choice", integerAtLeast(0), 0)
    .option("--budget <seconds>", "for everything; what is done by then is compared", finiteNumber, 60)
    .option("--resamples <n>", "that stability is measured on", integerAtLeast(0), 5)
    .option("--threads <n>", "methods at a time (default: one per core)", integerAtLeast(1))
    .option("--resume <folder>", "keep every finished cell there, and take those that are there already");
  inputOptions(command, "scored");
  command
    .option("--json", "print one JSON object")
    .option("--out <file>", "write the labels of the recommended method as CSV")
    .option("--report <file>", "write a page (HTML, one file) with the table and pictures")
    .addHelpText(
      "after",
      "\nThe rule: of the partitions whose modularity on the 10-nearest-neighbour graph is within 2 % of the largest, the\none that agrees best with all others. Labels (--label) are scored, never used. Ctrl-C compares what is done; with\n--resume FOLDER the same command goes on from there, also after the end of --budget.",
    )
    .action((source: string, options: CompareOptions) => compare(source, options, args));
}

async function compare(source: string, options: CompareOptions, args: readonly string[]): Promise<void> {
  const wanted = await candidatesOf(applicable(options.methods), options.grid ?? []);
  requireDifferent({ "--out": options.out, "--report": options.report });
  const labelsFile = options.out === undefined ? undefined : outputFile(options.out, "--out");
  const pageFile = options.report === undefined ? undefined : outputFile(options.report, "--report");
  if (!(options.budget > 0)) throw optionError("--budget must be a number of seconds above 0");
  const store =
    options.resume === undefined
      ? undefined
      : cellStore(options.resume, { option: "--resume", warn: (message) => tell(`kindred: ${message}`) });

  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress);
  if (table.X.rows < 3) throw inputError(`${table.source} has fewer than three rows; comparing needs three`);
  if (options.clusters !== undefined && options.clusters > table.X.rows) {
    throw inputError(`--clusters ${options.clusters}: ${table.source} has only ${table.X.rows} rows`);
  }
  const prepared = prepare(table, options.scale, options.seed);
  const { X, names, notes } = prepared;
  const clusters = options.clusters ?? foundClusters(X, options.seed, notes);
  const { kept, left } = await fitting(wanted, X.rows);

  const width = Math.max(16, ...kept.map(({ name }) => name.length));
  const comparison = await compareMethods({
    X,
    names,
    candidates: kept,
    clusters,
    seed: options.seed,
    budget: options.budget,
    resamples: options.resamples,
    threads: options.threads ?? availableParallelism(),
    store,
    onProgress: (fraction, label) => progress.onProgress({ fraction, label }),
    onResult(name, seconds, old) {
      progress.done();
      tell(`${name.padEnd(width)} ${seconds.toFixed(2)} s${old ? `, from ${store!.folder}` : ""}`);
    },
  });
  progress.done();
  if (comparison.ranked.length === 0) {
    if (comparison.stopped) return conclude(comparison, store);
    throw inputError(
      `no method was done: ${comparison.failed.map(({ method, why }) => `${method}: ${why}`).join("; ")}`,
    );
  }
  const result = finished(comparison, left, table, options, clusters, notes);
  await labelsFile?.write(
    writeCsv({ ids: table.ids, columns: [{ name: "cluster", values: comparison.ranked[0].labels }] }),
  );
  await pageFile?.write([
    comparePage({
      ...result,
      X,
      names,
      labels: comparison.ranked.map(({ labels }) => labels),
      command: `kindred ${args.join(" ")}`,
      version: version(),
    }),
  ]);
  await writeOut([
    options.json === true ? `${JSON.stringify(withLabels(result, comparison))}\n` : compareText(result),
  ]);
  for (const file of [labelsFile, pageFile]) if (file !== undefined) tell(`wrote ${file.path}`);
  conclude(comparison, store);
}

/** What was taken from the store, and how to go on where something is left. */
function conclude({ cells, stopped }: Comparison, store: CellStore | undefined): void {
  const { done, kept, planned, left } = cells;
  if (store !== undefined) tell(`kindred: ${kept} of ${planned} cells were taken from ${store.folder}`);
  if (stopped) {
    const goOn =
      store === undefined
        ? "with --resume FOLDER they would be kept for the next run"
        : `the same command goes on from ${store.folder}`;
    tell(`kindred: stopped with ${done} of ${planned} cells done; ${goOn}`);
    process.exitCode = 130;
  } else if (store !== undefined && left > 0) {
    tell(`kindred: the time is over with ${done} of ${planned} cells done; the same command goes on`);
  }
}

/** For programs: every partition too, in the order of the methods. */
function withLabels(result: CompareResult, { ranked }: Comparison): object {
  const methods = result.methods.map((row, m) => ({ ...row, labels: Array.from(ranked[m].labels) }));
  return { ...result, methods };
}

/** Every method that needs the rows alone, or those of --methods; the quick first, so that the end of the time takes few. */
function applicable(asked: readonly string[] | undefined): readonly string[] {
  const able = methods.filter(({ needs }) => needs.pairs !== "required" && needs.labels !== "required");
  for (const name of asked ?? []) {
    const known = methods.find((method) => method.name === name);
    if (known === undefined) {
      throw optionError(
        `--methods: there is no "${name}"; there are ${able.map((each) => each.name).join(", ")}`,
      );
    }
    if (!able.includes(known)) {
      const what = known.needs.labels === "required" ? "labels" : "pairs";
      throw optionError(`--methods: ${name} needs ${what}, which a comparison does not have`);
    }
  }
  const named = asked ?? able.map(({ name }) => name);
  const effort = [undefined, "longer", "longest"];
  return able
    .filter(({ name }) => named.includes(name))
    .toSorted((a, b) => effort.indexOf(a.takes) - effort.indexOf(b.takes))
    .map(({ name }) => name);
}

/** Rows above which methods are left out whose memory grows with the square of the rows. */
const MOST_ROWS = 8000;

async function fitting(
  candidates: readonly Candidate[],
  rows: number,
): Promise<{ kept: Candidate[]; left: Comparison["failed"] }> {
  const kept: Candidate[] = [];
  const left: { method: string; why: string }[] = [];
  for (const candidate of candidates) {
    const { needs } = methods.find(({ name }) => name === candidate.method)!;
    if (needs.quadratic !== true || rows <= MOST_ROWS) kept.push(candidate);
    else
      left.push({
        method: candidate.name,
        why: `left out: its memory grows with the square of the ${rows} rows`,
      });
  }
  return { kept, left };
}

/** Features above which all methods get principal components, the share of the variance in them, and the most. */
const PROJECT_ABOVE = 20;
const VARIANCE = 0.95;
const MOST_COMPONENTS = 200;
/** Sparse tables of more cells than this are never written out, and get this many components. */
const MOST_CELLS = 4e6;
const SPARSE_COMPONENTS = 50;
/** Enough for a plane to cluster in: exact components of a flat spectrum take minutes. */
const ROUGH = 1e-3;

interface Prepared {
  readonly X: Matrix;
  readonly names: readonly string[];
  readonly notes: string[];
}

/** The rows as every method gets them, in memory that threads share. */
function prepare(table: NumberTable, kind: ScaleKind, seed: number): Prepared {
  const wide = isSparse(table.X) && table.X.rows * table.X.cols > MOST_CELLS;
  const given = isSparse(table.X) && !wide ? toDense(table.X) : table.X;
  const scaled = scale<Matrix | Sparse>(given, kind, { names: table.names, batch: table.batch?.values });
  const { X } = scaled;
  requireSquares(X, "compare");
  const notes = [...table.notes, ...scaled.notes];
  if (!isSparse(X) && X.cols <= PROJECT_ABOVE) return { X: sharedMatrix(X), names: scaled.names, notes };
  const { scores, share } = isSparse(X)
    ? sparseComponents(X, seed)
    : principalComponents(X, VARIANCE, MOST_COMPONENTS);
  notes.push(
    `Every method got ${scores.cols} principal components, which hold ${(100 * share).toFixed(0)} % of the variance.`,
  );
  const names = Array.from({ length: scores.cols }, (_, c) => `component ${c + 1}`);
  return { X: sharedMatrix(scores), names, notes };
}

function sparseComponents(X: Sparse, seed: number): { scores: Matrix; share: number } {
  const dims = Math.min(SPARSE_COMPONENTS, X.rows, X.cols);
  const { embedding, shares } = pca(X, { dims, solver: "top", seed, tolerance: ROUGH });
  return { scores: embedding, share: shares.reduce((sum, share) => sum + share, 0) };
}

function sharedMatrix({ rows, cols, data }: Matrix): Matrix {
  const held = new Float64Array(new SharedArrayBuffer(data.byteLength));
  held.set(data);
  return matrix(rows, cols, held);
}

function foundClusters(X: Matrix, seed: number, notes: string[]): number {
  const { sizes } = kindredCluster(X, { scale: "none", seed });
  notes.push(`No --clusters was given: ${sizes.length} is the number that convex clustering finds.`);
  return sizes.length;
}

function finished(
  { ranked, failed }: Comparison,
  left: Comparison["failed"],
  table: NumberTable,
  { label }: CompareOptions,
  clusters: number,
  notes: readonly string[],
): CompareResult {
  const compared = ranked.map((each) => scored(each, label === undefined ? undefined : table.label?.values));
  return {
    source: table.source,
    rows: table.X.rows,
    features: table.X.cols,
    clusters,
    label: label ?? null,
    methods: compared,
    failed: [...failed, ...left],
    recommendation: recommendation(compared, clusters),
    rule: RULE,
    notes,
  };
}

/** A row of the table: without the labels, with the scores against known classes. */
function scored({ labels, ...row }: Compared, classes: readonly string[] | undefined): ComparedMethod {
  if (classes === undefined) return row;
  const { adjustedRand, nmi, accuracy } = allScores(labels, classes);
  return { ...row, scores: { adjustedRand, nmi, accuracy } };
}
