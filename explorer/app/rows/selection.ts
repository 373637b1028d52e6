import { signal } from "@preact/signals";

/** Rows selected in the plot or the table: a first and a second group, and the row in focus. */
export const first = signal<readonly number[]>([]);
export const second = signal<readonly number[]>([]);
export const focused = signal<number | undefined>(undefined);
export const hovered = signal<number | undefined>(undefined);
/** Only this cluster is shown in full colour. */
export const highlighted = signal<number | undefined>(undefined);

/** With two partitions side by side: only the rows in different clusters have full colour. */
export const onlyDiffering = signal(false);

export type Group = "first" | "second";

export function select(rows: readonly number[], group: Group): void {
  const [chosen, other] = group === "first" ? [first, second] : [second, first];
  const taken = new Set(rows);
  chosen.value = rows;
  other.value = other.value.filter((row) => !taken.has(row));
}

/** Adds a row to a group, or takes it out again. */
export function toggle(row: number, group: Group): void {
  const chosen = group === "first" ? first : second;
  const rows = chosen.value.includes(row)
    ? chosen.value.filter((one) => one !== row)
    : [...chosen.value, row];
  select(rows, group);
}

export function clearSelection(): void {
  first.value = [];
  second.value = [];
  focused.value = undefined;
  hovered.value = undefined;
  highlighted.value = undefined;
}
