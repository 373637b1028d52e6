import type { Random } from "../../core/index.ts";
import type { CheckedConstraints } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { contract } from "./contracted.ts";
import { densePoints } from "../kmeans/points.ts";
import { seedCenters } from "../kmeans/seeding.ts";

/**
 * Starting centres from the pairs (S. Basu, A. Banerjee and R. J. Mooney, 2004): must-link groups are
 * neighbourhoods, and the K that lie far from each other and are large, by farthest-first traversal weighted
 * with their sizes, give the centres. Missing centres are drawn by k-means++ on the contracted groups.
 */
export function neighborhoodCenters(
  X: Matrix,
  constraints: CheckedConstraints,
  weights: Float64Array | undefined,
  K: number,
  stream: Random,
): Float64Array {
  const d = X.cols;
  const { points, masses } = contract(X, constraints, weights);
  const groups = densePoints(points as Matrix);
  const sizes = new Int32Array(constraints.groups);
  for (const g of constraints.group) sizes[g]++;
  const candidates = Array.from(sizes.keys()).filter((g) => sizes[g] > 1);
  const centers = seedCenters(groups, K, masses, stream);
  if (candidates.length === 0) return centers;
  const Y = (points as Matrix).data;
  const chosen: number[] = [candidates.reduce((best, g) => (sizes[g] > sizes[best] ? g : best))];
  const nearest = new Float64Array(constraints.groups).fill(Infinity);
  const approach = (row: Float64Array, at: number): void => {
    for (const g of candidates) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += (Y[g * d + j] - row[at + j]) ** 2;
      nearest[g] = Math.min(nearest[g], sum);
    }
  };
  approach(Y, chosen[0] * d);
  while (chosen.length < Math.min(K, candidates.length)) {
    const next = candidates.reduce((best, g) =>
      sizes[g] * nearest[g] > sizes[best] * nearest[best] ? g : best,
    );
    if (nearest[next] === 0) break;
    chosen.push(next);
    approach(Y, next * d);
  }
  const start = new Float64Array(K * d);
  chosen.forEach((g, k) => start.set(Y.subarray(g * d, (g + 1) * d), k * d));
  // The seeds of k-means++ that lie farthest from the neighbourhoods fill the rest.
  const spare = Array.from({ length: K }, (_, k) => k);
  for (let k = chosen.length; k < K; k++) {
    let best = -1;
    let most = -1;
    for (const s of spare) {
      let least = Infinity;
      for (let c = 0; c < k; c++) {
        let sum = 0;
        for (let j = 0; j < d; j++) sum += (centers[s * d + j] - start[c * d + j]) ** 2;
        least = Math.min(least, sum);
      }
      if (least > most) {
        most = least;
        best = s;
      }
    }
    spare.splice(spare.indexOf(best), 1);
    start.set(centers.subarray(best * d, (best + 1) * d), k * d);
  }
  return start;
}
