// Inner loops of the factorisations; src/matrix/factor/factorKernel.ts describes each export. Exports count positions in
// doubles from the start of the memory; inside, pointers and row strides are in bytes. `work` is the scratch of `gemm` and,
// for `cholesky` and `tridiagonalize`, room for packed panels.
import { GEMM_WORK, gemm as product, hsum } from "./_micro.as";
import { at } from "./_rows.as";

export { jacobiSweep } from "./_jacobi.as";
export { reflectPanel, reflectPivoted, tridiagonalize } from "./_reflectors.as";
export { rankOneVectors, secular } from "./_secular.as";
export { cholesky, lu, solveTriangular } from "./_triangles.as";

/** Bytes of scratch for matrices of order up to n. */
export function workSize(n: i32): i32 {
  return GEMM_WORK + (n + 8) * 1024 + 1024;
}

export function gemm(
  m: i32, n: i32, k: i32, alpha: f64,
  A: i32, ars: i32, acs: i32, B: i32, brs: i32, bcs: i32, C: i32, ldc: i32, work: usize,
): void {
  product(m, n, k, alpha, at(A), ars, acs, at(B), brs, bcs, at(C), ldc, work);
}

export function largest(count: i32, x: i32): f64 {
  let p = at(x), top = f64x2.splat(0), spoiled = top, i = 0;
  const zero = f64x2.splat(0);
  for (; i + 2 <= count; i += 2, p += 16) {
    const size = f64x2.abs(v128.load(p));
    top = f64x2.pmax(top, size);
    spoiled = f64x2.add(spoiled, f64x2.mul(size, zero)); // NaN as soon as one entry is not finite
  }
  let peak = Math.max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1));
  if (i < count) {
    peak = Math.max(peak, Math.abs(load<f64>(p)));
    spoiled = f64x2.add(spoiled, f64x2.splat(load<f64>(p) * 0));
  }
  return peak + hsum(spoiled);
}

export function symmetrize(n: i32, A_: i32, limit: f64, factor: f64): i32 {
  const A = at(A_), lda = <usize>n << 3, half = 0.5 * factor, block = 32;
  for (let i0 = 0; i0 < n; i0 += block) {
    const i1 = min(n, i0 + block);
    for (let j0 = 0; j0 <= i0; j0 += block) {
      for (let i = i0; i < i1; i++) {
        const j1 = min(i + 1, j0 + block);
        let p = A + <usize>i * lda + (<usize>j0 << 3), q = A + <usize>j0 * lda + (<usize>i << 3);
        for (let j = j0; j < j1; j++, p += 8, q += lda) {
          const a = load<f64>(p), b = load<f64>(q);
          if (Math.abs(a - b) > limit) return i * n + j + 1;
          store<f64>(p, a * half + b * half);
        }
      }
    }
  }
  return 0;
}
