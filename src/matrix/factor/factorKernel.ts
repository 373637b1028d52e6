import * as binary from "../kernel/factor.wasm.ts";
import { loadKernel, type Kernel } from "../wasm.ts";

/** A kernel with room for the named blocks, and the position of each. */
export interface Workspace<K extends string> {
  readonly kernel: FactorKernel;
  readonly heap: Float64Array;
  readonly at: Readonly<Record<K, number>>;
}

/**
 * Reserves named blocks of doubles while `work` runs, for matrices of the given order. Contents are
 * undefined. Workspaces do not nest: a factorisation copies its results before it calls another.
 */
export function withWorkspace<K extends string, T>(
  order: number,
  blocks: Record<K, number>,
  work: (space: Workspace<K>) => T,
): T {
  const names = Object.keys(blocks) as K[];
  const at = {} as Record<K, number>;
  const wasm = loadKernel<binary.Exports>("matrix/factor", binary);
  return wasm.scope(() => {
    for (const name of names) at[name] = wasm.reserve(8 * blocks[name]) / 8;
    const scratch = wasm.reserve(wasm.exports.workSize(order));
    const kernel = factorKernel(wasm, scratch);
    return work({ kernel, heap: kernel.heap, at });
  });
}

/**
 * The inner loops of the factorisations, on one flat workspace. Arguments that name a matrix or a vector are positions
 * in `heap`, counted in doubles; `rs` and `cs` are the strides between its rows and columns.
 *
 * @param scratch address of the scratch of products
 */
function factorKernel({ memory, exports }: Kernel<binary.Exports>, scratch: number) {
  return {
    heap: new Float64Array(memory.buffer),
    /** The largest absolute value of `count` entries; NaN if one of them is not finite. */
    largest: exports.largest,
    /**
     * The lower triangle of A becomes that of factor (A + A') / 2; the upper one is unchanged. Returns 0, or i
     * n + j + 1 if entries (i, j) and (j, i) differ by more than `limit`.
     */
    symmetrize: exports.symmetrize,
    /** C (m x n, row stride ldc) += alpha A (m x k) B (k x n). */
    gemm: ((m, n, k, alpha, A, ars, acs, B, brs, bcs, C, ldc) =>
      exports.gemm(m, n, k, alpha, A, ars, acs, B, brs, bcs, C, ldc, scratch)) satisfies Rest<
      typeof exports.gemm
    >,
    /**
     * A = L L' in place of the lower triangle. Returns 0, or i + 1 when pivot i is not above its possible
     * rounding error, taken as (2 i + 18) u a_ii; `pivot` receives the diagonal of A on the way.
     */
    cholesky: ((n, A, pivot) => exports.cholesky(n, A, pivot, scratch)) satisfies Rest<
      typeof exports.cholesky
    >,
    /** B (n x m, row stride ldb) := T^-1 B; T is upper or lower triangular, `unit` means a diagonal of ones. */
    solveTriangular: ((n, m, T, trs, tcs, upper, unit, B, ldb) =>
      exports.solveTriangular(n, m, T, trs, tcs, upper, unit, B, ldb, scratch)) satisfies Rest<
      typeof exports.solveTriangular
    >,
    /**
     * P A = L U in place, with rows exchanged by `exchange[i]` (a row number). Returns 0, or i + 1 when pivot i
     * is not above `floor`.
     */
    lu: ((n, A, exchange, floor) => exports.lu(n, A, exchange, floor, scratch)) satisfies Rest<
      typeof exports.lu
    >,
    /**
     * Q' A Q = tridiagonal (d, e) from the lower triangle of A, with entries at most about 1. Q = H_0 H_1 ..., where
     * H_j = I - tau_j v_j v_j' and v_j is row j of V (zero before j + 1). W: 32 rows of scratch.
     */
    tridiagonalize: ((n, A, V, tau, d, e, W) =>
      exports.tridiagonalize(n, A, V, tau, d, e, W, scratch)) satisfies Rest<typeof exports.tridiagonalize>,
    /**
     * Householder reflectors of `count` rows of A (each of length m, row i is reduced beyond `first + i`), applied to
     * the rows after it within the panel. Row i of A receives v_i (zero before its pivot, 1 there); R's column is
     * written to row i of R, entries 0 .. first + i.
     */
    reflectPanel: exports.reflectPanel,
    /**
     * Householder QR with column pivoting of an n x n matrix given by its columns, the rows of A, which become the
     * reflectors. Row j of R receives column j of the triangle, `order` the original numbers of the columns; `squares`:
     * 2 n doubles of scratch.
     */
    reflectPivoted: exports.reflectPivoted,
    /**
     * One cyclic sweep of one-sided Jacobi over m rows of G (length k), the same rotations applied to the m rows of J
     * (length m); `squares`: m doubles of scratch. Returns the largest cosine met between two rows.
     */
    jacobiSweep: exports.jacobiSweep,
    /**
     * The k roots of 1 + rho sum_i z_i^2 / (d_i - x) = 0, d ascending and separated, rho > 0: `roots` receives them and
     * row j of U receives d_i - root_j, formed without cancellation.
     */
    secular: exports.secular,
    /**
     * Rows of U: eigenvectors of diag(d) + rho z z' from the differences that `secular` left there, entry q of each being
     * its coordinate `order[q]`. `scratch`: 2 k doubles.
     */
    rankOneVectors: exports.rankOneVectors,
  };
}

/** An export without its last argument. */
type Rest<F> = F extends (...args: [...infer A, number]) => infer R ? (...args: A) => R : never;

export type FactorKernel = ReturnType<typeof factorKernel>;

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
