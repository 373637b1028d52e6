import { agreements, expectedAgreement } from "./agreement.ts";
import { evidenceOf, type Evidence } from "./evidence.ts";
import { directEvidence, plausibility, trustTerms, widthOf } from "./plausibility.ts";
import type { Member, PoolMember } from "./pool.ts";
import type { SpaceName, Spaces } from "./spaces.ts";

/**
 * The belief over partitions: a pool of diverse partitions, weighted by how plausible each is, stands for the unknown
 * truth. The expected agreement of a partition with it is
 *
 *     E(P) = sum_j w_j ARI(P, j),   sum_j w_j = 1
 *
 * with the adjusted Rand index: the rule PEAR of Fritsch and Ickstadt (2009), on a pool in the place of draws from a
 * posterior. The choice is the member with the largest support, E plus what its own evidence adds.
 */
export interface Belief {
  readonly members: readonly PoolMember[];
  /** w_j. */
  readonly weights: Float64Array;
  /** E of every member. */
  readonly expected: Float64Array;
  readonly evidence: readonly Evidence[];
  /** E of another partition of the same rows. */
  expectedOf(labels: Int32Array): number;
  /** The evidence of further members, which take no part in the belief. */
  evidenceOf(further: readonly PoolMember[]): Evidence[];
  /** All members, or further ones, with their support. */
  supported(further?: readonly PoolMember[]): Supported[];
  /** The belief over the members of the other spaces; undefined if they are all. */
  without(space: SpaceName): Belief | undefined;
}

/** A member with the reasons to choose it. */
export interface Supported {
  readonly member: Member;
  /** E. */
  readonly expected: number;
  /** E, and what its own evidence adds. */
  readonly support: number;
  /** On what the trust in it depends (plausibility.ts). */
  readonly terms: readonly number[];
}

export function beliefOver(spaces: Spaces, members: readonly PoolMember[]): Belief {
  const A = memberAgreements(members.map(({ labels }) => labels));
  const evidence = evidenceOf(spaces, members, A);
  const width = widthOf(spaces.groups.length);
  const weights = plausibility(members, evidence, width);
  const m = members.length;
  const expected = Float64Array.from({ length: m }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < m; j++) sum += weights[j] * A[i * m + j];
    return sum;
  });
  const ofFurther = (further: readonly PoolMember[]): Evidence[] =>
    evidenceOf(spaces, further, memberAgreements(further.map(({ labels }) => labels)));
  const partitions = members.map(({ labels }) => labels);
  const expectedOf = (labels: Int32Array): number => expectedAgreement(labels, partitions, weights);
  return {
    members,
    weights,
    evidence,
    expected,
    evidenceOf: ofFurther,
    expectedOf,
    supported(further) {
      const all = further ?? members;
      const reasons = further === undefined ? evidence : ofFurther(further);
      return all.map((member, i) => {
        const own = further === undefined ? expected[i] : expectedOf(member.labels);
        const support = own + directEvidence(member, reasons[i], width);
        return { member, expected: own, support, terms: trustTerms(reasons[i], width) };
      });
    },
    without(space) {
      const others = members.filter((member) => member.space !== space);
      return others.length < m ? beliefOver(spaces, others) : undefined;
    },
  };
}

/** Methods often find the same partition, which is compared once. */
function memberAgreements(partitions: readonly Int32Array[]): Float64Array {
  const distinct = new Map<string, number>();
  const different: Int32Array[] = [];
  const places = partitions.map((labels) => {
    const key = labels.join();
    let place = distinct.get(key);
    if (place === undefined) {
      place = different.push(labels) - 1;
      distinct.set(key, place);
    }
    return place;
  });
  const B = agreements(different);
  const m = partitions.length;
  const A = new Float64Array(m * m);
  places.forEach((a, i) => places.forEach((b, j) => (A[i * m + j] = B[a * different.length + b])));
  return A;
}
