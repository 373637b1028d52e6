import { expect, test, vi } from "vitest";
import { random } from "../../src/core/random.ts";
import { loadNeighborLayout, neighborLayout, pca } from "../../src/embed/index.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { clouds } from "../cluster/clouds.ts";

const { X, truth } = clouds(400, 12, 5, 3, 2);

/** Share of the k neighbours in X that are neighbours in the layout. */
function kept(Z: Matrix, k: number): number {
  const before = nearestNeighbors(X, k).indices;
  const after = nearestNeighbors(Z, k).indices;
  let same = 0;
  for (let i = 0; i < X.rows; i++) {
    const own = new Set(before.subarray(i * k, (i + 1) * k));
    for (let p = i * k; p < (i + 1) * k; p++) if (own.has(after[p])) same++;
  }
  return same / before.length;
}

function sameClass(Z: Matrix): number {
  const { indices } = nearestNeighbors(Z, 5);
  return (
    indices.reduce((sum, j, p) => sum + Number(truth[j] === truth[Math.floor(p / 5)]), 0) / indices.length
  );
}

test("neighbours stay together, far better than in the plane of the principal components", () => {
  const { embedding, converged, iterations } = neighborLayout(X, { seed: 1 });
  expect([embedding.rows, embedding.cols, converged, iterations]).toEqual([400, 2, true, 500]);
  expect(embedding.data.every(Number.isFinite)).toBe(true);
  expect(sameClass(embedding)).toBeGreaterThan(0.99);
  expect(kept(embedding, 10)).toBeGreaterThan(1.5 * kept(pca(X, { dims: 2 }).embedding, 10));
});

test("the same seed gives the same layout, another one another of the same quality", () => {
  const one = neighborLayout(X, { seed: 7, epochs: 50 }).embedding.data;
  expect(neighborLayout(X, { seed: 7, epochs: 50 }).embedding.data).toEqual(one);
  const other = neighborLayout(X, { seed: 8 }).embedding;
  expect(other.data).not.toEqual(one);
  expect(sameClass(other)).toBeGreaterThan(0.99);
});

test("the order of the rows does not matter", () => {
  const order = random(3).shuffle(Int32Array.from(truth.keys()));
  const moved = neighborLayout(takeRows(X, order), { epochs: 30, seed: 2 }).embedding;
  expect(moved.data).toEqual(takeRows(neighborLayout(X, { epochs: 30, seed: 2 }).embedding, order).data);
});

test("new rows are placed with their neighbours, also after a file, each for itself", () => {
  const half = Array.from({ length: 200 }, (_, i) => i);
  const rest = Array.from({ length: 200 }, (_, i) => 200 + i);
  const fit = neighborLayout(takeRows(X, half), { seed: 1 });
  const placed = fit.transform(takeRows(X, rest));
  const all = matrix(400, 2);
  all.data.set(fit.embedding.data);
  all.data.set(placed.data, 400);
  expect(sameClass(all)).toBeGreaterThan(0.98);
  expect(fit.transform(takeRows(X, half)).data).toEqual(fit.embedding.data);
  const read = loadNeighborLayout(JSON.parse(JSON.stringify(fit.model())));
  expect(read.transform(takeRows(X, rest)).data).toEqual(placed.data);
  expect(fit.transform(takeRows(X, [250])).data).toEqual(placed.data.slice(100, 102));
});

test("angles, more coordinates, duplicates and few rows", () => {
  const longer = takeRows(X, Array.from(truth.keys()));
  for (let p = 0; p < longer.data.length; p++) longer.data[p] *= 1 + (Math.floor(p / 12) % 3);
  const angle = neighborLayout(longer, { distance: "angle", dims: 3 });
  expect(angle.embedding.cols).toBe(3);
  expect(sameClass(angle.embedding)).toBeGreaterThan(0.95);
  const same = neighborLayout(matrix(30, 3), { epochs: 20 });
  expect(same.embedding.data.every(Number.isFinite)).toBe(true);
  const few = neighborLayout(takeRows(X, [0, 1, 2, 3]));
  expect(few.warnings.join()).toContain("3 neighbours");
});

test("refuses what it cannot use, and can be stopped", () => {
  expect(() => neighborLayout(matrix(2, 2))).toThrow("too small");
  expect(() => neighborLayout(X, { neighbors: 1 })).toThrow('"neighbors" must be');
  expect(() => neighborLayout(X, { epochs: 5 }).transform(matrix(1, 3))).toThrow("12 columns");
  const model = neighborLayout(X, { epochs: 5 }).model();
  expect(() => loadNeighborLayout({ ...model, positions: model.rows, neighbors: 0 })).toThrow("damaged");
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 1000));
  const stopped = neighborLayout(X, { onProgress: ({ fraction }) => fraction < 0.5 });
  clock.mockRestore();
  expect(stopped.converged).toBe(false);
  expect(stopped.iterations).toBeLessThan(500);
  expect(stopped.warnings.join()).toContain("stopped by onProgress");
});
