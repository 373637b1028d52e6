// Row operations that the parts of the factorisation kernel share.
import { madd, micro, microEdge } from "./_micro.as";

/** Unit roundoff. */
export const UNIT: f64 = 1.0 / 9007199254740992.0;
/** Smaller squares carry too few bits to define a reflector or a rotation; the entries count as zero. */
export const TINY: f64 = 1e-250;

/** The address of a position, which counts doubles from the start of the memory. */
// @ts-ignore: decorator
@inline
export function at(position: i32): usize {
  return <usize>position << 3;
}

export function swap(n: i32, x: usize, y: usize): void {
  for (let i = 0; i < n; i++) {
    const held = load<f64>(x);
    store<f64>(x, load<f64>(y));
    store<f64>(y, held);
    x += 8;
    y += 8;
  }
}

export function scale(n: i32, a: f64, x: usize): void {
  for (const end = x + (<usize>n << 3); x < end; x += 8) store<f64>(x, load<f64>(x) * a);
}

/** y += a x + b z */
export function axpy2(n: i32, a: f64, x: usize, b: f64, z: usize, y: usize): void {
  const av = f64x2.splat(a), bv = f64x2.splat(b);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(y, madd(bv, v128.load(z), madd(av, v128.load(x), v128.load(y))));
    v128.store(y, madd(bv, v128.load(z, 16), madd(av, v128.load(x, 16), v128.load(y, 16))), 16);
    x += 32;
    y += 32;
    z += 32;
  }
  for (; i < n; i++) {
    store<f64>(y, load<f64>(y) + a * load<f64>(x) + b * load<f64>(z));
    x += 8;
    y += 8;
    z += 8;
  }
}

/** Lower triangle of C (m x m) += alpha P Q' for P and Q packed in panels of four rows, depth k. */
export function addLower(m: i32, k: i32, P: usize, Q: usize, C: usize, ldc: usize, alpha: f64, tmp: usize): void {
  const width = 128; // panels of Q that stay in cache while P passes by
  for (let jb = 0; jb < m; jb += width) {
    const je = min(m, jb + width);
    for (let i = jb; i < m; i += 4) {
      const ap = P + (<usize>(i * k) << 3);
      const end = min(je, i + 4);
      for (let j = jb; j < end; j += 4) {
        const bp = Q + (<usize>(j * k) << 3);
        const cp = C + <usize>i * ldc + (<usize>j << 3);
        if (i + 4 <= m && j + 4 <= m) micro(k, ap, bp, cp, ldc, alpha);
        else microEdge(k, ap, bp, cp, ldc, alpha, min(4, m - i), min(4, m - j), tmp);
      }
    }
  }
}
