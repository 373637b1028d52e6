import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitted, panned, toPlane, toScreen, zoomed } from "../../explorer/plot/camera.ts";
import { insideOutline, nearestPoint, nextPoint } from "../../explorer/plot/find.ts";

const grid = Float32Array.from({ length: 50 }, (_, p) =>
  p % 2 === 0 ? Math.floor(p / 2) % 5 : Math.floor(p / 10),
);

test("the nearest point, if one is within reach", () => {
  expect(nearestPoint(grid, [2.2, 3.1], 0.5)).toBe(17);
  expect(nearestPoint(grid, [2.5, 2.5], 0.3)).toBeUndefined();
});

test("arrow keys go to the next point on the way, and stop at the edge", () => {
  expect(nextPoint(grid, 12, [1, 0])).toBe(13);
  expect(nextPoint(grid, 12, [0, 1])).toBe(17);
  expect(nextPoint(grid, 14, [1, 0])).toBeUndefined();
});

test("an outline holds the points inside of it, however it bends", () => {
  const box = [
    [0.5, 0.5],
    [2.5, 0.5],
    [2.5, 2.5],
    [0.5, 2.5],
  ] as const;
  expect(insideOutline(grid, box)).toEqual([6, 7, 11, 12]);
  const notched = [
    [0.5, 0.5],
    [2.5, 0.5],
    [2.5, 2.5],
    [1.5, 1.2],
    [0.5, 2.5],
  ] as const;
  expect(insideOutline(grid, notched)).toEqual([6, 7]);
});

test("screen and plane are each other's inverse, and zooming holds the place under the hand", () => {
  const camera = fc.record({
    x: fc.double({ min: -10, max: 10, noNaN: true }),
    y: fc.double({ min: -10, max: 10, noNaN: true }),
    zoom: fc.double({ min: 0.1, max: 100, noNaN: true }),
  });
  const place = fc.tuple(fc.integer({ min: 0, max: 800 }), fc.integer({ min: 0, max: 600 }));
  const size = { width: 800, height: 600 };
  fc.assert(
    fc.property(camera, place, fc.double({ min: 0.5, max: 2, noNaN: true }), (view, at, factor) => {
      const point = toPlane(view, size, at);
      const back = toScreen(view, size, point);
      expect(back[0]).toBeCloseTo(at[0], 6);
      expect(back[1]).toBeCloseTo(at[1], 6);
      const held = toScreen(zoomed(view, size, factor, at), size, point);
      expect(held[0]).toBeCloseTo(at[0], 6);
      const moved = toScreen(panned(view, 30, -20), size, point);
      expect(moved[0] - at[0]).toBeCloseTo(30, 6);
      expect(moved[1] - at[1]).toBeCloseTo(-20, 6);
    }),
  );
});

test("a fitted camera sees every point, also where all are one", () => {
  const size = { width: 300, height: 200 };
  for (const xy of [grid, Float32Array.of(3, 3, 3, 3)]) {
    const camera = fitted(xy, size);
    for (let p = 0; p < xy.length; p += 2) {
      const [left, top] = toScreen(camera, size, [xy[p], xy[p + 1]]);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(300);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top).toBeLessThanOrEqual(200);
    }
  }
});
