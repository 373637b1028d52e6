/**
 * The evidence that two clusters of rows with one number each are real. On a line every gap by chance breaks the graph of
 * neighbours, so the distribution itself is asked, between the two clusters: how far is it from having a single mode
 * (J. A. Hartigan and P. M. Hartigan 1985, "The dip test of unimodality")? With a mode at m it is convex up to m and concave
 * from there, and the sample misses that by half of
 *
 *     D(m) = max(sup_{x <= m} F_n - convex minorant, sup_{x >= m} concave majorant - F_n).
 *
 * D = min_m D(m), found by bisection, because the first part rises with m and the second falls. Clusters that lie within each
 * other are none.
 */
export function lineEvidence(all: Float64Array, a: Int32Array, b: Int32Array): number {
  const [first, second] = [a, b].map((rows) => Float64Array.from(rows, (row) => all[row]).sort());
  const middle = (one: Float64Array): number => one[one.length >> 1];
  const [left, right] = middle(first) < middle(second) ? [first, second] : [second, first];
  if (crossed(left, right) > MOST_CROSSED * Math.min(left.length, right.length)) return -PRIOR;
  const half = Math.min(left.length, right.length) >> 1;
  const from = Math.max(middle(left), left[Math.max(0, left.length - 1 - half)]);
  const to = Math.min(middle(right), right[half]);
  const near = all.filter((value) => value >= from && value <= to);
  return Math.max(-PRIOR, evidenceOf(modes(near)) - CHOSEN * Math.log(all.length / near.length));
}

/**
 * The values from the median of the smaller cluster to as many values of the other are asked: a large cluster as a
 * whole would hide a small one beside it. A small part of the values can be chosen in more ways, which costs odds.
 * With this factor, 5 of 70 samples with one mode had clusters; 10 of 98 others.
 */
const CHOSEN = 2;

/** Share of the smaller cluster that may be on the wrong side of any threshold. */
const MOST_CROSSED = 0.05;

/** The fewest values on the wrong side of a threshold between two sorted lists. */
function crossed(left: Float64Array, right: Float64Array): number {
  let least = left.length;
  for (let below = 0, p = 0; p < left.length; p++) {
    while (below < right.length && right[below] < left[p]) below++;
    least = Math.min(least, below + left.length - p - 1);
  }
  return least;
}

/** sqrt(n) D. */
function modes(values: Float64Array): number {
  const sorted = spreadTies(values.toSorted());
  const n = sorted.length;
  const mirrored = sorted.map((_, i) => -sorted[n - 1 - i]);
  let [low, high] = [0, n - 1];
  let least = Infinity;
  while (low <= high) {
    const m = (low + high) >> 1;
    const [left, right] = [missed(sorted, m + 1), missed(mirrored, n - m)];
    least = Math.min(least, Math.max(left, right));
    if (left < right) low = m + 1;
    else high = m - 1;
  }
  return least / Math.sqrt(n);
}

/**
 * For uniform samples, the least favourable ones, T = sqrt(n) D exceeds t with a probability close to exp(A - B t^2), from 50
 * to 3000 rows and down to 0.002 (20,000 samples). The log-odds before anything is seen are -4.
 */
const A = 2.25;
const B = 6.7;
const PRIOR = 4;

function evidenceOf(t: number): number {
  return Math.max(0, B * t * t - A) - PRIOR;
}

/** Rounded numbers are spread evenly over what they may have been. */
function spreadTies(sorted: Float64Array): Float64Array {
  const n = sorted.length;
  let step = Infinity;
  for (let i = 1; i < n; i++) if (sorted[i] > sorted[i - 1]) step = Math.min(step, sorted[i] - sorted[i - 1]);
  if (step === Infinity) return sorted;
  const spread = new Float64Array(n);
  for (let from = 0, to = 0; from < n; from = to) {
    while (to < n && sorted[to] === sorted[from]) to++;
    for (let i = from; i < to; i++) spread[i] = sorted[i] + step * ((i - from + 0.5) / (to - from) - 0.5);
  }
  return spread;
}

/** The largest distance of the steps of the first m values above their convex minorant, in rows. */
function missed(x: Float64Array, m: number): number {
  const hull = new Int32Array(m);
  let size = 0;
  for (let i = 0; i < m; i++) {
    while (size > 1) {
      const [p, q] = [hull[size - 2], hull[size - 1]];
      if ((q - p) * (x[i] - x[q]) < (i - q) * (x[q] - x[p])) break;
      size--;
    }
    hull[size++] = i;
  }
  let most = 1;
  for (let s = 1; s < size; s++) {
    const [p, q] = [hull[s - 1], hull[s]];
    const slope = x[q] > x[p] ? (q - p) / (x[q] - x[p]) : 0;
    for (let i = p; i < q; i++) most = Math.max(most, i + 1 - p - slope * (x[i] - x[p]));
  }
  return most;
}
