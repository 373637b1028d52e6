// What other rooms import from matrix/ beside its public names (index.ts). `npm run lint` keeps it exact.
export type { Arena } from "./arena.ts";
export { addCompensated, compensated, compensatedValues } from "./compensatedSum.ts";
export { columnVariances } from "./columnVariances.ts";
export { centered, columnMeans, squaredDistance } from "./distances.ts";
export { placed, placedRows, unpadded } from "./kernelData.ts";
export { columnsAsRows, diagonalOf, dot, leadingColumns, mapped, scaledColumns } from "./entries.ts";
export { symmetricEigenvalues } from "./factor/eigenvalues.ts";
export { orthonormalize } from "./factor/orthonormalize.ts";
export { asGiven, inValueOrder } from "./inValueOrder.ts";
export { largestSize, requireFinite, requireModerate, requireNotHuge } from "./matrix.ts";
export { principalComponents } from "./principalComponents.ts";
export { isReordered, reorderedRows } from "./reorderedRows.ts";
export { matrixForm, rowMajorForm } from "./storedMatrix.ts";
export { requireSquares } from "./requireSquares.ts";
export { requireFiniteSparse, takeSparseRows } from "./sparse.ts";
export { symmetrize } from "./symmetric.ts";
export { equalRows, inGivenOrder, rowsInGivenOrder, valueOrder } from "./valueOrder.ts";
export { buildProblem } from "./wasm.ts";
