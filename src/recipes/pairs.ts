import { constrainedKmeans } from "../cluster/index.ts";
import { constrainedAssigner, exclusionGraph, requireColoring } from "../cluster/internal.ts";
import type { Common, Hints } from "../convex/internal.ts";
import { random } from "../core/index.ts";
import { option, optionError } from "../core/internal.ts";
import { checkConstraints } from "../data/index.ts";

/** Steps of the search for a first assignment that keeps the cannot-links. */
const BUDGET = 200_000;

/**
 * Pairs as convex clustering takes them (convex/path/hints.ts); undefined if there are none. Groups with cannot-links are
 * assigned by the assignment step of constrained k-means: exactly for the small connected components of the
 * cannot-links, by descent for large ones.
 */
export function pairsOf(
  method: string,
  rows: number,
  {
    mustLink = [],
    cannotLink = [],
    clusters,
    protocol,
  }: Pick<Common, "mustLink" | "cannotLink" | "clusters" | "protocol">,
): Hints | undefined {
  if (mustLink.length + cannotLink.length === 0) return undefined;
  const constraints = checkConstraints(rows, { mustLink, cannotLink });
  const masses = new Float64Array(constraints.groups);
  for (const g of constraints.group) masses[g]++;
  const exclusion = exclusionGraph(constraints);
  const { count, groups, offsets, neighbors } = exclusion;
  const excluded = new Set<number>();
  for (let v = 0; v < count; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      excluded.add(groups[v] * constraints.groups + groups[neighbors[e]]);
    }
  }
  const hints = { constraints, masses, excluded };
  if (count === 0) return hints;
  if (clusters === undefined) {
    throw optionError(
      `${method}: cannot-links need ${option("clusters")}: whether they can be kept depends on the number of clusters`,
    );
  }
  if (protocol === "strict") {
    throw optionError(
      `${method}: the strict protocol takes components as they are, and one may hold a cannot-link; ` +
        `use protocol "practical"`,
    );
  }
  const coloring = requireColoring(method, exclusion, clusters, constraints, BUDGET, random(0));
  return {
    ...hints,
    apart: {
      groups,
      assign(costs) {
        const labels = new Int32Array(count).fill(-1);
        constrainedAssigner(exclusion, costs.cols, coloring).assign(costs.data, labels);
        return labels;
      },
      otherwise: (X) =>
        constrainedKmeans(X, {
          clusters,
          mustLink: constraints.mustLink,
          cannotLink: constraints.cannotLink,
          space: "plain",
        }).labels,
    },
  };
}
