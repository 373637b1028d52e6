import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Contradiction, hintLinks, Pair, PairHint } from "kindred/data";
import type { Statement } from "../../protocol.ts";
import { change, settings } from "../history.ts";
import { hintsOf } from "./hintsOf.ts";
import { partition } from "../shown/partition.ts";
import { first, second, select } from "../rows/selection.ts";
import { announcement, solution, table, takesHints } from "../known.ts";
import type { Settings } from "../settings.ts";

/** Rows of a group above which a mark would make the address too long for browsers. */
export const MOST_MARKED = 300;

/** All rows of the groups belong together. */
export function markSame(): void {
  const rows = rising([...first.value, ...second.value]);
  if (rows.length === 2) addHint("same", [[rows[0], rows[1]]], "2 rows marked as the same");
  else addStatement({ kind: "together", rows }, `${rows.length} rows marked as the same`);
}

/**
 * No row of the first group belongs with a row of the second; without a second group, the two rows are
 * different.
 */
export function markDifferent(): void {
  const [a, b] =
    second.value.length === 0 && first.value.length === 2
      ? [[first.value[0]], [first.value[1]]]
      : [rising(first.value), rising(second.value)];
  const told = `${a.length} and ${b.length} rows marked as different`;
  if (a.length === 1 && b.length === 1) addHint("different", [[a[0], b[0]]], told);
  else addStatement({ kind: "apart", rows: a, others: b }, told);
}

/** The rows that represent a cluster: its most typical ones. */
const MEANT_BY = 3;

function typicalRows(cluster: number, without: readonly number[]): number[] {
  const found = solution.value?.representatives[cluster]?.typical ?? [];
  return rising(found.filter((row) => !without.includes(row)).slice(0, MEANT_BY));
}

/** These rows belong to a cluster, which its typical rows represent. */
export function putInto(rows: readonly number[], cluster: number): void {
  const typical = typicalRows(cluster, rows);
  if (typical.length === 0) return;
  const told = `${rows.length === 1 ? "1 row belongs" : `${rows.length} rows belong`} to cluster ${cluster}`;
  addStatements([{ kind: "together", rows: rising([...rows, ...typical]) }], told, asMany());
}

/** These rows do not belong to their current cluster. */
export function notInHere(rows: readonly number[]): void {
  const labels = partition.value?.labels;
  if (labels === undefined) return;
  const next: Statement[] = [];
  for (const cluster of new Set(rows.map((row) => labels[row]))) {
    const own = rising(rows.filter((row) => labels[row] === cluster));
    const others = cluster < 0 ? [] : typicalRows(cluster, rows);
    if (others.length > 0) next.push({ kind: "apart", rows: own, others });
  }
  if (next.length === 0) return;
  const told = rows.length === 1 ? "1 row does not belong here" : `${rows.length} rows do not belong here`;
  addStatements(next, told, asMany());
}

function rising(rows: readonly number[]): number[] {
  return [...new Set(rows)].sort((a, b) => a - b);
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

/** The code that finds contradictions is loaded with the first hint. */
const links = signal<typeof hintLinks | undefined>(undefined);
let asked = false;

function loadLinks(): void {
  if (asked) return;
  asked = true;
  void import("./links.ts").then((part) => (links.value = part.hintLinks));
}

/** Hints that cannot all be true: some are set aside, and can be removed. */
export const contradictions: ReadonlySignal<readonly Contradiction[]> = computed(() => {
  const rows = table.value?.rows ?? 0;
  const { same, different, statements } = settings.value;
  const inside = ([a, b]: Pair): boolean => a < rows && b < rows && a !== b;
  if (same.length + different.length + statements.length === 0) return [];
  const sensible = statements.filter((said) => rowsOf(said).every((row) => row < rows));
  const hints = hintsOf({
    same: same.filter(inside),
    different: different.filter(inside),
    statements: sensible,
  });
  loadLinks();
  const found = links.value?.(rows, hints).contradictions ?? [];
  const told = new Set(found.map(({ message }) => message));
  // Some contradictions appear only when the number of clusters is known.
  const later = solution.value?.taught?.contradictions.filter(({ message }) => !told.has(message)) ?? [];
  return [...found, ...later.filter(({ setAside }) => setAside.some(isGiven))];
});

function isGiven(hint: PairHint): boolean {
  const { a, b, same } = hint;
  return (
    settings.value[same ? "same" : "different"].some((pair) => isPair(pair, a, b)) ||
    settings.value.statements.some((said) => says(said, hint))
  );
}

function rowsOf(said: Statement): readonly number[] {
  return said.kind === "together" ? said.rows : [...said.rows, ...said.others];
}

/** Whether a statement implies a link. */
function says(said: Statement, { a, b, same }: PairHint): boolean {
  if (said.kind === "together") return same && said.rows.includes(a) && said.rows.includes(b);
  const across = (x: number, y: number): boolean => said.rows.includes(x) && said.others.includes(y);
  return !same && (across(a, b) || across(b, a));
}

/** Whether the current clusters agree with a statement. */
export function isKept(said: Statement, labels: ArrayLike<number>): boolean {
  if (said.kind === "together") return said.rows.every((row) => labels[row] === labels[said.rows[0]]);
  const there = new Set(said.others.map((row) => labels[row]));
  return !said.rows.some((row) => there.has(labels[row]));
}

export function removeStatement(said: Statement): void {
  change({ statements: settings.value.statements.filter((one) => one !== said) });
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
  change({
    same: kept("same"),
    different: kept("different"),
    statements: settings.value.statements.filter((said) => !hints.some((hint) => says(said, hint))),
  });
  announcement.value = "Removed.";
}

/** A method that takes no hints is replaced by the one that learns from them. */
export function addHint(kind: "same" | "different", links: readonly Pair[], told: string): void {
  add({ [kind]: merged(settings.value[kind], links) }, told);
}

function addStatement(said: Statement, told: string): void {
  addStatements([said], told);
}

function addStatements(said: readonly Statement[], told: string, part: Partial<Settings> = {}): void {
  add({ ...part, statements: [...settings.value.statements, ...said] }, told);
}

/** A statement about the current clusters implies their number. */
function asMany(): Partial<Settings> {
  return { clusters: settings.value.clusters ?? solution.value?.sizes.length };
}

function add(part: Partial<Settings>, told: string): void {
  const takes = takesHints.value;
  // An answer moves no point: the learned metric is a view of its own.
  const stays = settings.value.view === "learned" && solution.value?.learned === undefined;
  change({
    ...part,
    gamma: undefined,
    ...(stays && { view: "plain" }),
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
