import { createRenderer, type Frame, type Renderer } from "./renderer.ts";

/** What the page says: a method of the renderer, and what it is given. */
export interface ToPainter {
  readonly act: Exclude<keyof Renderer, "dispose">;
  readonly given: readonly unknown[];
}

/** A finished picture; without one, the graphics card took its memory back. */
export interface FromPainter {
  readonly frame?: Frame;
  readonly image?: ImageBitmap;
}

/** The worker that draws the points: the page never waits for the graphics card, nor for what plays its part. */
const canvas = new OffscreenCanvas(1, 1);
const made = createRenderer(canvas);

canvas.addEventListener("webglcontextlost", () => say({}));

globalThis.addEventListener("message", async ({ data }: MessageEvent<ToPainter>) => {
  const renderer = await made;
  (renderer[data.act] as (...given: readonly unknown[]) => void)(...data.given);
  if (data.act !== "draw") return;
  const image = canvas.transferToImageBitmap();
  say({ frame: data.given[0] as Frame, image }, [image]);
});

function say(message: FromPainter, transfer: Transferable[] = []): void {
  globalThis.postMessage(message, { transfer });
}
