import type { FromPainter, ToPainter } from "./painter.ts";
import { createRenderer, type Frame, type Renderer } from "./renderer.ts";

/** The canvas of the page, and what hears of it. */
export interface SurfaceParts {
  readonly canvas: HTMLCanvasElement;
  /** There is nothing on the canvas yet, or no longer: it wants to be told everything. */
  readonly ready: (surface: Renderer) => void;
  /** The canvas shows this frame from now on. */
  readonly drawn: (frame: Frame) => void;
}

/** Pictures drawn by a worker, or by the page where workers cannot draw. The newest frame is drawn next. */
export async function createSurface(parts: SurfaceParts): Promise<void> {
  const { canvas, ready, drawn } = parts;
  const screen = typeof OffscreenCanvas === "undefined" ? null : canvas.getContext("bitmaprenderer");
  if (screen === null) {
    const renderer = await createRenderer(canvas);
    const draw = (frame: Frame): void => {
      renderer.draw(frame);
      drawn(frame);
    };
    return ready({ ...renderer, draw });
  }
  const worker = new Worker(new URL("./painter.ts", import.meta.url), { type: "module" });
  let busy = false;
  let next: Frame | undefined;
  const tell = (act: ToPainter["act"], ...given: readonly unknown[]): void =>
    worker.postMessage({ act, given } satisfies ToPainter, []);
  const draw = (frame: Frame): void => {
    if (busy) {
      next = frame;
      return;
    }
    busy = true;
    next = undefined;
    tell("draw", frame);
  };
  worker.addEventListener("message", ({ data: { frame, image } }: MessageEvent<FromPainter>) => {
    if (frame === undefined || image === undefined) {
      worker.terminate();
      return void createSurface(parts);
    }
    busy = false;
    screen.transferFromImageBitmap(image);
    drawn(frame);
    if (next !== undefined) draw(next);
  });
  ready({
    place: (...given) => tell("place", ...given),
    paint: (...given) => tell("paint", ...given),
    colors: (...given) => tell("colors", ...given),
    draw,
    dispose: () => worker.terminate(),
  });
}
