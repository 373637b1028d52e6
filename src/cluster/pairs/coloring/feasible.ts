import { random, type Random } from "../../../core/index.ts";
import { inputError, numericError, rule } from "../../../core/internal.ts";
import {
  checkConstraints,
  type CheckedConstraints,
  type Constraints,
  type Pair,
} from "../../../data/index.ts";
import { annealedColoring } from "./annealedColoring.ts";
import { exclusionGraph, subgraph, type ExclusionGraph } from "./exclusionGraph.ts";
import { largeClique } from "./largeClique.ts";
import { neighborhoodConflict } from "./neighborhoodConflict.ts";
import { PartialColoring } from "./partialColoring.ts";
import { tabuColoring } from "./tabuColoring.ts";

/**
 * Can the rows be split into K clusters that respect all pairs? The must-link groups joined by cannot-links are a graph,
 * and the question is whether K colours suffice for it (NP-complete for K >= 3). Nodes with fewer than K
 * neighbours never matter and are removed; the search looks for small conflicts in the rest, and DSATUR with
 * back-tracking, annealing and tabu search take turns on it.
 */
export interface Feasibility {
  readonly status: "feasible" | "infeasible" | "gave up";
  /** feasible: a cluster for each row, all pairs respected (rows without pairs are in cluster 0). */
  readonly labels?: Int32Array;
  /**
   * infeasible: cannot-links that no K clusters can satisfy together with the must-links; if possible, a
   * clique of K + 1 groups. `irreducible` says that every proper subset of these pairs can be satisfied.
   */
  readonly conflict?: Conflict;
  /** Number of visited nodes of the search tree. */
  readonly nodes: number;
}

export interface Conflict {
  readonly cannotLink: readonly Pair[];
  /** The must-links that form the groups of these pairs. */
  readonly mustLink: readonly Pair[];
  /** Rows, one of each of the mutually exclusive groups, when the conflict is a clique. */
  readonly clique?: readonly number[];
  readonly irreducible: boolean;
}

const feasibleOptions = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  /** Nodes of the search tree before the search gives up. */
  budget: rule.integer({ min: 1, default: 200_000 }),
  seed: rule.seed,
};

export type FeasibleOptions = rule.OptionsOf<typeof feasibleOptions>;

export function feasible(
  rows: number,
  constraints: Partial<Constraints>,
  options: FeasibleOptions,
): Feasibility {
  const { clusters, budget, seed } = rule.resolveOptions("feasible", options, feasibleOptions);
  const checked = checkConstraints(rows, constraints);
  const graph = exclusionGraph(checked);
  // More clusters than rows are equivalent to one for each row.
  const found = colorGraph(graph, Math.min(clusters, Math.max(1, rows)), budget, random(seed));
  if (found.status !== "feasible") {
    const conflict = found.core === undefined ? undefined : explain(found.core, clusters, checked, budget);
    return { status: found.status, conflict, nodes: found.nodes };
  }
  const byGroup = new Int32Array(checked.groups);
  found.colors!.forEach((k, v) => (byGroup[graph.groups[v]] = k));
  return { status: "feasible", labels: checked.group.map((g) => byGroup[g]), nodes: found.nodes };
}

interface Coloring {
  readonly status: Feasibility["status"];
  readonly colors?: Int32Array;
  /** infeasible: a part of the graph that has no colouring. */
  readonly core?: ExclusionGraph;
  readonly nodes: number;
}

function colorGraph(graph: ExclusionGraph, K: number, budget: number, stream: Random): Coloring {
  const peeled = peel(graph, K);
  const colors = new Int32Array(graph.count).fill(-1);
  const core = subgraph(graph, peeled.core);
  let nodes = 0;
  let gaveUp = false;
  for (const part of core.parts) {
    const piece = subgraph(core, part);
    const found = colorPart(piece, K, budget - nodes, stream);
    nodes += found.nodes;
    if (found.status === "infeasible") return { status: "infeasible", core: found.core, nodes };
    if (found.status === "gave up") gaveUp = true;
    else found.colors!.forEach((k, s) => (colors[peeled.core[part[s]]] = k));
  }
  if (gaveUp) return { status: "gave up", nodes };
  // In reverse, each peeled node has fewer than K coloured neighbours.
  const used = new Int32Array(K).fill(-1);
  for (let p = peeled.order.length - 1; p >= 0; p--) {
    const v = peeled.order[p];
    for (let e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) {
      const k = colors[graph.neighbors[e]];
      if (k >= 0) used[k] = v;
    }
    let k = 0;
    while (used[k] === v) k++;
    colors[v] = k;
  }
  return { status: "feasible", colors, nodes };
}

/** Removes nodes of degree below K as long as there are any: the remainder is the K-core. */
function peel(graph: ExclusionGraph, K: number) {
  const { count, offsets, neighbors } = graph;
  const degree = new Int32Array(count);
  const order = new Int32Array(count);
  const gone = new Uint8Array(count);
  let tail = 0;
  const drop = (v: number): void => {
    gone[v] = 1;
    order[tail++] = v;
  };
  for (let v = 0; v < count; v++) {
    degree[v] = offsets[v + 1] - offsets[v];
    if (degree[v] < K) drop(v);
  }
  for (let head = 0; head < tail; head++) {
    for (let e = offsets[order[head]]; e < offsets[order[head] + 1]; e++) {
      const u = neighbors[e];
      if (gone[u] === 0 && --degree[u] < K) drop(u);
    }
  }
  const core: number[] = [];
  for (let v = 0; v < count; v++) if (gone[v] === 0) core.push(v);
  return { core: Int32Array.from(core), order: order.slice(0, tail) };
}

