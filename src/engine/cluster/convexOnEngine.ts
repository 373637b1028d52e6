import { cellTree } from "../../cluster/internal.ts";
import {
  byRepresentativesOptions,
  type ByRepresentativesOptions,
  type ConvexByRepresentatives,
} from "../../recipes/index.ts";
import {
  clusterRepresentatives,
  countedRows,
  splitOptions,
  type BorderCuts,
} from "../../recipes/internal.ts";
import { inputError, progressGate, resolveOptions } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { clusterRows, type EngineCells, representativesOnEngine } from "./cellsOnEngine.ts";
import { drawingOnEngine } from "./drawingOnEngine.ts";
import { answer } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { CLUSTER, X } from "./nearestCenter.ts";

const STOPPED = "convexOnEngine was stopped by onProgress";

/** Centres are in the units of the table's features. */
export interface ConvexOnEngine extends ConvexByRepresentatives {
  /** A subquery with the additional columns and `kindred_cluster`, for `writeLabels`. */
  clusterRows(carried: readonly string[]): string;
}

/**
 * Convex clustering of a table on an engine by weighted representatives (recipes/compressedCc.ts): the
 * cells are learned from rows that the engine draws, the engine sums the rows of each cell, Kindred solves
 * the weighted problem with its certificate, and the engine gives every row its cluster:
 *
 *     const { table, statistics } = await engineTable(engine, { table: "events" });
 *     const scaled = scaledTable(table, columnScaling(statistics).scaling);
 *     const result = await convexOnEngine(scaled, { clusters: 20 });
 *     await writeLabels(scaled, result, { table: "events_clusters" });
 */
export async function convexOnEngine(
  table: EngineTable,
  options: ByRepresentativesOptions = {},
): Promise<ConvexOnEngine> {
  const resolved = resolveOptions("convexOnEngine", options, byRepresentativesOptions);
  const { representatives: count, seed, sample: size, convex } = splitOptions(resolved);
  const progress = progressGate(convex.onProgress);
  let passes = 0;
  const pass = (label: string, fraction: number): boolean => {
    passes++;
    return progress({ label, fraction });
  };
  const drawn = await drawingOnEngine(table, seed, () => pass("drawing rows", 0)).sample(size);
  if (progress.stopped || drawn === undefined) throw inputError(STOPPED);
  if (drawn.X.rows === 0) throw inputError(`${table.source}: no rows were drawn to learn the cells from`);
  const tree = cellTree(drawn.X, count);
  if (!pass("summing cells", 0.1)) throw inputError(STOPPED);
  const cells = await representativesOnEngine(table, tree);
  const compressed = clusterRepresentatives("convexOnEngine", cells, {
    ...convex,
    onProgress: ({ label, fraction, ...rest }) =>
      progress({ label, fraction: 0.3 + 0.5 * fraction, ...rest }),
  });
  progress({ label: "summing clusters", fraction: 0.9 });
  const K = compressed.clustering.sizes.length;
  const { result, border } = await countedRows(
    compressed,
    { names: table.features.map(({ name }) => name), compression: cells.compression, passes },
    (cuts) => clusterSums(table, cells, cuts, K),
  );
  return { ...result, clusterRows: (carried) => clusterRows(table, cells, border, carried) };
}

async function clusterSums(
  table: EngineTable,
  cells: EngineCells,
  border: BorderCuts,
  K: number,
): Promise<{ sizes: Float64Array; centers: Matrix }> {
  const d = table.features.length;
  const means = table.features.map((_, f) => `avg(${X(f)})`);
  const { rows, columns } = await answer(
    table.engine,
    `select ${[CLUSTER, "count(*)", ...means].join(", ")} from ${clusterRows(table, cells, border)} group by ${CLUSTER}`,
  );
  const sizes = new Float64Array(K);
  const centers = matrix(K, d);
  for (let g = 0; g < rows; g++) {
    const k = Number(columns[0][g]);
    sizes[k] = Number(columns[1][g]);
    for (let f = 0; f < d; f++) centers.data[k * d + f] = Number(columns[2 + f][g]);
  }
  return { sizes, centers };
}
