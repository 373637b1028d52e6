// Dense products on resident row-major blocks, split into tasks that write to separate memory; the arithmetic
// is in _micro.as.ts. The split into tasks never changes a sum: each entry of C is summed in the same order
// by any task.
import { GEMM_WORK, gemm, micro, microEdge, pack4 } from "./_micro.as";

/** Bytes of scratch that `product` needs. */
export function productScratch(): i32 {
  return GEMM_WORK;
}

/**
 * C += alpha op(A) op(B), of which this task does the block of rowSpan x columnSpan (multiples of 4) with its number,
 * counted along the rows. op(A) is m x k and op(B) k x n, given by their strides in elements; C is m x n.
 */
export function product(
  task: i32, scratch: usize, rowSpan: i32, columnSpan: i32,
  m: i32, n: i32, k: i32, alpha: f64,
  A: usize, ars: usize, acs: usize,
  B: usize, brs: usize, bcs: usize,
  C: usize,
): void {
  const across = (n + columnSpan - 1) / columnSpan;
  const i = (task / across) * rowSpan, j = (task % across) * columnSpan;
  gemm(
    min(rowSpan, m - i), min(columnSpan, n - j), k, alpha,
    A + ((<usize>i * ars) << 3), ars, acs,
    B + ((<usize>j * bcs) << 3), brs, bcs,
    C + ((<usize>i * n + j) << 3), n, scratch,
  );
}

/** Columns of a task; their packed panels stay in the second-level cache. */
const GRAM_COLUMNS: i32 = 256;

/**
 * C_s = X_s'X_s, tiles on and above the diagonal, for segments s of X (`segment` rows each, `rows` in all; C_s follows
 * C_(s-1) as d x d values). A task is one segment and one block of columns, widest first; it packs `step` rows at a
 * time. scratch: 128 + 8 step (d + 4) bytes.
 */
export function gram(task: i32, scratch: usize, rows: i32, d: i32, segment: i32, step: i32, X: usize, C: usize): void {
  const blocks = (d + GRAM_COLUMNS - 1) / GRAM_COLUMNS;
  const s = task / blocks;
  const left = (blocks - 1 - (task % blocks)) * GRAM_COLUMNS;
  const right = min(d, left + GRAM_COLUMNS);
  const tmp = scratch, packed = scratch + 128, ldc = <usize>d << 3;
  C += <usize>s * <usize>d * ldc;
  for (let i = 0; i < right; i++) {
    memory.fill(C + <usize>i * ldc + (<usize>left << 3), 0, <usize>(right - left) << 3);
  }
  const end = min(rows, (s + 1) * segment);
  for (let first = s * segment; first < end; first += step) {
    const depth = min(step, end - first);
    pack4(right, depth, X + <usize>first * ldc, 1, d, packed);
    for (let i = 0; i < right; i += 4) {
      const ap = packed + (<usize>(i * depth) << 3);
      for (let j = max(i, left); j < right; j += 4) {
        const bp = packed + (<usize>(j * depth) << 3);
        const cp = C + <usize>i * ldc + (<usize>j << 3);
        if (i + 4 <= d && j + 4 <= d) micro(depth, ap, bp, cp, ldc, 1);
        else microEdge(depth, ap, bp, cp, ldc, 1, min(4, d - i), min(4, d - j), tmp);
      }
    }
  }
}
