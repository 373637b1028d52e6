// What other rooms import from matrix/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { matrixRule } from "./asMatrix.ts";
export { addCompensated, compensated, compensatedValues } from "./compensatedSum.ts";
export { columnVariances, centered, columnMeans, squaredDistance, rangeScale, scaled } from "./distances.ts";
export { mirrored, placed, placedRows, storeRows, unpadded } from "./kernelData.ts";
export { symmetricEigenvalues } from "./factor/eigen.ts";
export { spectral, weightedGram } from "./multiply.ts";
export { orthonormalize } from "./factor/orthonormalize.ts";
export {
  columnsAsRows,
  diagonal,
  diagonalOf,
  dot,
  largestSize,
  leadingColumns,
  mapped,
  requireFinite,
  requireMatrix,
  requireModerate,
  requireNotHuge,
  scaledColumns,
} from "./matrix.ts";
export { principalComponents } from "./principalComponents.ts";
export { matrixForm, rowMajorForm } from "./storedMatrix.ts";
export { requireSquares, requireFiniteSparse, takeSparseRows } from "./sparse.ts";
export { requireSymmetric, symmetrize } from "./symmetric.ts";
export { helperThreads } from "./threads.ts";
export {
  asGiven,
  ascending,
  equalRows,
  inGivenOrder,
  inValueOrder,
  isReordered,
  reorderedRows,
  rowsInGivenOrder,
  valueOrder,
} from "./valueOrder.ts";
export { buildProblem, releaseMemory, type Arena } from "./wasm.ts";
export { describeValue, type Grid, isList, memoryRows, requireCount, requireList } from "./memoryRows.ts";
