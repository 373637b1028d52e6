import { double } from "../../core/internal.ts";
import type { CellTree, Representatives } from "../../cluster/index.ts";
import { compressionOf } from "../../cluster/internal.ts";
import type { BorderCuts } from "../../recipes/internal.ts";
import { matrix } from "../../matrix/index.ts";

import { answer, type EngineBatch } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { CLUSTER, featureRows, X } from "./nearestCenter.ts";
import { AGGREGATES } from "../route.ts";

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
