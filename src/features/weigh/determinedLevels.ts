/**
 * Categories of which one determines another (city and country): their mutual information is at least .9 of
 * the smaller entropy. They would support each other, so only the one with the strongest relation to the rest
 * is kept.
 */
import type { Dependence } from "./dependence.ts";

const DETERMINED = 0.9;
const LEAST_ROWS = 50;

export interface Determined {
  readonly groups: readonly (readonly number[])[];
  /** Each part that is left out, and its representative. */
  readonly dropped: ReadonlyMap<number, number>;
}

/** `codes`: for each part that is a category, -1 if missing. `bar`: the significant score. */
export function determinedLevels(
  codes: readonly (Int32Array | undefined)[],
  { size, information, score }: Dependence,
  bar: number,
): Determined {
  const parent = codes.map((_, k) => k);
  const categories = Array.from(codes.keys()).filter((k) => codes[k] !== undefined);
  for (const i of categories) {
    for (const j of categories) {
      if (j >= i || !(score[i * size + j] > bar)) continue;
      if (sharedEntropy(codes[i]!, codes[j]!) < DETERMINED) continue;
      const root = Math.min(parent[i], parent[j]);
      const joined = new Set([parent[i], parent[j]]);
      parent.forEach((p, k) => {
        if (joined.has(p)) parent[k] = root;
      });
    }
  }
  const groups = [...new Set(parent)]
    .map((root) => categories.filter((k) => parent[k] === root))
    .filter((group) => group.length > 1);
  const dropped = new Map<number, number>();
  for (const group of groups) {
    const told = group.map((i) => {
      let sum = 0;
      for (let j = 0; j < size; j++) {
        if (!group.includes(j) && score[i * size + j] > bar) sum += Math.max(0, information[i * size + j]);
      }
      return sum;
    });
    // The strongest relation; in a tie the one with fewer levels.
    let best = 0;
    for (let g = 1; g < group.length; g++) {
      const fewer = levelCount(codes[group[g]]!) < levelCount(codes[group[best]]!);
      if (told[g] > told[best] + 1e-12 || (Math.abs(told[g] - told[best]) <= 1e-12 && fewer)) best = g;
    }
    for (const k of group) if (k !== group[best]) dropped.set(k, group[best]);
  }
  return { groups, dropped };
}

/** Mutual information minus its bias, as a share of the smaller entropy; 0 if too few rows have both. */
function sharedEntropy(a: Int32Array, b: Int32Array): number {
  const A = levelCount(a);
  const B = levelCount(b);
  const joint = new Float64Array(A * B);
  const ca = new Float64Array(A);
  const cb = new Float64Array(B);
  let n = 0;
  for (let i = 0; i < a.length; i++) {
    if (a[i] < 0 || b[i] < 0) continue;
    joint[a[i] * B + b[i]]++;
    ca[a[i]]++;
    cb[b[i]]++;
    n++;
  }
  if (n < LEAST_ROWS) return 0;
  const ha = entropy(ca, n);
  const hb = entropy(cb, n);
  const used = (counts: Float64Array): number => counts.filter((count) => count > 0).length;
  const bias = ((used(ca) - 1) * (used(cb) - 1)) / (2 * n);
  return (ha + hb - entropy(joint, n) - bias) / Math.max(1e-9, Math.min(ha, hb));
}

function entropy(counts: Float64Array, n: number): number {
  let sum = 0;
  for (const count of counts) if (count > 0) sum -= (count / n) * Math.log(count / n);
  return sum;
}

function levelCount(codes: Int32Array): number {
  return codes.reduce((most, code) => Math.max(most, code), -1) + 1;
}
