import type { MethodChoice, RowsQuestion, Solution, SolveQuestion, TableData } from "../protocol.ts";
import { ask, begin, finish } from "./asking.ts";
import type { Asking } from "./client.ts";
import { settings } from "./history.ts";
import { announcement, held, methods, pinned, preview, problem, solution, table, titleOf } from "./known.ts";

/** Clusterings that are remembered, so that undo shows them at once. */
const REMEMBERED = 12;
/** Rows up to which a first look costs next to nothing. */
const PREVIEWED = 20_000;
const remembered = new Map<string, Solution>();
let tables = 0;
let turns = 0;
const numbers = new WeakMap<TableData, number>();
let solving:
  | { readonly key: string; readonly asking: Asking<"solve">; readonly found: Promise<Solution | undefined> }
  | undefined;

/** Clusters although there are very many rows, or tries again. */
export function clusterNow(): void {
  held.value = false;
  void solve();
}

export function stopSolving(): void {
  solving?.asking.cancel();
  solving = undefined;
}

/**
 * The clustering that the settings ask for and, if one is pinned, that one too. Only the last call goes on after a wait:
 * an earlier one must not withdraw what the last has asked for.
 */
export async function solve(): Promise<void> {
  const rows = table.value;
  if (rows === undefined) return;
  const question = questionFor(rows, settings.value);
  const first = solution.value === undefined && preview.value === undefined;
  if (first && (held.value || rows.rows <= PREVIEWED)) void showRows(question);
  const turn = ++turns;
  if (held.value) return;
  const found = await solved(question, `Clustering by ${titleOf(question.method)}`);
  if (found === undefined || turn !== turns || table.value !== rows) return;
  if (solution.value !== found) {
    announcement.value = `${found.sizes.length} clusters of sizes ${found.sizes.join(", ")}, by ${titleOf(found.method)}.`;
  }
  solution.value = found;
  problem.value = undefined;
  const { pinned: other } = settings.value;
  if (other === undefined || other === "classes") {
    pinned.value = undefined;
    return;
  }
  const compared = await solved(
    questionFor(rows, { ...settings.value, ...other }),
    "Clustering the pinned result",
  );
  if (compared !== undefined && turn === turns && table.value === rows) pinned.value = compared;
}

export function questionFor(
  rows: TableData,
  wish: MethodChoice & Pick<RowsQuestion, "off" | "scale">,
): SolveQuestion {
  const { off, scale, method, clusters, seed, own, same, different } = wish;
  const taken = methods.value.find(({ name }) => name === method)?.pairs !== "no";
  return {
    table: rows,
    off,
    scale,
    method,
    ...(clusters !== undefined && { clusters }),
    seed,
    own,
    same: taken ? same : [],
    different: taken ? different : [],
  };
}

/** Remembered, under way or asked for; a question that is under way for something else is withdrawn. */
async function solved(question: SolveQuestion, label: string): Promise<Solution | undefined> {
  const { table: rows, ...rest } = question;
  const key = `${tableNumber(rows)} ${JSON.stringify(rest)}`;
  if (solving?.key === key) return solving.found;
  stopSolving();
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const asking = begin(label, "solve", question, () => {
    problem.value = { about: "method", text: "Stopped. The last result is still shown, if there was one." };
  });
  const found = finish(asking, "method").then((answer) => {
    if (solving?.asking === asking) solving = undefined;
    if (answer !== undefined) remember(key, answer);
    return answer;
  });
  solving = { key, asking, found };
  return found;
}

function remember(key: string, found: Solution): void {
  remembered.set(key, found);
  for (const old of remembered.keys()) {
    if (remembered.size <= REMEMBERED) break;
    remembered.delete(old);
  }
}

function tableNumber(rows: TableData): number {
  const known = numbers.get(rows) ?? ++tables;
  numbers.set(rows, known);
  return known;
}

/** Points to look at while the first clustering is under way; if they cannot be shown, that will say why. */
async function showRows({ table: rows, off, scale }: SolveQuestion): Promise<void> {
  const view = await ask("look", { table: rows, off, scale }).catch(() => undefined);
  if (table.value === rows) preview.value = view;
}
