import { signal } from "@preact/signals";
import type { Pair } from "kindred/data";
import type { Judged } from "../../protocol.ts";
import { askJudge } from "../asking.ts";
import type { Asking } from "../client.ts";
import { addHint } from "./hints.ts";
import { change, settings, undo } from "../history.ts";
import { announcement, solution, table } from "../known.ts";
import { rowsQuestion } from "../solve/solving.ts";

/** Whether rows are judged pair by pair, and the current pair; "none": there is nothing left to ask. */
export const judging = signal(false);
export const judged = signal<Judged | "none" | Error | undefined>(undefined);
/** Answers of this round, which can be undone. */
export const given = signal(0);
/** The partition without hints of a table. */
let free: { readonly table: number; readonly labels: Int32Array } | undefined;
let asking: Asking<"judge"> | undefined;

/** The next pair of rows, given the answers so far. */
export async function nextPair(): Promise<void> {
  const rows = table.value;
  if (rows === undefined) return;
  const { clusters, same, different, statements, skipped } = settings.value;
  judged.value = undefined;
  const question = {
    ...rowsQuestion(rows, settings.value),
    method: "hints",
    told: true,
    same,
    different,
    statements,
    skipped,
    ...(free?.table === rows.key && { free: free.labels }),
  };
  const turn = askJudge({ ...question, ...(clusters !== undefined && { clusters }) });
  asking = turn;
  try {
    const answer = await turn.answer;
    if (asking === turn) judged.value = answer ?? "none";
  } catch (error) {
    if (asking === turn) judged.value = error as Error;
  }
}

export function startJudging(): void {
  const [rows, found] = [table.value, solution.value];
  if (rows !== undefined && found !== undefined && found.method !== "hints") {
    const usable = found.sizes.length > 1 && !found.labels.includes(-1);
    free = usable ? { table: rows.key, labels: found.labels } : undefined;
  }
  judging.value = true;
  given.value = 0;
  void nextPair();
}

export function stopJudging(): void {
  judging.value = false;
  asking = undefined;
}

export function answer(reply: "same" | "different" | "skip"): void {
  const question = judged.value;
  if (question === undefined || question === "none" || question instanceof Error) return;
  const { pair } = question;
  given.value++;
  if (reply === "skip") skip(pair);
  else addHint(reply, [pair], reply === "same" ? "Marked as the same" : "Marked as different");
  void nextPair();
}

/** Undoes the last answer. */
export function takeBack(): void {
  if (given.value === 0) return;
  given.value--;
  undo();
  announcement.value = "The last answer was undone.";
  void nextPair();
}

function skip(pair: Pair): void {
  change({ skipped: [...settings.value.skipped, pair] });
  announcement.value = "Skipped.";
}
