import { KindredError } from "kindred";
import { kmeans, normalizedCut } from "kindred/cluster";
import { cc, ccml, ccscml, type ConvexClustering, rcc, scc } from "kindred/convex";
import { scale, type ScaleKind } from "kindred/data";
import { pca } from "kindred/embed";
import type { Matrix } from "kindred/matrix";
import { rand } from "kindred/score";
import {
  DATA,
  type DataSet,
  type Grid,
  gridOf,
  type Method,
  type Protocol,
  type SetName,
} from "./convexTables.ts";

/** One number of a reproduced table, with everything needed to judge it. */
export type Cell = ReturnType<typeof runCell>;

export interface Setting {
  readonly scale: ScaleKind;
  readonly components?: number;
  readonly neighbors?: number;
  readonly alpha?: number;
  readonly beta?: number;
  readonly gamma2?: number;
  readonly rebuilt?: boolean;
  readonly iterations?: number;
  readonly gamma?: number;
}

interface Found {
  readonly labels: ArrayLike<number>;
  readonly sizes: Int32Array;
  readonly gamma?: number;
}

/** The result of one setting: the partition chosen without labels, and all candidates. */
interface Outcome {
  readonly chosen: Found;
  readonly offered: readonly Found[];
  readonly gaps: readonly number[];
}

const SEED = 0;
const RESTARTS = 20;

export function runCell(
  X: Matrix,
  truth: readonly string[],
  set: SetName,
  protocol: Protocol,
  method: Method,
  quick: boolean,
) {
  const data = DATA[set];
  const start = performance.now();
  const grid = gridOf(protocol, set, method, quick);
  const settings = settingsOf(grid, method, X.rows, data.clusters);
  let best: { found: Found; setting: Setting; rand: number } | undefined;
  let partitions = 0;
  let solves = 0;
  let gap: number | undefined;
  const failures = new Map<string, number>();
  for (const setting of settings) {
    let outcome: Outcome;
    try {
      outcome = runSetting(prepare(X, data, protocol, setting), method, setting, data, protocol);
    } catch (error) {
      if (!(error instanceof KindredError)) throw error;
      failures.set(error.message, (failures.get(error.message) ?? 0) + 1);
      continue;
    }
    solves += outcome.gaps.length;
    for (const value of outcome.gaps) gap = Math.max(gap ?? 0, value);
    const candidates = protocol.chosenBy === "oracle" ? outcome.offered : [outcome.chosen];
    partitions += candidates.length;
    for (const found of candidates) {
      const score = 100 * rand(found.labels, truth);
      if (best === undefined || preferred(found, score, best, data.clusters)) {
        best = {
          found,
          rand: score,
          setting: {
            ...setting,
            ...(found.gamma !== undefined && { gamma: found.gamma }),
          },
        };
      }
    }
  }
  return {
    ...(best !== undefined && {
      /** In per cent. */
      rand: best.rand,
      /** K, unless the protocol is strict and no gamma gave K. */
      clusters: best.found.sizes.length,
      sizes: Array.from(best.found.sizes).sort((a, b) => b - a),
      setting: best.setting,
    }),
    /** The number of settings and, over all of them, of partitions from which this one was chosen. */
    settings: settings.length,
    partitions,
    solves,
    /** The largest relative duality gap of all solves; absent for k-means and N-cut. */
    ...(gap !== undefined && { gap }),
    /** The smallest and the largest Rand index of single starts, on the first scaling of the grid. */
    ...(method === "kmeans" && {
      starts: singleStarts(prepare(X, data, protocol, settings[0]), truth, data.clusters),
    }),
    seconds: (performance.now() - start) / 1000,
    failures: [...failures].map(([message, times]) =>
      times === 1 ? message : `${message} (${times} times)`,
    ),
  };
}

/** Exactly K clusters first, or the nearest number; among these the larger Rand index. */
function preferred(
  found: Found,
  score: number,
  best: { readonly found: Found; readonly rand: number },
  clusters: number,
): boolean {
  const miss = Math.abs(found.sizes.length - clusters);
  const least = Math.abs(best.found.sizes.length - clusters);
  return miss === least ? score > best.rand : miss < least;
}

function settingsOf(grid: Grid, method: Method, rows: number, clusters: number): Setting[] {
  const bases = grid.scales.flatMap((scale) =>
    grid.components.map((components): Setting => ({ scale, ...(components > 0 && { components }) })),
  );
  if (method === "kmeans") return bases;
  const counts = grid.neighbors.map((k) => (k === "n/K" ? Math.floor(rows / clusters) : k));
  const graphs = bases.flatMap((base) =>
    [...new Set(counts)].flatMap((neighbors) =>
      grid.alphas.map((alpha): Setting => ({ ...base, neighbors, alpha })),
    ),
  );
  return graphs.flatMap((base): Setting[] => {
    if (method === "rcc") return grid.betas.map((beta) => ({ ...base, beta }));
    if (method === "scc") return grid.gamma2s.map((gamma2) => ({ ...base, gamma2 }));
    if (method === "ccscml") return [{ ...base, iterations: grid.iterations }];
    if (method === "cc" || method === "ncut") return [base];
    const forms = method === "ccmlRebuilt" ? [true] : grid.rebuilt;
    return forms.map((rebuilt) => ({
      ...base,
      rebuilt,
      iterations: rebuilt ? 2 * grid.iterations : grid.iterations,
    }));
  });
}

