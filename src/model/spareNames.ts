import type { Note } from "../core/index.ts";
import { note, option } from "../core/internal.ts";

/** Names of clusters that nothing is called by. */
export function spareNames(names: readonly string[] | undefined, clusters: number): Note[] {
  if (names === undefined || names.length <= clusters) return [];
  return [
    note(
      "names",
      `${option("names")} has ${names.length} names for ${clusters} clusters; the last are not used`,
    ),
  ];
}
