import type { Signal } from "@preact/signals";
import { fitted, type Camera, type Size } from "./camera.ts";
import { themeColors, type Palette } from "./palette.ts";
import type { Frame, Renderer } from "./renderer.ts";
import { createSurface } from "./surface.ts";

/** The positions of the points, and the view for the camera. */
export interface Placed {
  readonly xy: Float32Array;
  readonly whole: Float32Array;
  /** The old positions of the points, if these are to be shown. */
  readonly origin?: Float32Array;
}

export interface LivePlot {
  move(to: Placed | undefined): void;
  paint(codes: Uint8Array, weights?: Uint8Array): void;
  recolor(palette?: Palette): void;
  redraw(): void;
  fit(): void;
  /**
   * Whether a gesture is in progress: the picture is redrawn only after it ends, unless an edge becomes
   * visible.
   */
  hold(held: boolean): void;
  dispose(): void;
}

/** The parts of the plot. */
export interface PlotParts {
  readonly canvas: HTMLCanvasElement;
  /** The overlay of the points, which moves with them. */
  readonly overlay: () => SVGElement | null;
  readonly size: Signal<Size>;
  readonly camera: Signal<Camera>;
  /** The camera of canvas and overlay. */
  readonly drawn: Signal<Camera>;
}

const MOVE_MS = 450;
/** Number of points above which they do not move one by one; the picture moves instead. */
const MANY = 30_000;
/** For many points, the margin drawn beyond each edge, for use when the picture moves. */
const BEYOND = 0.3;
const REST_MS = 180;
/** Fits no points, so the next ones are fitted again. */
const NOWHERE: Camera = { x: 0, y: 0, zoom: 0 };

/**
 * The renderer with its clock: settings made before it is ready are kept.
 *
 * Very many points take long to draw. So they are drawn beyond the edges, and panning and zooming move the
 * finished picture. Where an edge becomes visible, or the picture gets coarse, some points are redrawn; all of
 * them are redrawn when the hand rests, if the picture changed by more than a small move.
 */
export function createLivePlot({ canvas, overlay, size, camera, drawn }: PlotParts): LivePlot {
  let renderer: Renderer | undefined;
  let now: Placed | undefined;
  let origin: Float32Array = new Float32Array(0);
  let codes: Uint8Array = new Uint8Array(0);
  let sizes: Uint8Array | undefined;
  let began = -Infinity;
  let asked = false;
  let latest: Frame | undefined;
  /** Whether the next frame may draw some of the points. */
  let partly = true;
  let [held, whole] = [false, false];
  let fit = NOWHERE;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let gone = false;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const mixAt = (time: number): number => {
    const part = Math.min(1, Math.max(0, (time - began) / MOVE_MS));
    return part * part * (3 - 2 * part);
  };
  const many = (): boolean => codes.length > MANY;

  const moved = (transform: string): void => {
    canvas.style.transform = transform;
    const over = overlay();
    if (over !== null) over.style.transform = transform;
  };
  const draw = (time: number, some: boolean): void => {
    if (renderer === undefined || size.value.width === 0) return;
    const mix = mixAt(time);
    const margin = many() ? BEYOND : 0;
    const { width, height } = size.value;
    latest = {
      camera: camera.value,
      size: { width: width * (1 + 2 * margin), height: height * (1 + 2 * margin) },
      margin,
      ratio: Math.min(2, devicePixelRatio || 1),
      mix,
      some,
    };
    renderer.draw(latest);
    if (mix < 1) redraw();
  };
  /** The camera may have moved on since the picture was asked for. */
  const show = (frame: Frame): void => {
    const { camera: was, margin, some } = frame;
    Object.assign(canvas.style, {
      left: `${-100 * margin}%`,
      top: `${-100 * margin}%`,
      width: `${100 + 200 * margin}%`,
      height: `${100 + 200 * margin}%`,
    });
    whole = !some;
    const { x, y, zoom } = drawn.value;
    if (was.x !== x || was.y !== y || was.zoom !== zoom) drawn.value = was;
    moved(many() ? sinceThen() : "none");
    if (frame === latest && !asked) canvas.ariaBusy = "false";
  };
  /** At once, after all changes of the moment; moving points with the next frame of the page. */
  const redraw = (some = false): void => {
    partly &&= some;
    if (asked) return;
    asked = true;
    canvas.ariaBusy = "true";
    const soon = (time: number): void => {
      asked = false;
      const some = partly;
      partly = true;
      if (!gone) draw(time, some);
    };
    if (mixAt(performance.now()) < 1) requestAnimationFrame(soon);
    else queueMicrotask(() => soon(performance.now()));
  };
  /**
   * The motion of the camera since the picture was drawn: pixels to the right and down, and the zoom factor.
   */
  const since = (): { dx: number; dy: number; k: number } => {
    const { x, y, zoom } = camera.value;
    const was = drawn.value;
    return { dx: (was.x - x) * zoom, dy: (y - was.y) * zoom, k: zoom / was.zoom };
  };
  const sinceThen = (): string => {
    const { dx, dy, k } = since();
    return dx === 0 && dy === 0 && k === 1
      ? "none"
      : `translate(${Math.round(dx)}px, ${Math.round(dy)}px) scale(${k})`;
  };
  /** Within this part of the picture's margin. */
  const near = ({ dx, dy }: { dx: number; dy: number }, part: number): boolean =>
    Math.abs(dx) <= part * BEYOND * size.value.width && Math.abs(dy) <= part * BEYOND * size.value.height;
  const whenStill = (): void => {
    clearTimeout(resting);
    if (held) return;
    resting = setTimeout(() => {
      const far = since();
      if (!whole || far.k !== 1 || !near(far, 0.5)) redraw();
    }, REST_MS);
  };
  /** Moves the picture with the camera. */
  const follow = (): void => {
    if (!many()) return redraw();
    const far = since();
    whenStill();
    if (!near(far, 1) || far.k < 0.7 || far.k > 2) redraw(true);
    else moved(sinceThen());
  };
  /** Points with the same extent as before leave the camera unchanged. */
  const fitAnew = (whole: Float32Array): void => {
    const next = fitted(whole, size.value);
    const moved = Math.hypot(next.x - fit.x, next.y - fit.y) * next.zoom;
    if (moved > 1 || Math.abs(next.zoom / fit.zoom - 1) > 0.01) camera.value = next;
    fit = next;
  };
  let palette: Palette = "c";
  const recolor = (next = palette): void => {
    palette = next;
    renderer?.colors(themeColors(canvas, palette));
    redraw();
  };
  const place = (): void => {
    if (now === undefined || renderer === undefined) return;
    renderer.place(origin.length === now.xy.length ? origin : now.xy, now.xy, now.origin);
    paint();
  };
  const paint = (): void => {
    if (codes.length !== (now?.xy.length ?? 0) / 2) return;
    renderer?.paint(codes, sizes);
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
  void createSurface({
    canvas,
    drawn: show,
    ready(made) {
      if (gone) return made.dispose();
      renderer = made;
      recolor();
      place();
    },
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
      paint();
    },
    recolor,
    redraw: follow,
    hold(next) {
      held = next;
      if (!held && many()) whenStill();
    },
    fit() {
      if (now === undefined) return;
      fit = fitted(now.whole, size.value);
      camera.value = fit;
    },
    dispose() {
      gone = true;
      clearTimeout(resting);
      renderer?.dispose();
    },
  };
}
