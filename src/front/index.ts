export { asTable, type Rows } from "./asTable.ts";
export { cluster, clusterRun, prepare, type ClusterOptions, type Prepared, type Run } from "./cluster.ts";
export { explain } from "./explain.ts";
export { methodNamed, methods } from "./methods.ts";
export { prepareNumbers } from "./prepareNumbers.ts";
export { readHints } from "./readHints.ts";
