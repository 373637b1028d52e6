import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { contours } from "../../explorer/plot/contours.ts";
import { insideOutline } from "../../explorer/plot/find.ts";

/** Points within all lines of a contour: lines within lines cut holes. */
function held(xy: Float32Array, lines: readonly (readonly (readonly [number, number])[])[]): number {
  const times = new Uint8Array(xy.length / 2);
  for (const line of lines) for (const row of insideOutline(xy, line)) times[row] ^= 1;
  return times.reduce((sum, one) => sum + one, 0) / times.length;
}

function cloud(rows: number, far: number): Float32Array {
  const { normal } = random(7);
  const xy = new Float32Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    const side = i % 2 ? 4 : -4;
    xy[2 * i] = side + normal();
    xy[2 * i + 1] = 0.5 * normal();
  }
  for (let i = 0; i < far; i++) xy[2 * i] = 1e4;
  return xy;
}

describe("density contours", () => {
  test("hold the share of the points that they say", () => {
    const xy = cloud(40_000, 0);
    const found = contours(xy);
    expect(found.map(({ share }) => share)).toEqual([0.25, 0.5, 0.75, 0.95]);
    for (const { share, lines } of found) expect(held(xy, lines)).toBeCloseTo(share, 1);
    // Two clouds are two regions.
    expect(found[1].lines.length).toBe(2);
  });

  test("are not made coarse by rows far out, nor by rows that are nowhere", () => {
    const xy = cloud(40_000, 20);
    xy[101] = Number.NaN;
    const [, half] = contours(xy);
    expect(half.lines.length).toBe(2);
    expect(held(xy, half.lines)).toBeCloseTo(0.5, 1);
  });

  test("of points that all lie on one line or place: none", () => {
    expect(contours(new Float32Array(200))).toEqual([]);
    expect(contours(new Float32Array(0))).toEqual([]);
  });
});
