import { inputError } from "../core/internal.ts";
import { codesBy } from "../features/index.ts";
import { restoreMatrix, type Matrix } from "../matrix/index.ts";
import type { MixedPlacing, Place } from "./placingForm.ts";

/** By scores; distances are to the means of the clusters. */
export function byScores(rule: MixedPlacing, means: Matrix): Place {
  const { bias, features } = rule;
  const K = bias.length;
  const weights = restoreMatrix(rule.weights, "the weights");
  const levels = rule.levels.map(({ rule: read, logs }) => ({
    read,
    logs: restoreMatrix(logs, "the levels"),
  }));
  return (X) => {
    checkColumns(X, means.cols);
    const codes = levels.map(({ read }) => codesBy(read, X));
    const labels = new Int32Array(X.rows);
    const next = new Int32Array(X.rows).fill(-1);
    const distances = new Float64Array(X.rows);
    const nextDistances = new Float64Array(X.rows).fill(Infinity);
    const scores = new Float64Array(K);
    for (let i = 0; i < X.rows; i++) {
      scores.set(bias);
      features.forEach((f, j) => {
        const x = X.data[i * X.cols + f];
        for (let k = 0; k < K; k++) scores[k] += x * weights.data[j * K + k];
      });
      levels.forEach(({ logs }, v) => {
        const code = codes[v][i];
        if (code >= 0) for (let k = 0; k < K; k++) scores[k] += logs.data[k * logs.cols + code];
      });
      let first = 0;
      let second = -1;
      for (let k = 1; k < K; k++) {
        if (scores[k] > scores[first]) [second, first] = [first, k];
        else if (second < 0 || scores[k] > scores[second]) second = k;
      }
      labels[i] = first;
      distances[i] = distance(X, i, means, first);
      if (second < 0) continue;
      next[i] = second;
      nextDistances[i] = distance(X, i, means, second);
    }
    return { labels, distances, next, nextDistances };
  };
}

/** From a row to a centre. */
export function distance(X: Matrix, i: number, C: Matrix, k: number): number {
  let sum = 0;
  for (let f = 0; f < X.cols; f++) sum += (X.data[i * X.cols + f] - C.data[k * C.cols + f]) ** 2;
  return Math.sqrt(sum);
}

export function checkColumns(X: Matrix, cols: number): void {
  if (X.cols !== cols) throw inputError(`the rows have ${X.cols} columns, but the model has ${cols}`);
}
