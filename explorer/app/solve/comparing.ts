import { computed, effect, signal } from "@preact/signals";
import type { Compared } from "../../protocol.ts";
import { begin, finish } from "../asking.ts";
import type { Asking } from "../client.ts";
import { settings } from "../history.ts";
import { announcement, table } from "../known.ts";
import { rowsQuestion } from "./solving.ts";

/** The results of all methods on the rows. */
export const compared = signal<Compared | undefined>(undefined);
export const comparing = signal(false);

let asking: Asking<"compare"> | undefined;

/** A comparison is valid for the same numbers of the same table. */
const about = computed(() => {
  const { off, scale, weights, missing } = settings.value;
  return JSON.stringify([table.value?.key, off, scale, weights, missing]);
});
effect(() => {
  void about.value;
  asking?.cancel();
  asking = undefined;
  compared.value = undefined;
  comparing.value = false;
});

/** Runs every method that needs only the rows. */
export async function compareAll(): Promise<void> {
  const rows = table.value;
  if (rows === undefined || comparing.value) return;
  const { clusters } = settings.value;
  const { method: _, ...question } = rowsQuestion(rows, settings.value);
  comparing.value = true;
  const turn = begin(
    "Comparing all methods",
    "compare",
    { ...question, ...(clusters !== undefined && { clusters }) },
    () => (comparing.value = false),
  );
  asking = turn;
  const found = await finish(turn, "compare");
  if (asking !== turn) return;
  asking = undefined;
  comparing.value = false;
  compared.value = found;
  if (found !== undefined)
    announcement.value = `${found.partitions.length} distinct partitions. ${found.words}`;
}
