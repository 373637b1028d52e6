import type { FromPainter, ToPainter } from "./painter.ts";
import { createRenderer, hasCard, sizeFor, type Frame, type Renderer } from "./renderer.ts";

/** The canvas of the page, and what hears of it. */
export interface SurfaceParts {
  readonly canvas: HTMLCanvasElement;
  /** This draws from now on, and has to be told everything. */
  readonly ready: (surface: Renderer) => void;
  /** The canvas shows this frame from now on. */
  readonly drawn: (frame: Frame) => void;
}

/** Asked once, of a worker: until the answer is here, there is none. */
let card: Promise<boolean> | undefined;

/** Pictures drawn by a worker, or by the page where workers cannot draw. */
export async function createSurface(parts: SurfaceParts): Promise<void> {
  const { canvas, ready, drawn } = parts;
  const screen = typeof OffscreenCanvas === "undefined" ? null : canvas.getContext("bitmaprenderer");
  if (screen === null) {
    const renderer = await createRenderer(canvas, hasCard());
    const draw = (frame: Frame): void => {
      renderer.draw(frame);
      drawn(frame);
    };
    return ready({ ...renderer, draw });
  }
  let gone = false;
  let renderer: Renderer | undefined;
  let seen = (): void => {};
  const firstSeen = new Promise<void>((resolve) => (seen = resolve));
  const start = (withCard: boolean): void => {
    renderer?.dispose();
    const show = (image: ImageBitmap, frame: Frame): void => {
      sizeFor(canvas, frame);
      screen.transferFromImageBitmap(image);
      drawn(frame);
      seen();
    };
    const painter = inWorker(withCard, show, () => start(false));
    const dispose = (): void => {
      gone = true;
      painter.dispose();
    };
    renderer = painter;
    ready({ ...painter, dispose });
  };
  start(false);
  // Looking for a card keeps the graphics busy: the first picture would wait for it.
  await firstSeen;
  card ??= askForCard();
  if ((await card) && !gone) start(true);
}

function painterWorker(hear: (message: FromPainter) => void): {
  tell(act: ToPainter["act"], ...given: readonly unknown[]): void;
  end(): void;
} {
  const worker = new Worker(new URL("./painter.ts", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }: MessageEvent<FromPainter>) => hear(data));
  return {
    tell: (act, ...given) => worker.postMessage({ act, given } satisfies ToPainter, []),
    end: () => worker.terminate(),
  };
}

function askForCard(): Promise<boolean> {
  return new Promise((resolve) => {
    const { tell, end } = painterWorker((message) => {
      end();
      resolve("card" in message && message.card);
    });
    tell("ask");
  });
}

/** One frame is drawn at a time, then the newest that was asked for. */
function inWorker(
  withCard: boolean,
  show: (image: ImageBitmap, frame: Frame) => void,
  lost: () => void,
): Renderer {
  let sent: Frame | undefined;
  let next: Frame | undefined;
  const { tell, end } = painterWorker((message) => {
    if ("card" in message) return lost();
    show(message.image, sent!);
    sent = undefined;
    if (next !== undefined) draw(next);
  });
  const draw = (frame: Frame): void => {
    next = sent === undefined ? undefined : frame;
    if (sent !== undefined) return;
    sent = frame;
    tell("draw", frame);
  };
  tell("start", withCard);
  return {
    place: (...given) => tell("place", ...given),
    paint: (...given) => tell("paint", ...given),
    colors: (...given) => tell("colors", ...given),
    draw,
    dispose: end,
  };
}
