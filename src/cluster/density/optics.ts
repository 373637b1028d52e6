import { inputError, optionError, option, plain, progressGate, rule } from "../../core/internal.ts";
import { asMatrix, row, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, requireSquares, squaredDistance } from "../../matrix/internal.ts";
import { requireClusters, requireCount } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";
import { metricRule, requireDistances } from "../givenDistances.ts";
import { bySize } from "./dbscan.ts";
import { flatModel, type DensityModel, type DensityModelData } from "./densityModel.ts";

export const opticsOptions = {
  /** Instead of epsilon: the largest reach at which the plot has so many valleys. */
  clusters: rule.integer({ min: 1 }),
  xi: rule.real({
    above: 0,
    below: 1,
    default: 0.05,
    says: "clusters begin and end where reachability falls or rises by this share",
  }),
  epsilon: rule.real({ above: 0, says: "cut the reachability at this distance, instead of by xi" }),
  minSamples: rule.integer({
    min: 2,
    default: 5,
    says: "rows, itself among them, that make a row dense; also the smallest cluster",
  }),
  metric: metricRule,
  onProgress: rule.progress,
};

export type OpticsOptions = rule.OptionsOf<typeof opticsOptions>;

export interface Optics extends Clustered {
  readonly method: "optics";
  /** 0 .. clusters - 1, largest first; -1 for noise. */
  readonly labels: Int32Array;
  /** The rows in the order of the plot. */
  readonly order: Int32Array;
  /** For each row, the distance at which it was reached; Infinity for the first. */
  readonly reachability: Float64Array;
  readonly coreDistances: Float64Array;
  readonly minSamples: number;
  readonly noise: number;
  model(): DensityModelData;
}

const NAME = "optics";
const MOST_ROWS = 30_000;

/**
 * OPTICS (M. Ankerst, M. M. Breunig, H.-P. Kriegel and J. Sander, 1999): the rows in an order in which each is followed by the
 * one that is reached at the least max(core_i, |x_i - x_j|); clusters are the valleys of that distance along the order, between
 * steep areas of falling and of rising reachability (section 4.3), the smallest ones first.
 *
 * When not: the order begins at the first row, and xi follows small dents; HDBSCAN* depends on no order and chooses by stability.
 */
export function optics(input: MatrixLike, options: OpticsOptions = {}): Optics {
  const X = asMatrix(input, NAME);
  const settings = rule.resolveOptions(NAME, options, opticsOptions);
  const { clusters, xi, minSamples, metric, epsilon } = settings;
  const n = X.rows;
  requireClusters(NAME, X, clusters);
  if (n === 1) throw inputError(`${NAME}: one row has no neighbours; give at least 2`);
  if (n > MOST_ROWS) {
    throw inputError(`${NAME}: ${n} rows are too many, because it measures all pairs; hdbscan takes them`);
  }
  requireCount(NAME, minSamples, n);
  if (clusters !== undefined && epsilon !== undefined) {
    throw optionError(`${NAME}: give one of ${option("clusters")} and ${option("epsilon")}`);
  }
  if (metric === "precomputed") requireDistances(NAME, X);
  else {
    requireFinite(X);
    requireSquares(X, NAME);
  }
  const gate = progressGate(settings.onProgress);
  const plot = ordered(X, settings, gate);
  const reach = Float64Array.from(plot.order, (i) => plot.reachability[i]);
  const warnings: string[] = [];
  const cut = clusters === undefined ? epsilon : reachOf(plot, clusters, warnings);
  const found = cut === undefined ? valleys(reach, plot, xi, minSamples) : cutAt(plot, cut);
  const { labels, sizes } = bySize(found);
  if (sizes.length === 0)
    warnings.push("the reachability has no valley, so all rows are noise; a smaller xi finds more");
  const reaches = Array.from(sizes, (_, k) => {
    const inside = reach.filter((_, p) => labels[plot.order[p]] === k && labels[plot.order[p - 1]] === k);
    // Rows that are all equal: the smallest distance that has an inverse.
    return inside.reduce((most, distance) => Math.max(most, distance), 0) || 1e-300;
  });
  const { cores } = plot;
  const model = (): DensityModel =>
    flatModel(NAME, X, { labels, reaches, cores, rank: minSamples - 1, metric });
  return plain<Optics>({
    method: "optics",
    clusters: sizes.length,
    labels,
    sizes,
    order: plot.order,
    reachability: plot.reachability,
    coreDistances: cores,
    minSamples,
    noise: n - sizes.reduce((sum, size) => sum + size, 0),
    converged: !gate.stopped,
    warnings,
    placement: "density",
    predict: (Y) => model().predict(Y),
    model: () => model().toJSON(),
  });
}

interface Plot {
  readonly order: Int32Array;
  /** By row. */
  readonly reachability: Float64Array;
  readonly cores: Float64Array;
  /** The row from which each was reached; -1 for the first. */
  readonly before: Int32Array;
}

