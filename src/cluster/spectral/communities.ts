import { random, type Random } from "../../core/index.ts";
import { inputError, optionError, option, plain, rule } from "../../core/internal.ts";
import { adjacency, neighborGraph, requireEdges, type Edges } from "../../graph/index.ts";
import { asMatrix, takeRows, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, requireSquares, valueOrder } from "../../matrix/internal.ts";
import { requireClusters, requireCount } from "../clusterInput.ts";
import { bySize } from "../density/dbscan.ts";
import type { Clustered, Partitioned } from "../clustered.ts";
import { nearestRowPlacing } from "../givenDistances.ts";

export const communitiesOptions = {
  /** The resolution is searched for that gives so many, instead of `resolution`. */
  clusters: rule.integer({ min: 1 }),
  quality: rule.oneOf(["modularity", "potts"] as const, "modularity", {
    says: "what is made large: modularity, or weights above the resolution (constant Potts model)",
  }),
  resolution: rule.real({ above: 0, says: "larger values give more and smaller communities", usual: "1" }),
  restarts: rule.integer({ min: 1, max: 10_000, default: 5, says: "independent starts; the best is kept" }),
  seed: rule.seed,
};

export type CommunitiesOptions = rule.OptionsOf<typeof communitiesOptions>;

export interface Communities extends Partitioned {
  readonly method: "leiden";
  /** Modularity, or sum over communities of weight inside - resolution n (n - 1) / 2. */
  readonly objective: number;
  readonly resolution: number;
}

export const leidenOptions = {
  ...communitiesOptions,
  neighbors: rule.integer({ min: 1, default: 15, says: "nearest rows that a row is joined to" }),
};

export type LeidenOptions = rule.OptionsOf<typeof leidenOptions>;

export interface Leiden extends Clustered, Pick<Communities, "objective" | "resolution"> {
  readonly method: "leiden";
}

/**
 * Communities of a weighted graph by the Leiden algorithm (V. A. Traag, L. Waltman and N. J. van Eck, 2019). It makes large
 *
 *     modularity  (1 / m) sum_c ( e_c - resolution K_c^2 / 4 m )     (M. E. J. Newman and M. Girvan, 2004)
 *     potts       sum_c ( e_c - resolution n_c (n_c - 1) / 2 )       (Traag, P. Van Dooren and Y. Nesterov, 2011)
 *
 * with e_c the weight inside community c, K_c its degrees, n_c its nodes and m the weight of all edges: nodes move while that
 * gains, communities are refined into connected parts, and the parts are the nodes of the next round. The same seed gives the
 * same communities.
 *
 * When not: modularity does not see communities much smaller than the square root of the edges; the Potts model does.
 */
export function communities(graph: Edges, options: CommunitiesOptions = {}): Communities {
  const settings = rule.resolveOptions("communities", options, communitiesOptions);
  return found(requireEdges(graph), settings);
}

/** Communities of the graph of nearest rows; weights exp(-|x - y|^2 / median). */
export function leiden(input: MatrixLike, options: LeidenOptions = {}): Leiden {
  const X = asMatrix(input, "leiden");
  const { neighbors, ...settings } = rule.resolveOptions("leiden", options, leidenOptions);
  requireClusters("leiden", X, settings.clusters);
  requireFinite(X);
  requireSquares(X, "leiden");
  // Ties and random orders follow the order of the values.
  const order = valueOrder(X);
  const { graph, warnings } =
    X.rows === 1
      ? {
          graph: { nodes: 1, from: new Int32Array(0), to: new Int32Array(0), weights: new Float64Array(0) },
          warnings: [],
        }
      : neighborGraph(takeRows(X, order), { neighbors, kind: "union" });
  const result = found(graph, settings);
  const labels = new Int32Array(X.rows);
  order.forEach((i, p) => (labels[i] = result.labels[p]));
  return plain<Leiden>({
    ...result,
    method: "leiden",
    labels,
    warnings: [...warnings, ...result.warnings],
    ...nearestRowPlacing("leiden", X, labels, result.clusters),
  });
}

type Settings = rule.ResolvedOptions<typeof communitiesOptions>;

/** Halvings of the range of resolutions that are tried for a number of communities. */
const HALVINGS = 40;

