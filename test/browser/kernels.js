// Every kernel against plain TypeScript, and a clustering from bytes to scores.
import {
  adjustedRand,
  cc,
  cholesky,
  gram,
  kmeans,
  matrix,
  multiply,
  namedData,
  nearestNeighbors,
  random,
  readNumbers,
  scale,
  symmetricEigen,
  useEngine,
} from "./library.js";
import { expect, test } from "./check.js";

export function uniform(rows, cols, seed) {
  const { uniform } = random(seed);
  return matrix(rows, cols, Float64Array.from({ length: rows * cols }, uniform));
}

/** Runs `compute` under both engines and compares the numbers it gives. */
function agree(engine, tolerance, compute) {
  useEngine("plain");
  const exact = compute();
  useEngine(engine);
  const fast = compute();
  expect(fast.length === exact.length, `${fast.length} numbers instead of ${exact.length}`);
  const worst = exact.reduce((most, value, i) => Math.max(most, Math.abs(value - fast[i])), 0);
  expect(worst <= tolerance, `off by ${worst}`);
}

export async function kernelTests(place) {
  for (const engine of ["simd", "relaxed"]) {
    await test(`${place}: products, ${engine} as plain`, () => {
      for (const [m, k, n] of [
        [1, 1, 1],
        [7, 5, 3],
        [64, 64, 64],
        [130, 77, 91],
      ]) {
        agree(engine, 1e-13 * k, () => multiply(uniform(m, k, 1), uniform(k, n, 2)).data);
      }
    });
    await test(`${place}: factorisations, ${engine} as plain`, () => {
      const A = gram(uniform(300, 90, 3));
      agree(engine, 1e-8, () => cholesky(A).L.data);
      agree(engine, 1e-8, () => symmetricEigen(A).values);
    });
    await test(`${place}: nearest neighbours, ${engine} as plain`, () => {
      const X = uniform(700, 16, 4);
      agree(engine, 0, () => nearestNeighbors(X, 7).indices);
    });
    await test(`${place}: k-means and convex clustering, ${engine} as plain`, async () => {
      const { X } = scale((await namedData("iris")).X);
      agree(engine, 0, () => kmeans(X, { clusters: 3, seed: 1 }).labels);
      for (const norm of [1, 2]) {
        agree(engine, 1e-3, () => {
          const { certificate } = cc(X, { clusters: 3, norm, gamma: 0.5, scale: "none" });
          expect(certificate.relativeGap <= 1e-6, `relative gap ${certificate.relativeGap}`);
          return [certificate.primal, certificate.dual];
        });
      }
    });
  }
  useEngine("simd");

  await test(`${place}: embedded wine is clustered`, async () => {
    const { X, label } = await namedData("wine");
    const { labels, converged } = kmeans(scale(X, "zscore").X, { clusters: 3, seed: 1 });
    expect(converged, "did not converge");
    const score = adjustedRand(labels, label.values);
    expect(score > 0.85, `adjusted Rand ${score}`);
  });

  await test(`${place}: a table is read from bytes`, async () => {
    const bytes = new TextEncoder().encode("a,b,class\n1,2,x\n3,4,y\n");
    const table = await readNumbers(bytes, { label: "class" });
    expect([...table.X.data].join() === "1,2,3,4", [...table.X.data].join());
    expect(table.label.values.join() === "x,y", table.label.values.join());
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    const unpacked = await readNumbers(packed, { label: "class" });
    expect([...unpacked.X.data].join() === "1,2,3,4", [...unpacked.X.data].join());
  });
}
