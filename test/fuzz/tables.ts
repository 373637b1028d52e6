import { matrix, type Matrix } from "../../src/matrix/matrix.ts";
import type { Dice } from "./dice.ts";

/** Tables that methods do not like: few rows, equal rows, constant and extreme columns, huge and tiny scales. */
export function nastyTable(roll: Dice): { readonly X: Matrix; readonly told: string } {
  const rows = roll.pick([1, 2, 3, 4, 5, 8, 13, 20, 30]);
  const cols = roll.pick([1, 1, 2, 2, 3, 5, 8]);
  const kind = roll.pick(KINDS);
  const X = matrix(rows, cols);
  const scale = roll.pick(SCALES);
  const scales = Array.from({ length: cols }, () => (roll.chance(0.3) ? roll.pick(SCALES) : scale));
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) X.data[i * cols + j] = cell(kind, roll, i, j) * scales[j];
  }
  if (roll.chance(0.05)) X.data[roll.below(X.data.length)] = roll.pick([Number.NaN, Infinity, -Infinity]);
  return { X, told: `${rows} x ${cols} ${kind}, scales ${scales.join(" ")}` };
}

const KINDS = [
  "blobs",
  "equal",
  "few",
  "grid",
  "constant",
  "outlier",
  "line",
  "zeros",
  "denormal",
  "random",
] as const;
const SCALES = [1, 1, 1, 1, 1e-3, 1e3, 1e150, 1e300, 1.7e308, 1e-160, 1e-300, 5e-324, 1e15];

function cell(kind: (typeof KINDS)[number], roll: Dice, i: number, j: number): number {
  switch (kind) {
    case "blobs":
      return 10 * (i % 3) * ((j % 2) + 1) + roll.share();
    case "equal":
      return j + 1;
    case "few":
      return roll.below(2);
    case "grid":
      return (i >> (j % 5)) % 3;
    case "constant":
      return j === 0 ? roll.share() : 3;
    case "outlier":
      return i === 0 ? 1e6 : roll.share();
    case "line":
      return i * (j + 1);
    case "zeros":
      return 0;
    case "denormal":
      return roll.below(5) * 5e-324;
    case "random":
      return 2 * roll.share() - 1;
  }
}

export function nastyLabels(roll: Dice, rows: number): string[] {
  const classes = roll.pick([1, 2, 2, 3, rows]);
  return Array.from({ length: rows }, () => (roll.chance(0.15) ? "" : `c${roll.below(classes)}`));
}

export function nastyPairs(roll: Dice, rows: number): [number, number][] {
  const count = roll.pick([0, 1, 2, 5, 20]);
  const place = (): number => (roll.chance(0.03) ? roll.pick([-1, rows, 0.5, 2 ** 31]) : roll.below(rows));
  return Array.from({ length: count }, () => [place(), place()]);
}
