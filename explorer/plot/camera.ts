/** The visible part of the plane: the point in the middle, and pixels per unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Point = readonly [number, number];

/** All points, with a margin. */
export function fitted(xy: Float32Array, { width, height }: Size): Camera {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let p = 0; p < xy.length; p += 2) {
    // A row without a position.
    if (Number.isNaN(xy[p] + xy[p + 1])) continue;
    left = Math.min(left, xy[p]);
    right = Math.max(right, xy[p]);
    low = Math.min(low, xy[p + 1]);
    high = Math.max(high, xy[p + 1]);
  }
  if (!(right >= left)) return { x: 0, y: 0, zoom: 1 };
  const margin = 0.86;
  const zoom = margin * Math.min(width / (right - left || 1), height / (high - low || 1));
  return { x: (left + right) / 2, y: (low + high) / 2, zoom };
}

export function toScreen({ x, y, zoom }: Camera, { width, height }: Size, point: Point): Point {
  return [(point[0] - x) * zoom + width / 2, (y - point[1]) * zoom + height / 2];
}

export function toPlane({ x, y, zoom }: Camera, { width, height }: Size, [left, top]: Point): Point {
  return [x + (left - width / 2) / zoom, y - (top - height / 2) / zoom];
}

/** Moved by pixels. */
export function panned({ x, y, zoom }: Camera, dx: number, dy: number): Camera {
  return { x: x - dx / zoom, y: y + dy / zoom, zoom };
}

/** Zooms by a factor around a fixed point of the screen. */
export function zoomed(camera: Camera, size: Size, factor: number, at: Point): Camera {
  const held = toPlane(camera, size, at);
  const zoom = Math.min(1e7, Math.max(1e-3, camera.zoom * factor));
  const ratio = camera.zoom / zoom;
  return { x: held[0] + (camera.x - held[0]) * ratio, y: held[1] + (camera.y - held[1]) * ratio, zoom };
}
