import { expect, test } from "vitest";
import { convexPath, fromRows, type Matrix, type PathStep } from "../../all.ts";

test("onStep sees every step with its centres: apart at the end of the path, at the mean where all are fused", () => {
  const X = fromRows([
    [0, 0],
    [1, 0],
    [6, 1],
    [7, 3],
    [7, 0],
  ]);
  const seen: { step: PathStep; centers: Matrix }[] = [];
  const path = convexPath(X, {
    norm: 2,
    scale: "none",
    neighbors: 4,
    onStep: (step, centers) => seen.push({ step, centers }),
  });
  expect(seen.length).toBe(path.steps.length);
  expect(new Set(seen.map(({ step }) => step))).toEqual(new Set(path.steps));
  for (const { step, centers } of seen) {
    for (let i = 0; i < X.rows; i++) {
      for (let j = 0; j < i; j++) {
        if (step.labels[i] !== step.labels[j]) continue;
        expect(centers.data[2 * i]).toBeCloseTo(centers.data[2 * j], 6);
        expect(centers.data[2 * i + 1]).toBeCloseTo(centers.data[2 * j + 1], 6);
      }
    }
  }
  const fused = seen.find(({ step }) => step.clusters === 1)!;
  expect(fused.centers.data[0]).toBeCloseTo(21 / 5, 5);
});

test.each(["ratio", "until"] as const)("gammas leave nothing to %s", (other) => {
  const X = fromRows([[0], [1], [5]]);
  expect(() => convexPath(X, { gammas: [1, 2], [other]: other === "ratio" ? 2 : 0.5 })).toThrow(
    `option "gammas" sets every gamma; it cannot be combined with option "${other}"`,
  );
});
