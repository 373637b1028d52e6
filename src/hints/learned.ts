import { random } from "../core/index.ts";
import { heldTogether } from "./evidence.ts";
import { withoutRows, type Known } from "./known.ts";
import { learnedMembers, type Ground } from "./members.ts";
import { posterior } from "./posterior.ts";
import { countOf, type Candidate, type Shelf } from "./shelf.ts";
import { withoutHeld, type Statement } from "./statements.ts";

const FOLDS = 5;
/** Partitions from which learning starts. */
const STARTS = 3;
/** Parts of the hint graph of at most this many rows are held out together. */
const SMALL_PART = 3;

/**
 * Candidates that learn from the answers (members.ts), into these numbers of clusters, with what they predict of answers that
 * they did not see: the answers are held out in five parts.
 *
 * @param known what follows from the answers that are not accused
 * @param going checked before each part of the work; false skips the rest
 */
export function learnedCandidates(
  ground: Ground,
  shelf: Shelf,
  said: readonly Statement[],
  known: Known,
  counts: readonly number[],
  going: (label: string, fraction: number) => boolean,
): Candidate[] {
  const parts = [new Uint8Array(known.rows), ...folds(known, ground.seed)];
  let done = 0;
  const runs = parts.map((held) => {
    const own = withoutRows(known, held);
    const told = posterior(shelf.all, withoutHeld(said, held), shelf.usual);
    const ranked = told.sort((a, b) => b.weight - a.weight);
    const found = new Map<string, Int32Array>();
    for (const K of counts) {
      if (!going("learning from the hints", done++ / (parts.length * counts.length))) break;
      if (own.answers === 0) continue;
      // Learning starts from the likeliest partition into so many clusters, or else into fewer.
      const exact = ranked.filter(({ clusters }) => clusters === K);
      const fewer = ranked.filter(({ clusters }) => clusters < K);
      const starts = [...exact, ...fewer].slice(0, STARTS).map(({ labels }) => labels);
      for (const { name, labels } of starts.length === 0 ? [] : learnedMembers(ground, K, own, starts))
        found.set(`${name}, ${K}`, labels);
    }
    return { held, found };
  });
  const [all, ...heldOut] = runs;
  const total = counts.reduce((sum, K) => sum + shelf.probability(K), 0) * (all.found.size / counts.length);
  return [...all.found].map(([name, labels]): Candidate => {
    const own = heldOut.flatMap(({ held, found }) =>
      found.has(name) ? [{ held, labels: found.get(name)! }] : [],
    );
    const clusters = countOf(labels);
    return {
      name,
      labels,
      clusters,
      shares: { learned: shelf.probability(clusters) / total },
      together: heldTogether(own),
      learned: true,
    };
  });
}

/** Marks of rows: parts of the hint graph that are small are held out together, rows of large ones alone. */
function folds(known: Known, seed: number): Uint8Array[] {
  const part = new Map<number, number>();
  const find = (g: number): number => {
    while (part.get(g) !== g) g = part.get(g)!;
    return g;
  };
  for (const i of known.hinted) part.set(known.group[i], known.group[i]);
  for (const a of known.bound)
    for (const b of known.excluded[a]) part.set(find(Math.max(a, b)), find(Math.min(a, b)));
  const rows = new Map<number, number[]>();
  for (const i of known.hinted) {
    const root = find(known.group[i]);
    if (!rows.has(root)) rows.set(root, []);
    rows.get(root)!.push(i);
  }
  const units: number[][] = [];
  for (const inside of rows.values()) {
    if (inside.length <= SMALL_PART) units.push(inside);
    else for (const i of inside) units.push([i]);
  }
  const order = random(seed + 7).shuffle(Int32Array.from(units.keys()));
  const held = Array.from({ length: Math.min(FOLDS, units.length) }, () => new Uint8Array(known.rows));
  order.forEach((u, place) => {
    for (const i of units[u]) held[place % held.length][i] = 1;
  });
  return units.length < 2 ? [] : held;
}