/** The data as scaled and projected by the setting; the methods then scale nothing. */
function prepare(X: Matrix, { batches }: DataSet, { name }: Protocol, setting: Setting): Matrix {
  const batch = name === "paper" ? undefined : batches?.flatMap((rows, b) => Array<number>(rows).fill(b));
  const scaled = scale(X, setting.scale, batch === undefined ? {} : { batch }).X;
  return setting.components === undefined
    ? scaled
    : pca(scaled, { dims: Math.min(setting.components, scaled.rows, scaled.cols) }).embedding;
}

function runSetting(
  X: Matrix,
  method: Method,
  setting: Setting,
  { clusters }: DataSet,
  protocol: Protocol,
): Outcome {
  if (method === "kmeans") {
    const chosen = kmeans(X, { clusters, seed: SEED, restarts: RESTARTS });
    return { chosen, offered: [chosen], gaps: [] };
  }
  const { neighbors, alpha } = setting;
  if (method === "ncut") {
    const chosen = normalizedCut(X, { clusters, neighbors, alpha, seed: SEED });
    return { chosen, offered: [chosen], gaps: [] };
  }
  const options = { clusters, neighbors, alpha, scale: "none", protocol: protocol.assignment } as const;
  if (method === "cc") return outcomeOf(cc(X, options));
  if (method === "rcc") return outcomeOf(rcc(X, { ...options, beta: setting.beta! * medianSpread(X) }));
  if (method === "scc") return outcomeOf(scc(X, { ...options, gamma2: setting.gamma2! * meanSquare(X) }));
  const { iterations } = setting;
  if (method === "ccml" || method === "ccmlRebuilt") {
    const result = ccml(X, { ...options, iterations, rebuildGraph: setting.rebuilt });
    // The start has B = I: its candidates come from convex clustering, not from CCML.
    const { offered } = outcomeOf(result, result.rounds.slice(1));
    return { ...outcomeOf(result, result.rounds), offered };
  }
  const first = cc(X, options);
  const result = ccscml(X, { ...options, clusters: first.sizes.length, iterations, start: first.labels });
  const { offered, gaps, chosen } = outcomeOf(result, result.rounds);
  return { chosen, offered, gaps: [...outcomeOf(first).gaps, ...gaps] };
}

/** The range of single starts of k-means, over the first seeds. */
function singleStarts(X: Matrix, truth: readonly string[], clusters: number): [number, number] {
  const scores = Array.from(
    { length: RESTARTS },
    (_, seed) => 100 * rand(kmeans(X, { clusters, seed, restarts: 1 }).labels, truth),
  );
  return [Math.min(...scores), Math.max(...scores)];
}

/** Every round's candidates and certificates, or those of the one path. */
export function outcomeOf(
  result: ConvexClustering,
  rounds?: readonly {
    readonly fit: Pick<ConvexClustering, "candidates"> & { path: Pick<ConvexClustering["path"], "steps"> };
  }[],
): Outcome {
  const fits = rounds === undefined ? [result] : rounds.map(({ fit }) => fit);
  return {
    chosen: { labels: result.labels, sizes: result.sizes, gamma: result.gamma },
    offered: fits.flatMap(({ candidates }) => candidates),
    gaps: fits.flatMap(({ path }) => path.steps.map((step) => step.certificate.relativeGap)),
  };
}

/** ||x_f - mean_f||^2 for each column. */
export function columnSquares(X: Matrix): Float64Array {
  const d = X.cols;
  const means = new Float64Array(d);
  const squares = new Float64Array(d);
  for (let p = 0; p < X.data.length; p++) means[p % d] += X.data[p] / X.rows;
  for (let p = 0; p < X.data.length; p++) squares[p % d] += (X.data[p] - means[p % d]) ** 2;
  return squares;
}

function medianSpread(X: Matrix): number {
  const squares = columnSquares(X).sort();
  return Math.sqrt(squares[squares.length >> 1]);
}

function meanSquare(X: Matrix): number {
  return columnSquares(X).reduce((sum, square) => sum + square, 0) / X.cols;
}

/** Rand index in per cent of one cluster for all rows, and its expectation for K labels drawn at random. */
export function trivialScores(
  truth: readonly string[],
  clusters: number,
): { readonly oneCluster: number; readonly randomLabels: number } {
  const sizes = new Map<string, number>();
  for (const label of truth) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  const pairs = (n: number): number => (n * (n - 1)) / 2;
  const together = [...sizes.values()].reduce((sum, n) => sum + pairs(n), 0) / pairs(truth.length);
  return {
    oneCluster: 100 * together,
    randomLabels: 100 * (together / clusters + (1 - together) * (1 - 1 / clusters)),
  };
}
