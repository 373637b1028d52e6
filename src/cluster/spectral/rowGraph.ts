import {
  inputError,
  integer,
  oneOf,
  option,
  optionError,
  real,
  type OptionsOf,
  type ResolvedOptions,
} from "../../core/internal.ts";
import { neighborGraph, type Neighbors } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite, requireSquares } from "../../matrix/internal.ts";
import { kernelFunction, kernelMatrix } from "../../metric/index.ts";
import { affinityOf, partsText } from "./spectralGraph.ts";

/** How the graph of a spectral method is made from rows. */
export const ROW_GRAPH_RULES = {
  graph: oneOf(["neighbors", "full"] as const, "neighbors", {
    says: "edges to the nearest rows, or between all rows",
  }),
  /** Number of neighbours in the graph, and of voters in `predict`; default 10. */
  neighbors: integer({ min: 1, default: 10, says: "neighbours of each row in the graph" }),
  kind: oneOf(["union", "mutual"] as const, undefined, {
    says: "an edge where one row is a neighbour of the other, or where both are",
    usual: "union",
  }),
  alpha: real({
    min: 0,
    says: "decay a of the weights exp(-a d^2 / median d^2) of the neighbour graph",
    usual: "0: all weights are 1",
  }),
  localScale: integer({
    min: 1,
    says: "weights exp(-d^2 / s_i s_j), s the distance to the neighbour of this rank",
    usual: "no local scale",
  }),
  sigma: real({
    above: 0,
    says: "s of the weights exp(-d^2 / 2 s^2) of the full graph",
    usual: "the median distance",
  }),
};

export type RowGraphOptions = OptionsOf<typeof ROW_GRAPH_RULES>;

/**
 * The graph of the rows. A graph with more than `parts` components is connected by its shortest missing
 * edges, with the smallest existing weight: otherwise all partitions of the components would be equally good.
 */
export function rowGraph(
  X: Matrix,
  options: ResolvedOptions<typeof ROW_GRAPH_RULES>,
  parts: number,
  method: string,
  known?: Neighbors,
) {
  const { graph: form, neighbors, kind, alpha, sigma, localScale } = options;
  requireFinite(X);
  requireSquares(X, method);
  if (X.rows < 2 || X.cols === 0)
    throw inputError(`${method}: the data is too small (${X.rows} x ${X.cols})`);
  if (form === "full") {
    if (alpha !== undefined)
      throw optionError(
        `${method}: ${option("alpha")} belongs to the neighbour graph; use ${option("sigma")}`,
      );
    if (localScale !== undefined)
      throw optionError(`${method}: "localScale" belongs to the neighbour graph; use ${option("sigma")}`);
    if (kind !== undefined)
      throw optionError(
        `${method}: ${option("kind")} belongs to the neighbour graph; the full one joins all rows`,
      );
    const kernel = kernelFunction(X, { sigma }, method);
    const affinity = affinityOf(kernelMatrix(X, X, kernel), method);
    const width = kernel.kind === "gaussian" ? kernel.sigma : 1;
    const warnings: string[] = [];
    if (affinity.componentSizes.length > 1) {
      warnings.push(
        `${partsText(affinity.componentSizes)}: sigma ${short(width)} is too small to connect them`,
      );
    } else if (affinity.W.values.every((value) => value > 1 - 1e-9)) {
      warnings.push(
        `all affinities are almost 1, so clusters mean little: sigma ${short(width)} is too large`,
      );
    }
    return { affinity, gamma: 1 / 2 / width / width, warnings };
  }
  if (sigma !== undefined)
    throw optionError(`${method}: ${option("sigma")} belongs to the full graph; use ${option("alpha")}`);
  if (alpha !== undefined && localScale !== undefined)
    throw optionError(`${method}: give ${option("alpha")} or "localScale", not both`);
  const setting = {
    neighbors,
    kind: kind ?? "union",
    alpha: alpha ?? 0,
    ...(localScale !== undefined && { localScale }),
  } as const;
  const plain = neighborGraph(X, setting, known);
  const apart = plain.components > 1;
  const made = plain.components > parts ? neighborGraph(X, { ...setting, join: true }, known) : plain;
  const warnings = [...plain.warnings];
  if (apart) {
    const said = partsText(affinityOf(plain.graph, method).componentSizes);
    warnings.push(
      made.joined === 0
        ? `${said}, which are kept apart`
        : `${said}, more than clusters; ${made.joined} edges were added to connect them, a larger number of neighbours ` +
            "would too",
    );
  }
  if (
    setting.alpha === 0 &&
    localScale === undefined &&
    X.rows > 2 &&
    2 * made.graph.from.length === X.rows * (X.rows - 1)
  ) {
    warnings.push(
      `${neighbors} neighbours join all ${X.rows} rows equally, so the graph contains no information; use fewer ` +
        "neighbours, or an alpha above 0",
    );
  }
  return {
    affinity: affinityOf(made.graph, method),
    /** Affinities are exp(-gamma d^2). */
    gamma: setting.alpha / made.scale,
    warnings,
  };
}

export type RowGraph = ReturnType<typeof rowGraph>;

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
