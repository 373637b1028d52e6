import { inputError, medianOfSorted, option } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { MOST_COLUMNS, type Budget } from "./budget.ts";
import type { RowStore } from "./rowStore.ts";
import type { Missing } from "./readNumbers.ts";

export interface AssemblyPlan {
  readonly names: readonly string[];
  /** The levels of a categorical column by code, undefined for a numeric one. */
  readonly levels: readonly (ReadonlyMap<string, number> | undefined)[];
  readonly missingIn: Int32Array;
  readonly missing: Missing;
  readonly memory: Budget;
  readonly source: string;
  readonly notes: string[];
}

/**
 * The stored rows as one matrix: missing cells filled in, categorical columns expanded to one column per
 * level.
 */
export function assemble(store: RowStore, plan: AssemblyPlan): { names: string[]; X: Matrix } {
  const { width, rows } = store;
  const fills = fillValues(store, plan);
  const names: string[] = [];
  const starts = new Int32Array(width); // the first output column of each stored one
  const orders: (Int32Array | undefined)[] = []; // level code -> output column, levels in sorted order
  for (let slot = 0; slot < width; slot++) {
    starts[slot] = names.length;
    const levels = plan.levels[slot];
    if (levels === undefined) {
      names.push(plan.names[slot]);
      orders.push(undefined);
      continue;
    }
    if (names.length + levels.size > MOST_COLUMNS) {
      throw inputError(
        `${plan.source}: column "${plan.names[slot]}" has ${levels.size} levels, too many to be columns; ${option("ignore")} would leave it out`,
      );
    }
    const sorted = [...levels.keys()].sort();
    const order = new Int32Array(sorted.length);
    for (const level of sorted) {
      order[levels.get(level)!] = names.length;
      names.push(`${plan.names[slot]}=${level}`);
    }
    orders.push(order);
    plan.notes.push(`column "${plan.names[slot]}" encoded as ${sorted.length} columns of 0 and 1`);
  }

  if (names.length > width) {
    const size = `${rows} x ${names.length} numbers`;
    plan.memory.require(
      8 * rows * names.length,
      `${plan.source}: its levels as columns of 0 and 1 are ${size}`,
    );
  }
  const plain = orders.every((order) => order === undefined) && fills.every(Number.isNaN);
  const whole = plain ? store.whole() : undefined;
  if (whole !== undefined) return { names, X: matrix(rows, width, whole) };
  const X = allocate(rows, names.length, plan.source);
  let at = 0;
  for (const block of store.drain()) {
    if (plain) {
      X.data.set(block, at);
      at += block.length;
      continue;
    }
    for (let p = 0; p < block.length; p += width, at += names.length) {
      for (let slot = 0; slot < width; slot++) {
        const stored = block[p + slot];
        const value = Number.isNaN(stored) ? fills[slot] : stored;
        const order = orders[slot];
        if (order === undefined) X.data[at + starts[slot]] = value;
        else X.data[at + order[value]] = 1;
      }
    }
  }
  return { names, X };
}

function allocate(rows: number, cols: number, source: string): Matrix {
  try {
    return matrix(rows, cols);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw inputError(`${source}: a matrix of ${rows} x ${cols} numbers does not fit into memory`);
  }
}

/** The fill value for missing cells of each column; NaN if none is missing. */
function fillValues(store: RowStore, plan: AssemblyPlan): Float64Array {
  const { width } = store;
  const fills = new Float64Array(width).fill(Number.NaN);
  if (plan.missing !== "mean" && plan.missing !== "median") return fills;
  for (let slot = 0; slot < width; slot++) {
    const count = plan.missingIn[slot];
    if (count === 0) continue;
    const name = plan.names[slot];
    const present = presentValues(store, slot, count);
    if (present.length === 0) {
      throw inputError(
        `${plan.source}: column "${name}" has no value at all; ${option("ignore")} would leave it out`,
      );
    }
    const cells = `${count} missing ${count === 1 ? "value" : "values"} in column "${name}" set to`;
    if (plan.levels[slot] !== undefined) {
      const code = mostFrequent(present);
      fills[slot] = code;
      const level = [...plan.levels[slot]!].find(([, known]) => known === code)![0];
      plan.notes.push(`${cells} its most frequent level, "${level}"`);
    } else {
      fills[slot] = plan.missing === "mean" ? mean(present) : medianOfSorted(present.sort());
      plan.notes.push(`${cells} its ${plan.missing}, ${fills[slot]}`);
    }
  }
  return fills;
}

function presentValues(store: RowStore, slot: number, missing: number): Float64Array {
  const values = new Float64Array(store.rows - missing);
  let count = 0;
  for (const block of store.blocks()) {
    for (let p = slot; p < block.length; p += store.width) {
      if (!Number.isNaN(block[p])) values[count++] = block[p];
    }
  }
  return values;
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  if (Number.isFinite(sum)) return sum / values.length;
  let m = 0; // the running form cannot overflow where the mean itself does not
  for (let i = 0; i < values.length; i++) m += values[i] / (i + 1) - m / (i + 1);
  return m;
}

function mostFrequent(codes: Float64Array): number {
  const counts = new Map<number, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  let best = codes[0];
  for (const [code, count] of counts) if (count > counts.get(best)!) best = code;
  return best;
}
