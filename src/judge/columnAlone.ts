import { random } from "../core/index.ts";
import { sizesOf } from "./evidence.ts";
import { explainedVariance } from "./evidence/explainedVariance.ts";
import type { Spaces } from "./spaces.ts";

/** A chance of 1 in 100 that the test takes independent columns for related ones. */
const PERMUTATIONS = 99;

/**
 * The column whose levels are the clusters, if they say no more: every level lies in one cluster, and the other columns differ
 * between the clusters no more than between clusters of the same sizes at random (a permutation test, Fisher 1935).
 */
export function columnAlone(
  { columns, groups, kinds }: Pick<Spaces, "columns" | "groups" | "kinds">,
  labels: Int32Array,
  seed: number,
): string | undefined {
  const sizes = sizesOf(labels);
  const alone = kinds?.codes.find(({ column, codes }) => {
    const others = groups.filter((group) => group.column !== column);
    if (others.length === 0 || !eachInOne(codes, labels)) return false;
    const { sample } = random(seed);
    const explained = explainedVariance(columns, others, labels, sizes);
    for (let times = 0; times < PERMUTATIONS; times++) {
      const atRandom = sample(labels.length, labels.length).map((i) => labels[i]);
      if (explainedVariance(columns, others, atRandom, sizes) >= explained) return true;
    }
    return false;
  });
  return alone?.column;
}

function eachInOne(codes: Int32Array, labels: Int32Array): boolean {
  const clusterOf = new Map<number, number>();
  return codes.every((code, i) => {
    if (code >= 0 && !clusterOf.has(code)) clusterOf.set(code, labels[i]);
    return code < 0 || clusterOf.get(code) === labels[i];
  });
}
