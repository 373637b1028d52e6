import type { Camera, Size } from "./camera.ts";

/** Number of points drawn during a gesture. */
export const FEW = 80_000;

/** Draws points on a canvas. */
export interface Renderer {
  readonly kind: "WebGL" | "canvas";
  /**
   * The positions of the points, and their old positions while `mix` of `draw` goes from 0 to 1. With
   * `origin`, a faint line leads from the old position to each point.
   */
  place(from: Float32Array, to: Float32Array, origin?: Float32Array): void;
  /** Colours and marks, and the size of each point relative to the usual size, in sixteenths. */
  paint(codes: Uint8Array, weights?: Uint8Array): void;
  /** Red, green and blue of each colour, 0 to 1. */
  colors(palette: Float32Array): void;
  /** `some`: draws an even sample of very many points, as many as a gesture allows. */
  draw(camera: Camera, size: Size, mix: number, some?: boolean): void;
  dispose(): void;
}

/** WebGL if available, otherwise the canvas. */
export async function createRenderer(canvas: HTMLCanvasElement): Promise<Renderer> {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true });
  if (gl !== null) return (await import("./webgl.ts")).webglRenderer(canvas, gl);
  return (await import("./canvas.ts")).canvasRenderer(canvas);
}
