/**
 * LAPACK of the system's OpenBLAS, for the two factorisations with the largest gain. Fortran passes
 * everything by address and stores by columns: the lower triangle of a row-major matrix is its upper one.
 */
import { numericError } from "../../core/internal.ts";
import type { Engine } from "../engine.ts";
import { threads } from "../threads.ts";
import { openBlasEngine } from "./openblas.ts";

export interface Lapack {
  /** A = L L' in place of the lower triangle; 0, or i + 1 when pivot i is not positive. */
  cholesky(n: number, A: Float64Array): number;
  /** Eigenvalues of the symmetric A, ascending; row j of A becomes the eigenvector of value j. */
  symmetricEigen(n: number, A: Float64Array): Float64Array;
}

let bound: Lapack | undefined | null = null;

/** Undefined under the other engines, and where the library was built without LAPACK. */
export function lapackOf(engine: Engine): Lapack | undefined {
  if (engine.name !== "openblas") return undefined;
  if (bound === null) bound = bind();
  return bound;
}

function bind(): Lapack | undefined {
  const { bind } = openBlasEngine();
  try {
    const setThreads = bind("void openblas_set_num_threads(int count)");
    const dpotrf = bind("void dpotrf_(const char *uplo, void *n, void *A, void *lda, void *info)");
    const dsyevd = bind(
      "void dsyevd_(const char *jobz, const char *uplo, void *n, void *A, void *lda, void *w, " +
        "void *work, void *lwork, void *iwork, void *liwork, void *info)",
    );
    const integer = (value: number): Int32Array => Int32Array.of(value);
    return {
      cholesky(n, A) {
        const info = integer(0);
        setThreads(threads());
        dpotrf("U", integer(n), A, integer(n), info);
        return info[0];
      },
      symmetricEigen(n, A) {
        const values = new Float64Array(n);
        const work = new Float64Array(1 + 6 * n + 2 * n * n);
        const indices = new Int32Array(3 + 5 * n);
        const info = integer(0);
        setThreads(threads());
        dsyevd(
          "V",
          "U",
          integer(n),
          A,
          integer(n),
          values,
          work,
          integer(work.length),
          indices,
          integer(indices.length),
          info,
        );
        if (info[0] !== 0)
          throw numericError(`symmetricEigen: LAPACK's dsyevd did not converge (${info[0]})`);
        return values;
      },
    };
  } catch {
    return undefined;
  }
}
