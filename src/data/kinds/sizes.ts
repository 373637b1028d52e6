import { unitRead } from "./units.ts";

/** Lengths in one cell: "120x80x75 cm", "10 cm × 20 cm", "1920 x 1080 px". */
export interface Size {
  readonly lengths: readonly number[];
  /** The last unit in the cell, "" if there is none. */
  readonly unit: string;
}

const LENGTH = '\\d+(?:[.,]\\d+)?\\s*(?:mm|cm|dm|m|inches|inch|in|ft|px|")?';
const SIZE = new RegExp(`^${LENGTH}(?:\\s*[x×*]\\s*${LENGTH}){1,3}$`, "i");

export function sizeOf(text: string): Size | undefined {
  if (text.length > 60 || !SIZE.test(text)) return undefined;
  const parts = text.split(/[x×*]/i).map((part) => /^\s*([\d.,]+)\s*(\S*)\s*$/.exec(part)!);
  const unit = parts.findLast(([, , own]) => own !== "")?.[2] ?? "";
  return { lengths: parts.map(([, digits]) => Number(digits.replace(",", "."))), unit };
}

/** The lengths in the unit of the column; undefined if the cell is no size, or in another quantity. */
export function lengthsIn(text: string, own: string): Float64Array | undefined {
  const size = sizeOf(text);
  const found = size && unitRead(size.unit, own);
  return found && Float64Array.from(size!.lengths, (length) => length * found.factor);
}
