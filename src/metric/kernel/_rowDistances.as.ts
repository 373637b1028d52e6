// Squared distances of four rows at a time to all others, by |a|^2 + |b|^2 - 2 a'b. Z is n x s row-major f64, s even; `packed`
// holds it in panels of four rows, `norms` the squares of the lengths of its rows, both filled up to a multiple of four.
import { hsum, madd, pack4 } from "../../matrix/kernel/_micro.as";

export function prepare(n: i32, s: i32, Z: usize, packed: usize, norms: usize): void {
  pack4(n, s, Z, s, 1, packed);
  for (let i = 0; i < n; i++) {
    const z = Z + <usize>i * (<usize>s << 3);
    let sum = f64x2.splat(0);
    for (let f: usize = 0; f < <usize>s << 3; f += 16) sum = madd(v128.load(z + f), v128.load(z + f), sum);
    store<f64>(norms + (<usize>i << 3), hsum(sum));
  }
  // The padding rows of the last panel are infinitely far away.
  for (let i = n; i < ((n + 3) & ~3); i++) store<f64>(norms + (<usize>i << 3), Infinity);
}

/**
 * Squared distances of the rows i to i + 3 to the rows from `first` on, infinite to themselves; with `mirror` also into
 * the lines of those rows, whose distances `D` is then the line i of.
 */
export function distances(
  i: i32, first: i32, padded: i32, s: i32, packed: usize, norms: usize, D: usize, line: usize, mirror: i32,
): void {
  const panel = <usize>s << 5;
  const strip = packed + <usize>(i >> 2) * panel;
  const zero = f64x2.splat(0), minusTwo = f64x2.splat(-2);
  const n0 = v128.load_splat<f64>(norms + (<usize>i << 3)), n1 = v128.load_splat<f64>(norms + (<usize>i << 3), 8);
  const n2 = v128.load_splat<f64>(norms + (<usize>i << 3), 16), n3 = v128.load_splat<f64>(norms + (<usize>i << 3), 24);
  for (let j = first; j < padded; j += 4) {
    let c00 = zero, c01 = zero, c10 = zero, c11 = zero, c20 = zero, c21 = zero, c30 = zero, c31 = zero;
    let ap = strip, bp = packed + <usize>(j >> 2) * panel;
    const end = ap + panel;
    while (ap < end) {
      const b0 = v128.load(bp), b1 = v128.load(bp, 16);
      let a = v128.load_splat<f64>(ap);
      c00 = madd(a, b0, c00);
      c01 = madd(a, b1, c01);
      a = v128.load_splat<f64>(ap, 8);
      c10 = madd(a, b0, c10);
      c11 = madd(a, b1, c11);
      a = v128.load_splat<f64>(ap, 16);
      c20 = madd(a, b0, c20);
      c21 = madd(a, b1, c21);
      a = v128.load_splat<f64>(ap, 24);
      c30 = madd(a, b0, c30);
      c31 = madd(a, b1, c31);
      ap += 32;
      bp += 32;
    }
    const m0 = v128.load(norms + (<usize>j << 3)), m1 = v128.load(norms + (<usize>j << 3), 16);
    c00 = f64x2.max(zero, madd(minusTwo, c00, f64x2.add(n0, m0)));
    c01 = f64x2.max(zero, madd(minusTwo, c01, f64x2.add(n0, m1)));
    c10 = f64x2.max(zero, madd(minusTwo, c10, f64x2.add(n1, m0)));
    c11 = f64x2.max(zero, madd(minusTwo, c11, f64x2.add(n1, m1)));
    c20 = f64x2.max(zero, madd(minusTwo, c20, f64x2.add(n2, m0)));
    c21 = f64x2.max(zero, madd(minusTwo, c21, f64x2.add(n2, m1)));
    c30 = f64x2.max(zero, madd(minusTwo, c30, f64x2.add(n3, m0)));
    c31 = f64x2.max(zero, madd(minusTwo, c31, f64x2.add(n3, m1)));
    if (j == i) {
      c00 = f64x2.replace_lane(c00, 0, Infinity);
      c10 = f64x2.replace_lane(c10, 1, Infinity);
      c21 = f64x2.replace_lane(c21, 0, Infinity);
      c31 = f64x2.replace_lane(c31, 1, Infinity);
    } else if (mirror) {
      let at = D + <usize>(j - i) * line + (<usize>i << 3);
      v128.store(at, v128.shuffle<f64>(c00, c10, 0, 2));
      v128.store(at, v128.shuffle<f64>(c20, c30, 0, 2), 16);
      at += line;
      v128.store(at, v128.shuffle<f64>(c00, c10, 1, 3));
      v128.store(at, v128.shuffle<f64>(c20, c30, 1, 3), 16);
      at += line;
      v128.store(at, v128.shuffle<f64>(c01, c11, 0, 2));
      v128.store(at, v128.shuffle<f64>(c21, c31, 0, 2), 16);
      at += line;
      v128.store(at, v128.shuffle<f64>(c01, c11, 1, 3));
      v128.store(at, v128.shuffle<f64>(c21, c31, 1, 3), 16);
    }
    let at = D + (<usize>j << 3);
    v128.store(at, c00);
    v128.store(at, c01, 16);
    at += line;
    v128.store(at, c10);
    v128.store(at, c11, 16);
    at += line;
    v128.store(at, c20);
    v128.store(at, c21, 16);
    at += line;
    v128.store(at, c30);
    v128.store(at, c31, 16);
  }
}
