import type { Note } from "../../core/index.ts";
import { note } from "../../core/internal.ts";

/** Unique, non-empty names: `c3` for the fourth column without a name, `x_2` for the second x. */
export function uniqueNames(cells: readonly string[], notes: Note[], source: string): string[] {
  const trimmed = cells.map((cell) => cell.replaceAll(/\s+/g, " ").trim());
  const taken = new Set(trimmed.filter((name) => name !== ""));
  const seen = new Set<string>();
  const unnamed: string[] = [];
  const renamed: string[] = [];
  const names = trimmed.map((name, column) => {
    if (name !== "" && !seen.has(name)) {
      seen.add(name);
      return name;
    }
    const base = name === "" ? `c${column}` : name;
    let free = base;
    for (let k = 2; taken.has(free) || seen.has(free); k++) free = `${base}_${k}`;
    seen.add(free);
    (name === "" ? unnamed : renamed).push(free);
    return free;
  });
  const file = source;
  if (unnamed.length > 0) {
    notes.push(
      note(
        "unnamed-columns",
        `${unnamed.length === 1 ? "the column without a name is" : "columns without a name are"} called ${listed(unnamed)}`,
        { file },
      ),
    );
  }
  if (renamed.length > 0) {
    const message = `repeated names were changed: ${listed(renamed)}`;
    notes.push(note("renamed-columns", message, { file }));
  }
  return names;
}

/** The first names and the number of the others. */
export function listed(names: readonly string[], shown = 6): string {
  const more = names.length - shown;
  return names.slice(0, shown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
