/**
 * Classification by the k nearest training rows in Euclidean distance, found exactly (matrix/nearest.ts).
 *
 * The answer depends on the set of training rows, not on their order: if several rows are at the distance of
 * the k-th neighbour, they share the remaining places evenly. Equal votes go to the class of the nearest row,
 * and if that is equal too, to the first class.
 */
import { matrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireNotHuge, rowMajorForm } from "../matrix/internal.ts";
import { form, option, optionError, plain, rule } from "../core/internal.ts";
import { nearestAmong } from "../graph/index.ts";
import type { Label, Labeling } from "../score/index.ts";
import { newRows, trainingRows, type Classifier, classifierFields } from "./classifier.ts";

export const kNearestNeighborsOptions = {
  /** k; default 5. */
  neighbors: rule.integer({ min: 1, default: 5, says: "neighbours that vote" }),
  /** "uniform": a vote each (default). "distance": a vote of 1 / distance, or only the rows at distance 0 if any. */
  weights: rule.oneOf(["uniform", "distance"] as const, "uniform", {
    says: "all votes count the same, or nearer rows count more",
  }),
};

export type KNearestNeighborsOptions = rule.OptionsOf<typeof kNearestNeighborsOptions>;

const neighborsForm = form.record({
  ...classifierFields,
  method: form.choice("kNearestNeighbors"),
  codes: form.wholes("rows", { min: 0, below: "classes" }),
  neighbors: form.whole({ min: 1, max: "rows" }),
  weights: form.choice("uniform", "distance"),
  rows: rowMajorForm("rows", "features", { min: -1e100, max: 1e100 }),
});

export interface KNearestNeighborsData extends form.StoredOf<typeof neighborsForm> {}

export interface KNearestNeighbors extends Classifier<KNearestNeighborsData> {
  readonly neighbors: number;
  /** Shares of the votes. */
  probabilities(Y: MatrixLike): Matrix;
}

const METHOD = "kNearestNeighbors";

export function kNearestNeighbors(
  input: MatrixLike,
  labels: Labeling,
  options: KNearestNeighborsOptions = {},
): KNearestNeighbors {
  const settings = rule.resolveOptions(METHOD, options, kNearestNeighborsOptions);
  const { X: rows, codes, classes, warnings } = trainingRows(METHOD, input, labels);
  if (settings.neighbors > rows.rows) {
    throw optionError(
      `${METHOD}: ${option("neighbors")} is ${settings.neighbors}, but there are only ${rows.rows} training rows`,
    );
  }
  requireNotHuge(rows, "the training data");
  return assemble({ ...settings, rows, codes, classes, warnings });
}

export function loadKNearestNeighbors(data: KNearestNeighborsData): KNearestNeighbors {
  return assemble(form.load(neighborsForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof neighborsForm>, "method" | "features">;

function assemble(parts: Parts): KNearestNeighbors {
  const { neighbors, rows, classes, warnings } = parts;
  const features = rows.cols;
  const vote = (input: MatrixLike): Votes => {
    const Y = newRows(METHOD, input, features);
    requireNotHuge(Y, "the new data");
    return votesOf(parts, Y);
  };
  return plain({
    method: METHOD,
    classes,
    features,
    warnings,
    neighbors,
    predict: (Y) => elected(vote(Y), classes),
    probabilities: (Y) => vote(Y).shares,
    toJSON: () => neighborsForm.save({ ...parts, method: METHOD, features }),
  });
}

interface Votes {
  readonly shares: Matrix;
  /** Squared distance of the nearest voter of each class. */
  readonly nearest: Matrix;
}

function votesOf({ rows: X, codes, classes, neighbors: k, weights }: Parts, Y: Matrix): Votes {
  const K = classes.length;
  const shares = matrix(Y.rows, K);
  const nearest = matrix(Y.rows, K);
  nearest.data.fill(Infinity);
  if (Y.rows === 0) return { shares, nearest };
  // One neighbour more than needed shows whether rows beyond the list share the k-th distance.
  const asked = Math.min(k + 1, X.rows);
  const { indices, distances } = nearestAmong(X, asked, Y);
  const inside = new Float64Array(K);
  const onEdge = new Float64Array(K);
  for (let i = 0; i < Y.rows; i++) {
    const at = i * asked;
    const edge = distances[at + k - 1];
    const tied = asked > k && distances[at + k] === edge;
    const byDistance = weights === "distance" && distances[at] > 0;
    const limit = weights === "distance" && distances[at] === 0 ? 0 : edge;
    inside.fill(0);
    onEdge.fill(0);
    let places = k;
    const closest = nearest.data.subarray(i * K, (i + 1) * K);
    for (let p = at; p < at + k && distances[p] <= limit; p++) {
      const c = codes[indices[p]];
      if (distances[p] < closest[c]) closest[c] = distances[p];
      if (distances[p] < edge || !tied) {
        inside[c] += byDistance ? 1 / Math.sqrt(distances[p]) : 1;
        places--;
      }
    }
    if (tied && limit === edge) {
      const rows = rowsAt(X, Y, i, edge);
      for (const j of rows) {
        onEdge[codes[j]]++;
        if (edge < closest[codes[j]]) closest[codes[j]] = edge;
      }
      const each = byDistance ? 1 / Math.sqrt(edge) : 1;
      for (let c = 0; c < K; c++) inside[c] += (each * (places * onEdge[c])) / rows.length;
    }
    let total = 0;
    for (let c = 0; c < K; c++) total += inside[c];
    for (let c = 0; c < K; c++) shares.data[i * K + c] = inside[c] / total;
  }
  return { shares, nearest };
}

/**
 * All training rows at the given squared distance from row i; features are summed in the order of
 * nearestRows.
 */
function rowsAt(X: Matrix, Y: Matrix, i: number, distance: number): number[] {
  const d = X.cols;
  const found: number[] = [];
  for (let j = 0; j < X.rows; j++) {
    let sum = 0;
    for (let f = 0; f < d && sum <= distance; f++) {
      const step = Y.data[i * d + f] - X.data[j * d + f];
      sum += step * step;
    }
    if (sum === distance) found.push(j);
  }
  return found;
}

function elected({ shares, nearest }: Votes, classes: readonly Label[]): Label[] {
  const K = classes.length;
  return Array.from({ length: shares.rows }, (_, i) => {
    let best = 0;
    for (let c = 1; c < K; c++) {
      const ahead = shares.data[i * K + c] - shares.data[i * K + best];
      if (ahead > 0 || (ahead === 0 && nearest.data[i * K + c] < nearest.data[i * K + best])) best = c;
    }
    return classes[best];
  });
}
