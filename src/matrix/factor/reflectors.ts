import type { FactorKernel } from "./factorKernel.ts";

/** Reflectors are applied this many at a time. */
export const REFLECTOR_BLOCK = 32;

/** Doubles of scratch that `applyReflectors` needs for `rows` rows. */
export function reflectorScratch(rows: number): number {
  const nb = REFLECTOR_BLOCK;
  return 2 * nb * nb + 2 * nb * Math.max(rows, nb);
}

/**
 * Z := Z H_0 H_1 ... H_(nb-1) or, if `reversed`, Z H_(nb-1) ... H_0, for Z of `rows` rows of length m (row stride ldz)
 * and H_i = I - tau_i v_i v_i', v_i row i of V (row stride ldv).
 *
 * The product is I - V T V' with T upper triangular (compact WY: Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10,
 * 1989), reversed I - V T' V', so all the work is in three matrix products.
 */
export function applyReflectors(
  kernel: FactorKernel,
  nb: number,
  m: number,
  V: number,
  ldv: number,
  tau: number,
  rows: number,
  Z: number,
  ldz: number,
  reversed: boolean,
  scratch: number,
): void {
  const { heap: H } = kernel;
  const G = scratch;
  const T = G + nb * nb;
  const ZV = T + nb * nb;
  const ZVT = ZV + rows * nb;
  H.fill(0, scratch, ZVT + rows * nb);
  kernel.gemm(nb, nb, m, 1, V, ldv, 1, V, 1, ldv, G, nb);
  for (let i = 0; i < nb; i++) {
    const t = H[tau + i];
    for (let p = 0; p < i; p++) {
      let sum = 0;
      for (let q = p; q < i; q++) sum += H[T + p * nb + q] * H[G + q * nb + i];
      H[T + p * nb + i] = -t * sum;
    }
    H[T + i * nb + i] = t;
  }
  kernel.gemm(rows, nb, m, 1, Z, ldz, 1, V, 1, ldv, ZV, nb);
  if (reversed) kernel.gemm(rows, nb, nb, 1, ZV, nb, 1, T, 1, nb, ZVT, nb);
  else kernel.gemm(rows, nb, nb, 1, ZV, nb, 1, T, nb, 1, ZVT, nb);
  kernel.gemm(rows, m, nb, -1, ZVT, nb, 1, V, ldv, 1, Z, ldz);
}
