// H = Q + R' diag(weights) R and its Cholesky factor, in tasks (src/metric/bregman/bregmanSystem.ts). H is n x n and R pairs x n,
// row-major f64; only the lower triangle of H is used. H holds Q at first and the factor in the end. The
// split into tasks never changes a sum.
import { axpy, dot, madd, micro, microEdge, pack4 } from "../../matrix/kernel/_micro.as";
import { UNIT } from "../../matrix/kernel/_rows.as";
import { solvePacked, solveRow, unpack4 } from "../../matrix/kernel/_triangles.as";

/** Rows of H of one task. */
const SPAN: i32 = 96;
/** Columns of H whose packed rows stay in cache while those of a task are processed. */
const WIDTH: i32 = 128;

/** The columns of R that belong to the rows of H of this task, packed over `depth` pairs from R on, times `roots`. */
export function packWeighted(
  task: i32, _scratch: usize, n: i32, depth: i32, R: usize, roots: usize, packed: usize,
): void {
  const first = task * SPAN, rows = min(SPAN, n - first);
  let to = packed + (<usize>(first * depth) << 3);
  pack4(rows, depth, R + (<usize>first << 3), 1, n, to);
  for (let i = 0; i < rows; i += 4) {
    for (let p = 0; p < depth; p++, to += 32) {
      const root = v128.load_splat<f64>(roots + (<usize>p << 3));
      v128.store(to, f64x2.mul(root, v128.load(to)));
      v128.store(to, f64x2.mul(root, v128.load(to, 16)), 16);
    }
  }
}

/**
 * Lower triangle of the m x m matrix C += alpha P P', P packed in panels of four rows, depth k: the rows of this task, those
 * with most columns first. ldc counts bytes; scratch: 128 bytes.
 */
export function addRows(
  task: i32, scratch: usize, m: i32, k: i32, alpha: f64, packed: usize, C: usize, ldc: usize,
): void {
  const blocks = (m + SPAN - 1) / SPAN;
  const first = (blocks - 1 - task) * SPAN, last = min(m, first + SPAN);
  for (let left = 0; left < last; left += WIDTH) {
    const right = min(last, left + WIDTH);
    for (let i = first; i < last; i += 4) {
      const ap = packed + (<usize>(i * k) << 3), end = min(right, i + 4);
      for (let j = left; j < end; j += 4) {
        const bp = packed + (<usize>(j * k) << 3), cp = C + <usize>i * ldc + (<usize>j << 3);
        if (i + 4 <= m && j + 4 <= m) micro(k, ap, bp, cp, ldc, alpha);
        else microEdge(k, ap, bp, cp, ldc, alpha, min(4, m - i), min(4, m - j), scratch);
      }
    }
  }
}

/**
 * Factors the block of order k at D; `diagonal` holds the original diagonal. Returns 0, or i + 1 for a failed
 * pivot i.
 */
export function factorBlock(before: i32, k: i32, D: usize, ldc: usize, diagonal: usize): i32 {
  for (let i = 0; i < k; i++) {
    const row = D + <usize>i * ldc, at = <usize>i << 3;
    solveRow(i, D, ldc, row);
    const left = load<f64>(row + at) - dot(i, row, row);
    if (!(left > <f64>(2 * (before + i) + 18) * UNIT * load<f64>(diagonal + at))) return before + i + 1;
    store<f64>(row + at, Math.sqrt(left));
  }
  return 0;
}

/**
 * Rows of this task, of m rows of length k from P on, become solutions of x D' = row; a copy stays in
 * `packed`.
 */
export function solveRows(
  task: i32, _scratch: usize, m: i32, k: i32, D: usize, P: usize, ldc: usize, packed: usize,
): void {
  const first = task * SPAN, rows = min(SPAN, m - first);
  const from = P + <usize>first * ldc, to = packed + (<usize>(first * k) << 3);
  pack4(rows, k, from, ldc >> 3, 1, to);
  solvePacked(rows, k, D, ldc, to);
  unpack4(rows, k, to, from, ldc);
}

/** x = (L L')^-1 x. */
export function solveFactored(n: i32, L: usize, x: usize): void {
  const ldc = <usize>n << 3;
  for (let i = 0; i < n; i++) {
    const row = L + <usize>i * ldc, at = <usize>i << 3;
    store<f64>(x + at, (load<f64>(x + at) - dot(i, row, x)) / load<f64>(row + at));
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = L + <usize>i * ldc, at = <usize>i << 3;
    const value = load<f64>(x + at) / load<f64>(row + at);
    store<f64>(x + at, value);
    axpy(i, -value, row, x);
  }
}

/** y = R x, R pairs x n. */
export function multiply(pairs: i32, n: i32, R: usize, x: usize, y: usize): void {
  for (let p = 0; p < pairs; p++, R += <usize>n << 3) store<f64>(y + (<usize>p << 3), dot(n, R, x));
}

/** x = R'y, four rows of R at a time. */
export function multiplyTransposed(pairs: i32, n: i32, R: usize, y: usize, x: usize): void {
  const line = <usize>n << 3;
  memory.fill(x, 0, line);
  let p = 0;
  for (; p + 4 <= pairs; p += 4, y += 32, R += line << 2) {
    const y0 = v128.load_splat<f64>(y), y1 = v128.load_splat<f64>(y, 8);
    const y2 = v128.load_splat<f64>(y, 16), y3 = v128.load_splat<f64>(y, 24);
    const r1 = R + line, r2 = r1 + line, r3 = r2 + line;
    let f: usize = 0;
    for (; f + 16 <= line; f += 16) {
      const low = madd(y0, v128.load(R + f), madd(y1, v128.load(r1 + f), v128.load(x + f)));
      v128.store(x + f, f64x2.add(low, madd(y2, v128.load(r2 + f), f64x2.mul(y3, v128.load(r3 + f)))));
    }
    for (; f < line; f += 8) {
      const low = load<f64>(x + f) + load<f64>(y) * load<f64>(R + f) + load<f64>(y, 8) * load<f64>(r1 + f);
      store<f64>(x + f, low + (load<f64>(y, 16) * load<f64>(r2 + f) + load<f64>(y, 24) * load<f64>(r3 + f)));
    }
  }
  for (; p < pairs; p++, y += 8, R += line) axpy(n, load<f64>(y), R, x);
}
