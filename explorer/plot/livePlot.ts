import type { Signal } from "@preact/signals";
import { fitted, type Camera, type Size } from "./camera.ts";
import { themeColors } from "./palette.ts";
import type { Renderer } from "./renderer.ts";

/** Where the points are, and the view that the camera should hold. */
export interface Placed {
  readonly xy: Float32Array;
  readonly whole: Float32Array;
  /** Where the points come from, if that is to be seen. */
  readonly origin?: Float32Array;
}

export interface LivePlot {
  move(to: Placed | undefined): void;
  paint(codes: Uint8Array, weights?: Uint8Array): void;
  recolor(scale?: boolean): void;
  redraw(): void;
  fit(): void;
  dispose(): void;
}

const MOVE_MS = 450;
/** Points above which they are placed at once, and the picture is moved in the place of the points. */
const MANY = 30_000;
/** Of many points, the part of the picture that is drawn beyond each edge, to have it when the picture is moved. */
const BEYOND = 0.3;
const REST_MS = 140;
/** Fits no points, so that the next ones are fitted anew. */
const NOWHERE: Camera = { x: 0, y: 0, zoom: 0 };

/**
 * The renderer with its clock: it comes with a chunk of its own, and what is set before it arrives is kept.
 *
 * Many points take a software renderer some 50 ms to draw. So they are drawn beyond the edges, panning and zooming move
 * the finished picture, and it is drawn anew when the hand rests or an edge comes into sight.
 */
export function createLivePlot(
  canvas: HTMLCanvasElement,
  size: Signal<Size>,
  camera: Signal<Camera>,
): LivePlot {
  let renderer: Renderer | undefined;
  let now: Placed | undefined;
  let origin: Float32Array = new Float32Array(0);
  let codes: Uint8Array = new Uint8Array(0);
  let sizes: Uint8Array | undefined;
  let began = -Infinity;
  let frame = 0;
  let drawn: Camera | undefined;
  let fit = NOWHERE;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let gone = false;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const mixAt = (time: number): number => {
    const part = Math.min(1, Math.max(0, (time - began) / MOVE_MS));
    return part * part * (3 - 2 * part);
  };
  const many = (): boolean => codes.length > MANY;

  const draw = (time: number): void => {
    if (renderer === undefined || size.value.width === 0) return;
    const mix = mixAt(time);
    const margin = many() ? BEYOND : 0;
    const { width, height } = size.value;
    Object.assign(canvas.style, {
      left: `${-100 * margin}%`,
      top: `${-100 * margin}%`,
      width: `${100 + 200 * margin}%`,
      height: `${100 + 200 * margin}%`,
      transform: "none",
    });
    const wider = { width: width * (1 + 2 * margin), height: height * (1 + 2 * margin) };
    renderer.draw(camera.value, wider, mix);
    drawn = camera.value;
    if (mix < 1) redraw();
  };
  const redraw = (): void => {
    if (frame !== 0) return;
    frame = requestAnimationFrame((time) => {
      frame = 0;
      draw(time);
    });
  };
  /** Moves the picture as the camera moved since it was drawn. */
  const follow = (): void => {
    if (!many() || drawn === undefined) return redraw();
    const { x, y, zoom } = camera.value;
    const [dx, dy, k] = [(drawn.x - x) * zoom, (y - drawn.y) * zoom, zoom / drawn.zoom];
    const { width, height } = size.value;
    const outside = Math.abs(dx) > BEYOND * width || Math.abs(dy) > BEYOND * height || k < 0.7 || k > 2;
    if (outside) return redraw();
    canvas.style.transform = `translate(${dx}px, ${dy}px) scale(${k})`;
    clearTimeout(resting);
    resting = setTimeout(redraw, REST_MS);
  };
  /** Points that take up the same room as before leave the camera where the hand put it. */
  const fitAnew = (whole: Float32Array): void => {
    const next = fitted(whole, size.value);
    const moved = Math.hypot(next.x - fit.x, next.y - fit.y) * next.zoom;
    if (moved > 1 || Math.abs(next.zoom / fit.zoom - 1) > 0.01) camera.value = next;
    fit = next;
  };
  let scaled = false;
  const recolor = (scale = scaled): void => {
    scaled = scale;
    renderer?.colors(themeColors(canvas, scaled));
    redraw();
  };
  const place = (): void => {
    if (now === undefined || renderer === undefined) return;
    renderer.place(origin.length === now.xy.length ? origin : now.xy, now.xy, now.origin);
    if (codes.length === now.xy.length / 2) renderer.paint(codes, sizes);
    redraw();
  };
  const clear = (): void => {
    now = undefined;
    fit = NOWHERE;
    origin = new Float32Array(0);
    codes = new Uint8Array(0);
    renderer?.place(origin, origin);
    renderer?.paint(codes);
    redraw();
  };
  void import("./renderer.ts").then(async ({ createRenderer }) => {
    const made = await createRenderer(canvas);
    if (gone) return made.dispose();
    renderer = made;
    recolor();
    place();
  });

  return {
    move(to) {
      if (to === undefined) return clear();
      const before = now;
      const mix = mixAt(performance.now());
      const glide = before !== undefined && before !== to && before.xy.length === to.xy.length;
      if (glide && !still && !many()) {
        const from = origin.length === to.xy.length ? origin : before.xy;
        origin = before.xy.map((value, p) => from[p] + (value - from[p]) * mix);
        began = performance.now();
      } else {
        origin = to.xy;
        began = -Infinity;
      }
      now = to;
      if (before?.whole !== to.whole && size.value.width > 0) fitAnew(to.whole);
      place();
    },
    paint(next, weights) {
      codes = next;
      sizes = weights;
      place();
    },
    recolor,
    redraw: follow,
    fit() {
      if (now === undefined) return;
      fit = fitted(now.whole, size.value);
      camera.value = fit;
    },
    dispose() {
      gone = true;
      cancelAnimationFrame(frame);
      clearTimeout(resting);
      renderer?.dispose();
    },
  };
}
