import { change, settings } from "../history.ts";
import { announcement } from "../known.ts";
import type { Edit } from "../../protocol.ts";

/** Merges several clusters. */
export function mergeClusters(clusters: readonly number[]): void {
  const list = [...clusters].sort((a, b) => a - b);
  add({ kind: "merge", clusters: list }, `Clusters ${list.join(" and ")} are one.`);
}

/** Clusters the rows of one cluster separately. */
export function splitCluster(cluster: number, into?: number): void {
  add({ kind: "split", cluster, ...(into !== undefined && { into }) }, `Splitting cluster ${cluster}.`);
}

function add(edit: Edit, told: string): void {
  change({ edits: [...settings.value.edits, edit], gamma: undefined });
  announcement.value = told;
}

/** Undoes the last of them, or all. */
export function takeBackEdits(all: boolean): void {
  change({ edits: all ? [] : settings.value.edits.slice(0, -1) });
}
