import type { Candidate } from "../encode/candidates.ts";
import { codedAngles, codedCells, codedLevels, codedNumbers, type Coded } from "./dependence.ts";

/** A part of a column in the form for measuring dependence. */
export function codedPart(candidate: Candidate, block: Float64Array): Coded {
  const { encoding, names } = candidate;
  switch (encoding.form) {
    case "number":
    case "copies":
      return codedNumbers(block);
    case "mark":
      return codedLevels(block.map((value) => (value > 0 ? 1 : 0)));
    case "cyclic":
      return codedAngles(block);
    case "levels":
      return encoding.cells === "list"
        ? codedCells(block, names.length)
        : codedLevels(levelCodes(candidate, block)!);
    default:
      return names.length === 1
        ? codedNumbers(block)
        : codedCells(block, Math.min(names.length, 30), names.length);
  }
}

/** The level of each row of a category, for a path its first step; -1 if missing. */
export function levelCodes({ encoding, names }: Candidate, block: Float64Array): Int32Array | undefined {
  if (encoding.form !== "levels" || encoding.cells === "list") return undefined;
  const width = names.length;
  const first = encoding.depths?.[0] ?? width;
  return Int32Array.from({ length: block.length / width }, (_, r) => {
    if (Number.isNaN(block[r * width])) return -1;
    for (let f = 0; f < first; f++)
      if (block[r * width + f] + encoding.offsets[f] / encoding.spread > 1e-9) return f;
    return -1;
  });
}
