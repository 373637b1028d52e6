// Dense products on resident row-major blocks; the arithmetic is in _micro.as.ts.
import { GEMM_WORK, micro, microEdge, pack4 } from "./_micro.as";

export { gemm } from "./_micro.as";

/** Bytes of scratch that `gemm` needs. */
export function gemmWork(): i32 {
  return GEMM_WORK;
}

/** Columns whose packed panels are passed over together, so that they stay in the second-level cache. */
const GRAM_COLUMNS: i32 = 256;

/** C (d x d, tiles on and above the diagonal) += X'X for `rows` rows of X. work: 128 + 8 rows (d + 4) bytes. */
export function gram(rows: i32, d: i32, X: usize, C: usize, work: usize): void {
  const tmp = work, packed = work + 128, ldc = <usize>d << 3;
  pack4(d, rows, X, 1, d, packed);
  for (let jb = 0; jb < d; jb += GRAM_COLUMNS) {
    const je = min(d, jb + GRAM_COLUMNS);
    for (let i = 0; i < je; i += 4) {
      const ap = packed + (<usize>(i * rows) << 3);
      for (let j = max(i, jb); j < je; j += 4) {
        const bp = packed + (<usize>(j * rows) << 3);
        const cp = C + <usize>i * ldc + (<usize>j << 3);
        if (i + 4 <= d && j + 4 <= d) micro(rows, ap, bp, cp, ldc, 1);
        else microEdge(rows, ap, bp, cp, ldc, 1, min(4, d - i), min(4, d - j), tmp);
      }
    }
  }
}