function ordered(
  X: Matrix,
  { minSamples, metric }: { readonly minSamples: number; readonly metric: "euclidean" | "precomputed" },
  gate: ReturnType<typeof progressGate>,
): Plot {
  const n = X.rows;
  const buffer = new Float64Array(n);
  const distances = (i: number): Float64Array => {
    if (metric === "precomputed") return row(X, i);
    for (let j = 0; j < n; j++) buffer[j] = Math.sqrt(squaredDistance(X, i, X, j));
    return buffer;
  };
  const order = new Int32Array(n);
  const reachability = new Float64Array(n).fill(Infinity);
  const cores = new Float64Array(n);
  const before = new Int32Array(n).fill(-1);
  const left = new Set(order.keys());
  for (let p = 0; p < n && gate({ fraction: p / n, label: "order of the rows" }); p++) {
    let next = -1;
    for (const i of left) if (next < 0 || reachability[i] < reachability[next]) next = i;
    left.delete(next);
    order[p] = next;
    const from = distances(next);
    cores[next] = from.toSorted()[minSamples - 1];
    for (const j of left) {
      const reach = Math.max(cores[next], from[j]);
      if (reach >= reachability[j]) continue;
      reachability[j] = reach;
      before[j] = next;
    }
  }
  return { order, reachability, cores, before };
}

/** Runs of rows that are reached within epsilon, each begun by a dense row. */
function cutAt({ order, reachability, cores }: Plot, epsilon: number): Int32Array {
  const labels = new Int32Array(order.length).fill(-1);
  let label = -1;
  for (const i of order) {
    if (reachability[i] > epsilon) {
      if (cores[i] <= epsilon) labels[i] = ++label;
    } else labels[i] = label;
  }
  return labels;
}

function reachOf(plot: Plot, clusters: number, warnings: string[]): number {
  const reaches = [...new Set([...plot.reachability, ...plot.cores].filter(Number.isFinite))];
  let [best, miss, made] = [1, Infinity, 0];
  for (const reach of reaches.sort((a, b) => b - a)) {
    const count = cutAt(plot, reach).reduce((most, label) => Math.max(most, label), -1) + 1;
    if (Math.abs(count - clusters) < miss) [best, miss, made] = [reach, Math.abs(count - clusters), count];
    if (miss === 0) break;
  }
  if (miss > 0) warnings.push(`no reach gives ${clusters} clusters of these rows; ${made} were made`);
  return best;
}

/** A steep area of falling reachability that may begin a cluster; `highest` is the largest reachability after it so far. */
interface Fall {
  readonly start: number;
  readonly end: number;
  highest: number;
}

/** The valleys between a steep fall and a steep rise by the share xi; inner ones hide those around them. */
function valleys(plotted: Float64Array, { order, before }: Plot, xi: number, minSamples: number): Int32Array {
  const n = plotted.length;
  const r = Float64Array.from([...plotted, Infinity]);
  const rest = 1 - xi;
  const falls = (p: number): boolean => r[p] > r[p + 1];
  const rises = (p: number): boolean => r[p] < r[p + 1];
  const steepDown = (p: number): boolean => falls(p) && r[p] * rest >= r[p + 1];
  const steepUp = (p: number): boolean => rises(p) && r[p] <= r[p + 1] * rest;
  /** The last steep point of an area: it never turns, and has at most minSamples points in a row that are not steep. */
  const areaEnd = (start: number, steep: (p: number) => boolean, turns: (p: number) => boolean): number => {
    let end = start;
    for (let p = start, flat = 0; p < n && !turns(p); p++) {
      if (steep(p)) {
        end = p;
        flat = 0;
      } else if (++flat > minSamples) break;
    }
    return end;
  };
  const found: { start: number; end: number }[] = [];
  let open: Fall[] = [];
  let highest = 0;
  for (let p = 0, seen = 0; p < n; p++) {
    if (p < seen || !(steepDown(p) || steepUp(p))) continue;
    for (let q = seen; q <= p; q++) highest = Math.max(highest, r[q]);
    open = open.filter(({ start }) => highest < Infinity && highest <= r[start] * rest);
    for (const fall of open) fall.highest = Math.max(fall.highest, highest);
    if (steepDown(p)) {
      const end = areaEnd(p, steepDown, rises);
      open.push({ start: p, end, highest: 0 });
      seen = end + 1;
    } else {
      const end = areaEnd(p, steepUp, falls);
      const inner = open.flatMap((fall) => valley(fall, p, end) ?? []);
      found.push(...inner.toReversed());
      seen = end + 1;
    }
    highest = r[seen];
  }
  const labels = new Int32Array(n).fill(-1);
  found.forEach(({ start, end }, label) => {
    const rows = order.subarray(start, end + 1);
    if (rows.every((i) => labels[i] < 0)) for (const i of rows) labels[i] = label;
  });
  return labels;

  /** Definition 11 of the paper; both ends are brought to one height. */
  function valley(fall: Fall, up: number, last: number): { start: number; end: number } | undefined {
    let { start } = fall;
    let end = last;
    const after = r[last + 1];
    if (after * rest < fall.highest) return undefined;
    if (r[start] * rest >= after) while (start < fall.end && r[start + 1] > after) start++;
    else if (after * rest >= r[start]) while (end > up && r[end - 1] > r[fall.start]) end--;
    // The last row must be reached from within (E. Schubert and M. Gertz, 2018).
    while (start < end && r[start] <= r[end] && !order.subarray(start, end).includes(before[order[end]]))
      end--;
    return end > start && end - start + 1 >= minSamples && start <= fall.end && end >= up
      ? { start, end }
      : undefined;
  }
}
