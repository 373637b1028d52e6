/** Centres become the means of their rows; one without rows stays. */
export function moveCenters(
  nearest: Int32Array,
  list: Int32Array,
  points: Float32Array,
  q: number,
  centers: Float32Array,
  depth: number,
  count: number,
): void {
  const sums = new Float64Array(count * depth);
  const sizes = new Int32Array(count);
  for (let p = 0; p < list.length; p++) {
    const [to, from] = [nearest[p] * depth, list[p] * q];
    sizes[nearest[p]]++;
    for (let f = 0; f < depth; f++) sums[to + f] += points[from + f];
  }
  for (let c = 0; c < count; c++) {
    if (sizes[c] === 0) continue;
    for (let f = c * depth; f < (c + 1) * depth; f++) centers[f] = sums[f] / sizes[c];
  }
}

/**
 * Rows in the order of their cells, and of their values. Cells without rows are left out; one with more than `most`, for example of
 * duplicates, is divided into equal parts.
 */
export function cellOrder(
  nearest: Int32Array,
  byValue: Int32Array,
  groups: number,
  most: number,
): { order: Int32Array; starts: Int32Array; cellOf: Int32Array } {
  const n = nearest.length;
  const offsets = new Int32Array(groups + 1);
  for (const c of nearest) offsets[c + 1]++;
  for (let c = 0; c < groups; c++) offsets[c + 1] += offsets[c];
  const order = new Int32Array(n);
  const filled = offsets.slice();
  for (const i of byValue) order[filled[nearest[i]]++] = i;
  const starts = [0];
  for (let c = 0; c < groups; c++) {
    const size = offsets[c + 1] - offsets[c];
    const parts = Math.ceil(size / most);
    for (let p = 1; p <= parts; p++) starts.push(offsets[c] + Math.floor((p * size) / parts));
  }
  const cellOf = new Int32Array(n);
  for (let c = 0; c + 1 < starts.length; c++) cellOf.fill(c, starts[c], starts[c + 1]);
  return { order, starts: Int32Array.from(starts), cellOf };
}
