import { computed, type ReadonlySignal } from "@preact/signals";
import { hintLinks, type Contradiction, type Pair, type PairHint } from "kindred/data";
import { change, settings } from "./history.ts";
import { first, second, select } from "./selection.ts";
import { announcement, solution, table, takesHints } from "./known.ts";

/** Rows of a group beyond which marking it would make an address that no browser keeps. */
export const MOST_MARKED = 300;

/** All rows of the groups belong together: each is linked to the next. */
export function markSame(): void {
  const rows = [...first.value, ...second.value];
  const links = rows.slice(1).map((row, i): Pair => [rows[i], row]);
  addHint("same", links, `${rows.length} rows marked as the same`);
}

/** The rows of the first group belong with none of the second; without a second group, two rows not with each other. */
export function markDifferent(): void {
  const [a, b] =
    second.value.length === 0 && first.value.length === 2
      ? [[first.value[0]], [first.value[1]]]
      : [first.value, second.value];
  const count = Math.max(a.length, b.length);
  const links = Array.from({ length: count }, (_, i): Pair => [a[i % a.length], b[i % b.length]]);
  addHint("different", links, `${a.length} and ${b.length} rows marked as different`);
}

export function canMarkSame(): boolean {
  const count = first.value.length + second.value.length;
  return count >= 2 && count <= MOST_MARKED;
}

export function canMarkDifferent(): boolean {
  const [a, b] = [first.value.length, second.value.length];
  return (a === 2 && b === 0) || (a > 0 && b > 0 && Math.max(a, b) <= MOST_MARKED);
}

export function removeHint(kind: "same" | "different", pair: Pair): void {
  change({ [kind]: settings.value[kind].filter((one) => one !== pair) });
}

/** Hints that cannot all be true: some are set aside, and can be removed. */
export const contradictions: ReadonlySignal<readonly Contradiction[]> = computed(() => {
  const rows = table.value?.rows ?? 0;
  const { same, different } = settings.value;
  const inside = ([a, b]: Pair): boolean => a < rows && b < rows && a !== b;
  if (same.length + different.length === 0) return [];
  const pairs: PairHint[] = [
    ...same.filter(inside).map(([a, b]) => ({ a, b, same: true })),
    ...different.filter(inside).map(([a, b]) => ({ a, b, same: false })),
  ];
  const found = hintLinks(rows, { pairs }).contradictions;
  const told = new Set(found.map(({ message }) => message));
  // Some show only when the number of clusters is known.
  const later = solution.value?.taught?.contradictions.filter(({ message }) => !told.has(message)) ?? [];
  return [...found, ...later.filter(({ setAside }) => setAside.some(isGiven))];
});

function isGiven({ a, b, same }: PairHint): boolean {
  return settings.value[same ? "same" : "different"].some((pair) => isPair(pair, a, b));
}

function isPair([i, j]: Pair, a: number, b: number): boolean {
  return (i === a && j === b) || (i === b && j === a);
}

/** Removes hints that contradict others. */
export function removeHints(hints: readonly PairHint[]): void {
  const kept = (kind: "same" | "different"): Pair[] =>
    settings.value[kind].filter(
      (pair) => !hints.some(({ a, b, same }) => same === (kind === "same") && isPair(pair, a, b)),
    );
  change({ same: kept("same"), different: kept("different") });
  announcement.value = "Removed.";
}

/** A method that takes no hints gives way to the one that learns from them. */
export function addHint(kind: "same" | "different", links: readonly Pair[], told: string): void {
  const takes = takesHints.value;
  change({
    [kind]: merged(settings.value[kind], links),
    gamma: undefined,
    ...(!takes && { method: "hints", own: {} }),
  });
  select([], "first");
  select([], "second");
  announcement.value = takes ? `${told}.` : `${told}. The method is now the one that learns from hints.`;
}

function merged(known: readonly Pair[], links: readonly Pair[]): Pair[] {
  const key = ([i, j]: Pair): string => `${Math.min(i, j)}-${Math.max(i, j)}`;
  const seen = new Set(known.map(key));
  return [...known, ...links.filter((link) => !seen.has(key(link)) && seen.add(key(link)))];
}
