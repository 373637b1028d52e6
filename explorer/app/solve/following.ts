import type { PathQuestion, Solution, TableData } from "../../protocol.ts";
import { begin, finish } from "../asking.ts";
import type { Asking } from "../client.ts";
import { settings, settle } from "../history.ts";
import { announcement, path, solution, table } from "../known.ts";
import { rowsQuestion } from "./solving.ts";

let following: { readonly key: string; readonly asking: Asking<"path"> } | undefined;

/** The clusterpath in the metric of the clustering on the screen. */
export async function follow(): Promise<void> {
  const rows = table.value;
  const found = solution.value;
  if (rows === undefined || found === undefined) return;
  const { key, question } = inMetric(rows, found);
  if (following?.key === key) return;
  stopFollowing();
  const leave = (): void => settle({ gamma: undefined });
  const asking = begin("Following the clusterpath", "path", question, leave);
  following = { key, asking };
  const answer = await finish(asking, "path");
  if (following?.asking !== asking) return;
  if (answer === undefined) {
    following = undefined;
    leave();
    return;
  }
  path.value = answer;
  announcement.value = `The clusterpath has ${answer.steps.length} steps; the slider moves along it.`;
}

/** A question about the rows in the metric of a clustering, and what its answer depends on. */
export function inMetric(rows: TableData, found: Solution): { key: string; question: PathQuestion } {
  const { table: _, ...about } = rowsQuestion(rows, settings.value);
  const { metric, labels } = found;
  return {
    key: `${rows.key} ${JSON.stringify(about)} ${metric?.join(" ") ?? ""}`,
    question: { table: rows, ...about, ...(metric !== undefined && { learned: { metric, labels } }) },
  };
}

export function stopFollowing(): void {
  following?.asking.cancel();
  following = undefined;
  path.value = undefined;
}
