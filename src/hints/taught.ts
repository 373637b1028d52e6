import type { Note } from "../core/index.ts";
import { note } from "../core/internal.ts";
import type { HintLinks, PairHint } from "../data/index.ts";
import { pairKey } from "./questions/tellingPair.ts";

/** Maximum number of hinted rows for learning; the result keeps the hints on all of them. */
const MOST_HINTED = 600;

/** The rows whose hints are learned from: all, or with very many evenly spaced ones, so that every part of the table is used. */
export function taughtRows({ same, different, contradictions }: HintLinks, notes: Note[]): readonly number[] {
  const touched = hintedRows([...same, ...different, ...contradictions.flatMap(({ setAside }) => setAside)]);
  if (touched.length <= MOST_HINTED) return touched;
  notes.push(
    note(
      "sampled-hints",
      `members learned from hints about ${MOST_HINTED} of ${touched.length} rows; all hints are kept`,
    ),
  );
  const step = touched.length / MOST_HINTED;
  return Array.from({ length: MOST_HINTED }, (_, r) => touched[Math.floor(r * step)]);
}

/** The hints about these rows; links that went through others stay. */
export function usedHints(
  { same, different }: HintLinks,
  taught: readonly number[],
): { same: readonly PairHint[]; different: readonly PairHint[] } {
  const inside = new Set(taught);
  if ([...same, ...different].every(({ a, b }) => inside.has(a) && inside.has(b))) return { same, different };
  const group = new Map<number, number>();
  const find = (i: number): number => {
    while (group.has(i)) i = group.get(i)!;
    return i;
  };
  for (const { a, b } of same) {
    const [p, q] = [find(a), find(b)];
    if (p !== q) group.set(Math.max(p, q), Math.min(p, q));
  }
  const firstOf = new Map<number, number>();
  const joins: PairHint[] = [];
  for (const row of taught) {
    const root = find(row);
    if (firstOf.has(root))
      joins.push({ a: Math.min(firstOf.get(root)!, row), b: Math.max(firstOf.get(root)!, row), same: true });
    else firstOf.set(root, row);
  }
  const splits = new Map<string, PairHint>();
  for (const { a, b } of different) {
    const [p, q] = [firstOf.get(find(a)), firstOf.get(find(b))];
    if (p === undefined || q === undefined || p === q) continue;
    splits.set(pairKey(p, q), { a: Math.min(p, q), b: Math.max(p, q), same: false });
  }
  return { same: joins, different: [...splits.values()] };
}

function hintedRows(hints: readonly PairHint[]): number[] {
  return [...new Set(hints.flatMap(({ a, b }) => [a, b]))].sort((a, b) => a - b);
}