/**
 * It first looks for a clique of K + 1, and for neighbourhoods that need more than K - 1 colours. Then
 * searches with growing budgets take turns: back-tracking, which can prove both answers and learns from dead
 * ends, and annealing, which finds colourings where back-tracking went wrong early.
 */
function colorPart(graph: ExclusionGraph, K: number, budget: number, stream: Random): Coloring {
  const clique = largeClique(graph, K + 1);
  if (clique.length > K) return { status: "infeasible", core: subgraph(graph, clique), nodes: 0 };
  const near = neighborhoodConflict(graph, K);
  if (near !== undefined) return { status: "infeasible", core: subgraph(graph, near), nodes: 0 };
  const weights = new Float64Array(graph.count);
  let nodes = 0;
  for (let share = 1 / 16; ; share *= 2) {
    const limit = Math.min(budget - nodes, Math.max(2 * graph.count, share * budget));
    const found = backtrack(graph, K, clique, limit, weights);
    nodes += found.nodes;
    if (found.status !== "gave up") return { ...found, nodes };
    const { colors: start, conflicts } = annealedColoring(graph, K, MOVES * limit, stream);
    const colors = conflicts === 0 ? start : tabuColoring(graph, K, start, limit, stream);
    if (colors !== undefined) return { status: "feasible", colors, nodes };
    if (nodes >= budget) return { status: "gave up", nodes };
  }
}

/** Moves of the annealing for each node of the search tree. */
const MOVES = 2000;

/**
 * Depth first: the node with most colours among its neighbours, then with most neighbours; each allowed
 * colour in use, and one new colour (unused ones are equivalent).
 */
function backtrack(
  graph: ExclusionGraph,
  K: number,
  clique: readonly number[],
  budget: number,
  weights: Float64Array,
): Coloring {
  const { count, offsets } = graph;
  const state = new PartialColoring(graph, K);
  const uses = new Int32Array(K);
  const touched = new Uint8Array(count);
  const score = (v: number): number => weights[v] + offsets[v + 1] - offsets[v];
  // Any colouring gives a clique different colours, so these can be fixed.
  clique.forEach((v, k) => {
    state.color(v, k);
    uses[k]++;
    touched[v] = 1;
  });
  const path = new Int32Array(count);
  const tried = new Int32Array(count);
  let depth = 0;
  let nodes = 0;
  path[0] = state.pick(score);
  tried[0] = -1;
  if (path[0] < 0) return { status: "feasible", colors: state.colors, nodes };
  for (;;) {
    const v = path[depth];
    touched[v] = 1;
    let k = tried[depth];
    if (k >= 0) {
      state.uncolor(v);
      uses[k]--;
    }
    // After a new colour at this node, the other unused ones would repeat the search.
    const wasNew = k >= 0 && uses[k] === 0;
    for (k++; k < K; k++) if (state.allowed(v, k) && !(wasNew && uses[k] === 0)) break;
    if (k === K) {
      weights[v]++;
      if (--depth < 0) {
        const core = Int32Array.from({ length: count }, (_, u) => u).filter((u) => touched[u] === 1);
        return { status: "infeasible", core: subgraph(graph, core), nodes };
      }
      continue;
    }
    if (++nodes > budget) return { status: "gave up", nodes };
    tried[depth] = k;
    state.color(v, k);
    uses[k]++;
    const next = state.pick(score);
    if (next < 0) return { status: "feasible", colors: state.colors, nodes };
    depth++;
    path[depth] = next;
    tried[depth] = -1;
  }
}

/** Shrinks an uncolourable graph: nodes, then single pairs, are removed as long as it stays uncolourable. */
function explain(core: ExclusionGraph, K: number, constraints: CheckedConstraints, budget: number): Conflict {
  let graph = core;
  let irreducible = true;
  let left = budget;
  const stays = (smaller: ExclusionGraph): boolean => {
    if (left <= 0) {
      irreducible = false;
      return false;
    }
    const found = colorGraph(smaller, K, Math.min(left, Math.ceil(budget / 20)), random(0));
    left -= found.nodes + smaller.count;
    if (found.status === "gave up") irreducible = false;
    return found.status === "infeasible";
  };
  for (let v = graph.count - 1; v >= 0; v--) {
    if (v >= graph.count) continue;
    const rest = subgraph(graph, others(graph.count, v));
    if (stays(rest)) graph = rest;
  }
  const everyNode = others(graph.count, -1);
  for (const pair of new Set(graph.pairs)) {
    if (!graph.pairs.includes(pair)) continue;
    const current = graph;
    const rest = subgraph(current, everyNode, (entry) => current.pairs[entry] !== pair);
    if (stays(rest)) graph = rest;
  }
  const cannotLink = [...new Set(graph.pairs)].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const isClique = graph.neighbors.length === graph.count * (graph.count - 1) && graph.count === K + 1;
  const groups = new Set(graph.groups);
  const firstRow = (g: number): number => constraints.group.indexOf(g);
  return {
    cannotLink,
    mustLink: constraints.mustLink.filter(([i]) => groups.has(constraints.group[i])),
    clique: isClique ? Array.from(graph.groups, firstRow).sort((a, b) => a - b) : undefined,
    irreducible,
  };
}

function others(count: number, without: number): Int32Array {
  return Int32Array.from({ length: count }, (_, u) => u).filter((u) => u !== without);
}

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
