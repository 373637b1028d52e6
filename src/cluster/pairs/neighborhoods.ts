import type { Random } from "../../core/index.ts";
import { sizesOf } from "../../core/internal.ts";
import type { CheckedConstraints } from "../../data/index.ts";
import { matrix, row, type Matrix } from "../../matrix/index.ts";
import { squaredDistance } from "../../matrix/internal.ts";
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
  const Y = points as Matrix;
  const sizes = sizesOf(constraints.group, constraints.groups);
  const candidates = Array.from(sizes.keys()).filter((g) => sizes[g] > 1);
  const seeds = matrix(K, d, seedCenters(densePoints(Y), K, masses, stream));
  if (candidates.length === 0) return seeds.data;
  const chosen: number[] = [candidates.reduce((best, g) => (sizes[g] > sizes[best] ? g : best))];
  const nearest = new Float64Array(constraints.groups).fill(Infinity);
  const approach = (h: number): void => {
    for (const g of candidates) nearest[g] = Math.min(nearest[g], squaredDistance(Y, g, Y, h));
  };
  approach(chosen[0]);
  while (chosen.length < Math.min(K, candidates.length)) {
    const next = candidates.reduce((best, g) =>
      sizes[g] * nearest[g] > sizes[best] * nearest[best] ? g : best,
    );
    if (nearest[next] === 0) break;
    chosen.push(next);
    approach(next);
  }
  const start = matrix(K, d);
  chosen.forEach((g, k) => start.data.set(row(Y, g), k * d));
  // The seeds of k-means++ that lie farthest from the neighbourhoods fill the rest.
  const spare = Array.from({ length: K }, (_, k) => k);
  for (let k = chosen.length; k < K; k++) {
    let best = -1;
    let most = -1;
    for (const s of spare) {
      let least = Infinity;
      for (let c = 0; c < k; c++) least = Math.min(least, squaredDistance(seeds, s, start, c));
      if (least > most) {
        most = least;
        best = s;
      }
    }
    spare.splice(spare.indexOf(best), 1);
    start.data.set(row(seeds, best), k * d);
  }
  return start.data;
}
