import type { Point } from "./camera.ts";

/**
 * The point nearest to a position, if one is within `reach`; a linear search is quick enough for a million.
 */
export function nearestPoint(xy: Float32Array, [x, y]: Point, reach: number): number | undefined {
  let best = reach * reach;
  let found: number | undefined;
  for (let p = 0; p < xy.length; p += 2) {
    const dx = xy[p] - x;
    const dy = xy[p + 1] - y;
    const squared = dx * dx + dy * dy;
    if (!(squared <= best)) continue;
    best = squared;
    found = p / 2;
  }
  return found;
}

/** The nearest point within 45 degrees of a direction, for the arrow keys. */
export function nextPoint(xy: Float32Array, from: number, [dx, dy]: Point): number | undefined {
  let best = Infinity;
  let found: number | undefined;
  for (let i = 0; i < xy.length / 2; i++) {
    const x = xy[2 * i] - xy[2 * from];
    const y = xy[2 * i + 1] - xy[2 * from + 1];
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy - y * dx);
    if (i === from || !(along > 0) || across > along) continue;
    const cost = along + 2 * across;
    if (cost >= best) continue;
    best = cost;
    found = i;
  }
  return found;
}

/** The points inside of a closed outline (even-odd rule). */
export function insideOutline(xy: Float32Array, outline: readonly Point[]): number[] {
  const xs = outline.map(([x]) => x);
  const ys = outline.map(([, y]) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const found: number[] = [];
  for (let p = 0; p < xy.length; p += 2) {
    const [x, y] = [xy[p], xy[p + 1]];
    if (!(x >= left && x <= right && y >= low && y <= high)) continue;
    let inside = false;
    for (let a = 0, b = outline.length - 1; a < outline.length; b = a++) {
      if (ys[a] > y !== ys[b] > y && x < xs[a] + ((y - ys[a]) / (ys[b] - ys[a])) * (xs[b] - xs[a]))
        inside = !inside;
    }
    if (inside) found.push(p / 2);
  }
  return found;
}
