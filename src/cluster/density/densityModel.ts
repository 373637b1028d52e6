import { random } from "../../core/index.ts";
import { form } from "../../core/internal.ts";
import { searchIn } from "../../graph/internal.ts";
import { asMatrix, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { refuseNewRows } from "../givenDistances.ts";
import { matrixForm } from "../../matrix/internal.ts";

/** Plain data that place new rows by density. */
const densityForm = form.where(
  form.record({
    method: form.choice("hdbscan"),
    clusters: form.size("clusters"),
    /** Number of neighbours for the core distance of a new row. */
    minSamples: form.whole({ min: 1 }),
    /** Training rows, with their core distances, and their exits from the tree. */
    rows: matrixForm("rows", "columns"),
    cores: form.numbers("rows", { min: 0 }),
    /** The tree: parents, births, and the label of each cluster (-1: noise). */
    parents: form.wholes("nodes", { min: -1 }),
    births: form.numbers("nodes", { min: 0 }),
    clusterLabels: form.wholes("nodes", { min: -1, below: "clusters" }),
    rowClusters: form.wholes("rows", { min: 0, below: "nodes" }),
    rowLambdas: form.numbers("rows", { min: 0 }),
    labels: form.wholes("rows", { min: -1, below: "clusters" }),
    /** For each label, the lambda of full strength. */
    fullLambdas: form.numbers("clusters", { min: 0 }),
    /** If all rows are one cluster: below this lambda a row outside all parts is noise. */
    leastLambda: form.number({ min: 0 }),
  }),
  ({ parents }, refuse) => {
    if (parents.length === 0 || parents.some((parent, c) => parent >= c || parent < 0 !== (c === 0))) {
      throw refuse("parents", "must come before their children");
    }
  },
);

export interface DensityModelData extends form.StoredOf<typeof densityForm> {}

export interface DensityPlaced {
  /** -1: noise. */
  readonly labels: Int32Array;
  /** 0 to 1; 0 for noise. */
  readonly strengths: Float64Array;
}

export interface DensityModel {
  place(Y: MatrixLike): DensityPlaced;
  predict(Y: MatrixLike): Int32Array;
  toJSON(): DensityModelData;
}

type Parts = Omit<form.LoadedOf<typeof densityForm>, "method">;

/**
 * Maximum number of numbers in a model's rows; beyond that, it keeps a sample of the rows, and the same
 * share of the neighbours.
 */
const MOST_NUMBERS = 2e6;

/** The model of all rows, or of a sample of them. */
export function sampledModel(parts: Parts): DensityModel {
  const { rows: X, cores, rowClusters, rowLambdas, labels, minSamples } = parts;
  const most = Math.max(100, Math.floor(MOST_NUMBERS / X.cols));
  if (X.rows <= most) return densityModel(parts);
  const kept = random(0).sample(most, X.rows).sort();
  return densityModel({
    ...parts,
    minSamples: Math.max(1, Math.round((minSamples * most) / X.rows)),
    rows: takeRows(X, kept),
    cores: Float64Array.from(kept, (i) => cores[i]),
    rowLambdas: Float64Array.from(kept, (i) => rowLambdas[i]),
    rowClusters: kept.map((i) => rowClusters[i]),
    labels: kept.map((i) => labels[i]),
  });
}

/** The tree of one level: cluster k begins at the distance reaches[k], and outside of all there is noise. */
export function flatModel(
  method: string,
  rows: Matrix,
  {
    labels,
    reaches,
    cores,
    rank,
    metric,
  }: Pick<Parts, "labels" | "cores"> & {
    readonly reaches: readonly number[];
    readonly rank: number;
    readonly metric: "euclidean" | "precomputed";
  },
): DensityModel {
  if (metric === "precomputed") refuseNewRows(method);
  const births = Float64Array.from([0, ...reaches.map((reach) => 1 / reach)]);
  return sampledModel({
    clusters: reaches.length,
    minSamples: Math.max(1, rank),
    rows,
    cores,
    parents: Int32Array.from(births, (_, c) => (c === 0 ? -1 : 0)),
    births,
    clusterLabels: Int32Array.from(births, (_, c) => c - 1),
    rowClusters: labels.map((label) => label + 1),
    // A row leaves after its cluster has begun, and before its distance is 0.
    rowLambdas: Float64Array.from(cores, (core, i) =>
      Math.max(births[labels[i] + 1], Math.min(1 / core, Number.MAX_VALUE)),
    ),
    labels,
    fullLambdas: births.slice(1),
    leastLambda: 0,
  });
}

/** Reads the output of `model()`. */
export function loadHdbscan(data: DensityModelData): DensityModel {
  const { method: _, ...parts } = form.load(densityForm, data, "the density model");
  return densityModel(parts);
}

/**
 * New rows by the rule of `approximate_predict` (L. McInnes, J. Healy and S. Astels, 2017): a row joins the nearest of
 * its 2 minSamples nearest rows by mutual reachability, in the cluster of the tree that is there at the lambda of that
 * distance. The core distance is that of the neighbour after minSamples, as for a row of the tree, which is
 * its own first neighbour. A row that equals a training row is placed with it.
 */
function densityModel(parts: Parts): DensityModel {
  const { minSamples, rows, cores, parents, births, rowClusters, rowLambdas } = parts;
  const { labels: known, clusterLabels, fullLambdas, leastLambda } = parts;
  const n = rows.rows;
  const strengthOf = (label: number, lambda: number): number =>
    label < 0 ? 0 : fullLambdas[label] > 0 ? Math.min(1, lambda / fullLambdas[label]) : 1;

  const search = searchIn(rows);
  const place = (input: MatrixLike): DensityPlaced => {
    const Y = asMatrix(input, "predict");
    const labels = new Int32Array(Y.rows).fill(-1);
    const strengths = new Float64Array(Y.rows);
    if (Y.rows === 0) return { labels, strengths };
    const k = Math.min(n, 2 * minSamples);
    const near = search(k, Y);
    for (let q = 0; q < Y.rows; q++) {
      const at = q * k;
      const first = near.indices[at];
      if (near.distances[at] === 0) {
        labels[q] = known[first];
        strengths[q] = strengthOf(labels[q], rowLambdas[first]);
        continue;
      }
      const core = Math.sqrt(near.distances[at + Math.min(k - 1, minSamples)]);
      let joined = first;
      let least = Infinity;
      for (let p = at; p < at + k; p++) {
        const reach = Math.max(core, cores[near.indices[p]], Math.sqrt(near.distances[p]));
        if (reach >= least) continue;
        least = reach;
        joined = near.indices[p];
      }
      const lambda = 1 / least;
      let c = rowClusters[joined];
      if (rowLambdas[joined] > lambda) while (c > 0 && births[c] >= lambda) c = parents[c];
      labels[q] = c === 0 && lambda < leastLambda ? -1 : clusterLabels[c];
      strengths[q] = strengthOf(labels[q], lambda);
    }
    return { labels, strengths };
  };
  const toJSON = (): DensityModelData => densityForm.save({ method: "hdbscan", ...parts });
  return { place, predict: (Y) => place(Y).labels, toJSON };
}
