import type { Layout } from "../../protocol.ts";
import { beginLayout, finish } from "../asking.ts";
import type { Asking } from "../client.ts";
import { settle } from "../history.ts";
import { announcement, layout, solution, table } from "../known.ts";
import { inMetric } from "./following.ts";

let under: { readonly key: string; readonly asking: Asking<"layout"> } | undefined;
/** The last layout, and its input. */
let last: { readonly key: string; readonly found: Layout } | undefined;

/** Computes the neighbour layout in the metric of the clustering on the screen. */
export async function layOut(): Promise<void> {
  const [rows, found] = [table.value, solution.value];
  if (rows === undefined || found === undefined) return;
  const { key, question } = inMetric(rows, found);
  if (under?.key === key) return;
  stopLayingOut();
  if (last?.key === key) {
    layout.value = last.found;
    return;
  }
  const leave = (): void => settle({ view: "learned" });
  const asking = beginLayout(question, leave);
  under = { key, asking };
  const answer = await finish(asking, "layout");
  if (under?.asking !== asking) return;
  under = undefined;
  if (answer === undefined) return leave();
  last = { key, found: answer };
  layout.value = answer;
  announcement.value = ["The rows are laid out by their neighbours.", ...answer.notes].join(" ");
}

export function stopLayingOut(): void {
  under?.asking.cancel();
  under = undefined;
}
