import { Option } from "commander";
import type {
  ConvexClustering,
  ConvexCompression,
  ConvexOptions,
  Criterion,
  LearnedMetric,
  Norm,
  Protocol,
} from "../../convex/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import { isSparse, type Sparse } from "../../matrix/sparse.ts";
import { toDense } from "../../matrix/index.ts";
import type { Constraints } from "../../data/index.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";
import { squareRoot } from "../../convex/path/result.ts";
import type { Drawing } from "../../report/index.ts";
import type { Clustering, Details, MethodFile, MethodOptions } from "../methods.ts";
import { pairLines, someOf } from "./pairOptions.ts";

/** What the methods of the convex family share on the command line. */
export const convexAccepts: MethodFile["accepts"] = {
  clusters: "optional",
  seed: false,
  sparse: false,
  pairs: true,
};

export function convexOptions(): Option[] {
  return [
    new Option("--gamma <g>", "one gamma instead of a path").argParser(finiteNumber),
    new Option("--neighbors <n>", "of the weight graph (default: 30, fewer for few rows)").argParser(
      integerAtLeast(1),
    ),
    new Option(
      "--kind <which>",
      "an edge where both rows are neighbours of each other, or where one is",
    ).choices(["mutual", "union"]),
    new Option(
      "--alpha <a>",
      "of the Gaussian weights, in units of the median squared distance (default: 0.1)",
    ).argParser(finiteNumber),
    new Option("--join", "connect the components of the graph"),
    new Option("--protocol <name>", "K big clusters, or every component counts").choices([
      "practical",
      "strict",
    ]),
    new Option("--choose <rule>", "how gamma is chosen").choices(["modularity", "wss"]),
    new Option("--tolerance <t>", "relative duality gap of every solve (default: 1e-6)").argParser(
      finiteNumber,
    ),
  ];
}

export function normOptions(): Option[] {
  return [
    new Option("--norm <q>", "of the fusion penalty").choices(["1", "2", "inf"]).default("1"),
    new Option("--solver <name>", "the exact solvers, or the texts' ADMM").choices(["default", "admm"]),
  ];
}

interface ConvexFlags {
  readonly gamma?: number;
  readonly neighbors?: number;
  readonly kind?: "mutual" | "union";
  readonly alpha?: number;
  readonly join?: boolean;
  readonly protocol?: Protocol;
  readonly choose?: Criterion;
  readonly tolerance?: number;
}

/** The shared options as the library takes them; the command line has scaled the data already. */
export function sharedOptions({
  clusters,
  onProgress,
  own,
  pairs,
}: MethodOptions): Omit<ConvexOptions, "norm" | "solver"> {
  const { gamma, neighbors, kind, alpha, join, protocol, choose, tolerance } = own as ConvexFlags;
  return {
    clusters,
    gamma,
    neighbors,
    kind,
    alpha,
    join,
    protocol,
    choose,
    tolerance,
    ...(someOf(pairs) && pairs),
    scale: "none",
    onProgress,
  };
}

export function normFlags(own: Readonly<Record<string, unknown>>): Pick<ConvexOptions, "norm" | "solver"> {
  const { norm, solver } = own as { norm?: string; solver?: "default" | "admm" };
  const known: Record<string, Norm> = { 1: 1, 2: 2, inf: "inf" };
  return { norm: norm === undefined ? undefined : known[norm], solver };
}

export function dense(X: Matrix | Sparse): Matrix {
  return isSparse(X) ? toDense(X) : X;
}

/** A result of the family as `kindred cluster` shows it; `call` is the function and the options that gave it. */
export function convexClustering(
  result: ConvexClustering,
  { names, pairs }: MethodOptions,
  call: NonNullable<Clustering["call"]>,
  extra: readonly (readonly [string, string])[] = [],
): Clustering {
  const { labels, sizes, centers, converged, warnings, objective, iterations, certificate } = result;
  return {
    labels,
    sizes,
    centers,
    nearest: { map: squareRoot(result.metric.matrix) },
    converged,
    warnings,
    objective,
    iterations,
    certificate,
    details: convexDetails(result, names, pairs, extra),
    drawing: convexDrawing(result),
    call,
  };
}

function convexDrawing({ metric, path, labels, gamma, history }: ConvexClustering): Drawing {
  const { steps, fusions } = path;
  const learned = metric.eigenvalues[0] - metric.eigenvalues[metric.eigenvalues.length - 1] > 1e-9;
  return {
    ...(learned && { metric }),
    tree: {
      merges: fusions.map(({ a, b, gamma: height, size }) => ({ a, b, height, size })),
      rows: labels.length,
      height: "gamma",
      log: true,
    },
    path: {
      gammas: steps.map((step) => step.gamma),
      clusters: steps.map((step) => step.clusters),
      chosen: gamma,
    },
    history: history.map((half) => half.objective),
  };
}

function convexDetails(
  result: ConvexClustering,
  names: readonly string[],
  pairs: Constraints | undefined,
  extra: readonly (readonly [string, string])[],
): Details {
  const { gamma, coverage, components, availableCounts, metric, certificate, history } = result;
  const kept = someOf(pairs) ? pairLines(pairs, result.labels) : { json: {}, lines: [] };
  return {
    json: {
      ...kept.json,
      ...(result.pairs !== undefined && { moved: result.pairs.moved }),
      gamma,
      coverage,
      components: Array.from(components),
      availableCounts,
      history,
      ...(result.compression !== undefined && { compression: compressionJson(result.compression) }),
      metric: metricJson(metric, names),
    },
    lines: [
      [
        "gamma",
        `${Number(gamma.toPrecision(6))}, relative duality gap ${certificate.relativeGap.toExponential(1)}`,
      ],
      ["coverage", `${(100 * coverage).toFixed(1)} % of the rows, ${components.length} components`],
      ...kept.lines,
      ...extra,
      ...relevanceLine(metric, names),
    ],
  };
}

/** Of a compression, without the cell of every row. */
export function compressionJson(compression: ConvexCompression): object {
  const { rows, representatives, withinSumOfSquares, share, bound, largestRadius, border } = compression;
  return { rows, representatives, withinSumOfSquares, share, bound, largestRadius, border };
}

export function metricJson(
  { matrix, relevance, eigenvalues }: LearnedMetric,
  names: readonly string[],
): object {
  return {
    matrix: { rows: matrix.rows, cols: matrix.cols, data: Array.from(matrix.data) },
    relevance: Object.fromEntries(names.map((name, f) => [name, relevance[f]])),
    eigenvalues: Array.from(eigenvalues),
  };
}

/** The features that decided, largest share first; nothing where all have the same. */
export function relevanceLine({ relevance }: LearnedMetric, names: readonly string[]): [string, string][] {
  const order = names.map((_, f) => f).sort((a, b) => relevance[b] - relevance[a] || a - b);
  if (relevance[order[0]] - relevance[order[order.length - 1]] < 1e-9) return [];
  const shown = order.slice(0, 6).map((f) => `${names[f]} ${(100 * relevance[f]).toFixed(1)} %`);
  return [["features", `${shown.join(", ")}${order.length > 6 ? ", ..." : ""}`]];
}
