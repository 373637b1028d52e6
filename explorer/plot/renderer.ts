import type { Camera, Size } from "./camera.ts";

/** Number of points drawn during a gesture. */
export const FEW = 80_000;

/** One picture of the points. */
export interface Frame {
  readonly camera: Camera;
  /** In pixels of the style sheet. */
  readonly size: Size;
  /** The part of the visible size that this is larger by, at each edge. */
  readonly margin: number;
  /** Pixels of the screen for each of these. */
  readonly ratio: number;
  /** Between the old positions (0) and the new ones (1). */
  readonly mix: number;
  /** Draws an even sample of very many points, as many as a gesture allows. */
  readonly some: boolean;
}

/** Draws points on a canvas. */
export interface Renderer {
  /**
   * The positions of the points, and their old positions while `mix` of a frame goes from 0 to 1. With
   * `origin`, a faint line leads from the old position to each point.
   */
  place(from: Float32Array, to: Float32Array, origin?: Float32Array): void;
  /** Colours and marks, and the size of each point relative to the usual size, in sixteenths. */
  paint(codes: Uint8Array, weights?: Uint8Array): void;
  /** Red, green and blue of each colour, 0 to 1. */
  colors(palette: Float32Array): void;
  draw(frame: Frame): void;
  dispose(): void;
}

export type AnyCanvas = HTMLCanvasElement | OffscreenCanvas;

/** By WebGL with a graphics card, otherwise pixel by pixel. */
export async function createRenderer(canvas: AnyCanvas, card: boolean): Promise<Renderer> {
  const gl = card ? (canvas as OffscreenCanvas).getContext("webgl2", { antialias: false }) : null;
  if (gl !== null) return (await import("./webgl.ts")).webglRenderer(canvas, gl);
  return (await import("./pixels.ts")).pixelRenderer(canvas);
}

/** Names of programs that stand in for a graphics card. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Whether WebGL has a graphics card: a program in its place takes about 1 µs for each point, ten times as long as
 * copying its pixels. The answer may take seconds where such a program has to start.
 */
export function hasCard(): boolean {
  const canvas =
    typeof OffscreenCanvas === "undefined" ? document.createElement("canvas") : new OffscreenCanvas(1, 1);
  const gl = (canvas as OffscreenCanvas).getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  const name = gl?.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL;
  return gl !== null && !(name !== undefined && SOFTWARE.test(String(gl.getParameter(name))));
}

/** The canvas gets the size of a frame in pixels of the screen. */
export function sizeFor(canvas: AnyCanvas, { size, ratio }: Frame): readonly [number, number] {
  const [w, h] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  return [w, h];
}

/** FEW different numbers below `count`: multiples of a number coprime to it, near the golden ratio. */
export function someOf(count: number): Uint32Array {
  const some = new Uint32Array(Math.min(FEW, count));
  let step = Math.floor(count * 0.618034);
  while (step > 1 && greatestCommonDivisor(step, count) > 1) step--;
  for (let i = 0, at = 0; i < some.length; i++, at = (at + step) % count) some[i] = at;
  return some;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
