import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { placingRule } from "../../src/method/placing.ts";
import { MOST_POINTS, quickPlacing } from "../../src/method/quickPlacing.ts";

const n = 1200;

/** Rows with labels, and their rule by all rows. */
function byRows(X: Matrix, labels: Int32Array, clusters: number): ReturnType<typeof quickPlacing> {
  return quickPlacing(placingRule(X, labels, clusters, { kind: "rows" }), X, labels, 1e6);
}

test("round groups that touch are placed by a few points, and a note says how well", () => {
  const { normal } = random(1);
  const X = matrix(n, 3);
  const labels = Int32Array.from({ length: n }, (_, i) => i % 3);
  for (let p = 0; p < X.data.length; p++)
    X.data[p] = normal() + (labels[Math.floor(p / 3)] === p % 3 ? 4 : 0);
  const { rule, told } = byRows(X, labels, 3);
  expect(rule).toMatchObject({ kind: "rows" });
  expect(rule.kind === "rows" && rule.rows.rows).toBeLessThanOrEqual(MOST_POINTS);
  expect(told).toMatch(/nearest of \d+ points.*held out/);
});

test("groups that no few points tell apart keep their rows", () => {
  // Two hundred stripes, by turns of one group and the other.
  const X = matrix(n, 1);
  for (let i = 0; i < n; i++) X.data[i] = i;
  const labels = Int32Array.from({ length: n }, (_, i) => Math.floor(i / 6) % 2);
  const { rule, told } = byRows(X, labels, 2);
  expect(rule.kind === "rows" && rule.rows.rows).toBe(n);
  expect(told).toBeUndefined();
});

test("rules of centres, few rows and rules under a map stay as they are", () => {
  const X = matrix(90, 1);
  for (let i = 0; i < 90; i++) X.data[i] = i;
  const labels = Int32Array.from({ length: 90 }, (_, i) => (i < 45 ? 0 : 1));
  const map = matrix(1, 1, Float64Array.of(2));
  for (const proposal of [
    { kind: "centers", centers: matrix(2, 1, Float64Array.of(22, 67)) },
    { kind: "rows" },
    { kind: "rows", map },
  ] as const) {
    const rule = placingRule(X, labels, 2, proposal);
    expect(quickPlacing(rule, X, labels, 1e9)).toEqual({ rule });
  }
});
