/**
 * How closely the columns of a table are related, without labels: the largest squared correlation of a feature of one with
 * a feature of the other, over the rows where both are present. Numbers are ranked first, so two numbers have Spearman's
 * correlation, and a number and a category that of the number with its level. A correlation that chance explains is
 * none: among all pairs of features of a table without relations, one beyond z / sqrt(n) has the probability LEVEL.
 */
import { gram, matrix, multiplyTransposeA, type Matrix } from "../../matrix/index.ts";
import { ranks } from "../encode/quantile.ts";

/** The features of one column: rows x width, NaN where missing. */
export interface ColumnBlock {
  readonly values: Float64Array;
  readonly width: number;
  /** One number, of which the ranks count. */
  readonly ordered: boolean;
}

export interface Relations {
  readonly size: number;
  /** size x size: the squared correlation, 0 if chance explains it. */
  readonly squares: Float64Array;
  /** size x size: the squared correlation by which each feature of the column has a twin in the other. */
  readonly twins: Float64Array;
  /** size x size: rows where both columns are present. */
  readonly rows: Float64Array;
}

const LEVEL = 0.05;
/** Rows without which no correlation differs from chance. */
export const LEAST_ROWS = 5;

export function relations(blocks: readonly ColumnBlock[]): Relations {
  const size = blocks.length;
  const n = size === 0 ? 0 : blocks[0].values.length / blocks[0].width;
  const owner = blocks.flatMap(({ width }, c) => Array.from({ length: width }, () => c));
  const F = owner.length;
  const { Z, present } = standardFeatures(blocks, n, F);
  const products = gram(Z).data;
  const { rows, sums, squares: own } = overlaps(Z, present, size);
  const squares = new Float64Array(size * size);
  const best = new Float64Array(F * size);
  const chance = chanceOf();
  for (let f = 0; f < F; f++) {
    const a = owner[f];
    for (let g = 0; g < F; g++) {
      const b = owner[g];
      const count = rows[a * size + b];
      if (a === b || count < LEAST_ROWS) continue;
      const [x, y] = [sums[f * size + b] / count, sums[g * size + a] / count];
      const vx = own[f * size + b] / count - x * x;
      const vy = own[g * size + a] / count - y * y;
      if (!(vx > 1e-12) || !(vy > 1e-12)) continue;
      const square = Math.min(1, (products[f * F + g] / count - x * y) ** 2 / (vx * vy));
      best[f * size + b] = Math.max(best[f * size + b], square);
      if (square * count > chance((blocks[a].width * blocks[b].width * size * (size - 1)) / 2)) {
        squares[a * size + b] = Math.max(squares[a * size + b], square);
      }
    }
  }
  const twins = new Float64Array(size * size).fill(1);
  for (let f = 0; f < F; f++)
    for (let b = 0; b < size; b++)
      twins[owner[f] * size + b] = Math.min(twins[owner[f] * size + b], best[f * size + b]);
  return { size, squares, twins, rows };
}

/** n times the squared correlation that the largest of `pairs` exceeds by chance with the probability LEVEL. */
function chanceOf(): (pairs: number) => number {
  const known = new Map<number, number>();
  return (pairs) => {
    let square = known.get(pairs);
    if (square === undefined) known.set(pairs, (square = normalTail(LEVEL / (2 * pairs)) ** 2));
    return square;
  };
}

/**
 * The standard normal is beyond z with the probability p, at most LEVEL / 2: the fixed point of
 * p = phi(z) / (z + 1 / (z + 2 / (z + 3 / ...))), Laplace's continued fraction.
 */
export function normalTail(p: number): number {
  let z = 2;
  for (let step = 0; step < 50; step++) {
    let fraction = z;
    for (let k = 30; k > 0; k--) fraction = z + k / fraction;
    z = Math.sqrt(-2 * Math.log(p * Math.sqrt(2 * Math.PI) * fraction));
  }
  return z;
}

/** Features with mean 0 and variance 1 over their present rows, and 0 in gaps; which blocks are present where. */
function standardFeatures(
  blocks: readonly ColumnBlock[],
  n: number,
  F: number,
): { Z: Matrix; present: Matrix | undefined } {
  const Z = matrix(n, F);
  const present = matrix(n, blocks.length);
  let gaps = false;
  let first = 0;
  blocks.forEach(({ values, width, ordered }, c) => {
    const block = ordered && width === 1 ? ranks(values) : values;
    for (let f = 0; f < width; f++) {
      let [count, mean, squares] = [0, 0, 0];
      for (let i = 0; i < n; i++) {
        const x = block[i * width + f];
        if (Number.isNaN(x)) continue;
        count++;
        const from = x - mean;
        mean += from / count;
        squares += from * (x - mean);
        present.data[i * blocks.length + c] = 1;
      }
      gaps ||= count < n;
      const scale = squares > 0 ? Math.sqrt(count / squares) : 0;
      for (let i = 0; i < n; i++) {
        const x = block[i * width + f];
        if (!Number.isNaN(x)) Z.data[i * F + first + f] = (x - mean) * scale;
      }
    }
    first += width;
  });
  return { Z, present: gaps ? present : undefined };
}

/** Sums and squares of each feature over the rows where each block is present. */
function overlaps(
  Z: Matrix,
  present: Matrix | undefined,
  size: number,
): { rows: Float64Array; sums: Float64Array; squares: Float64Array } {
  const F = Z.cols;
  if (present === undefined) {
    return {
      rows: new Float64Array(size * size).fill(Z.rows),
      sums: new Float64Array(F * size),
      squares: new Float64Array(F * size).fill(Z.rows),
    };
  }
  return {
    rows: gram(present).data,
    sums: multiplyTransposeA(Z, present).data,
    squares: multiplyTransposeA({ ...Z, data: Z.data.map((z) => z * z) }, present).data,
  };
}
