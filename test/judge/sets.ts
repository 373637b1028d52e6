import { random } from "../../src/core/random.ts";
import { fromRows, type Matrix } from "../../src/matrix/matrix.ts";

/** Gaussian clusters around the given centres. */
export function blobs(centers: number[][], sizes: number[], seed: number): { X: Matrix; y: number[] } {
  const source = random(seed);
  const y = sizes.flatMap((size, k) => Array.from({ length: size }, () => k));
  source.shuffle(y);
  return { X: fromRows(y.map((k) => centers[k].map((value) => value + source.normal()))), y };
}

/** Two rings, one in the other. */
export function rings(n: number, seed: number): { X: Matrix; y: number[] } {
  const source = random(seed);
  const y = Array.from({ length: n }, (_, i) => (i % 3 === 0 ? 0 : 1));
  const rows = y.map((k) => {
    const angle = 2 * Math.PI * source.uniform();
    const radius = (k === 0 ? 1 : 3) + 0.15 * source.normal();
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  return { X: fromRows(rows), y };
}

/** No clusters. */
export function cloud(n: number, d: number, seed: number, kind: "gaussian" | "uniform"): Matrix {
  const source = random(seed);
  const draw = kind === "gaussian" ? source.normal : source.uniform;
  return fromRows(Array.from({ length: n }, () => Array.from({ length: d }, () => draw())));
}
