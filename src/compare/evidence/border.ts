import { type LinearBorder, linearBorder } from "./discriminant.ts";
import { type Half, halves, type Moments, moments, splitGain } from "./likelihood.ts";
import { lineEvidence } from "./line.ts";
import type { Cluster, Partition } from "../partition.ts";
import { GRAPH_NEIGHBORS, type JudgedSpace } from "../space.ts";
import { depth, significance, valley, valleyWork } from "./valley.ts";

/**
 * The evidence that the border between two clusters is real. There are two kinds, and one of them suffices: a
 * valley of the graph (for clusters of any shape), and a gap along a discriminant (for convex clusters, and
 * in many dimensions, where the graph is too thin to show a valley). Both are logistic functions g and h
 * fitted to borders of generated data whose classes are known, and
 *
 *     q = 1 / ((1 + e^g) (1 + e^h)),   evidence = ln((1 - q) / q)
 *
 * is the log-odds that the border is one between classes. Rows on a line have their own evidence (line.ts).
 */
export interface Border {
  /** Edges between both. */
  readonly cut: number;
  /** ln of the ratio of edges across the lower flank to edges across the border. */
  readonly depth: number;
  /** The depth against the flanks far from the border, and its significance. */
  readonly farDepth: number;
  readonly farSignificance: number;
  readonly gap: number;
  readonly separation: number;
  /** For two Gaussians against one, in ICL per row. */
  readonly gain: number;
  /** ln of the median local dimension of the rows. */
  readonly logDimension: number;
  readonly evidence: number;
}

export interface Borders {
  /** For two clusters; cached, so the same pair is judged once. */
  between(a: Cluster, b: Cluster): Border;
  /** The depth of the valley alone. */
  depthBetween(a: Cluster, b: Cluster): number;
  /** A lower bound of the evidence, from the gap alone, at a tenth of the cost. */
  atLeast(a: Cluster, b: Cluster): number;
  momentsOf(cluster: Cluster): Moments;
  /** Edges between clusters: K x K, the diagonal counts ends inside. */
  edges(partition: Partition): Float64Array;
  readonly judged: number;
}

interface Flanks {
  readonly cut: number;
  readonly depth: number;
  readonly farDepth: number;
  readonly farSignificance: number;
}

interface Gap extends LinearBorder {
  readonly gain: number;
  readonly logDimension: number;
}

export function borders(space: JudgedSpace): Borders {
  const { graph, G, spread, inverseDimension } = space;
  const work = valleyWork(space.rows);
  const flanks = new Map<string, Flanks>();
  const known = new Map<string, Border>();
  const gaps = new Map<string, Gap>();
  const ofCluster = new Map<number, Moments>();
  const halved = new Map<number, readonly [Half, Half]>();
  const halvesOf = (cluster: Cluster): readonly [Half, Half] => {
    let own = halved.get(cluster.key);
    if (own === undefined) {
      own = halves(G, cluster.rows);
      halved.set(cluster.key, own);
    }
    return own;
  };
  const momentsOf = (cluster: Cluster): Moments => {
    let own = ofCluster.get(cluster.key);
    if (own === undefined) {
      own = moments(G, cluster.rows, spread, halvesOf(cluster));
      ofCluster.set(cluster.key, own);
    }
    return own;
  };
  const flanksOf = (a: Cluster, b: Cluster): Flanks => {
    const key = pairKey(a, b);
    let found = flanks.get(key);
    if (found === undefined) {
      const { cut, flank, farFlank } = valley(graph, a.rows, b.rows, work);
      found = {
        cut,
        depth: depth(cut, flank),
        farDepth: depth(cut, farFlank),
        farSignificance: significance(cut, farFlank),
      };
      flanks.set(key, found);
    }
    return found;
  };
  const gapOf = (first: Cluster, second: Cluster): Gap => {
    const key = pairKey(first, second);
    let found = gaps.get(key);
    if (found !== undefined) return found;
    const [a, b] = first.rows[0] < second.rows[0] ? [first, second] : [second, first];
    const gain = splitGain(momentsOf(a), momentsOf(b), spread);
    const logDimension = -Math.log(Math.max(medianOver(inverseDimension, a.rows, b.rows), 1e-3));
    found = { ...linearBorder(G, a.rows, b.rows, halvesOf(a), halvesOf(b)), gain, logDimension };
    gaps.set(key, found);
    return found;
  };
  const between = (first: Cluster, second: Cluster): Border => {
    const key = pairKey(first, second);
    let found = known.get(key);
    if (found !== undefined) return found;
    const [a, b] = first.rows[0] < second.rows[0] ? [first, second] : [second, first];
    const parts = { ...flanksOf(a, b), ...gapOf(a, b) };
    const smaller = Math.min(a.rows.length, b.rows.length);
    found = {
      ...parts,
      evidence:
        G.cols === 1
          ? lineEvidence(G.data, a.rows, b.rows)
          : Math.max(evidence(parts), fewEdges(parts.cut, smaller)),
    };
    known.set(key, found);
    return found;
  };
  return {
    between,
    depthBetween: (a, b) => flanksOf(a, b).depth,
    atLeast: (a, b) => (G.cols === 1 ? between(a, b).evidence : ofGap(gapOf(a, b))),
    momentsOf,
    edges: (partition) => edgeCounts(space, partition),
    get judged() {
      return known.size;
    },
  };
}

