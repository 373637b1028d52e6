import { type Command, InvalidArgumentError, Option } from "commander";
import { inputError } from "../../core/errors.ts";
import { type ConvexPath, convexPath, type Norm } from "../../convex/index.ts";
import { scale, type ScaleKind } from "../../data/index.ts";
import { finiteNumber, integerAtLeast } from "../options/arguments.ts";
import { columns } from "../output/columns.ts";
import { inputOptions, type InputOptions, readInput } from "../options/input.ts";
import { isSparse, toDense, type Matrix } from "../../matrix/index.ts";
import { outputFile } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface PathFlags extends InputOptions {
  readonly scale: ScaleKind;
  readonly norm: "1" | "2" | "inf";
  readonly solver?: "default" | "admm";
  readonly gammas?: readonly number[];
  readonly ratio?: number;
  readonly until?: number;
  readonly tolerance?: number;
  readonly neighbors?: number;
  readonly kind?: "mutual" | "union";
  readonly alpha?: number;
  readonly join?: boolean;
  readonly json?: boolean;
  readonly out?: string;
}

export function define(command: Command): void {
  command
    .argument("<data>", "a file, - or the name of a data set, as for cluster")
    .addOption(
      new Option("--scale <kind>", "put the columns on a common scale")
        .choices(["zscore", "minmax", "none"])
        .default("zscore"),
    )
    .addOption(new Option("--norm <q>", "of the fusion penalty").choices(["1", "2", "inf"]).default("1"))
    .addOption(new Option("--solver <name>", "the exact solvers, or ADMM").choices(["default", "admm"]))
    .option("--gammas <list>", "exactly these, separated by commas", numberList)
    .option(
      "--ratio <r>",
      "largest ratio of gammas where the number of clusters changes (default: 1.25)",
      finiteNumber,
    )
    .option("--until <share>", "end when this share of the rows is apart (default: 1)", finiteNumber)
    .option("--tolerance <t>", "relative duality gap of every solve (default: 1e-6)", finiteNumber)
    .option("--neighbors <n>", "of the weight graph (default: 30, fewer for few rows)", integerAtLeast(1))
    .addOption(new Option("--kind <which>", "which neighbours are joined").choices(["mutual", "union"]))
    .option("--alpha <a>", "of the Gaussian weights, in units of the median squared distance", finiteNumber)
    .option("--join", "connect the components of the graph");
  inputOptions(command);
  command
    .option("--json", "print the path as one JSON object")
    .option("--out <file>", "write the path as JSON")
    .action(path);
}

async function path(source: string, options: PathFlags): Promise<void> {
  const file = options.out === undefined ? undefined : outputFile(options.out, "--out");
  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress);
  if (table.X.rows < 2)
    throw inputError(`${table.source} has ${table.X.rows} row; a path needs at least two`);
  const scaled = scale(table.X, options.scale, { names: table.names, batch: table.batch?.values });
  const { gammas, ratio, until, tolerance, neighbors, kind, alpha, join, solver } = options;
  const norm: Norm = options.norm === "inf" ? "inf" : options.norm === "1" ? 1 : 2;
  let found: ConvexPath;
  try {
    found = convexPath(asDense(scaled.X), {
      gammas,
      ratio,
      until,
      tolerance,
      neighbors,
      kind,
      alpha,
      join,
      solver,
      norm,
      scale: "none",
      onProgress: progress.onProgress,
    });
  } finally {
    progress.done();
  }
  const text = `${JSON.stringify(pathJson(found, table.source, options))}\n`;
  await file?.write([text]);
  if (options.json === true) return writeOut([text]);
  await writeOut([pathReport(found, table.source)]);
  if (file !== undefined) tell(`wrote ${file.path}`);
}

/** The path, by gamma from large to small; `fusions` is a merge table (rows first, then one cluster per fusion). */
function pathJson(found: ConvexPath, source: string, { scale, norm }: PathFlags): object {
  const { steps, fusions, splits, gaps, graph, components, availableCounts, converged, warnings } = found;
  return {
    source,
    scaling: scale,
    norm,
    graph: { nodes: graph.nodes, edges: graph.from.length, components },
    gammas: steps.map((step) => step.gamma),
    clusters: steps.map((step) => step.clusters),
    relativeGaps: steps.map((step) => step.certificate.relativeGap),
    objectives: steps.map((step) => step.certificate.primal),
    partitions: steps.map((step) => Array.from(step.labels)),
    fusions: fusions.map(({ a, b, gamma, size }) => [a, b, gamma, size]),
    splits,
    gaps,
    availableCounts,
    converged,
    warnings,
  };
}

const SHOWN = 40;

function pathReport(
  { steps, gaps, graph, components, converged, warnings }: ConvexPath,
  source: string,
): string {
  const proof = Math.max(...steps.map((step) => step.certificate.relativeGap));
  const longest = gaps.filter(({ clusters }) => clusters > components).sort((a, b) => b.length - a.length);
  const head: string[][] = [
    ["data", `${source}, ${graph.nodes} rows`],
    ["graph", `${graph.from.length} edges, ${components} component${components === 1 ? "" : "s"}`],
    [
      "path",
      `${steps.length} gammas, ${converged ? "every solve" : "NOT every solve"} proven, gap at most ${proof.toExponential(1)}`,
    ],
  ];
  if (longest.length > 0) {
    const { clusters, from, to } = longest[0];
    head.push(["longest gap", `${clusters} clusters, gamma ${short(from)} to ${short(to)}`]);
  }
  const every = Math.ceil(steps.length / SHOWN);
  const rows = steps
    .filter((_, s) => s % every === 0 || s === steps.length - 1)
    .map(({ gamma, clusters, sizes }) => [short(gamma), String(clusters), largest(sizes)]);
  const lines = [
    ...columns([...head, ...warnings.map((warning) => ["warning", warning])], "   "),
    "",
    ...columns([["gamma", "clusters", "largest"], ...rows]),
  ];
  return `${lines.join("\n")}\n`;
}

function largest(sizes: Int32Array): string {
  const shown = Array.from(sizes.toSorted().reverse().slice(0, 6)).join(" ");
  return sizes.length > 6 ? `${shown} ...` : shown;
}

function short(value: number): string {
  return String(Number(value.toPrecision(5)));
}

function numberList(text: string): number[] {
  const values = text.split(",").map(Number);
  if (values.some((value) => !(value >= 0 && value < Infinity))) {
    throw new InvalidArgumentError("It must be numbers of at least 0, separated by commas.");
  }
  return values;
}

function asDense(X: Parameters<typeof toDense>[0] | Matrix): Matrix {
  return isSparse(X) ? toDense(X) : X;
}
