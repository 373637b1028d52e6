/*
 * CPD-UML: CPU seconds of an iteration and of what comes before the first, on one thread, beside one product of the
 * same size, so that the ratio says more than the seconds of a busy machine.
 *
 *     node bench/methods/cpd-uml.mjs
 */
import { cpdUml, matrix, multiply, random, setThreads } from "../library.mjs";
import { clouds, timed } from "../measure.mjs";

setThreads(1);

/** Clouds that overlap, so that the partition keeps changing for a while. */
const overlapping = (n, d, clusters, seed) => clouds(random, n, d, { clusters, spread: 0.1, seed }).X;

function measure(name, X, options) {
  const one = timed(() => cpdUml(X, { ...options, maxIterations: 1 }));
  const many = timed(() => cpdUml(X, { ...options, maxIterations: 10 }));
  const iterations = many.result.iterations - 1;
  const each = iterations > 0 ? (many.cpu - one.cpu) / iterations : NaN;
  console.log(
    `${name.padEnd(34)} ${(one.cpu - each).toFixed(2).padStart(8)} s before, ` +
      `${each.toFixed(3).padStart(7)} s for each of ${iterations} iterations, gradient ` +
      many.result.certificate.gradient.toExponential(1),
  );
}

cpdUml(overlapping(200, 20, 3, 1), { clusters: 3 }); // compiles everything

const X = overlapping(2000, 256, 10, 2);
const product = timed(() => multiply(matrix(2000, 2000), X)).cpu;
console.log(`one product of 2000 x 2000 and 2000 x 256: ${product.toFixed(3)} s`);
// A soft field, with which the partition changes for several iterations.
const soft = { clusters: 10, sigma: 16, lambda: 100 };
measure("n = 2000, d = 256, K = 10", X, soft);
measure("the same, 500 landmarks", X, { ...soft, landmarks: 500 });
measure("n = 20000, d = 50, 500 landmarks", overlapping(20000, 50, 10, 3), { clusters: 10 });
