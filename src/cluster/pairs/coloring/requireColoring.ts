import type { Random } from "../../../core/index.ts";
import { inputError, numericError } from "../../../core/internal.ts";
import type { CheckedConstraints, Pair } from "../../../data/index.ts";
import type { ExclusionGraph } from "./exclusionGraph.ts";
import { colorGraph, explain, type Conflict } from "./feasible.ts";

/**
 * A first assignment of the must-link groups to K clusters that keeps every cannot-link: a colour for each node of the
 * exclusion graph. If there is none, the error names pairs that exclude each other; if the search did not
 * end, the error says so.
 */
export function requireColoring(
  method: string,
  graph: ExclusionGraph,
  K: number,
  constraints: CheckedConstraints,
  budget: number,
  stream: Random,
  remedy: string = 'raise "budget", or take a soft method (pckMeans)',
): Int32Array {
  const found = colorGraph(graph, K, budget, stream);
  if (found.status === "infeasible") {
    throw inputError(conflictMessage(explain(found.core!, K, constraints, budget), K));
  }
  if (found.status === "gave up") {
    throw numericError(
      `${method}: gave up after ${found.nodes} search steps without knowing whether ${K} clusters can satisfy the ` +
        `${graph.neighbors.length / 2} cannot-links between groups; ${remedy}`,
    );
  }
  return found.colors!;
}

/** The sentence that names pairs that exclude each other. */
function conflictMessage(conflict: Conflict, K: number): string {
  const { cannotLink, mustLink, clique } = conflict;
  const list = (pairs: readonly Pair[]): string => {
    const shown = pairs.slice(0, 20).map(([i, j]) => `${i}-${j}`);
    return shown.join(", ") + (pairs.length > shown.length ? ` and ${pairs.length - shown.length} more` : "");
  };
  const linked = mustLink.length === 0 ? "" : `, with the must-links ${list(mustLink)}`;
  const why =
    clique === undefined
      ? `these ${cannotLink.length} cannot-links cannot all hold`
      : `rows ${clique.join(", ")} (and what they are must-linked with) exclude each other, ${K + 1} groups`;
  return (
    `no ${K} clusters can satisfy the pairs: ${why}: ${list(cannotLink)}${linked}; ` +
    `remove one of these pairs or ask for more clusters`
  );
}
