import { createRenderer, hasCard, type Renderer } from "./renderer.ts";

/** What the page says: to look for a graphics card, to start, or a method of the renderer; and what that is given. */
export interface ToPainter {
  readonly act: "ask" | "start" | Exclude<keyof Renderer, "dispose">;
  readonly given: readonly unknown[];
}

/** A picture, or whether there is a graphics card: also told when it is lost. */
export type FromPainter = { readonly image: ImageBitmap } | { readonly card: boolean };

/** The worker that draws the points: the page never waits for a graphics card, nor for a program in its place. */
const canvas = new OffscreenCanvas(1, 1);
let made: Promise<Renderer> | undefined;

canvas.addEventListener("webglcontextlost", () => say({ card: false }));

globalThis.addEventListener("message", async ({ data: { act, given } }: MessageEvent<ToPainter>) => {
  if (act === "ask") return say({ card: hasCard() });
  if (act === "start") made = createRenderer(canvas, given[0] as boolean);
  const renderer = await made!;
  if (act === "start") return;
  (renderer[act] as (...given: readonly unknown[]) => void)(...given);
  if (act !== "draw") return;
  const image = canvas.transferToImageBitmap();
  say({ image }, [image]);
});

function say(message: FromPainter, transfer: Transferable[] = []): void {
  globalThis.postMessage(message, { transfer });
}