function found(graph: Edges, settings: Settings): Communities {
  const { clusters, quality, resolution: asked } = settings;
  if (graph.nodes === 0) throw inputError("communities: the graph has no nodes");
  if (clusters !== undefined && asked !== undefined) {
    throw optionError(`communities: give one of ${option("clusters")} and ${option("resolution")}`);
  }
  if (clusters === undefined) return atResolution(graph, settings, asked ?? 1);
  requireCount("communities", clusters, graph.nodes);
  // At 0 the communities are the components; above the heaviest edge, or this multiple of modularity, single nodes.
  let low = 0;
  let high = quality === "potts" ? 2 * graph.weights.reduce((a, b) => Math.max(a, b), 1) : 2 * graph.nodes;
  let best: Communities | undefined;
  const miss = (fit: Communities): number => Math.abs(fit.clusters - clusters);
  for (let t = 0; t < HALVINGS && (best === undefined || miss(best) > 0); t++) {
    const resolution = low === 0 ? high / 4 : Math.sqrt(low * high);
    const fit = atResolution(graph, settings, resolution);
    if (best === undefined || miss(fit) < miss(best)) best = fit;
    if (fit.clusters > clusters) high = resolution;
    else low = resolution;
  }
  if (miss(best!) === 0) return best!;
  const warning = `no resolution gave ${clusters} communities; ${best!.clusters} were made`;
  return plain<Communities>({ ...best!, warnings: [...best!.warnings, warning] });
}

function atResolution(graph: Edges, { quality, restarts, seed }: Settings, resolution: number): Communities {
  const m = graph.weights.reduce((sum, weight) => sum + weight, 0);
  const net = networkOf(graph, quality);
  // The gain of node i in community c is w(i, c) - gamma s_i S_c.
  const gamma = quality === "potts" ? resolution : m > 0 ? resolution / (2 * m) : 0;
  const streams = random(seed);
  let labels: Int32Array = new Int32Array(graph.nodes);
  let objective = -Infinity;
  for (let restart = 0; restart < restarts; restart++) {
    const stream = streams.split();
    let own = optimized(
      net,
      gamma,
      Int32Array.from({ length: graph.nodes }, (_, i) => i),
      stream,
    );
    let value = qualityOf(graph, net, own, gamma, quality, m);
    for (;;) {
      const next = optimized(net, gamma, own, stream);
      const better = qualityOf(graph, net, next, gamma, quality, m);
      if (better <= value + 1e-12 * Math.abs(value)) break;
      [own, value] = [next, better];
    }
    if (value > objective + 1e-12 * Math.abs(value)) [labels, objective] = [own, value];
  }
  const { labels: named, sizes } = bySize(labels);
  const clusters = sizes.length;
  return plain<Communities>({
    method: "leiden",
    clusters,
    labels: named,
    sizes,
    objective,
    resolution,
    converged: true,
    warnings: [],
  });
}

/** A graph whose nodes are groups of rows: neighbours in one list, weights, and the size of each in the gain. */
interface Network {
  readonly offsets: Int32Array;
  readonly neighbors: Int32Array;
  readonly weights: Float64Array;
  readonly sizes: Float64Array;
}

function networkOf(graph: Edges, quality: "modularity" | "potts"): Network {
  const { offsets, neighbors, edges } = adjacency(graph);
  const weights = Float64Array.from(edges, (e) => graph.weights[e]);
  const degrees = Float64Array.from({ length: graph.nodes }, (_, i) =>
    weights.subarray(offsets[i], offsets[i + 1]).reduce((sum, weight) => sum + weight, 0),
  );
  return { offsets, neighbors, weights, sizes: quality === "potts" ? degrees.map(() => 1) : degrees };
}

function qualityOf(
  { from, to, weights }: Edges,
  { sizes }: Network,
  labels: Int32Array,
  gamma: number,
  quality: "modularity" | "potts",
  m: number,
): number {
  let inside = 0;
  weights.forEach((weight, e) => (inside += labels[from[e]] === labels[to[e]] ? weight : 0));
  const totals = new Float64Array(labels.length);
  labels.forEach((label, i) => (totals[label] += sizes[i]));
  let chance = 0;
  for (const total of totals) chance += quality === "potts" ? total * (total - 1) : total * total;
  const value = inside - (gamma * chance) / 2;
  return quality === "potts" || m === 0 ? value : value / m;
}

/** Rounds of moving, refining and joining, from these communities. */
function optimized(rows: Network, gamma: number, start: Int32Array, stream: Random): Int32Array {
  let net = rows;
  /** The node of the network for each row. */
  let nodes = Int32Array.from(start.keys());
  let labels = moved(net, gamma, start, stream);
  for (;;) {
    const parts = refined(net, gamma, labels, stream);
    const count = parts.reduce((most, part) => Math.max(most, part), -1) + 1;
    const whole = Int32Array.from(nodes, (node) => labels[node]);
    if (count === net.sizes.length) return numbered(whole);
    const own = new Int32Array(count);
    parts.forEach((part, node) => (own[part] = labels[node]));
    nodes = nodes.map((node) => parts[node]);
    net = joinedNetwork(net, parts, count);
    labels = moved(net, gamma, numbered(own), stream);
  }
}

