import {
  CHOSEN_FIRST,
  CHOSEN_SECOND,
  COLOR_BITS,
  DIMMED,
  pointSize,
  SHAPE_BITS,
  STATE_BITS,
} from "./marks.ts";
import { FEW, sizeFor, someOf, type AnyCanvas, type Renderer } from "./renderer.ts";

/** A point is drawn at the nearest of so many places across a pixel. */
const PLACES = 4;
/** Points that matter lie over those that do not. */
const LAYERS = [DIMMED, 0, CHOSEN_FIRST, CHOSEN_SECOND];
const FAINT = 0.14;
const PLAIN = 0.88;

/**
 * The points of the WebGL renderer, pixel by pixel: points of the same look are copies of the same few pixels, so
 * 100,000 of them take some milliseconds. A pixel is one number: opacity, blue, green, red from the highest byte. Its
 * colours are multiplied by its opacity until all points are drawn.
 */
export function pixelRenderer(canvas: AnyCanvas): Renderer {
  const context = (canvas as OffscreenCanvas).getContext("2d", { willReadFrequently: true });
  let from: Float32Array = new Float32Array(0);
  let to: Float32Array = from;
  let origin: Float32Array | undefined;
  let codes: Uint8Array = new Uint8Array(0);
  let weights: Uint8Array | undefined;
  let layers: readonly number[] = [];
  let sample: Uint32Array | undefined;
  let palette: Float32Array = new Float32Array(48);
  let image: ImageData | undefined;
  /** By weight, code and place within a pixel. */
  let stamps: Int32Array[] = [];
  let stamped = "";

  return {
    place(start, end, before) {
      if (end.length !== to.length) sample = end.length > 2 * FEW ? someOf(end.length / 2) : undefined;
      [from, to, origin] = [start, end, before];
    },
    paint(next, sizes) {
      [codes, weights] = [next, sizes];
      const states = new Uint8Array(256);
      for (const code of codes) states[code & STATE_BITS] = 1;
      layers = LAYERS.filter((state) => states[state] === 1);
    },
    colors(next) {
      palette = next;
      stamps = [];
    },
    draw(frame) {
      const { camera, ratio, mix, some } = frame;
      const [w, h] = sizeFor(canvas, frame);
      const count = to.length / 2;
      const usual = pointSize(count) * ratio;
      const heaviest = weights?.reduce((a, b) => Math.max(a, b), 0) ?? 0;
      // Points up to this far beyond the edges can be seen: the image has room for all of their pixels.
      const reach = Math.ceil(0.75 * usual * (1 + heaviest / 16)) + 1;
      const [wide, high] = [w + 4 * reach, h + 4 * reach];
      if (image?.width !== wide || image.height !== high) image = new ImageData(wide, high);
      const pixels = new Int32Array(image.data.buffer).fill(0);
      if (stamped !== `${wide} ${usual}`) stamps = [];
      stamped = `${wide} ${usual}`;

      const zoom = camera.zoom * ratio;
      const left = wide / 2 - camera.x * zoom;
      const top = high / 2 + camera.y * zoom;
      const xOf = (i: number): number => left + (from[2 * i] + (to[2 * i] - from[2 * i]) * mix) * zoom;
      const yOf = (i: number): number =>
        top - (from[2 * i + 1] + (to[2 * i + 1] - from[2 * i + 1]) * mix) * zoom;
      const put = (x: number, y: number, code: number, weight: number): void => {
        // So a row without a position is not drawn.
        if (!(x >= reach && y >= reach && x < wide - reach && y < high - reach)) return;
        // Whole numbers, in places within pixels.
        const [across, down] = [(x * PLACES) | 0, (y * PLACES) | 0];
        const place = (down % PLACES) * PLACES + (across % PLACES);
        const key = (weight * 256 + code) * PLACES * PLACES + place;
        const stamp = (stamps[key] ??= stampOf(code, usual * (1 + weight / 16), place, wide, palette));
        const start = ((down / PLACES) | 0) * wide + ((across / PLACES) | 0);
        for (let p = 0; p < stamp.length; p += 3) {
          const at = start + stamp[p];
          pixels[at] = over(pixels[at], stamp[p + 1], stamp[p + 2]);
        }
      };

      if (codes.length === count) {
        for (let i = 0; i < (origin?.length ?? 0) / 2; i++) {
          const [a, b] = [left + origin![2 * i] * zoom, top - origin![2 * i + 1] * zoom];
          const [add, rest] = colored(palette, codes[i] & COLOR_BITS, FAINT);
          alongLine(a, b, xOf(i), yOf(i), wide, high, (at) => (pixels[at] = over(pixels[at], add, rest)));
          put(a, b, (codes[i] & ~STATE_BITS) | DIMMED, 0);
        }
        const few = some ? sample : undefined;
        const drawn = few?.length ?? count;
        for (const layer of layers) {
          for (let p = 0; p < drawn; p++) {
            const i = few === undefined ? p : few[p];
            if ((codes[i] & STATE_BITS) === layer) put(xOf(i), yOf(i), codes[i], weights?.[i] ?? 0);
          }
        }
      }
      divideByOpacity(pixels);
      context?.putImageData(image, -2 * reach, -2 * reach);
    },
    dispose() {},
  };
}

