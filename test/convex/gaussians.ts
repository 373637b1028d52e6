import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import {
  cc,
  ccml,
  ccscml,
  rcc,
  scc,
  type ConvexClustering,
  type ConvexOptions,
} from "../../src/recipes/index.ts";

/** The five methods of the family, by their names. */
export const FAMILY: [string, (X: Matrix, options?: ConvexOptions) => ConvexClustering][] = [
  ["cc", cc],
  ["rcc", (X, options) => rcc(X, options)],
  ["scc", (X, options) => scc(X, options)],
  ["ccml", ccml],
  ["ccscml", ccscml],
];

/** `groups` x `each` points around 5 e_g in R^d, and their groups; rows are shuffled. */
export function gaussians(
  groups: number,
  each: number,
  d: number,
  seed: number,
): { X: Matrix; y: Int32Array } {
  const draw = random(seed);
  const n = groups * each;
  const order = draw.shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const X = matrix(n, d);
  const y = new Int32Array(n);
  for (const i of order) {
    y[i] = i % groups;
    for (let f = 0; f < d; f++) X.data[i * d + f] = draw.normal() + (f === y[i] ? 5 : 0);
  }
  return { X, y };
}
