import { inputError } from "../../core/internal.ts";
import type { Triplet } from "../../data/index.ts";
import { nearestRows, takeRows, type Matrix } from "../../matrix/index.ts";
import type { TripletLists } from "./tripletProblem.ts";

/** Every combination of a row's near rows of its class with its near rows of other classes. */
export function neighborTriplets(
  X: Matrix,
  members: readonly Int32Array[],
  neighbors: number,
  impostors: number,
  warnings: string[],
): TripletLists {
  const sizes = members.map((group) => ({
    own: Math.min(neighbors, group.length - 1),
    other: Math.min(impostors, X.rows - group.length),
  }));
  const sum = (per: (own: number, other: number) => number): number =>
    members.reduce((total, group, c) => total + group.length * per(sizes[c].own, sizes[c].other), 0);
  const pairs = new Int32Array(2 * sum((own, other) => (own === 0 ? 0 : own + other)));
  const groups = new Int32Array(4 * sum((own) => (own === 0 ? 0 : 1)));
  let pair = 0;
  let place = 0;
  members.forEach((group, c) => {
    const { own, other } = sizes[c];
    if (own === 0) return;
    const rest = Int32Array.from(
      members.filter((another) => another !== group).flatMap((rows) => Array.from(rows)),
    );
    const queries = takeRows(X, group);
    const inside = nearestRows(queries, own).indices;
    const outside = nearestRows(takeRows(X, rest), other, { queries }).indices;
    group.forEach((i, a) => {
      groups.set([pair, pair + own, pair + own, pair + own + other], place);
      place += 4;
      for (let p = 0; p < own; p++, pair++) {
        pairs[2 * pair] = i;
        pairs[2 * pair + 1] = group[inside[a * own + p]];
      }
      for (let q = 0; q < other; q++, pair++) {
        pairs[2 * pair] = i;
        pairs[2 * pair + 1] = rest[outside[a * other + q]];
      }
    });
  });
  const small = sizes.filter(({ own }) => own < neighbors).length;
  if (groups.length === 0) {
    throw inputError("scml needs a class with at least two rows; every class has only one");
  }
  if (small > 0)
    warnings.push(`${small} classes have at most ${neighbors} rows: their rows have fewer triplets`);
  return { pairs, groups, count: sum((own, other) => own * other) };
}

/** The distinct pairs of a list of triplets. */
export function pairTable(method: string, rows: number, triplets: readonly Triplet[]): TripletLists {
  if (triplets.length === 0) throw inputError(`${method}: there are no triplets`);
  const known = new Map<number, number>();
  const pairs: number[] = [];
  const place = (i: number, j: number): number => {
    const key = Math.min(i, j) * rows + Math.max(i, j);
    let at = known.get(key);
    if (at === undefined) {
      at = pairs.length / 2;
      known.set(key, at);
      pairs.push(i, j);
    }
    return at;
  };
  const groups = new Int32Array(4 * triplets.length);
  triplets.forEach(([i, j, l], t) => {
    for (const index of [i, j, l]) {
      if (!Number.isInteger(index) || index < 0 || index >= rows) {
        throw inputError(
          `triplet ${t} (${i}, ${j}, ${l}): there is no row ${index}; rows are numbered 0 to ${rows - 1}`,
        );
      }
    }
    if (i === j || i === l || j === l) throw inputError(`triplet ${t} (${i}, ${j}, ${l}) names a row twice`);
    const near = place(i, j);
    const far = place(i, l);
    groups.set([near, near + 1, far, far + 1], 4 * t);
  });
  return { pairs: Int32Array.from(pairs), groups, count: triplets.length };
}
