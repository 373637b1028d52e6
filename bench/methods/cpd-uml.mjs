/*
 * CPD-UML: CPU seconds of an iteration and of what comes before the first, on one thread, beside one product of the
 * same size, so that the ratio says more than the seconds of a busy machine.
 *
 *     node bench/methods/cpd-uml.mjs
 */
import { cpdUml, matrix, multiply, random, setThreads } from "../library.mjs";

setThreads(1);

/** Clouds that overlap, so that the partition keeps changing for a while. */
function clouds(n, d, K, seed) {
  const { normal } = random(seed);
  const centers = Float64Array.from({ length: K * d }, () => 0.1 * normal());
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) X.data[i * d + f] = centers[(i % K) * d + f] + normal();
  }
  return X;
}

function cpu(work) {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}

function measure(name, X, options) {
  const one = cpu(() => cpdUml(X, { ...options, maxIterations: 1 }));
  const many = cpu(() => cpdUml(X, { ...options, maxIterations: 10 }));
  const iterations = many.result.iterations - 1;
  const each = iterations > 0 ? (many.seconds - one.seconds) / iterations : NaN;
  console.log(
    `${name.padEnd(34)} ${(one.seconds - each).toFixed(2).padStart(8)} s before, ` +
      `${each.toFixed(3).padStart(7)} s for each of ${iterations} iterations, gradient ` +
      many.result.certificate.gradient.toExponential(1),
  );
}

const small = clouds(200, 20, 3, 1);
cpdUml(small, { clusters: 3 }); // compiles everything

const X = clouds(2000, 256, 10, 2);
const product = cpu(() => multiply(matrix(2000, 2000), X)).seconds;
console.log(`one product of 2000 x 2000 and 2000 x 256: ${product.toFixed(3)} s`);
// A soft field, with which the partition changes for several iterations.
const soft = { clusters: 10, sigma: 16, lambda: 100 };
measure("n = 2000, d = 256, K = 10", X, soft);
measure("the same, 500 landmarks", X, { ...soft, landmarks: 500 });
measure("n = 20000, d = 50, 500 landmarks", clouds(20000, 50, 10, 3), { clusters: 10 });
