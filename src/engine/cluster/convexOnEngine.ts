import {
  byRepresentativesOptions,
  type ByRepresentativesOptions,
  type ConvexByRepresentatives,
} from "../../recipes/index.ts";
import { convexByPasses, type BorderCuts } from "../../recipes/internal.ts";
import { rule, double } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { CONVEX_PASSES } from "../../scale/internal.ts";
import { answer, type EngineBatch } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { enginePasses } from "./enginePasses.ts";
import { CLUSTER, X, featureRows } from "./nearestCenter.ts";
import type { CellTree, Representatives } from "../../cluster/index.ts";
import { compressionOf } from "../../cluster/internal.ts";
import { AGGREGATES } from "../route.ts";

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

const NODE = "kindred_node";

/**
 * The rows of a table with their leaf in a tree of cells: a subquery with the columns `kindred_x0` ... (the
 * features), `kindred_node` and the additional columns, by their names. Each level of the tree is a join with
 * the few nodes of that level, which are literals in the statement; the compared values are summed as in
 * memory, to the last bit.
 */
export function cellRows(table: EngineTable, tree: CellTree, carried: readonly string[] = []): string {
  const { features, thresholds, left, normals, directions, dimensions: d } = tree;
  const xs = table.features.map((_, f) => X(f));
  const kept = [...carried, ...xs].join(", ");
  const feature = `case kindred_f ${xs.map((x, f) => `when ${f} then ${x}`).join(" ")} end`;
  const product = xs.map((x, f) => `kindred_n${f} * ${x}`).join(" + ");
  const byFeature = `kindred_v, kindred_t, kindred_l, kindred_f`;
  const byProduct = `kindred_v, kindred_t, kindred_l, ${xs.map((_, f) => `kindred_n${f}`).join(", ")}`;
  let rows = `(select ${kept}, 0 as ${NODE} from ${featureRows(table, carried)}) as kindred_root`;
  for (let level = 0; level < tree.depth; level++) {
    const oblique = level < tree.oblique;
    const nodes = innerNodes(tree, level).map((v) => {
      const way = oblique
        ? Array.from({ length: d }, (_, f) => double(directions.data[normals[v] * d + f]))
        : [features[v]];
      return `(${[v, double(thresholds[v]), left[v], ...way].join(",")})`;
    });
    rows =
      `(select ${kept}, case when kindred_v is null then ${NODE} ` +
      `when ${oblique ? product : feature} <= kindred_t then kindred_l else kindred_l + 1 end as ${NODE} ` +
      `from ${rows} left join (values ${nodes.join(",")}) as kindred_nodes${level}(${oblique ? byProduct : byFeature}) ` +
      `on ${NODE} = kindred_v) as kindred_level${level}`;
  }
  return rows;
}

/** The representatives of a table's rows: mean and number of rows of each cell, computed by the engine. */
export async function representativesOnEngine(table: EngineTable, tree: CellTree): Promise<EngineCells> {
  const d = table.features.length;
  const rows = cellRows(table, tree);
  // An average and a variance for each feature, in statements that the engine compiles well.
  const width = Math.max(1, Math.floor(AGGREGATES[table.engine.dialect.engine] / 2) - 1);
  const parts: EngineBatch[] = [];
  for (let first = 0; first < d; first += width) {
    const part = Array.from({ length: Math.min(width, d - first) }, (_, f) => X(first + f));
    const means = part.map((x) => `avg(${x})`);
    const variance = part.map((x) => `var_pop(${x})`).join(" + ");
    parts.push(
      await answer(
        table.engine,
        `select ${[NODE, "count(*)", variance, ...means].join(", ")} from ${rows} group by ${NODE} order by ${NODE}`,
      ),
    );
  }
  const column = (part: number, j: number): Float64Array => parts[part].columns[j] as Float64Array;
  const nodes = Int32Array.from(column(0, 0));
  const masses = column(0, 1).slice();
  const points = matrix(nodes.length, d);
  const scatters = new Float64Array(nodes.length);
  parts.forEach((_, part) => {
    for (let c = 0; c < nodes.length; c++) {
      scatters[c] += column(part, 2)[c] * masses[c];
      for (let f = part * width; f < Math.min(d, (part + 1) * width); f++) {
        points.data[c * d + f] = column(part, 3 + f - part * width)[c];
      }
    }
  });
  return { points, masses, tree, nodes, compression: compressionOf(points, masses, scatters) };
}

export interface EngineCells extends Representatives {
  /** The leaf of each representative, in their order. */
  readonly nodes: Int32Array;
}

/**
 * The rows of a table with their clusters, as in `rowLabels`: a subquery with the column `kindred_cluster`.
 */
export function clusterRows(
  table: EngineTable,
  { tree, nodes }: Pick<EngineCells, "tree" | "nodes">,
  { labels, cuts, beyond, normals, offsets }: BorderCuts,
  carried: readonly string[] = [],
): string {
  const { cols: d, data } = normals;
  const xs = table.features.map((_, f) => X(f));
  const kept = [...carried, ...xs].join(", ");
  const cells = Array.from(nodes, (node, c) => `(${node},${labels[c]})`);
  const labelled =
    `(select ${kept}, ${NODE}, kindred_c from ${cellRows(table, tree, carried)} ` +
    `inner join (values ${cells.join(",")}) as kindred_cells(kindred_v, kindred_c) on ${NODE} = kindred_v) as kindred_labelled`;
  const border = Array.from(nodes, (node, c) => [node, cuts[c]]).filter(([, cut]) => cut >= 0);
  if (border.length === 0) {
    return `(select ${kept}, kindred_c as ${CLUSTER} from ${labelled}) as kindred_clustered`;
  }
  const cut = border.map(
    ([node, k]) =>
      `(${[node, beyond[k], double(offsets[k]), ...Array.from(data.subarray(k * d, (k + 1) * d), double)].join(",")})`,
  );
  const product = xs.map((x, f) => `kindred_n${f} * ${x}`).join(" + ");
  const names = `kindred_v, kindred_b, kindred_t, ${xs.map((_, f) => `kindred_n${f}`).join(", ")}`;
  return (
    `(select ${kept}, case when ${product} > kindred_t then kindred_b else kindred_c end as ${CLUSTER} ` +
    `from ${labelled} left join (values ${cut.join(",")}) as kindred_cuts(${names}) on ${NODE} = kindred_v) ` +
    `as kindred_clustered`
  );
}

function innerNodes({ left, depths }: CellTree, level: number): number[] {
  const nodes: number[] = [];
  for (let v = 0; v < left.length; v++) if (left[v] >= 0 && depths[v] === level) nodes.push(v);
  return nodes;
}
