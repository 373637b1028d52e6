import type { Camera, Size } from "./camera.ts";

/** Points that are drawn while the hand moves. */
export const FEW = 80_000;

/** Draws points on a canvas. */
export interface Renderer {
  readonly kind: "WebGL" | "canvas";
  /**
   * Where the points are, and where they come from while `mix` of `draw` goes from 0 to 1. With `origin`, a faint line
   * leads from there to each point.
   */
  place(from: Float32Array, to: Float32Array, origin?: Float32Array): void;
  /** Colours and marks, and how much larger than usual each point is, in sixteenths. */
  paint(codes: Uint8Array, weights?: Uint8Array): void;
  /** Red, green and blue of each colour, 0 to 1. */
  colors(palette: Float32Array): void;
  /** `some`: of very many points an even part, as many as can be drawn while the hand moves. */
  draw(camera: Camera, size: Size, mix: number, some?: boolean): void;
  dispose(): void;
}

/** WebGL where there is any, else the canvas. */
export async function createRenderer(canvas: HTMLCanvasElement): Promise<Renderer> {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true });
  if (gl !== null) return (await import("./webgl.ts")).webglRenderer(canvas, gl);
  return (await import("./canvas.ts")).canvasRenderer(canvas);
}
