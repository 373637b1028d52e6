import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { labelRows, placingRule } from "../../src/method/placing.ts";
import { MOST_POINTS, quickPlacing } from "../../src/method/heldOutRule.ts";

const n = 1200;

/** Rows with labels, and their rule by all rows. */
function byRows(X: Matrix, labels: Int32Array, clusters: number): ReturnType<typeof quickPlacing> {
  return quickPlacing(placingRule(X, labels, clusters, { kind: "rows" }), X, labels, 1e6);
}

test("round groups that touch are placed by their Gaussians, and a note says how well", () => {
  const { normal } = random(1);
  const X = matrix(n, 3);
  const labels = Int32Array.from({ length: n }, (_, i) => i % 3);
  for (let p = 0; p < X.data.length; p++)
    X.data[p] = normal() + (labels[Math.floor(p / 3)] === p % 3 ? 4 : 0);
  const { rule, told } = byRows(X, labels, 3);
  expect(rule.kind).toBe("mixture");
  expect(told).toMatch(/likeliest of 3 Gaussians.*held out/);
  // A thousand other rows of the same kind: as often right as the best border, the planes halfway.
  const Y = matrix(n, 3);
  for (let p = 0; p < Y.data.length; p++) Y.data[p] = normal() + (Math.floor(p / 3) % 3 === p % 3 ? 4 : 0);
  let [right, best] = [0, 0];
  labelRows(rule, Y).forEach((label, i) => {
    const row = Array.from(Y.data.subarray(3 * i, 3 * i + 3));
    if (label === i % 3) right++;
    if (row.indexOf(Math.max(...row)) === i % 3) best++;
  });
  expect(right).toBeGreaterThan(best - 6);
});

test("groups in several places are placed by a few points", () => {
  // Six heaps on a ring, by turns of one group and the other: both have the same mean and covariance.
  const { normal } = random(2);
  const X = matrix(n, 2);
  for (let i = 0; i < n; i++) {
    X.data[2 * i] = 6 * Math.cos((Math.PI * (i % 6)) / 3) + normal();
    X.data[2 * i + 1] = 6 * Math.sin((Math.PI * (i % 6)) / 3) + normal();
  }
  const labels = Int32Array.from({ length: n }, (_, i) => i % 2);
  const { rule, told } = byRows(X, labels, 2);
  expect(rule.kind === "rows" && rule.rows.rows).toBeLessThanOrEqual(MOST_POINTS);
  expect(told).toMatch(/nearest of \d+ points.*held out/);
});

test("a small group is not given away for the borders of the large ones", () => {
  // Beside two large round groups, 4 % of the rows lie in a ring around one of them.
  const { normal, uniform } = random(3);
  const X = matrix(n, 2);
  const labels = Int32Array.from({ length: n }, (_, i) => (i % 25 === 0 ? 2 : i % 2));
  for (let i = 0; i < n; i++) {
    const angle = 2 * Math.PI * uniform();
    const ring = labels[i] === 2;
    X.data[2 * i] = ring ? 5 * Math.cos(angle) + 0.2 * normal() : normal() + 20 * labels[i];
    X.data[2 * i + 1] = ring ? 5 * Math.sin(angle) + 0.2 * normal() : normal();
  }
  const placed = labelRows(byRows(X, labels, 3).rule, X);
  let kept = 0;
  for (let i = 0; i < n; i += 25) if (placed[i] === 2) kept++;
  expect(kept).toBeGreaterThan(0.9 * (n / 25));
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
