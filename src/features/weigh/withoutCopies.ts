import { columnSpreads } from "../../data/internal.ts";
import { matrix } from "../../matrix/index.ts";
import type { Candidate } from "../encode/candidates.ts";
import { timeLabel } from "../encode/dateDifferences.ts";
import { encodePart, type Cells } from "../encode/encodePart.ts";
import type { CopiesEncoding, NumberEncoding } from "../featureRecord.ts";
import { dependence, type Coded } from "./dependence.ts";

/** The rank correlation above which two parts are near copies. */
const NEAR_COPY = 0.97;

/** What near copies are called: their columns, or the time between two dates. */
export function memberLabels({ members }: CopiesEncoding): string[] {
  return members.map(({ column, encoding: { since } }) =>
    since === undefined ? column : timeLabel(since, column),
  );
}

/** Ordered parts with the same ranking of the rows become their mean. */
export function withoutCopies(
  candidates: readonly Candidate[],
  coded: readonly Coded[],
  cells: Cells,
): Candidate[] {
  const numbers = Array.from(candidates.keys()).filter((k) => candidates[k].encoding.form === "number");
  const { size, correlation } = dependence(
    numbers.map((k) => coded[k]),
    () => true,
  );
  const taken = new Set<number>();
  const replaced = new Map<number, Candidate>();
  for (let a = 0; a < size; a++) {
    if (taken.has(numbers[a])) continue;
    const group = [a];
    for (let b = a + 1; b < size; b++) {
      const r = correlation[a * size + b];
      if (!taken.has(numbers[b]) && Math.abs(r) >= NEAR_COPY) group.push(b);
    }
    if (group.length < 2) continue;
    const members = group.map((g) => ({
      column: candidates[numbers[g]].column,
      sign: g === a || correlation[a * size + g] > 0 ? (1 as const) : (-1 as const),
      encoding: candidates[numbers[g]].encoding as NumberEncoding,
    }));
    for (const g of group.slice(1)) taken.add(numbers[g]);
    const start: CopiesEncoding = { form: "copies", members, center: 0, spread: 1 };
    const first = candidates[numbers[a]];
    const all = Int32Array.from({ length: cells.rows }, (_, i) => i);
    const mean = encodePart({ column: first.column, encoding: start }, cells, all).filter(
      (value) => !Number.isNaN(value),
    );
    const [spread] = columnSpreads(matrix(mean.length, 1, mean), [first.column]);
    replaced.set(numbers[a], {
      ...first,
      label: memberLabels(start).join(" + "),
      names: [memberLabels(start).join(" + ")],
      encoding: { ...start, center: spread.mean, spread: spread.deviation || 1 },
      became: `mean of ${members.length} near copies`,
    });
  }
  return candidates.flatMap((candidate, k) => (taken.has(k) ? [] : [replaced.get(k) ?? candidate]));
}
