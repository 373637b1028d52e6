/** A count and its noun: "1 row", "2 rows". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** "1 of 9 rows has", "2 of 9 rows have". */
export function have(count: number): "has" | "have" {
  return count === 1 ? "has" : "have";
}

/** The note about rows whose class is unknown. */
export function noClass(count: number, rows: number): string {
  return `${count} of ${rows} rows ${have(count)} no class and ${count === 1 ? "was" : "were"} left out`;
}
