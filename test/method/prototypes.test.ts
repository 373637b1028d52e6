import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { matrix, nearestRows } from "../../src/matrix/index.ts";
import { prototypesOf } from "../../src/method/heldOutRule.ts";

const n = 900;
const { normal } = random(2);
const X = matrix(n, 2);
const rings = Int32Array.from({ length: n }, (_, i) => i % 2);
for (let i = 0; i < n; i++) {
  const [radius, angle] = [rings[i] === 0 ? 1 : 4, i * 2.4];
  X.data.set([radius * Math.cos(angle) + 0.1 * normal(), radius * Math.sin(angle) + 0.1 * normal()], 2 * i);
}

test("as many points as it takes: means of round clusters, a ring by several", () => {
  const halves = Int32Array.from({ length: n }, (_, i) => (X.data[2 * i] > 0 ? 1 : 0));
  const round = prototypesOf(X, halves, 2, 64);
  expect(round.agreement).toBeGreaterThan(0.97);
  const found = prototypesOf(X, rings, 2, 64);
  expect(found.points.rows).toBeGreaterThan(4);
  expect(found.points.rows).toBeLessThanOrEqual(64);
  expect(found.agreement).toBeGreaterThan(0.99);
  // The share is that of the nearest points, counted here.
  const near = nearestRows(found.points, 1, { queries: X }).indices;
  const same = Array.from(near).filter((point, i) => found.labels[point] === rings[i]).length;
  expect(found.agreement).toBe(same / n);
});

test("rows of no cluster are left out, and a cluster without rows has no point", () => {
  const some = rings.map((ring, i) => (i < 100 ? -1 : ring));
  const found = prototypesOf(X, some, 3, 64);
  expect(found.labels).not.toContain(2);
  expect(found.agreement).toBeGreaterThan(0.99);
});
