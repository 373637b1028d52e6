/**
 * Hall's best-first search for the set with the largest merit (cfs.ts): the best unexamined set is extended
 * by every feature in turn; the search ends when five consecutive extensions have not improved on the best
 * set.
 */
const STALE = 5;

export interface Addition {
  readonly feature: number;
  /** For the set up to and including this feature. */
  readonly merit: number;
}

interface Subset {
  readonly features: readonly Addition[];
  readonly merit: number;
  /** sum r_iy and sum_{i < j} r_ij. */
  readonly sum: number;
  readonly pairSum: number;
}

/** @param uncertainties r_fi of feature f with every i */
export function bestFirst(
  toClass: Float64Array,
  candidates: Uint8Array,
  most: number,
  uncertainties: (f: number) => Float64Array,
): readonly Addition[] {
  const rows = new Map<number, Float64Array>();
  const rowOf = (f: number): Float64Array => {
    let row = rows.get(f);
    if (row === undefined) rows.set(f, (row = uncertainties(f)));
    return row;
  };
  let open: Subset[] = [{ features: [], merit: 0, sum: 0, pairSum: 0 }];
  let best = open[0];
  const seen = new Set<string>();
  for (let stale = 0; stale < STALE && open.length > 0;) {
    const [next] = open;
    open = open.slice(1);
    const extended = next.features.length < most ? extensions(next, toClass, candidates, rowOf, seen) : [];
    open = merged(open, extended);
    // A set without features is not an answer, even if no feature is informative.
    if (extended.length > 0 && (best.features.length === 0 || extended[0].merit > best.merit)) {
      best = extended[0];
      stale = 0;
    } else {
      stale++;
    }
  }
  return best.features;
}

/** The new sets with one more feature, the best first; in a tie the lower feature. */
function extensions(
  subset: Subset,
  toClass: Float64Array,
  candidates: Uint8Array,
  rowOf: (f: number) => Float64Array,
  seen: Set<string>,
): Subset[] {
  const links = new Float64Array(toClass.length);
  const members = subset.features.map(({ feature }) => feature);
  for (const f of members) {
    const row = rowOf(f);
    for (let i = 0; i < links.length; i++) links[i] += row[i];
  }
  const size = members.length + 1;
  const found: Subset[] = [];
  for (let i = 0; i < links.length; i++) {
    if (candidates[i] === 0 || members.includes(i)) continue;
    const key = [...members, i].sort((a, b) => a - b).join();
    if (seen.has(key)) continue;
    seen.add(key);
    const sum = subset.sum + toClass[i];
    const pairSum = subset.pairSum + links[i];
    const merit = sum / Math.sqrt(size + 2 * pairSum);
    found.push({ features: [...subset.features, { feature: i, merit }], merit, sum, pairSum });
  }
  return found.sort((a, b) => b.merit - a.merit);
}

/** Merges two descending lists; in a tie the set that was found first. */
function merged(a: readonly Subset[], b: readonly Subset[]): Subset[] {
  const all: Subset[] = [];
  let j = 0;
  for (const subset of a) {
    while (j < b.length && b[j].merit > subset.merit) all.push(b[j++]);
    all.push(subset);
  }
  return [...all, ...b.slice(j)];
}
