import { representatives, type Compression } from "../cluster/index.ts";
import { centersStep, clusterMeans, fitCc, warnComponents, type Common } from "../convex/internal.ts";
import { extended, optionError } from "../core/internal.ts";
import { scale } from "../data/index.ts";
import { identity, type Matrix } from "../matrix/index.ts";
import { requireSquares } from "../matrix/internal.ts";
import { type BorderCuts, borderCuts, rowLabels, uncut } from "./borderCuts.ts";
import { placedRows } from "./placedRows.ts";
import { type ConvexClustering, convexClustering, learnedMetric } from "./result.ts";
import { settingOf } from "./run.ts";

/** Number of rows above which representatives replace them, and their number. */
export const ROWS_SOLVED = 50_000;
export const REPRESENTATIVES = 20_000;

/**
 * Convex clustering of many rows by weighted representatives: y_c is the mean of the m_c rows of cell c, and
 *
 *     P(V) = 1/2 sum_c m_c ||y_c - v_c||^2 + gamma sum_{c<c'} W_cc' ||v_c - v_c'||_q,   W_cc' = w_cc' min(m_c, m_c')
 *
 * is solved exactly, with its certificate. It relates to the rows as follows. Let
 *
 *     F(U) = 1/2 sum_i ||x_i - u_i||^2 + gamma R(U),   R(U) = sum_{c<c'} W_cc' / (m_c m_c') sum_{i in c, j in c'} ||u_i - u_j||_q
 *
 * be the problem of all rows in which the weight between two rows is that of their cells, and S = sum_i ||x_i - y_c(i)||^2.
 *
 * - If U is constant in each cell, F(U) = P(V) + S / 2: hence min F <= min P + S / 2.
 * - Averaging U in each cell lowers neither term: R is convex and invariant under exchanges of rows in a
 *   cell, so R(U) >= R(mean in cells), and the squares of x - u are at least m_c times the square of their
 *   mean, y_c - v_c. Hence min F >= min P. Edges within cells, of any weight, change neither statement.
 * - F is 1-strongly convex, so with V the solution of P up to a duality gap g and U* that of F,
 *   1/2 sum_i ||v_c(i) - u*_i||^2 <= F(V) - min F <= S / 2 + g: the two are at most sqrt(S + 2 g) apart.
 *
 * `compression.bound` is sqrt(S) / ||X - mean||. bench/methods/representatives.mjs shows the effect on clusters.
 */
export interface CompressedClustering {
  /** For the representatives: labels and centres are theirs, sizes and coverage count rows. */
  readonly clustering: ConvexClustering;
  readonly border: BorderCuts;
}

/** The compression of a result. */
export interface ConvexCompression extends Compression {
  /** The representative of each row: candidates and steps of the path have one label for each of these. */
  readonly cells: Int32Array;
  /** Share of the rows in cells between two clusters, which were split once more. */
  readonly border: number;
}

/** Share of the scatter above which there are too few representatives for the rows. */
const COARSE = 0.1;
/** Shares below this are rounding errors of sums. */
const NO_SCATTER = 1e-12;
/** Sizes are counted in 32 bits. */
const MOST_ROWS = 2 ** 31 - 1;

/** Clusters weighted points with Euclidean distances. */
export function clusterRepresentatives(
  method: string,
  { points, masses, compression }: { points: Matrix; masses: Float64Array; compression: Compression },
  options: Common,
): CompressedClustering {
  const { clusters, mustLink, cannotLink, graph } = options;
  if (mustLink !== undefined || cannotLink !== undefined || graph !== undefined) {
    const name = graph === undefined ? "pairs are" : "a graph is";
    throw optionError(
      `${method}: ${name} between rows, which are replaced by representatives; leave out "representatives"`,
    );
  }
  if (clusters !== undefined && clusters > points.rows) {
    throw optionError(
      `${method}: ${clusters} clusters cannot be made of ${points.rows} representatives; ` +
        `ask for more of these, unless there are no more distinct rows`,
    );
  }
  if (compression.rows > MOST_ROWS) {
    throw optionError(`${method}: ${compression.rows} rows are more than can be counted here (${MOST_ROWS})`);
  }
  const setting = settingOf(method, points, { ...options, scale: "none" as const }, masses);
  warnComponents(setting);
  const fit = fitCc(setting);
  const clustering = convexClustering({
    setting,
    fit,
    history: [centersStep(fit)],
    warnings: [compressionWarning(compression)],
  });
  return { clustering, border: borderCuts(points, masses, clustering.labels) };
}

/** `cc` through representatives, in terms of the rows. */
export function compressedCc(X: Matrix, count: number, options: Common): ConvexClustering {
  const { batch } = options;
  const scaled = scale(X, options.scale, batch === undefined ? {} : { batch });
  requireSquares(scaled.X, "cc");
  const { cells, ...weighted } = representatives(scaled.X, { count });
  const { clustering, border } = clusterRepresentatives("cc", weighted, { ...options, batch: undefined });
  const { labels, border: share } = labelsOf(scaled.X, cells, border);
  const { means, sizes } = clusterMeans(X, labels, clustering.sizes.length);
  const map = identity(scaled.kept.length);
  return extended(extended(clustering, placedRows({ X, labels, centers: means, scaled, map })), {
    labels,
    sizes,
    centers: means,
    metric: learnedMetric(map, scaled.kept, X.cols),
    compression: { ...weighted.compression, cells, border: share },
    warnings: [...scaled.notes, ...clustering.warnings],
  });
}

/**
 * The clusters of rows, and the share of rows in split cells; cuts that would empty a cluster are not made.
 */
function labelsOf(Z: Matrix, cells: Int32Array, border: BorderCuts) {
  const labels = rowLabels(Z, cells, border);
  if (new Set(labels).size < new Set(border.labels).size) return labelsOf(Z, cells, uncut(border));
  let cut = 0;
  for (const c of cells) if (border.cuts[c] >= 0) cut++;
  return { labels, border: cut / Z.rows };
}

/** The representatives, and the loss by them, as a sentence. */
function compressionWarning({ rows, representatives: count, share, bound }: Compression): string {
  const what = `clustered by ${count} weighted representatives of the ${rows} rows`;
  if (share < NO_SCATTER) return `${what}, which hold all of the scatter`;
  const coarse =
    share > COARSE ? "; what is smaller than that blurs, and more representatives see it better" : "";
  return `${what}, which hold all but ${percent(share)} of the scatter: the solution is off by at most ${percent(bound)} of the spread${coarse}`;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
