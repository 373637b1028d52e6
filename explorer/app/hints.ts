import type { Pair } from "kindred/data";
import { change, settings } from "./history.ts";
import { first, second, select } from "./selection.ts";
import { announcement, methods, solution } from "./known.ts";

/** Rows of a group beyond which marking it would make an address that no browser keeps. */
export const MOST_MARKED = 300;

/** All rows of the groups belong together: each is linked to the next. */
export function markSame(): void {
  const rows = [...first.value, ...second.value];
  const links = rows.slice(1).map((row, i): Pair => [rows[i], row]);
  add({ same: links }, `${rows.length} rows marked as the same`);
}

/** The rows of the first group belong with none of the second; without a second group, two rows not with each other. */
export function markDifferent(): void {
  const [a, b] =
    second.value.length === 0 && first.value.length === 2
      ? [[first.value[0]], [first.value[1]]]
      : [first.value, second.value];
  const count = Math.max(a.length, b.length);
  const links = Array.from({ length: count }, (_, i): Pair => [a[i % a.length], b[i % b.length]]);
  add({ different: links }, `${a.length} and ${b.length} rows marked as different`);
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

function add(links: { same?: readonly Pair[]; different?: readonly Pair[] }, told: string): void {
  const { same, different, method, clusters } = settings.value;
  const takes = methods.value.find(({ name }) => name === method)?.pairs !== "no";
  const found = solution.value?.sizes.length ?? 3;
  change({
    same: merged(same, links.same ?? []),
    different: merged(different, links.different ?? []),
    gamma: undefined,
    ...(takes ? {} : { method: "cop-kmeans", own: {}, clusters: clusters ?? Math.max(2, found) }),
  });
  select([], "first");
  select([], "second");
  announcement.value = takes ? `${told}.` : `${told}. The method is now the one that keeps hints.`;
}

function merged(known: readonly Pair[], links: readonly Pair[]): Pair[] {
  const key = ([i, j]: Pair): string => `${Math.min(i, j)}-${Math.max(i, j)}`;
  const seen = new Set(known.map(key));
  return [...known, ...links.filter((link) => !seen.has(key(link)) && seen.add(key(link)))];
}
