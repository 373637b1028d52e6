import { random, type Random } from "../../../core/index.ts";
import { inputError, numericError, rule } from "../../../core/internal.ts";
import {
  checkConstraints,
  type CheckedConstraints,
  type Constraints,
  type Pair,
} from "../../../data/index.ts";
import { exclusionGraph, subgraph, type ExclusionGraph } from "./exclusionGraph.ts";
import { neighborhoodConflict } from "./neighborhoodConflict.ts";
import { partialColoring } from "./partialColoring.ts";

/**
 * Can the rows be split into K clusters that respect all pairs? The must-link groups joined by cannot-links are a graph,
 * and the question is whether K colours suffice for it (NP-complete for K >= 3). Nodes with fewer than K
 * neighbours never matter and are removed; the search looks for small conflicts in the rest, and DSATUR with
 * back-tracking and annealing take turns on it.
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
 * It first looks for nested neighbourhoods that need too many colours, of which a clique of K + 1 is one. Then
 * searches with growing budgets take turns: back-tracking, which can prove both answers and learns from dead
 * ends, and annealing, which finds colourings where back-tracking went wrong early.
 */
function colorPart(graph: ExclusionGraph, K: number, budget: number, stream: Random): Coloring {
  const near = neighborhoodConflict(graph, K);
  if (near !== undefined) return { status: "infeasible", core: subgraph(graph, near), nodes: 0 };
  const weights = new Float64Array(graph.count);
  let nodes = 0;
  for (let share = 1 / 16; ; share *= 2) {
    const limit = Math.min(budget - nodes, Math.max(2 * graph.count, share * budget));
    const found = backtrack(graph, K, limit, weights);
    nodes += found.nodes;
    if (found.status !== "gave up") return { ...found, nodes };
    const colors = annealedColoring(graph, K, MOVES * limit, stream);
    if (colors !== undefined) return { status: "feasible", colors, nodes };
    if (nodes >= budget) return { status: "gave up", nodes };
  }
}

/**
 * Depth first: the node with most colours among its neighbours, then with most neighbours; each allowed
 * colour in use, and one new colour (unused ones are equivalent).
 */
function backtrack(graph: ExclusionGraph, K: number, budget: number, weights: Float64Array): Coloring {
  const { count, offsets } = graph;
  const state = partialColoring(graph, K);
  const uses = new Int32Array(K);
  const touched = new Uint8Array(count);
  const score = (v: number): number => weights[v] + offsets[v + 1] - offsets[v];
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
    for (k++; k < K; k++) if (state.taken[v * K + k] === 0 && !(wasNew && uses[k] === 0)) break;
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

/** Moves of the annealing for each node of the search tree. */
const MOVES = 2000;

/**
 * K colours by simulated annealing (D. S. Johnson, C. R. Aragon, L. A. McGeoch and C. Schevon, 1991): from
 * random colours, nodes in turn take another colour, always if that adds no conflicting edge and otherwise
 * with probability exp(-more / T), T falling from 0.45 to 0.15 conflicts. With slow cooling, colourings
 * planted in graphs at the densities where back-tracking and tabu search fail appear between these two
 * temperatures.
 */
function annealedColoring(graph: ExclusionGraph, K: number, moves: number, stream: Random) {
  const { count, offsets, neighbors } = graph;
  const colors = Int32Array.from({ length: count }, () => stream.integer(K));
  const taken = new Int32Array(count * K);
  let conflicts = 0;
  let most = 0;
  for (let v = 0; v < count; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      taken[v * K + colors[neighbors[e]]]++;
      if (neighbors[e] < v && colors[neighbors[e]] === colors[v]) conflicts++;
    }
    most = Math.max(most, offsets[v + 1] - offsets[v]);
  }
  const accept = new Float64Array(most + 1);
  const draw = fastUniform(1 + stream.integer(2 ** 31 - 1));
  const sweeps = Math.ceil(moves / count);
  for (let sweep = 0; sweep < sweeps && conflicts > 0; sweep++) {
    const T = HOT * (COLD / HOT) ** (sweep / sweeps);
    for (let more = 0; more <= most; more++) accept[more] = Math.exp(-more / T);
    for (let v = 0; v < count; v++) {
      const old = colors[v];
      let k = Math.floor(draw() * (K - 1));
      if (k >= old) k++;
      const more = taken[v * K + k] - taken[v * K + old];
      if (more > 0 && draw() >= accept[more]) continue;
      colors[v] = k;
      conflicts += more;
      for (let e = offsets[v]; e < offsets[v + 1]; e++) {
        const at = neighbors[e] * K;
        taken[at + old]--;
        taken[at + k]++;
      }
      if (conflicts === 0) break;
    }
  }
  return conflicts === 0 ? colors : undefined;
}

const HOT = 0.45;
const COLD = 0.15;

/** G. Marsaglia's xorshift (2003), 32 bits: good enough for a hundred million moves, and fast. */
function fastUniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
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
