import type { Note, OnProgress } from "../core/index.ts";
import {
  flag,
  given,
  inputError,
  integer,
  note,
  oneOf,
  progressGate,
  real,
  resolveOptions,
} from "../core/internal.ts";
import { scale, type ScaleKind } from "../data/index.ts";
import { asMatrix, matrix, takeRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite, requireSquares } from "../matrix/internal.ts";
import type { Choice } from "./choice.ts";
import type { CountChoice } from "./chooseCount.ts";
import { describeChoice } from "./describeChoice.ts";
import type { PartitionCandidate } from "./pool.ts";
import { rowOrder } from "./rowOrder.ts";
import type { Judged } from "./found.ts";
import { partitionInto, type Rule, searchPartitions } from "./search.ts";
import { numberOfClusters } from "./evidence/secondOpinion.ts";
import { judgedSpace } from "./space.ts";
import { judgedAgain } from "./judgedAgain.ts";
import { spreadOut } from "./spreadOut.ts";
import { byAngle, countRows } from "../features/index.ts";
import { underRobustScaling, verifiedRecipe } from "./recipes.ts";

/**
 * Chooses the partition of the rows and the number of clusters without labels: the default of `cluster` and
 * the judge of `compare`. Methods of several kinds propose partitions (pool.ts), every partition is judged by
 * its weakest border and by its likelihood (border.ts, likelihood.ts), and the number of clusters is where
 * the evidence for borders falls (chooseCount.ts). The answer does not depend on the order of the rows.
 * Beyond `SAMPLE` rows a sample is clustered, which places the others (spreadOut.ts).
 */
export interface ChooseOptions {
  /** K; without it the number is chosen, and may be 1: no clusters. */
  readonly clusters?: number;
  /**
   * Maximum number of clusters if it is chosen; default the square root of the number of rows, at most 30.
   */
  readonly maxClusters?: number;
  /** "auto" (default): z-scores; rows of counts that are mostly zeros are compared by angle, scaled to length 1. */
  readonly scale?: ScaleKind | "auto";
  readonly seed?: number;
  /** Time limit in seconds; after it, the best partition so far is returned. */
  readonly budget?: number;
  /**
   * "mark": rows that look as if they belong to no cluster get the label -1; "keep" (default) only counts
   * them.
   */
  readonly outliers?: "keep" | "mark";
  /** Additional partitions, judged with the others; their labels are those of the rows of X. */
  readonly candidates?: readonly PartitionCandidate[];
  /** False: only these are judged (`compare`), nothing else is fitted. */
  readonly pool?: boolean;
  /** False if ties break neighbour graphs (many categories): the likelihood alone decides. */
  readonly graphs?: boolean;
  /**
   * The rows are directions, for example of texts: if no border is visible, methods of other kinds decide,
   * not Gaussians.
   */
  readonly directions?: boolean;
  readonly onProgress?: OnProgress;
}

