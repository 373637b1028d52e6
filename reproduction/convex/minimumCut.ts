import type { Matrix } from "kindred/matrix";

/**
 * The rows on one side of the minimum cut of a weighted graph, the weights a symmetric matrix (M. Stoer and F. Wagner, 1997, "A
 * simple min-cut algorithm"): of the graph that remains, rows are taken in the order of their weight to those taken before;
 * the last one alone is a cut, and is then merged with the one before it.
 */
export function minimumCut(W: Matrix): { readonly side: readonly number[]; readonly value: number } {
  const w = Array.from({ length: W.rows }, (_, i) =>
    Array.from(W.data.subarray(i * W.rows, (i + 1) * W.rows)),
  );
  const merged = w.map((_, i) => [i]);
  const left = w.map((_, i) => i);
  let best = { side: [0], value: Infinity };
  while (left.length > 1) {
    const waiting = new Set(left);
    const weight = new Map(left.map((i) => [i, 0]));
    let [before, last] = [-1, -1];
    while (waiting.size > 0) {
      before = last;
      last = [...waiting].reduce((a, b) => (weight.get(b)! > weight.get(a)! ? b : a));
      waiting.delete(last);
      for (const i of waiting) weight.set(i, weight.get(i)! + w[last][i]);
    }
    if (weight.get(last)! < best.value) best = { side: [...merged[last]], value: weight.get(last)! };
    merged[before].push(...merged[last]);
    left.splice(left.indexOf(last), 1);
    for (const i of left) w[before][i] = w[i][before] = w[before][i] + w[last][i];
  }
  return best;
}