/** A colour over a pixel, of which `rest` of 256 stays. Two bytes are multiplied at a time. */
function over(pixel: number, add: number, rest: number): number {
  if (pixel === 0) return add;
  const redBlue = (Math.imul(pixel & 0xff00ff, rest) >>> 8) & 0xff00ff;
  return (add + redBlue + (Math.imul((pixel >>> 8) & 0xff00ff, rest) & 0xff00ff00)) | 0;
}

/** A colour multiplied by its opacity, and how much of what is below it stays. */
function colored(palette: Float32Array, slot: number, opacity: number): readonly [number, number] {
  const part = (channel: number): number => Math.round(255 * opacity * palette[3 * slot + channel]);
  const add = (Math.round(255 * opacity) << 24) | (part(2) << 16) | (part(1) << 8) | part(0);
  return [add, 256 - Math.round(256 * opacity)];
}

/** The pixels of a point: for each its place from the point's own, what is added to it, and what stays of it. */
function stampOf(code: number, size: number, place: number, wide: number, palette: Float32Array): Int32Array {
  const state = code & STATE_BITS;
  const chosen = state === CHOSEN_FIRST || state === CHOSEN_SECOND;
  const across = chosen ? 1.5 * size : size;
  const radius = across / 2;
  const [x, y] = [((place % PLACES) + 0.5) / PLACES, (Math.floor(place / PLACES) + 0.5) / PLACES];
  const stamp: number[] = [];
  const end = Math.ceil(radius);
  for (let line = -end; line <= end; line++) {
    for (let column = -end; column <= end; column++) {
      const distance =
        reachOf(code & SHAPE_BITS, (column + 0.5 - x) / across, (line + 0.5 - y) / across) * across;
      const cover = Math.min(1, radius - distance);
      if (cover <= 0) continue;
      const rim =
        chosen && (distance > radius * 0.7 || (state === CHOSEN_SECOND && distance < radius * 0.35));
      const opacity = chosen ? 1 : state === DIMMED ? FAINT : PLAIN;
      const [add, rest] = colored(palette, rim ? 15 : code & COLOR_BITS, opacity * cover);
      if (add !== 0) stamp.push(line * wide + column, add, rest);
    }
  }
  return Int32Array.from(stamp);
}

/** The distance of a position from the centre, scaled so that the border of the shape is at 0.5. */
function reachOf(shape: number, x: number, y: number): number {
  if (shape === 16) return Math.max(Math.abs(x), Math.abs(y)) * 1.12;
  if (shape === 32) return Math.max(y, (2 * Math.abs(x) - y - 0.5) / 2.24 + 0.5);
  if (shape === 48) return (Math.abs(x) + Math.abs(y) - 0.5) / 1.42 + 0.5;
  return Math.hypot(x, y);
}

/** Visits the pixels of a line, those within the image. */
function alongLine(
  a: number,
  b: number,
  x: number,
  y: number,
  wide: number,
  high: number,
  visit: (at: number) => void,
): void {
  const steps = Math.max(Math.abs(x - a), Math.abs(y - b));
  if (!(steps > 0)) return;
  const [dx, dy] = [(x - a) / steps, (y - b) / steps];
  // The part of the line within the image along its longer side.
  const [start, step, side] = Math.abs(dx) === 1 ? [a, dx, wide] : [b, dy, high];
  const [first, last] = [-start / step, (side - start) / step].toSorted((p, q) => p - q);
  for (let t = Math.max(0, Math.ceil(first)); t < Math.min(steps, last); t++) {
    const [column, line] = [Math.floor(a + t * dx), Math.floor(b + t * dy)];
    if (column >= 0 && line >= 0 && column < wide && line < high) visit(line * wide + column);
  }
}

/** As an image keeps its colours. */
function divideByOpacity(pixels: Int32Array): void {
  for (let p = 0; p < pixels.length; p++) {
    const pixel = pixels[p];
    // Bare, or opaque.
    if (pixel === 0 || pixel >>> 24 === 255) continue;
    const opacity = pixel >>> 24;
    const red = ((pixel & 255) * 255) / opacity;
    const green = (((pixel >>> 8) & 255) * 255) / opacity;
    const blue = (((pixel >>> 16) & 255) * 255) / opacity;
    pixels[p] = (opacity << 24) | (bounded(blue) << 16) | (bounded(green) << 8) | bounded(red);
  }
}

function bounded(part: number): number {
  return part < 255 ? (part + 0.5) | 0 : 255;
}
