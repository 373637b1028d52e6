import { option, optionError } from "../../core/internal.ts";
import type { AppendedColumn } from "../../data/index.ts";

/** What --append writes after the rows. */
export function appendedColumns(labels: Int32Array, names: readonly string[]): AppendedColumn[] {
  return [
    { name: "cluster", values: labels },
    { name: "cluster_name", values: Array.from(labels, (label) => names[label] ?? "") },
  ];
}

/** --append leaves no row out, so a row must not be dropped before it has a label. */
export function refuseDropped(missing: string | undefined, where: string): void {
  if (missing !== "drop") return;
  throw optionError(
    `${option("append")} copies all rows, but ${option("missing")} drop leaves rows out ${where}; leave one of them out`,
  );
}
