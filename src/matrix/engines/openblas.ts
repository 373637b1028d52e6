/**
 * The OpenBLAS engine: the system's library, called in place on our arrays through koffi (an optional
 * package). The library is searched under the usual names, or at KINDRED_OPENBLAS, and must compute a 2 x 2
 * product correctly first: a build with 64-bit integers would not.
 */
import { environment, nodeModule } from "../../core/internal.ts";
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
  "so.0",
  "so",
  "/usr/lib/x86_64-linux-gnu/openblas-pthread/so.0",
  "/usr/lib/aarch64-linux-gnu/openblas-pthread/so.0",
  "/usr/lib64/so.0",
  "/opt/homebrew/opt/openblas/lib/dylib",
  "/usr/local/opt/openblas/lib/dylib",
  "dll",
].map((path) => path.replace(/[^/]+$/, "libopenblas.$&"));

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
  const named = environment("KINDRED_OPENBLAS");
  for (const path of named === undefined ? CANDIDATES : [named]) {
    try {
      const library = koffi.load(path);
      const engine = build(path, (prototype) => library.func(prototype));
      return multipliesRightly(engine) ? engine : `${path} gets a 2 x 2 product wrong`;
    } catch {
      // Not found under this name; the next one may be.
    }
  }
  return named === undefined
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
    // Order, op(A), op(B), m, n, k, alpha, A, its row length, B, its, beta, C, its.
    "void cblas_dgemm(int, int, int, int, int, int, double, void*, int, void*, int, double, void*, int)",
  );
  const dsyrk = bind(
    // Order, triangle, op(A), n, k, alpha, A, its row length, beta, C, its.
    "void cblas_dsyrk(int, int, int, int, int, double, void*, int, double, void*, int)",
  );
  const setThreads = bind("void openblas_set_num_threads(int)");
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
      if (m * n * k === 0) return;
      followThreads();
      const opA = transA ? TRANSPOSE : NO_TRANSPOSE;
      const opB = transB ? TRANSPOSE : NO_TRANSPOSE;
      dgemm(ROW_MAJOR, opA, opB, m, n, k, alpha, A, transA ? m : k, B, transB ? k : n, 1, C, n);
    },
    gram(rows, cols, X, C) {
      C.fill(0);
      if (rows * cols === 0) return;
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
  return C.join() === "19,22,43,50";
}
