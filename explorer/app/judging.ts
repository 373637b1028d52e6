import { signal } from "@preact/signals";
import type { Pair } from "kindred/data";
import type { Judged } from "../protocol.ts";
import { askJudge } from "./asking.ts";
import type { Asking } from "./client.ts";
import { addHint } from "./hints.ts";
import { change, settings, undo } from "./history.ts";
import { announcement, table } from "./known.ts";

/** Whether rows are judged pair by pair, and the pair that is asked about; "none": there is nothing left to ask. */
export const judging = signal(false);
export const judged = signal<Judged | "none" | "lost" | undefined>(undefined);
/** Answers of this round, which can be taken back. */
export const given = signal(0);
let asking: Asking<"judge"> | undefined;

/** The next pair of rows, by what was answered so far. */
export async function nextPair(): Promise<void> {
  const rows = table.value;
  if (rows === undefined) return;
  const { off, scale, weights, seed, clusters, same, different, skipped } = settings.value;
  judged.value = undefined;
  const question = { table: rows, off, scale, weights, seed, same, different, skipped };
  const turn = askJudge({ ...question, ...(clusters !== undefined && { clusters }) });
  asking = turn;
  try {
    const answer = await turn.answer;
    if (asking === turn) judged.value = answer ?? "none";
  } catch {
    if (asking === turn) judged.value = "lost";
  }
}

export function startJudging(): void {
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
  if (question === undefined || question === "none" || question === "lost") return;
  const { pair } = question;
  given.value++;
  if (reply === "skip") skip(pair);
  else addHint(reply, [pair], reply === "same" ? "Marked as the same" : "Marked as different");
  void nextPair();
}

/** Takes the last answer back. */
export function takeBack(): void {
  if (given.value === 0) return;
  given.value--;
  undo();
  announcement.value = "The last answer was taken back.";
  void nextPair();
}

function skip(pair: Pair): void {
  change({ skipped: [...settings.value.skipped, pair] });
  announcement.value = "Skipped.";
}
