/**
 * Moments as SQL: counts and sums by class, and X'X as sums of products, all about a shift near the means, so that an
 * offset costs no digits. X'X is computed in square blocks of columns: a statement with all d (d + 1) / 2
 * products of a wide table would take longer to compile than to run, and engines refuse it beyond some width.
 */
import { double, numericError } from "../core/internal.ts";

import { answer, type EngineBatch } from "./engine.ts";
import type { EngineTable } from "./engineTable.ts";

/** Sums over the rows of one label, which is null if unknown. */
export interface LabelSums {
  readonly label: string | null;
  readonly count: number;
  /** Sum of x - s. */
  readonly sums: Float64Array;
}

/** One entry for each label of the table; a single entry for a table without labels. */
export async function labelSums(
  table: EngineTable,
  shift: ArrayLike<number>,
  aggregates: number,
): Promise<LabelSums[]> {
  const d = table.features.length;
  const found = new Map<string | null, { count: number; sums: Float64Array }>();
  for (let first = 0; first < d; first += aggregates) {
    const width = Math.min(aggregates, d - first);
    const own = Array.from({ length: width }, (_, k) => first + k);
    const sums = ["count(*)", ...own.map((f) => `sum(x${f})`)];
    const batch = await grouped(table, shift, table.labelText, own, { sums });
    for (let g = 0; g < batch.rows; g++) {
      const label = keyOf(batch, g);
      let sum = found.get(label);
      if (sum === undefined) found.set(label, (sum = { count: 0, sums: new Float64Array(d) }));
      sum.count = Number(batch.columns[1][g]);
      own.forEach((f, k) => {
        sum.sums[f] = finiteSum(table, f, batch.columns[2 + k][g]);
      });
    }
  }
  return [...found].map(([label, sum]) => ({ label, ...sum }));
}

/** d x d: sum of (x - s)(x - s)' over the rows of each value of the text `by`; of all rows, under null, without it. */
export async function productSums(
  table: EngineTable,
  shift: ArrayLike<number>,
  by: string | undefined,
  aggregates: number,
): Promise<Map<string | null, Float64Array>> {
  const d = table.features.length;
  const found = new Map<string | null, Float64Array>();
  for (const pairs of columnBlocks(d, aggregates)) {
    const own = [...new Set(pairs.flat())];
    const products = pairs.map(([i, j]) => `sum(x${i} * x${j})`);
    const batch = await grouped(table, shift, by, own, { sums: products });
    for (let g = 0; g < batch.rows; g++) {
      const key = keyOf(batch, g);
      let S = found.get(key);
      if (S === undefined) found.set(key, (S = new Float64Array(d * d)));
      for (const [k, [i, j]] of pairs.entries()) {
        S[i * d + j] = S[j * d + i] = finiteSum(table, i, batch.columns[1 + k][g]);
      }
    }
  }
  return found;
}

/** The pairs i <= j of columns in blocks of at most `aggregates`, so a block reads few columns. */
export function columnBlocks(d: number, aggregates: number): [number, number][][] {
  const whole = (d * (d + 1)) / 2 <= aggregates;
  const side = whole ? d : Math.max(1, Math.floor(Math.sqrt(aggregates)));
  const blocks: [number, number][][] = [];
  for (let top = 0; top < d; top += side) {
    for (let left = top; left < d; left += side) {
      const pairs: [number, number][] = [];
      for (let i = top; i < Math.min(d, top + side); i++) {
        for (let j = Math.max(i, left); j < Math.min(d, left + side); j++) pairs.push([i, j]);
      }
      blocks.push(pairs);
    }
  }
  return blocks;
}

/**
 * Sums of x0, x1, ..., the features minus the shift, for each value of the text `by`. The answer has the key
 * first, then the sums; with more than `most` keys it has one more.
 */
export async function grouped(
  table: EngineTable,
  shift: ArrayLike<number>,
  by: string | undefined,
  features: readonly number[],
  { sums, most }: { readonly sums: readonly string[]; readonly most?: number },
): Promise<EngineBatch> {
  const { engine, from } = table;
  const columns = features.map((f) => `${table.features[f].sql} - ${double(shift[f])} as x${f}`);
  const key = by ?? `cast(null as ${engine.dialect.textType})`;
  const rows = `(select ${[`${key} as label`, ...columns].join(", ")} from ${from}) as kindred_shifted`;
  // Without a key, "group by" would only cost the engine a table of one group.
  const select = by === undefined ? `max(label), ${sums.join(", ")}` : `label, ${sums.join(", ")}`;
  const keys = by === undefined ? "" : ` group by label${most === undefined ? "" : ` limit ${most + 1}`}`;
  return answer(engine, `select ${select} from ${rows}${keys}`);
}

/** The key of a row of that answer. */
export function keyOf({ columns }: EngineBatch, row: number): string | null {
  // A column of only nulls need not be known as text.
  const key = columns[0][row];
  return typeof key === "string" ? key : null;
}

function finiteSum(
  { features, source }: EngineTable,
  feature: number,
  value: string | number | null,
): number {
  const sum = Number(value);
  if (Number.isFinite(sum)) return sum;
  throw numericError(
    `${source}: the squares of column "${features[feature].name}" are too large to sum: scale it first`,
  );
}
