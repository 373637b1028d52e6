/*
 * Feature selection: CPU time, and its ratio to a 1000 x 1000 product in the same run.
 *
 *   node bench/methods/select.mjs
 *
 * All pairs: 1024 features, 1440 rows, three levels; an own C program with bit sets and popcounts took 3.25 products
 * (0.13 s where the product took 0.04 s). Selections look at the rows of the pairs that they need, so their times
 * include all counting; "after all pairs" is the Chow-Liu selection less its counting.
 */
import { availableParallelism } from "node:os";
import {
  cfs,
  chowLiuSelect,
  chowLiuTree,
  informationMatrix,
  jmi,
  matrix,
  maxRelevance,
  mrmr,
  multiply,
  random,
  setThreads,
} from "../library.mjs";
import { timed } from "../measure.mjs";

const C_PRODUCTS = 0.13 / 0.04;
const rows = 1440;
const cols = 1024;
const stream = random(1);
const labels = Array.from({ length: rows }, () => stream.integer(20));
const centers = Float64Array.from({ length: 20 * cols }, () => stream.normal());
const X = matrix(rows, cols);
for (let i = 0; i < rows; i++) {
  for (let f = 0; f < cols; f++) X.data[i * cols + f] = centers[labels[i] * cols + f] + 2 * stream.normal();
}
const A = matrix(1000, 1000);
for (let p = 0; p < A.data.length; p++) A.data[p] = stream.normal();

for (const count of new Set([1, availableParallelism()])) {
  setThreads(count);
  const product = best(() => multiply(A, A));
  console.log(`${count} thread${count === 1 ? "" : "s"}: product ${show(product)}`);
  const tell = (name, work) => {
    const seconds = best(work);
    console.log(`  ${name.padEnd(46)} ${show(seconds)}  ${(seconds / product).toFixed(2)} products`);
    return seconds;
  };
  const pairs = tell("all pairs, three levels (with discretisation)", () => informationMatrix(X));
  console.log(`  ${(pairs / product / C_PRODUCTS).toFixed(2)} times the C figure (at most 4)`);
  tell("all pairs, ten levels", () => informationMatrix(X, { kind: "width", bins: 10 }));
  const select = tell("Chow-Liu, 50 of 1024", () => chowLiuSelect(X, labels, { features: 50 }));
  const counting = best(() => maxRelevance(X, labels, { features: 50 }));
  console.log(
    `  ${show(Math.max(0, select - counting))} without reading, discretising and counting (at most 0.5 s)`,
  );
  tell("mRMR, 50 of 1024", () => mrmr(X, labels, { features: 50 }));
  tell("JMI, 50 of 1024", () => jmi(X, labels, { features: 50 }));
  tell("CFS forward, 50 of 1024", () => cfs(X, labels, { features: 50 }));
  tell("Chow-Liu tree of all 1024 and the class", () => chowLiuTree(X, { labels }));
}

/** CPU seconds, best of five. */
function best(work) {
  return Math.min(...Array.from({ length: 5 }, () => timed(work).cpu));
}

function show(seconds) {
  return `${seconds.toFixed(3)} s`;
}
