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
