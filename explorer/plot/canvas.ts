import type { Camera, Size } from "./camera.ts";
import {
  CHOSEN_FIRST,
  CHOSEN_SECOND,
  COLOR_BITS,
  DIMMED,
  pointSize,
  SHAPE_BITS,
  STATE_BITS,
} from "./marks.ts";
import type { Renderer } from "./renderer.ts";

/** Many points are drawn as squares: circles cost several times as much. */
const SQUARES_ABOVE = 5000;

/** The same points on a plain canvas, for browsers without WebGL. */
export function canvasRenderer(canvas: HTMLCanvasElement): Renderer {
  const context = canvas.getContext("2d");
  let from: Float32Array = new Float32Array(0);
  let to: Float32Array = new Float32Array(0);
  let codes: Uint8Array = new Uint8Array(0);
  let tints: string[] = [];
  let order: Int32Array = new Int32Array(0);
  let trail: Float32Array | undefined;
  let sizes: Uint8Array | undefined;

  return {
    kind: "canvas",
    place(start, end, origin) {
      from = start;
      to = end;
      trail = origin;
    },
    paint(next, weights) {
      codes = next;
      sizes = weights;
      // One change of colour per kind of point.
      order = Int32Array.from(codes.keys()).sort((a, b) => codes[a] - codes[b] || a - b);
    },
    colors(palette) {
      tints = Array.from({ length: 16 }, (_, c) => {
        const [r, g, b] = palette.subarray(3 * c, 3 * c + 3).map((part) => Math.round(255 * part));
        return `rgb(${r} ${g} ${b})`;
      });
    },
    draw({ x, y, zoom }: Camera, { width, height }: Size, mix: number) {
      if (context === null) return;
      const ratio = Math.min(2, devicePixelRatio || 1);
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      context.scale(ratio, ratio);
      const usual = pointSize(codes.length) / 2;
      const squares = codes.length > SQUARES_ABOVE;
      for (const i of order) {
        const left = ((1 - mix) * from[2 * i] + mix * to[2 * i] - x) * zoom + width / 2;
        const top = (y - (1 - mix) * from[2 * i + 1] - mix * to[2 * i + 1]) * zoom + height / 2;
        if (left < -9 || top < -9 || left > width + 9 || top > height + 9) continue;
        const code = codes[i];
        const radius = usual * (1 + (sizes?.[i] ?? 0) / 16);
        const state = code & STATE_BITS;
        const chosen = state === CHOSEN_FIRST || state === CHOSEN_SECOND;
        context.globalAlpha = state === DIMMED ? 0.12 : 0.88;
        context.fillStyle = tints[code & COLOR_BITS];
        if (trail !== undefined) {
          context.strokeStyle = tints[code & COLOR_BITS];
          context.globalAlpha = 0.14;
          context.lineWidth = 1;
          context.setLineDash([]);
          context.beginPath();
          context.moveTo((trail[2 * i] - x) * zoom + width / 2, (y - trail[2 * i + 1]) * zoom + height / 2);
          context.lineTo(left, top);
          context.stroke();
          context.globalAlpha = 0.88;
        }
        if (squares && !chosen) {
          context.fillRect(left - radius, top - radius, 2 * radius, 2 * radius);
          continue;
        }
        outline(context, code & SHAPE_BITS, left, top, chosen ? radius * 1.4 : radius);
        context.fill();
        if (!chosen) continue;
        context.strokeStyle = tints[15];
        context.lineWidth = 2;
        context.setLineDash(state === CHOSEN_SECOND ? [2, 2] : []);
        context.stroke();
      }
    },
    dispose() {},
  };
}

const CORNERS: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  16: [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  32: [
    [0, -1],
    [1, 1],
    [-1, 1],
  ],
  48: [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
  ],
};

function outline(context: CanvasRenderingContext2D, shape: number, x: number, y: number, r: number): void {
  context.beginPath();
  const corners = CORNERS[shape];
  if (corners === undefined) return context.arc(x, y, r, 0, 2 * Math.PI);
  for (const [dx, dy] of corners) context.lineTo(x + r * dx, y + r * dy);
  context.closePath();
}
