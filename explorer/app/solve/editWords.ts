import type { Edit } from "../../protocol.ts";

/** "clusters 0 and 2 merged" */
export function editWords(edit: Edit): string {
  if (edit.kind === "merge") return `clusters ${edit.clusters.join(" and ")} merged`;
  return `cluster ${edit.cluster} split${edit.into === undefined ? "" : ` into ${edit.into}`}`;
}
