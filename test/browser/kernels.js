// Every kernel against plain loops or a certificate, both builds, and a clustering from bytes to scores.
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
  transpose,
  useEngine,
} from "./library.js";
import { expect, test } from "./check.js";

export function uniform(rows, cols, seed) {
  const { uniform } = random(seed);
  return matrix(rows, cols, Float64Array.from({ length: rows * cols }, uniform));
}

/** The largest difference of the numbers, which are as many. */
function off(found, wanted) {
  expect(found.length === wanted.length, `${found.length} numbers instead of ${wanted.length}`);
  return wanted.reduce((most, value, i) => Math.max(most, Math.abs(value - found[i])), 0);
}

function agree(tolerance, found, wanted) {
  const worst = off(found, wanted);
  expect(worst <= tolerance, `off by ${worst}`);
}

/** A B by loops. */
function product(A, B) {
  const C = new Float64Array(A.rows * B.cols);
  for (let i = 0; i < A.rows; i++) {
    for (let p = 0; p < A.cols; p++) {
      for (let j = 0; j < B.cols; j++) C[i * B.cols + j] += A.data[i * A.cols + p] * B.data[p * B.cols + j];
    }
  }
  return C;
}

/** The nearest other rows of each row, by all pairs. */
function nearest({ rows: n, cols: d, data }, k) {
  return Array.from({ length: n }, (_, i) => {
    const distance = (j) => {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += (data[i * d + f] - data[j * d + f]) ** 2;
      return sum;
    };
    const others = Array.from({ length: n }, (_, j) => ({ j, far: distance(j) })).filter(({ j }) => j !== i);
    others.sort((a, b) => a.far - b.far || a.j - b.j);
    return others.slice(0, k).map(({ j }) => j);
  }).flat();
}

export async function kernelTests(place) {
  const found = {};
  for (const engine of ["simd", "relaxed"]) {
    useEngine(engine);
    await test(`${place}: products, ${engine}`, () => {
      for (const [m, k, n] of [
        [1, 1, 1],
        [7, 5, 3],
        [64, 64, 64],
        [130, 77, 91],
      ]) {
        const [A, B] = [uniform(m, k, 1), uniform(k, n, 2)];
        agree(1e-13 * k, multiply(A, B).data, product(A, B));
      }
    });
    await test(`${place}: factorisations, ${engine}`, () => {
      const A = gram(uniform(300, 90, 3));
      const { L } = cholesky(A);
      agree(1e-10, product(L, transpose(L)), A.data);
      const { values, vectors } = symmetricEigen(A);
      const scaled = vectors.data.map((value, p) => value * values[p % 90]);
      agree(1e-9, product(A, vectors), scaled);
    });
    await test(`${place}: nearest neighbours, ${engine}`, () => {
      const X = uniform(700, 16, 4);
      agree(0, nearestNeighbors(X, 7).indices, nearest(X, 7));
    });
    await test(`${place}: k-means and convex clustering, ${engine}`, async () => {
      const { X } = scale((await namedData("iris")).X);
      const numbers = [...kmeans(X, { clusters: 3, seed: 1 }).labels];
      for (const norm of [1, 2]) {
        const { certificate } = cc(X, { clusters: 3, norm, gamma: 0.5, scale: "none" });
        expect(certificate.relativeGap <= 1e-6, `relative gap ${certificate.relativeGap}`);
        numbers.push(certificate.primal, certificate.dual);
      }
      agree(1e-3, numbers, (found[place] ??= numbers));
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
