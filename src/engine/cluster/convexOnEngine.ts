import {
  byRepresentativesOptions,
  type ByRepresentativesOptions,
  type ConvexByRepresentatives,
} from "../../recipes/index.ts";
import { convexByPasses, type BorderCuts } from "../../recipes/internal.ts";
import { rule } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { CONVEX_PASSES } from "../../scale/internal.ts";
import { clusterRows, type EngineCells, representativesOnEngine } from "./cellsOnEngine.ts";
import { answer } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { enginePasses } from "./enginePasses.ts";
import { CLUSTER, X } from "./nearestCenter.ts";

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
  const own = rule.resolveOptions("convexOnEngine", options, byRepresentativesOptions);
  const rows = enginePasses("convexOnEngine", table, own, CONVEX_PASSES);
  const { result, border, cells } = await convexByPasses(rows, own, {
    names: () => table.features.map(({ name }) => name),
    cells: (tree) => rows.pass(() => representativesOnEngine(table, tree)),
    clusters: (found, cuts, { rows: K }) => rows.pass(() => clusterSums(table, found, cuts, K)),
  });
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
