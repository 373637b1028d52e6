import type { Note } from "../core/index.ts";
import { inputError, note, progressGate, rule } from "../core/internal.ts";
import { scale } from "../data/index.ts";
import { byAngle, countRows, type FeatureRecord } from "../features/index.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import type { WeighedPartitions } from "../method/index.ts";
import { clusterMeans } from "../method/internal.ts";
import { byVotes, ontoAllRows } from "./allRows.ts";
import type { Choice } from "./choice.ts";
import { inDetail } from "./clusterTrust.ts";
import { columnAlone } from "./columnAlone.ts";
import {
  alternativeOf,
  alternativesTo,
  bestByCount,
  candidatesOf,
  makerOf,
  pathOf,
  underEqualWeights,
} from "./describeChoice.ts";
import { trustInLevels, trustWithout, withoutGroups } from "./noGroups.ts";
import { outlierRows } from "./outlierRows.ts";
import type { Member } from "./pool.ts";
import {
  bestInto,
  bestOverall,
  countOf,
  sampleBelief,
  unsupported,
  type SampleBelief,
} from "./sampleBelief.ts";
import { bySize } from "./spreadOut.ts";
import { trustIn } from "./trust.ts";

export const chooseOptions = {
  /** K; without it the number is chosen, and may be 1: no clusters. */
  clusters: rule.integer({ min: 1 }),
  /** Maximum number of clusters if it is chosen; default the square root of the number of rows, at most 30. */
  maxClusters: rule.integer({ min: 2 }),
  /** "auto" (default): z-scores; rows of counts that are mostly zeros are compared by angle, scaled to length 1. */
  scale: rule.oneOf(["auto", "zscore", "minmax", "none"] as const, "auto"),
  /** Of the permutations that tell how many factors the columns have: nothing else is drawn. */
  seed: rule.seed,
  /** Time limit in seconds; after it, the best partition so far is returned. */
  budget: rule.real({ above: 0 }),
  /** "mark": rows that look as if they belong to no cluster get the label -1; "keep" (default) only counts them. */
  outliers: rule.oneOf(["keep", "mark"] as const, "keep"),
  onProgress: rule.progress,
};

export type ChooseOptions = rule.OptionsOf<typeof chooseOptions>;
type Settings = rule.ResolvedOptions<typeof chooseOptions>;

/**
 * Chooses the partition of the rows and the number of clusters without labels: the default of `cluster` and the judge of
 * `compare`. Methods of several kinds propose partitions in several codings of the columns (spaces.ts, members.ts), evidence
 * tells how plausible each is (evidence.ts), and the partition that agrees most with all of them, by their plausibility, is
 * taken (belief.ts). The answer does not depend on the order of the rows.
 *
 *     const { labels, clusters, trust } = choosePartition(X);
 */
export function choosePartition(rows: MatrixLike, options?: ChooseOptions): Choice {
  const settings = rule.resolveOptions("auto", options, chooseOptions);
  const X = asMatrix(rows, "auto");
  if (X.rows === 0 || X.cols === 0) throw inputError(`auto: the data is empty (${X.rows} x ${X.cols})`);
  requireFinite(X);
  const notes: Note[] = [];
  const scaled = scaledRows(X, settings.scale, notes);
  const { belief: _belief, ...choice } = choiceOver(scaled, undefined, settings, notes);
  // A rule would be one for the scaled rows.
  const { rule: _, ...others } = choice;
  const centers = clusterMeans(X, choice.labels, choice.clusters);
  return settings.scale === "none" ? choice : { ...others, centers };
}

/** Scaled columns; all constant: one column of zeros, and no clusters. */
function scaledRows(X: Matrix, kind: Settings["scale"], notes: Note[]): Matrix {
  let constant = true;
  for (let p = X.cols; p < X.data.length && constant; p++) constant = X.data[p] === X.data[p % X.cols];
  if (constant) {
    if (X.rows > 1) notes.push(note("constant", "all rows are the same: there is nothing to cluster"));
    return matrix(X.rows, 1);
  }
  if (kind === "auto" && byAngle(X)) {
    const message = "the rows are counts, mostly zeros: they are compared by angle, not by column";
    notes.push(note("angle", message, { option: "scale" }));
    return countRows(X);
  }
  const scaled = scale(X, kind === "auto" ? "zscore" : kind);
  notes.push(...scaled.notes.map((message) => note("scale", message)));
  return scaled.X;
}

const MOST_CLUSTERS = 30;

/**
 * @param record how the columns of X were made; absent: each is a number on a scale that counts
 * @param formed the belief of these rows, if there is one
 */
