import type { Points } from "./points.ts";

/** The number of distinct rows of positive weight, counted up to `limit`. */
export function distinctRows(points: Points, weights: Float64Array | undefined, limit: number): number {
  const { rows, cols: d } = points;
  const row = new Float64Array(d);
  const words = new Int32Array(row.buffer);
  const kept: Float64Array[] = [];
  const byHash = new Map<number, Float64Array[]>();
  for (let i = 0; i < rows && kept.length < limit; i++) {
    if (weights !== undefined && weights[i] === 0) continue;
    row.fill(0); // adding to +0 also turns -0 into +0
    points.add(i, 1, row, 0);
    let hash = 0x811c9dc5;
    for (let w = 0; w < words.length; w++) hash = Math.imul(hash ^ words[w], 0x01000193) ^ (hash >>> 15);
    const bucket = byHash.get(hash);
    if (bucket?.some((other) => other.every((value, j) => value === row[j])) === true) continue;
    const copy = row.slice();
    kept.push(copy);
    if (bucket === undefined) byHash.set(hash, [copy]);
    else bucket.push(copy);
  }
  return kept.length;
}
