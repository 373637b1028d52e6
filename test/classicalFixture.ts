import { readFileSync } from "node:fs";
import { fromRows, type Matrix } from "../src/matrix/index.ts";

interface Graph {
  readonly rows: number[];
  readonly cols: number[];
  readonly weights: number[];
}

interface PcaFixture {
  readonly X: number[][];
  readonly components: number[][];
  readonly variances: number[];
  readonly shares: number[];
  readonly scores: number[][];
}

interface Linkage {
  readonly merges: [number, number, number][];
  readonly heights: number[];
}

type Covariance = "full" | "tied" | "diagonal" | "spherical";

/** What scikit-learn and scipy answered (fixtures/classical.py). */
export const peers = JSON.parse(
  readFileSync(new URL("fixtures/classical.json", import.meta.url), "utf8"),
) as {
  readonly blobs: number[][];
  readonly moons: number[][];
  readonly pca: Record<"blobs" | "wide", PcaFixture>;
  readonly kernelPca: { sigma: number; values: number[]; scores: number[][]; unseen: number[][] };
  readonly linkage: Record<"ward" | "average" | "complete" | "single", Linkage>;
  readonly spectral: Record<"moons" | "wine", { k: number; graph: Graph; labels: number[] }> & {
    readonly dense: { k: number; sigma: number; labels: number[] };
  };
  readonly mixture: Record<
    "blobs" | "iris" | "wine",
    Record<Covariance, { logLikelihood: number; bic: number }>
  >;
  readonly kernelKmeans: Record<
    "blobs" | "moons",
    { sigma: number; starts: number[][]; objectives: number[]; best: number }
  >;
};

export const blobs: Matrix = fromRows(peers.blobs);
export const moons: Matrix = fromRows(peers.moons);

/** max |a_i - b_i|; infinite where the lengths differ. */
export function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Infinity;
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}
