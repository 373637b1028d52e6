import { sourceFiles } from "../../core/internal.ts";
import {
  cellBatches,
  isParquetOfNumbers,
  memoryLimit,
  openSource,
  rawParts,
  typeTable,
} from "../../data/internal.ts";
import { requireFiles } from "./openRows.ts";
import { isSparseFile, readingOf } from "./readTable.ts";
import type { RowsRequest } from "../request.ts";

/** Number of rows that decide whether a stream has only numbers. */
const LOOKED_AT = 2000;

/** Whether a stream has columns other than plain numbers, or gaps to fill, judged by its first rows. */
export async function isOfAnyKind(
  source: string,
  request: RowsRequest & { readonly metric?: unknown },
): Promise<boolean> {
  const { strict, metric, missing } = request;
  if (source === "-" || strict === true || metric !== undefined || isSparseFile(source, request))
    return false;
  requireFiles(source);
  const asked = ["use", "as", "na", "weights", "text", "vector"] as const;
  if (asked.some((name) => request[name] !== undefined) || missing === "fill") return true;
  const [first] = await sourceFiles(source);
  if (typeof first !== "string" || isSparseFile(first, {})) return false;
  const aside = new Set([request.label, request.id, ...(request.ignore ?? [])]);
  if (await isNumbersByDirectory(first, aside)) return false;
  const reading = readingOf(request);
  for await (const whole of cellBatches(first, { ...reading, memory: memoryLimit() }, LOOKED_AT)) {
    const [raw] = rawParts(whole, LOOKED_AT);
    const { columns } = typeTable(raw, { ...reading, vector: "none" });
    return columns.some((column) => {
      const { name, kind, levels, reading: how } = column;
      if (aside.has(name)) return false;
      if (missing === undefined && column.missing > 0) return true;
      if (kind === "number" || kind === "constant") return false;
      if (kind === "ordered") return !(levels ?? []).every(isNumber);
      const codes = raw.columns.find((one) => one.name === name)?.codes;
      return kind !== "id" || how.form !== undefined || codes !== undefined;
    });
  }
  return false;
}

const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));

/** A Parquet file declares its columns, so none of its rows need to be read. */
async function isNumbersByDirectory(path: string, aside: ReadonlySet<string | undefined>): Promise<boolean> {
  if (!/\.parquet$/i.test(path)) return false;
  const { reader, slices } = await openSource(path, undefined);
  try {
    return slices !== undefined && (await isParquetOfNumbers(slices, aside as ReadonlySet<string>));
  } catch {
    return false; // what is wrong with the file is told when its rows are read
  } finally {
    await reader.close();
  }
}
