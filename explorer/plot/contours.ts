import type { Point } from "./camera.ts";

/** A line of equal density, in the plane of the points; the region within all lines of a level holds `share` of them. */
export interface Contour {
  readonly share: number;
  readonly lines: readonly (readonly Point[])[];
}

const SHARES = [0.25, 0.5, 0.75, 0.95];
const CELLS = 96;
/** Standard deviation of the smoothing, in cells. */
const BANDWIDTH = 1.6;

/**
 * Borders of the regions of highest density that hold 25, 50, 75 and 95 % of the points (R. J. Hyndman, 1996, "Computing
 * and graphing highest density regions"): counts on a grid, smoothed by a Gaussian, and marching squares at the density that
 * the share of the points exceeds. The grid covers the middle 99 % of each axis plus half as much again, so a
 * distant row does not make the cells coarse.
 */
export function contours(xy: Float32Array): Contour[] {
  const [x, y] = [axisRange(xy, 0), axisRange(xy, 1)];
  if (x === undefined || y === undefined) return [];
  const width = CELLS + 1;
  const unit = [(x[1] - x[0]) / CELLS, (y[1] - y[0]) / CELLS];
  const counts = new Float64Array(width * width);
  for (let p = 0; p < xy.length; p += 2) {
    const [c, r] = [Math.round((xy[p] - x[0]) / unit[0]), Math.round((xy[p + 1] - y[0]) / unit[1])];
    if (c >= 0 && r >= 0 && c < width && r < width) counts[r * width + c]++;
  }
  const density = smooth(counts, width);
  return levels(density).map(({ share, level }) => ({
    share,
    lines: marchingSquares(density, width, level).map((line) =>
      line.map(([c, r]) => [x[0] + c * unit[0], y[0] + r * unit[1]] as const),
    ),
  }));
}

function axisRange(xy: Float32Array, axis: 0 | 1): [number, number] | undefined {
  const step = 2 * Math.max(1, Math.floor(xy.length / 100_000));
  const some: number[] = [];
  for (let p = axis; p < xy.length; p += step) if (!Number.isNaN(xy[p])) some.push(xy[p]);
  const sorted = Float32Array.from(some).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = [at(0.005), at(0.995)];
  if (!(high > low)) return undefined;
  const beyond = (high - low) / 4;
  return [low - beyond, high + beyond];
}

function smooth(counts: Float64Array, width: number): Float64Array {
  const reach = Math.ceil(3 * BANDWIDTH);
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * BANDWIDTH ** 2)),
  );
  const along = (values: Float64Array, stride: number, across: number): Float64Array => {
    const out = new Float64Array(values.length);
    for (let line = 0; line < width; line++) {
      for (let i = 0; i < width; i++) {
        let sum = 0;
        for (let k = -reach; k <= reach; k++) {
          if (i + k >= 0 && i + k < width) {
            sum += kernel[k + reach] * values[line * across + (i + k) * stride];
          }
        }
        out[line * across + i * stride] = sum;
      }
    }
    return out;
  };
  return along(along(counts, 1, width), width, 1);
}

/** The density threshold of each share: the densest cells above it hold that share of the mass. */
function levels(density: Float64Array): { share: number; level: number }[] {
  const sorted = density.slice().sort().reverse();
  const total = sorted.reduce((sum, value) => sum + value, 0);
  const found: { share: number; level: number }[] = [];
  let sum = 0;
  for (const value of sorted) {
    sum += value;
    while (found.length < SHARES.length && sum >= SHARES[found.length] * total) {
      found.push({ share: SHARES[found.length], level: value });
    }
  }
  return found;
}

/** Lines where the values on a grid cross a level, in units of cells. */
function marchingSquares(values: Float64Array, width: number, level: number): Point[][] {
  const key = (a: number, b: number): number => Math.min(a, b) * 2 + (Math.abs(a - b) === 1 ? 0 : 1);
  const place = (a: number, b: number): Point => {
    const t = (level - values[a]) / (values[b] - values[a]);
    const [c, r] = [a % width, Math.floor(a / width)];
    return [c + t * ((b % width) - c), r + t * (Math.floor(b / width) - r)];
  };
  const crossings = new Map<number, Point>();
  const joined = new Map<number, number[]>();
  const join = (from: readonly [number, number], to: readonly [number, number]): void => {
    const [a, b] = [key(...from), key(...to)];
    crossings.set(a, place(...from));
    crossings.set(b, place(...to));
    joined.set(a, [...(joined.get(a) ?? []), b]);
    joined.set(b, [...(joined.get(b) ?? []), a]);
  };
  for (let r = 0; r + 1 < width; r++) {
    for (let c = 0; c + 1 < width; c++) {
      const corner = [r * width + c, r * width + c + 1, (r + 1) * width + c + 1, (r + 1) * width + c];
      // The sides that are crossed, around the cell; a saddle has two lines.
      const sides = [0, 1, 2, 3].flatMap((side): (readonly [number, number])[] => {
        const [a, b] = [corner[side], corner[(side + 1) % 4]];
        return values[a] >= level !== values[b] >= level ? [[a, b]] : [];
      });
      for (let s = 0; s + 1 < sides.length; s += 2) join(sides[s], sides[s + 1]);
    }
  }
  return chained(crossings, joined);
}

/** Segments that share an end as one line each. */
function chained(crossings: ReadonlyMap<number, Point>, joined: Map<number, number[]>): Point[][] {
  const lines: Point[][] = [];
  const left = new Set(joined.keys());
  // Lines that end at the border of the grid are walked from one of their ends.
  const starts = [...joined.keys()].sort((a, b) => joined.get(a)!.length - joined.get(b)!.length);
  for (const start of starts) {
    if (!left.has(start)) continue;
    const line: Point[] = [];
    let at: number | undefined = start;
    while (at !== undefined) {
      left.delete(at);
      line.push(crossings.get(at)!);
      at = joined.get(at)!.find((next) => left.has(next));
    }
    if (joined.get(start)!.length > 1) line.push(line[0]);
    if (line.length > 2) lines.push(line);
  }
  return lines;
}
