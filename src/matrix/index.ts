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
export { restoreMatrix, storeMatrix, type StoredMatrix } from "./storedMatrix.ts";
export { isSparse, sparse, toDense, toSparse, type Sparse } from "./sparse.ts";
export { squaredDistances, squaredNorms } from "./distances.ts";
export { edgeDifferences, edgeSums } from "./edges.ts";
export { engine, engines, useEngine, type Engine, type EngineName, type EngineStatus } from "./engine.ts";
export {
  gram,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  multiplyTransposeVector,
  multiplyVector,
  rankOneUpdate,
} from "./multiply.ts";
export { nearestRows, type NearestOptions, type NearestRows } from "./nearest.ts";
export { setThreads, startThreads, stopThreads, threads } from "./threads.ts";
export {
  loadKernel,
  parallelKernel,
  type Kernel,
  type KernelBinary,
  type KernelBuild,
  type ParallelKernel,
} from "./wasm.ts";
export { cholesky, tryCholesky, type Cholesky } from "./factor/cholesky.ts";
export { solve } from "./factor/solve.ts";
export { solveTriangular, type Solve, type Triangle } from "./factor/triangular.ts";
export { symmetricEigen, type SymmetricEigen } from "./factor/eigen.ts";
export { topEigen, type TopEigen, type TopEigenOptions } from "./factor/topEigen.ts";
export type { Operator } from "./factor/blockOperator.ts";
export { generalizedEigen } from "./factor/generalizedEigen.ts";
export { qr, type QR } from "./factor/qr.ts";
export { svd, type SVD, pseudoInverse, type PseudoInverse, type PseudoInverseOptions } from "./factor/svd.ts";
export { asMatrix, asRows, type MatrixLike } from "./asMatrix.ts";
export { type ArqueroTable, type ArrowTable, type ShapedNumbers } from "./memoryRows.ts";
