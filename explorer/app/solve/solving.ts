import { matchClusters } from "kindred/score";
import type { MethodChoice, RowsQuestion, Solution, SolveQuestion, TableData } from "../../protocol.ts";
import { ask, begin, finish } from "../asking.ts";
import type { Asking } from "../client.ts";
import { settings, settle } from "../history.ts";
import type { Settings } from "../settings.ts";
import { slotsOf } from "../shown/colors.ts";
import { clustered } from "../shown/partition.ts";
import {
  announcement,
  freeCounts,
  held,
  methods,
  pinned,
  preview,
  problem,
  slow,
  solution,
  table,
  titleOf,
} from "../known.ts";

/** Number of clusterings kept for undo: fewer if each needs much memory. */
function remembering(rows: number): number {
  return rows <= 5000 ? 12 : 2;
}
/** Rows up to which a first look costs almost nothing. */
const PREVIEWED = 20_000;
/** Rows above which only methods with linear work start automatically. */
const MANY_ROWS = 20_000;
const QUICK: ReadonlySet<string> = new Set([
  "auto",
  "hints",
  "kmeans",
  "seeded-kmeans",
  "gmm",
  "bregman-kmeans",
]);
/** A method with too many rows fits a sample, so the time does not grow with the rows. */
function isSlow(rows: number, name: string): boolean {
  const most = methods.value.find((one) => one.name === name)?.needs.rows ?? Infinity;
  return rows > MANY_ROWS && rows <= most && !QUICK.has(name);
}

/** The table and method for which the user accepted a long wait. */
let agreed = "";

function patience(): string {
  return `${table.value?.key} ${settings.value.method}`;
}

/** How long the notice about a stopped run stays, if there is a result to look at. */
const STOPPED_MS = 8000;
const remembered = new Map<string, Solution>();
let turns = 0;
let solving:
  | { readonly key: string; readonly asking: Asking<"solve">; readonly found: Promise<Solution | undefined> }
  | undefined;

/** Clusters despite very many rows, or tries again. */
export function clusterNow(): void {
  held.value = false;
  agreed = patience();
  void solve();
}

export function stopSolving(): void {
  solving?.asking.cancel();
  solving = undefined;
}

/**
 * The clustering that the settings ask for and, if one is pinned, that one too. Only the last call continues
 * after a wait: an earlier one must not withdraw its request.
 */
export async function solve(): Promise<void> {
  const rows = table.value;
  if (rows === undefined) return;
  const question = questionFor(rows, settings.value);
  const first = solution.value === undefined && preview.value === undefined;
  if (first && (held.value || rows.rows <= PREVIEWED)) void showRows(question);
  const turn = ++turns;
  slow.value = isSlow(rows.rows, question.method) && agreed !== patience();
  if (slow.value) stopSolving();
  if (held.value || slow.value) return;
  const found = await solved(question, `Clustering by ${titleOf(question.method)}`);
  if (found === undefined || turn !== turns || table.value !== rows) return;
  if (solution.value !== found) {
    announcement.value = `${clustersText(found.sizes.length)} of sizes ${found.sizes.join(", ")}, by ${titleOf(found.method)}.`;
  }
  keepNames(found);
  keepCounts(question, found);
  solution.value = found;
  keepColors(found);
  problem.value = undefined;
  const { pinned: other } = settings.value;
  if (other === undefined || typeof other === "string") {
    pinned.value = undefined;
    return;
  }
  const compared = await solved(
    questionFor(rows, { ...settings.value, edits: [], ...other }),
    "Clustering the pinned result",
  );
  if (compared !== undefined && turn === turns && table.value === rows) pinned.value = compared;
}

/** With a number of clusters given, the automatic choice looks at few others: what it said when it was free is kept. */
function keepCounts({ table: rows, edits, clusters, ...rest }: SolveQuestion, found: Solution): void {
  const key = `${rows.key} ${JSON.stringify(rest)}`;
  if (clusters === undefined && edits.length === 0 && found.path !== undefined)
    freeCounts.value = { key, path: found.path, taken: found.sizes.length };
  else if (freeCounts.value?.key !== key) freeCounts.value = undefined;
}

/** The address has the colours of the clusters where they are not the usual ones. */
function keepColors({ labels, sizes }: Solution): void {
  const usual = slotsOf(labels, sizes.length).join();
  const slots = clustered.value?.slots;
  settle({ slots: slots?.join() === usual ? undefined : slots });
}