export function choiceOver(
  X: Matrix,
  record: FeatureRecord | undefined,
  settings: Pick<Settings, "clusters" | "maxClusters" | "seed" | "budget" | "outliers" | "onProgress">,
  notes: Note[],
  formed?: SampleBelief,
): Choice & { readonly belief: WeighedPartitions } {
  const { clusters: asked, seed } = settings;
  if (asked !== undefined && asked > X.rows) {
    throw inputError(`auto: ${asked} clusters cannot be made of ${X.rows} ${X.rows === 1 ? "row" : "rows"}`);
  }
  const { going, ended } = timed(settings);
  const belief = formed ?? sampleBelief(X, record, { clusters: asked, seed, going });
  const most = settings.maxClusters ?? Math.min(MOST_CLUSTERS, Math.floor(Math.sqrt(belief.order.length)));
  const grouped =
    asked === undefined ? bestOverall(belief, most) : asked > 1 ? bestInto(belief, asked) : undefined;
  const chosen = grouped ?? unsupported(together(belief.rows));
  const none = grouped === undefined ? 1 : withoutGroups(belief);
  const alone =
    asked === undefined && grouped !== undefined
      ? columnAlone(belief.spaces, chosen.member.labels, seed)
      : undefined;
  const equal = underEqualWeights(belief, chosen, (K) => (asked === undefined ? K <= most : K === asked));
  // Where the answer depends on the weights of the columns, those who weigh them the same decide how sure it is.
  const expected = asked === undefined ? Math.max(...belief.expected) : chosen.expected;
  const sure = Math.min(expected, equal?.expected ?? Infinity);
  const byCount = bestByCount(belief, chosen, most);
  const others = asked === undefined ? alternativesTo(chosen, byCount) : [];
  const largest = Math.max(...[chosen, ...others].map(({ member }) => member.clusters));
  const onAll = ontoAllRows(X, record, belief, largest, seed);
  const { labels, rule, clustered } = onAll(chosen.member);
  const size = clustered.labels.length;
  const K = countOf(labels);
  const outliers = outlierRows(clustered.spaces, clustered.labels)
    .map((p) => belief.order[p])
    .sort();
  notes.push(...wordsOf(X.rows, { asked, K, size, placed: rule?.told, outliers, settings, ended: ended() }));
  const { perCluster, margins } = inDetail(belief, bySize(chosen.member.labels));
  if (settings.outliers === "mark") for (const i of outliers) labels[i] = -1;
  return {
    method: "auto",
    labels,
    clusters: K,
    sizes: sizesWithin(labels, K),
    centers: clusterMeans(X, labels, K),
    chosen: makerOf(chosen.member),
    candidates: candidatesOf(belief, chosen, byVotes(X, belief)),
    path: asked === undefined ? pathOf(byCount) : [],
    alternatives: others.map((other) => alternativeOf(other, chosen, onAll(other.member).labels)),
    ...(equal !== undefined && { equalWeights: equal }),
    trust:
      alone !== undefined
        ? trustInLevels(alone)
        : asked === undefined && none > 0.5
          ? trustWithout(none)
          : trustIn(sure, chosen.terms, asked !== undefined),
    perCluster,
    margins: belief.places.length === 0 ? margins : marginsOf(belief, margins),
    outliers: outliers.length,
    outlierRows: outliers,
    form: { kind: size < belief.order.length ? "sample" : "rows", rows: size },
    converged: ended() === undefined,
    seconds: belief.seconds,
    notes,
    belief: {
      rows: belief.order.slice(0, belief.rows),
      partitions: belief.members.map((member) => member.labels),
      weights: belief.weights,
    },
    ...(rule !== undefined && { rule: rule.rule }),
  };
}

/** Ends at the budget, or when the caller wants it. */
function timed({ budget, onProgress }: Pick<Settings, "budget" | "onProgress">): {
  going: (label: string, fraction: number) => boolean;
  ended: () => "budget" | "stopped" | undefined;
} {
  const gate = progressGate(onProgress);
  const end = budget === undefined ? Infinity : performance.now() + 1000 * budget;
  let late = false;
  return {
    going(label, fraction) {
      late ||= performance.now() > end;
      return !late && gate({ label, fraction });
    },
    ended: () => (gate.stopped ? "stopped" : late ? "budget" : undefined),
  };
}

function together(rows: number): Member {
  return { method: "kmeans", space: "own", clusters: 1, labels: new Int32Array(rows) };
}

/** Rows outside of the sample have none of their own: NaN. */
function marginsOf({ places, rows }: SampleBelief, margins: Float64Array): Float64Array {
  return Float64Array.from(places, (place) => (place < rows ? margins[place] : NaN));
}

function sizesWithin(labels: Int32Array, clusters: number): Int32Array {
  const sizes = new Int32Array(clusters);
  for (const label of labels) if (label >= 0) sizes[label]++;
  return sizes;
}

interface Said {
  readonly asked: number | undefined;
  readonly K: number;
  readonly size: number;
  readonly placed: string | undefined;
  readonly outliers: Int32Array;
  readonly settings: Pick<Settings, "outliers">;
  readonly ended: "budget" | "stopped" | undefined;
}

function wordsOf(rows: number, { asked, K, size, placed, outliers, settings, ended }: Said): Note[] {
  const notes: Note[] = [];
  if (ended === "stopped")
    notes.push(note("stopped", "stopped on request; the best partition so far is returned"));
  if (ended === "budget") {
    notes.push(
      note("budget", "the time is over; the best partition so far is returned", { option: "budget" }),
    );
  }
  if (asked !== undefined && K !== asked) {
    notes.push(
      note(
        "clusters",
        `${asked} clusters were asked for, but no method found a partition with that many: this one has ${K} ` +
          "(are there enough distinct rows?)",
        { option: "clusters" },
      ),
    );
  }
  if (size < rows) {
    const how =
      placed === undefined
        ? "the others take the cluster of their nearest rows among these"
        : `all rows are placed ${placed}`;
    notes.push(note("sample", `${size} of the ${rows} rows were clustered, and ${how}`));
  }
  if (outliers.length > 0) {
    const [look, are] =
      outliers.length === 1
        ? ["1 row looks as if it", "is"]
        : [`${outliers.length} rows look as if they`, "are"];
    const marked = settings.outliers === "mark" ? `, and ${are} marked -1` : "";
    notes.push(note("outliers", `${look} belonged to no cluster${marked}`, { option: "outliers" }));
  }
  return notes;
}