/** Nodes move to the community of largest gain until none gains; those beside a moved node are looked at again. */
function moved(net: Network, gamma: number, start: Int32Array, stream: Random): Int32Array {
  const { offsets, neighbors, weights, sizes } = net;
  const n = sizes.length;
  const labels = start.slice();
  const totals = new Float64Array(n + 1);
  const counts = new Int32Array(n + 1);
  labels.forEach((label, i) => {
    totals[label] += sizes[i];
    counts[label]++;
  });
  const queue: number[] = Array.from(stream.shuffle(Int32Array.from({ length: n }, (_, i) => i)));
  const waiting = new Uint8Array(n).fill(1);
  const toward = new Float64Array(n);
  let empty = counts.indexOf(0);
  for (let head = 0; head < queue.length; head++) {
    const i = queue[head];
    waiting[i] = 0;
    const own = labels[i];
    const seen = [own];
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const label = labels[neighbors[p]];
      if (toward[label] === 0) seen.push(label);
      toward[label] += weights[p];
    }
    totals[own] -= sizes[i];
    let best = own;
    let most = toward[own] - gamma * sizes[i] * totals[own];
    const slack = 1e-12 * (Math.abs(toward[own]) + gamma * sizes[i] * totals[own]);
    for (const label of seen) {
      const gain = toward[label] - gamma * sizes[i] * totals[label];
      if (gain > most + slack) [best, most] = [label, gain];
    }
    // Alone it gains nothing and loses nothing.
    if (most < -slack && counts[own] > 1) best = empty;
    for (const label of seen) toward[label] = 0;
    totals[best] += sizes[i];
    if (best === own) continue;
    counts[own]--;
    counts[best]++;
    labels[i] = best;
    if (best === empty || counts[own] === 0) empty = counts.indexOf(0);
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const j = neighbors[p];
      if (labels[j] === best || waiting[j] === 1) continue;
      waiting[j] = 1;
      queue.push(j);
    }
  }
  return numbered(labels);
}

/** Parts of the communities: single nodes join the part of largest gain within their community, once. */
function refined(net: Network, gamma: number, labels: Int32Array, stream: Random): Int32Array {
  const { offsets, neighbors, weights, sizes } = net;
  const n = sizes.length;
  const parts = Int32Array.from({ length: n }, (_, i) => i);
  const totals = sizes.slice();
  const alone = new Uint8Array(n).fill(1);
  const whole = new Float64Array(n);
  labels.forEach((label, i) => (whole[label] += sizes[i]));
  /** The weight from each part to the rest of its community. */
  const outward = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++)
      if (labels[neighbors[p]] === labels[i]) outward[i] += weights[p];
  }
  const isConnected = (part: number, label: number): boolean =>
    outward[part] >= gamma * totals[part] * (whole[label] - totals[part]) * (1 - 1e-12);
  const toward = new Float64Array(n);
  for (const i of stream.shuffle(Int32Array.from({ length: n }, (_, k) => k))) {
    if (alone[i] === 0 || !isConnected(i, labels[i])) continue;
    const seen: number[] = [];
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const j = neighbors[p];
      if (labels[j] !== labels[i] || parts[j] === i) continue;
      if (toward[parts[j]] === 0) seen.push(parts[j]);
      toward[parts[j]] += weights[p];
    }
    let best = i;
    let most = 0;
    for (const part of seen) {
      const gain = toward[part] - gamma * sizes[i] * totals[part];
      if (gain > most && isConnected(part, labels[i])) [best, most] = [part, gain];
    }
    if (best !== i) {
      parts[i] = best;
      alone[best] = 0;
      totals[best] += totals[i];
      outward[best] += outward[i] - 2 * toward[best];
    }
    for (const part of seen) toward[part] = 0;
  }
  return numbered(parts);
}

/** The network of the parts; weights within a part are no longer needed. */
function joinedNetwork(net: Network, parts: Int32Array, count: number): Network {
  const sizes = new Float64Array(count);
  const between = Array.from({ length: count }, () => new Map<number, number>());
  parts.forEach((part, i) => {
    sizes[part] += net.sizes[i];
    for (let p = net.offsets[i]; p < net.offsets[i + 1]; p++) {
      const other = parts[net.neighbors[p]];
      if (other !== part) between[part].set(other, (between[part].get(other) ?? 0) + net.weights[p]);
    }
  });
  const offsets = new Int32Array(count + 1);
  between.forEach((own, part) => (offsets[part + 1] = offsets[part] + own.size));
  return {
    offsets,
    neighbors: Int32Array.from(between.flatMap((own) => [...own.keys()])),
    weights: Float64Array.from(between.flatMap((own) => [...own.values()])),
    sizes,
  };
}

/** 0, 1, ... in the order in which they come. */
function numbered(labels: Int32Array): Int32Array {
  const place = new Map<number, number>();
  for (const label of labels) if (!place.has(label)) place.set(label, place.size);
  return labels.map((label) => place.get(label)!);
}