/** The clustering without some columns, which the page does not show yet. */
export async function tryColumns(off: readonly string[]): Promise<Solution | undefined> {
  const rows = table.value;
  if (rows === undefined) return undefined;
  return solved(questionFor(rows, { ...settings.value, edits: [], off }), "Trying other columns");
}

/** The names that were in force with the last clustering. */
let named: readonly string[] | undefined;

/** Names given by hand stay with the rows when clusters get new numbers. */
function keepNames(found: Solution): void {
  const before = solution.value;
  const { names } = settings.value;
  if (before !== undefined && before !== found && names === named && names.some((name) => name !== "")) {
    const next: string[] = found.sizes.map(() => "");
    for (const { cluster, class: old } of matchClusters(found.labels, before.labels)) {
      if (Number(cluster) >= 0 && Number(old) >= 0) next[Number(cluster)] = names[Number(old)] ?? "";
    }
    if (next.join("\n") !== names.join("\n")) settle({ names: next });
  }
  named = settings.value.names;
}

export function questionFor(
  rows: TableData,
  wish: MethodChoice & Pick<SolveQuestion, "off" | "scale" | "weights" | "missing" | "edits">,
): SolveQuestion {
  const { edits, method, clusters, own, same, different, statements } = wish;
  const taken = takesPairs(method);
  return {
    ...rowsQuestion(rows, wish),
    edits,
    method,
    ...(clusters !== undefined && { clusters }),
    own,
    same: taken ? same : [],
    different: taken ? different : [],
    statements: taken ? statements : [],
  };
}

/** The conversion of the rows to numbers. */
export function rowsQuestion(
  rows: TableData,
  wish: MethodChoice & Pick<Settings, "off" | "scale" | "weights" | "missing">,
): RowsQuestion {
  const { off, scale, weights, missing, method, seed, own, same, different, statements } = wish;
  const said = same.length + different.length + statements.length > 0;
  const told = said && takesPairs(method) && own.distances !== "plain";
  return { table: rows, off, scale, weights, missing, method, seed, ...(told && { told }) };
}

function takesPairs(method: string): boolean {
  return methods.value.find(({ name }) => name === method)?.needs.pairs !== undefined;
}

/** The method with its options and hints. */
export function methodChoice(wish: MethodChoice): MethodChoice {
  const { method, clusters, seed, own, same, different, statements } = wish;
  return { method, clusters, seed, own, same, different, statements };
}

/** "1 cluster", "3 clusters". */
export function clustersText(count: number): string {
  return count === 1 ? "1 cluster" : `${count.toLocaleString("en")} clusters`;
}

/** From memory, in progress or requested; an open question about something else is withdrawn. */
async function solved(question: SolveQuestion, label: string): Promise<Solution | undefined> {
  const { table: rows, ...rest } = question;
  const key = `${rows.key} ${JSON.stringify(rest)}`;
  if (solving?.key === key) return solving.found;
  stopSolving();
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const asking = begin(label, "solve", question, () => {
    const stopped = {
      about: "method",
      text: "Stopped. The last result is still shown, if there was one.",
    } as const;
    problem.value = stopped;
    setTimeout(() => {
      if (problem.value === stopped && solution.value !== undefined) problem.value = undefined;
    }, STOPPED_MS);
  });
  const found = finish(asking, "method").then((answer) => {
    if (solving?.asking === asking) solving = undefined;
    const kept = answer && withKnownPlaces(answer);
    if (kept !== undefined) remember(key, kept);
    return kept;
  });
  solving = { key, asking, found };
  return found;
}

/** The plain view does not depend on the clusters: the page keeps the existing one instead of a copy. */
function withKnownPlaces(found: Solution): Solution {
  const before = solution.value?.plain;
  const { xy } = found.plain;
  if (before === undefined || before.xy.length !== xy.length) return found;
  return xy.every((value, p) => Object.is(value, before.xy[p])) ? { ...found, plain: before } : found;
}

function remember(key: string, found: Solution): void {
  remembered.set(key, found);
  for (const old of remembered.keys()) {
    if (remembered.size <= remembering(found.labels.length)) break;
    remembered.delete(old);
  }
}

/** Points to look at during the first clustering; if they cannot be shown, the clustering reports why. */
async function showRows(question: SolveQuestion): Promise<void> {
  const rows = question.table;
  const view = await ask("look", rowsQuestion(rows, question)).catch(() => undefined);
  if (table.value === rows) preview.value = view;
}
