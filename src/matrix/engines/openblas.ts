/**
 * The OpenBLAS engine: the system's library, called in place on our arrays through koffi (an optional
 * package). The library is searched under the usual names, or at KINDRED_OPENBLAS, and must compute a 2 x 2
 * product correctly first: a build with 64-bit integers would not.
 */
import { nodeModule } from "../../core/node.ts";
import type { Engine } from "../engine.ts";
import { threads } from "../threads.ts";

export interface OpenBlasEngine extends Engine {
  /** Path or name of the library in use. */
  readonly library: string;
  /** Any function of the library, from its C prototype; arrays are passed as `void*` and written in place. */
  bind(prototype: string): (...args: unknown[]) => unknown;
}

const ROW_MAJOR = 101;
const NO_TRANSPOSE = 111;
const TRANSPOSE = 112;
const UPPER = 121;

const CANDIDATES = [
  "libopenblas.so.0",
  "libopenblas.so",
  "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
  "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
  "/usr/lib64/libopenblas.so.0",
  "/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
  "/usr/local/opt/openblas/lib/libopenblas.dylib",
  "libopenblas.dll",
];

interface Koffi {
  load(path: string): { func(prototype: string): (...args: unknown[]) => unknown };
}

let found: OpenBlasEngine | string | undefined;

/** Why there is no OpenBLAS here, or undefined if there is. */
export function openBlasProblem(): string | undefined {
  found ??= search();
  return typeof found === "string" ? found : undefined;
}

export function openBlasEngine(): OpenBlasEngine {
  found ??= search();
  if (typeof found === "string") throw new Error(found);
  return found;
}

function search(): OpenBlasEngine | string {
  const koffi = loadKoffi();
  if (typeof koffi === "string") return koffi;
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const named = host.process?.env?.KINDRED_OPENBLAS;
  for (const path of named === undefined || named === "" ? CANDIDATES : [named]) {
    try {
      const library = koffi.load(path);
      const engine = build(path, (prototype) => library.func(prototype));
      return multipliesRightly(engine) ? engine : `${path} gets a 2 x 2 product wrong`;
    } catch {
      // Not found under this name; the next one may be.
    }
  }
  return named === undefined || named === ""
    ? "no libopenblas under the usual names; install it (Debian: libopenblas0) or set KINDRED_OPENBLAS to its path"
    : `KINDRED_OPENBLAS names ${named}, which cannot be loaded`;
}

function loadKoffi(): Koffi | string {
  const module = nodeModule<{ createRequire(from: string): (name: string) => unknown }>("module");
  if (module === undefined) return "system libraries cannot be called outside Node";
  try {
    const koffi = module.createRequire(import.meta.url)("koffi") as Koffi & { default?: Koffi };
    return koffi.default ?? koffi;
  } catch {
    return "the package koffi is not installed (npm install koffi)";
  }
}

function build(library: string, bind: OpenBlasEngine["bind"]): OpenBlasEngine {
  const dgemm = bind(
    "void cblas_dgemm(int order, int transA, int transB, int m, int n, int k, double alpha, " +
      "void *A, int lda, void *B, int ldb, double beta, void *C, int ldc)",
  );
  const dsyrk = bind(
    "void cblas_dsyrk(int order, int uplo, int trans, int n, int k, double alpha, void *A, int lda, " +
      "double beta, void *C, int ldc)",
  );
  const setThreads = bind("void openblas_set_num_threads(int count)");
  let threadsSet = 0;
  const followThreads = (): void => {
    if (threadsSet === threads()) return;
    threadsSet = threads();
    setThreads(threadsSet);
  };

  return {
    name: "openblas",
    library,
    bind,
    product(m, n, k, alpha, A, transA, B, transB, C) {
      if (m === 0 || n === 0 || k === 0) return;
      followThreads();
      const opA = transA ? TRANSPOSE : NO_TRANSPOSE;
      const opB = transB ? TRANSPOSE : NO_TRANSPOSE;
      dgemm(ROW_MAJOR, opA, opB, m, n, k, alpha, A, transA ? m : k, B, transB ? k : n, 1, C, n);
    },
    gram(rows, cols, X, C) {
      C.fill(0);
      if (rows === 0 || cols === 0) return;
      followThreads();
      dsyrk(ROW_MAJOR, UPPER, TRANSPOSE, cols, rows, 1, X, cols, 0, C, cols);
      for (let i = 0; i < cols; i++) {
        for (let j = 0; j < i; j++) C[i * cols + j] = C[j * cols + i];
      }
    },
  };
}

function multipliesRightly(engine: Engine): boolean {
  const C = new Float64Array(4);
  engine.product(2, 2, 2, 1, Float64Array.of(1, 2, 3, 4), false, Float64Array.of(5, 6, 7, 8), false, C);
  return C[0] === 19 && C[1] === 22 && C[2] === 43 && C[3] === 50;
}