/** The log-odds of the evidence; the coefficients were fitted to 34,000 borders of 203 sets. */
export function evidence(border: Flanks & Gap): number {
  const V = clip(border.farDepth, -1.5, 3);
  const z = clip(border.farSignificance, -8, 14);
  const ld = clip(border.logDimension, 0, 2.3);
  const g = 1.357 * V + 0.566 * z + 2.384 * ld - 2.035 * V * ld + 0.182 * z * ld - 8.875;
  const h = ofGap(border);
  const lq = -softplus(g) - softplus(h);
  return Math.log(-Math.expm1(Math.min(lq, -1e-12))) - lq;
}

/** h: the log-odds from the gap alone. */
function ofGap({ gap, separation, gain, logDimension }: Gap): number {
  const ld = clip(logDimension, 0, 2.3);
  const zb = clip(gap, 0, 12);
  const D = clip(separation, 0, 7);
  const ic = clip(gain, -0.3, 1.2);
  return 0.464 * zb + 0.817 * D + 0.711 * ld + 1.652 * ic - 9.385;
}

/**
 * A cut through connected rows crosses some 15 edges of this graph even along a thread, where flanks are too
 * low for a significant valley. Fewer crossing edges show a gap, if both sides have enough rows to fill their
 * neighbourhoods.
 */
function fewEdges(cut: number, smaller: number): number {
  return smaller < 1.5 * GRAPH_NEIGHBORS ? -Infinity : 1.5 * significance(cut, THREAD) - 3;
}

/** Less than 15, because the sparsest places of a long thread have fewer. */
const THREAD = 10;

function softplus(x: number): number {
  return x > 30 ? x : Math.log1p(Math.exp(x));
}

function clip(x: number, least: number, most: number): number {
  return Math.min(Math.max(x, least), most);
}

function pairKey(a: Cluster, b: Cluster): string {
  return a.key < b.key ? `${a.key} ${b.key}` : `${b.key} ${a.key}`;
}

function edgeCounts(
  { graph: { offsets, neighbors }, G }: JudgedSpace,
  { labels, clusters }: Partition,
): Float64Array {
  const K = clusters.length;
  const counts = new Float64Array(K * K);
  for (let i = 0; i < labels.length; i++) {
    const at = labels[i] * K;
    for (let e = offsets[i]; e < offsets[i + 1]; e++) counts[at + labels[neighbors[e]]]++;
  }
  // Equal numbers are neighbours of each other alone; on a line, clusters touch the next ones nevertheless.
  if (G.cols === 1) {
    const order = clusters.map((_, k) => k);
    const means = clusters.map(({ rows }) => rows.reduce((sum, row) => sum + G.data[row], 0) / rows.length);
    order.sort((a, b) => means[a] - means[b]);
    for (let p = 1; p < K; p++) {
      counts[order[p - 1] * K + order[p]]++;
      counts[order[p] * K + order[p - 1]]++;
    }
  }
  return counts;
}

function medianOver(values: Float64Array, a: Int32Array, b: Int32Array): number {
  const own = new Float64Array(a.length + b.length);
  for (let p = 0; p < a.length; p++) own[p] = values[a[p]];
  for (let p = 0; p < b.length; p++) own[a.length + p] = values[b[p]];
  own.sort();
  const middle = own.length >> 1;
  return own.length % 2 === 1 ? own[middle] : (own[middle - 1] + own[middle]) / 2;
}
