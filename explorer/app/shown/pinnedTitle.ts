import { settings } from "../history.ts";
import { table } from "../known.ts";
import { clustersText } from "../solve/solving.ts";

/** The title of the pinned clustering above its plot. */
export function pinnedTitle(): string {
  const { pinned } = settings.value;
  if (pinned === undefined || pinned === "classes") return `Known: ${table.value?.label ?? ""}`;
  if (typeof pinned === "string") return `By ${pinned}`;
  return `Pinned: ${pinned.method}${pinned.clusters === undefined ? "" : `, ${clustersText(pinned.clusters)}`}`;
}
