import { copiedRows, writtenRows } from "kindred/data";
import type { CopyQuestion } from "../protocol.ts";

/** Cells keep their spelling: 007, 13.3200 and words among numbers. */
export async function copyRows({ table, file, columns }: CopyQuestion): Promise<Blob> {
  const parts: string[] = [];
  const rows = writtenRows([file], table.files, { name: table.source });
  for await (const part of copiedRows(table.source, rows, [columns])) parts.push(part);
  return new Blob(parts, { type: "text/csv" });
}