const RULES = {
  clusters: integer({ min: 1 }),
  maxClusters: integer({ min: 2 }),
  scale: oneOf<ScaleKind | "auto">(["auto", "zscore", "minmax", "none"], "auto"),
  seed: integer({ min: 0, default: 0 }),
  budget: real({ above: 0 }),
  outliers: oneOf(["keep", "mark"] as const, "keep"),
  candidates: given<readonly PartitionCandidate[]>("a list of partitions", Array.isArray),
  pool: flag(true),
  graphs: flag(true),
  directions: flag(false),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

/** Number of rows above which a sample represents them. */
const SAMPLE = 3000;
/** Also a limit on numbers (rows x columns), so that wide tables take the same time. */
const SAMPLE_NUMBERS = 2e6;
/** Also a limit on products of pairs of rows, beyond this many rows. */
const SAMPLE_PAIRS = 1.5e9;
const WIDE_SAMPLE = 2000;
const MOST_CLUSTERS = 30;
/** Agreement below which two partitions count as different. */
const SAME = 0.5;

export function choosePartition(rows: MatrixLike, options?: ChooseOptions): Choice {
  const given = resolveOptions<ChooseOptions, typeof RULES>("auto", options, RULES);
  const { seed } = given;
  const X = asMatrix(rows, "auto");
  const n = X.rows;
  let clusters: number | undefined = given.clusters;
  if (n === 0 || X.cols === 0) throw inputError(`auto: the data is empty (${n} x ${X.cols})`);
  if (clusters !== undefined && clusters > n) {
    throw inputError(`auto: ${clusters} clusters cannot be made of ${n} ${n === 1 ? "row" : "rows"}`);
  }
  for (const { method, labels } of given.candidates ?? []) {
    if (labels.length !== n) {
      throw inputError(`auto: the candidate "${method}" has ${labels.length} labels for ${n} rows`);
    }
  }
  requireFinite(X);
  const notes: Note[] = [];
  const angles = given.scale === "auto" && byAngle(X);
  const criterion: Rule = !given.graphs
    ? "likelihood"
    : angles || given.directions
      ? "directions"
      : "borders";
  const scaled = scaledRows(X, given.scale, angles, notes);
  const order = rowOrder(scaled, seed);
  clusters = mostClusters(scaled, clusters);
  const size = sampleSize(scaled, clusters ?? 0);
  const taken = order.subarray(0, size);
  const space = judgedSpace(takeRows(scaled, taken), seed);

  const gate = progressGate(given.onProgress);
  const end = given.budget === undefined ? Infinity : performance.now() + 1000 * given.budget;
  let late = false;
  const going = (label: string, fraction: number): boolean => {
    late ||= performance.now() > end;
    return !late && gate({ label, fraction });
  };
  const most = Math.min(given.maxClusters ?? Math.min(MOST_CLUSTERS, Math.floor(Math.sqrt(size))), size);
  const found = searchPartitions(space, {
    ...(clusters !== undefined && { clusters }),
    most,
    seed,
    rule: criterion,
    pool: given.pool,
    extra: (given.candidates ?? []).map((candidate) => ({
      ...candidate,
      labels: Int32Array.from(taken, (i) => candidate.labels[i]),
    })),
    going,
  });
  if (gate.stopped) notes.push(note("stopped", "stopped on request; the best partition so far is returned"));
  else if (late)
    notes.push(
      note("budget", "the time is over; the best partition so far is returned", {
        option: "budget",
      }),
    );

  const count = given.graphs
    ? numberOfClusters(found, size, space.G.cols !== space.Z.cols)
    : likeliestCount(found.judged);
  const wanted = clusters ?? count.clusters;
  const first = partitionInto(found.judged, wanted, criterion);
  const spread = spreadOut(scaled, order, space.Z);
  const chosen =
    size < n && criterion === "borders" && !late && !gate.stopped
      ? judgedAgain(scaled, order, found.judged, first, spread, { rule: criterion, seed })
      : first;
  const made = chosen.partition.clusters.length;
  if (given.clusters !== undefined && made !== given.clusters) {
    notes.push(
      note(
        "clusters",
        `${given.clusters} clusters were asked for, but no method found a partition with that many: this one has ${made} ` +
          "(are there enough distinct rows?)",
        { option: "clusters" },
      ),
    );
  }
  const rule = spread.rule(chosen);
  if (size < n) {
    const how =
      rule === undefined
        ? "the others take the cluster of their nearest rows among these"
        : `all rows are placed ${rule.told}`;
    notes.push(note("sample", `${size} of the ${n} rows were clustered, and ${how}`));
  }
  const named = size < n ? undefined : verifiedRecipe(scaled, chosen, order);
  if ((given.scale === "zscore" || (given.scale === "auto" && !angles)) && !late && !gate.stopped) {
    const other = underRobustScaling(X, order, size, chosen, seed);
    if (other !== undefined && other < SAME) {
      notes.push(
        note(
          "scaling",
          `the scaling decides this result: columns divided by quartile ranges instead of standard deviations give ` +
            `other clusters (agreement ${other.toFixed(2)})`,
          { option: "scale" },
        ),
      );
    }
  }
  const result = describeChoice({
    named,
    X,
    space,
    found,
    count,
    chosen,
    given: { ...given, rule: criterion },
    spread,
    order,
    size,
    notes,
  });
  return {
    ...result,
    ...(rule !== undefined && given.scale === "none" && { rule: rule.rule }),
    converged: !gate.stopped && !late,
  };
}

/** No more clusters than distinct rows; one where all are the same. */
function mostClusters(Z: Matrix, asked: number | undefined): number | undefined {
  const distinct = distinctUpTo(Z, asked ?? 2);
  if (asked === undefined) return distinct < 2 ? 1 : undefined;
  return Math.min(asked, distinct);
}

/** Distinct rows, counted until there are enough. */
function distinctUpTo({ rows, cols, data }: Matrix, enough: number): number {
  const seen = new Set<string>();
  for (let i = 0; i < rows && seen.size < enough; i++)
    seen.add(data.subarray(i * cols, (i + 1) * cols).join());
  return seen.size;
}

/** Number of clustered rows; at least 40 for each requested cluster. */
export function sampleSize({ rows, cols }: Matrix, clusters: number = 0): number {
  const byPairs = Math.max(WIDE_SAMPLE, Math.floor(Math.sqrt(SAMPLE_PAIRS / cols)));
  const affordable = Math.max(1000, Math.min(SAMPLE, byPairs, Math.floor(SAMPLE_NUMBERS / cols)));
  return Math.min(rows, Math.max(affordable, 40 * clusters));
}

/** Scaled columns; all constant: one column of zeros, and no clusters. */
function scaledRows(X: Matrix, kind: ScaleKind | "auto", angles: boolean, notes: Note[]): Matrix {
  let constant = true;
  for (let p = X.cols; p < X.data.length && constant; p++) constant = X.data[p] === X.data[p % X.cols];
  if (constant) {
    if (X.rows > 1) notes.push(note("constant", "all rows are the same: there is nothing to cluster"));
    return matrix(X.rows, 1);
  }
  if (angles) {
    notes.push(
      note("angle", "the rows are counts, mostly zeros: they are compared by angle, not by column", {
        option: "scale",
      }),
    );
    return countRows(X);
  }
  const scaled = scale(X, kind === "auto" ? "zscore" : kind);
  requireSquares(scaled.X, "auto");
  notes.push(...scaled.notes.map((message) => note("scale", message)));
  return scaled.X;
}

/** Without graphs: the number with the largest likelihood, including 1. */
function likeliestCount(judged: readonly Judged[]): CountChoice {
  const best = judged.reduce((a, b) => (b.icl > a.icl ? b : a));
  return { clusters: best.partition.clusters.length, falls: new Map(), borders: new Map() };
}
