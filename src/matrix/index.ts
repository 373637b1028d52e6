export {
  fromRows,
  identity,
  matrix,
  row,
  takeColumns,
  takeRows,
  toRows,
  transpose,
  type Matrix,
} from "./matrix.ts";
export { isSparse, sparse, toDense, toSparse, type Sparse } from "./sparse.ts";
export { engine, engines, useEngine, type Engine, type EngineName, type EngineStatus } from "./engine.ts";
export {
  gram,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  multiplyTransposeVector,
  multiplyVector,
  rankOneUpdate,
  rankUpdate,
} from "./multiply.ts";
export { setThreads, threads } from "./threads.ts";
export { kernelBuild, loadKernel, type Kernel, type KernelBinary, type KernelBuild } from "./wasm.ts";
