/**
 * The interface between the matrix functions and their engines. An engine gets plain row-major arrays and
 * fills plain arrays; it decides how to move the data in between (WebAssembly memory).
 *
 * - `simd`: the embedded WebAssembly kernels; the same bits on every machine. The default.
 * - `relaxed`: the same kernels with fused multiply-add; faster, the last bits depend on the machine.
 *
 * The environment variable KINDRED_ENGINE or `useEngine` selects one, and nothing is substituted for it.
 */
import { environment, optionError } from "../core/internal.ts";
import { wasmEngine, wasmProblem } from "./engines/wasm.ts";

export interface Engine {
  readonly name: EngineName;
  /**
   * C += alpha op(A) op(B), op(A) being m x k and op(B) k x n. `transA` says that A is stored as k x m, `transB` that
   * B is stored as n x k. `fresh` says that C is all zeros, so that it need not be read.
   */
  product(
    m: number,
    n: number,
    k: number,
    alpha: number,
    A: Float64Array,
    transA: boolean,
    B: Float64Array,
    transB: boolean,
    C: Float64Array,
    fresh?: boolean,
  ): void;
  /** C = X'X, both triangles, for X of rows x cols. */
  gram(rows: number, cols: number, X: Float64Array, C: Float64Array): void;
}

export type EngineName = "simd" | "relaxed";

export interface EngineStatus {
  readonly name: EngineName;
  readonly available: boolean;
  /** What it runs on, or why it cannot run. */
  readonly detail: string;
}

const NAMES: readonly EngineName[] = ["simd", "relaxed"];
let current: Engine | undefined;

/** The engine in use. */
export function engine(): Engine {
  if (current === undefined) {
    const wanted = environment("KINDRED_ENGINE");
    current = wanted === undefined ? wasmEngine("simd") : useEngine(wanted as EngineName, "KINDRED_ENGINE");
  }
  return current;
}

/** Selects the engine from now on; an unavailable engine is an error. */
export function useEngine(name: EngineName, source: string = "useEngine"): Engine {
  if (!NAMES.includes(name)) {
    throw optionError(`${source}: there is no engine "${name}"; the engines are ${NAMES.join(", ")}`);
  }
  const { available, detail } = status(name);
  if (!available) throw optionError(`${source}: the engine "${name}" cannot be used here: ${detail}`);
  current = wasmEngine(name);
  return current;
}

/** Every engine with its state on this machine. */
export function engines(): EngineStatus[] {
  return NAMES.map(status);
}

function status(name: EngineName): EngineStatus {
  const problem = wasmProblem(name);
  const detail = name === "simd" ? "WebAssembly SIMD" : "WebAssembly relaxed SIMD (fused multiply-add)";
  return { name, available: problem === undefined, detail: problem ?? detail };
}
