import { signal, useSignalEffect, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { codesOf, places, rowName, theme, type Partition } from "../app/partition.ts";
import { focused, hovered, select, toggle, type Group } from "../app/selection.ts";
import { announcement, table } from "../app/session.ts";
import { fitted, panned, toPlane, zoomed, type Camera, type Point, type Size } from "../plot/camera.ts";
import { insideOutline, nearestPoint } from "../plot/find.ts";
import { themeColors } from "../plot/palette.ts";
import { pointSize } from "../plot/marks.ts";
import type { Renderer } from "../plot/renderer.ts";
import { Overlay } from "./Overlay.tsx";
import { plotKey } from "./plotKeys.ts";

/** Shared by plots side by side. */
export const camera = signal<Camera>({ x: 0, y: 0, zoom: 1 });
export const tool = signal<"move" | "lasso">("move");
export const lassoGroup = signal<Group>("first");
/** For measurements: how the points are drawn. */
export const drawnBy = signal<Renderer["kind"] | undefined>(undefined);

const MOVE_MS = 450;
const REACH = 14;

/** The rows as points in the plane, to look at, pick and mark. */
export function Scatter({
  shown,
  title,
}: {
  readonly shown: Signal<Partition | undefined> | { readonly value: Partition | undefined };
  readonly title: string;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useRef(signal<Size>({ width: 0, height: 0 })).current;
  const outline = useRef(signal<readonly Point[]>([])).current;
  const plot = useRef<Plot>(undefined);

  useEffect(() => {
    const element = box.current!;
    plot.current = createPlot(canvas.current!, size);
    const observer = new ResizeObserver(() => {
      const { width, height } = element.getBoundingClientRect();
      const first = size.value.width === 0;
      size.value = { width, height };
      if (first) plot.current?.fit();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.dispose();
    };
  }, []);
  useSignalEffect(() => plot.current?.move(places.value));
  useSignalEffect(() => {
    if (shown.value !== undefined) plot.current?.paint(codesOf(shown.value));
  });
  useSignalEffect(() => {
    void theme.value;
    plot.current?.recolor();
  });
  useSignalEffect(() => {
    void camera.value;
    void size.value;
    plot.current?.redraw();
  });

  const at = (event: MouseEvent): Point => {
    const { left, top } = box.current!.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const hit = (event: MouseEvent): number | undefined => {
    const xy = places.value?.xy;
    if (xy === undefined) return undefined;
    return nearestPoint(xy, toPlane(camera.value, size.value, at(event)), REACH / camera.value.zoom);
  };
  const gestures = useRef(createGestures(size, outline)).current;

  return (
    <div
      ref={box}
      class={`plot ${tool.value}`}
      role="application"
      aria-roledescription="scatter plot"
      aria-label={`${title}. Arrow keys go from point to point, Enter picks, S and D mark, question mark explains.`}
      tabIndex={0}
      onKeyDown={(event) => plotKey(event, size.value, () => plot.current?.fit())}
      onPointerDown={(event) => {
        box.current!.setPointerCapture(event.pointerId);
        gestures.down(event.pointerId, at(event));
      }}
      onPointerMove={(event) => {
        if (gestures.move(event.pointerId, at(event))) return;
        if (event.pointerType === "mouse") hovered.value = hit(event);
      }}
      onPointerUp={(event) => {
        if (gestures.up(event.pointerId, event.shiftKey ? "second" : lassoGroup.value)) return;
        const row = hit(event);
        if (row !== undefined && (event.shiftKey || event.ctrlKey || event.metaKey))
          toggle(row, lassoGroup.value);
        else focused.value = row;
      }}
      onPointerCancel={(event) => gestures.up(event.pointerId, "first")}
      onPointerLeave={() => (hovered.value = undefined)}
      onWheel={(event) => {
        event.preventDefault();
        camera.value = zoomed(camera.value, size.value, Math.exp(-event.deltaY * 0.0015), at(event));
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <Overlay size={size} outline={outline} />
      <div class="plot-title" aria-hidden="true">
        {title}
      </div>
    </div>
  );
}

interface Plot {
  move(to: typeof places.value): void;
  paint(codes: Uint8Array): void;
  recolor(): void;
  redraw(): void;
  fit(): void;
  dispose(): void;
}

/** The renderer with its clock: it comes with a chunk of its own, and what is set before it arrives is kept. */
function createPlot(canvas: HTMLCanvasElement, size: Signal<Size>): Plot {
  let renderer: Renderer | undefined;
  let now: typeof places.value;
  let origin: Float32Array = new Float32Array(0);
  let codes: Uint8Array = new Uint8Array(0);
  let began = -Infinity;
  let frame = 0;
  let gone = false;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const mixAt = (time: number): number => {
    const part = Math.min(1, Math.max(0, (time - began) / MOVE_MS));
    return part * part * (3 - 2 * part);
  };
  const redraw = (): void => {
    if (frame !== 0) return;
    frame = requestAnimationFrame((time) => {
      frame = 0;
      if (renderer === undefined || size.value.width === 0) return;
      const mix = mixAt(time);
      renderer.draw(camera.value, size.value, mix);
      if (mix < 1) redraw();
    });
  };
  const recolor = (): void => {
    renderer?.colors(themeColors(canvas));
    redraw();
  };
  const place = (): void => {
    if (now === undefined || renderer === undefined) return;
    renderer.place(origin.length === now.xy.length ? origin : now.xy, now.xy);
    if (codes.length === now.xy.length / 2) renderer.paint(codes);
    redraw();
  };
  void import("../plot/renderer.ts").then(async ({ createRenderer }) => {
    const made = await createRenderer(canvas);
    if (gone) return made.dispose();
    renderer = made;
    drawnBy.value = made.kind;
    recolor();
    place();
  });

  return {
    move(to) {
      if (to === undefined) return;
      const before = now;
      const mix = mixAt(performance.now());
      if (before !== undefined && before.xy.length === to.xy.length && before !== to && !still) {
        const from = origin.length === to.xy.length ? origin : before.xy;
        origin = before.xy.map((value, p) => from[p] + (value - from[p]) * mix);
        began = performance.now();
      } else {
        origin = to.xy;
        began = -Infinity;
      }
      now = to;
      if (before?.whole !== to.whole && size.value.width > 0) camera.value = fitted(to.whole, size.value);
      place();
    },
    paint(next) {
      codes = next;
      place();
    },
    recolor,
    redraw,
    fit() {
      if (now !== undefined) camera.value = fitted(now.whole, size.value);
    },
    dispose() {
      gone = true;
      cancelAnimationFrame(frame);
      renderer?.dispose();
    },
  };
}

/** Dragging, pinching and drawing an outline; each method says whether the event was one of these. */
function createGestures(
  size: Signal<Size>,
  outline: Signal<readonly Point[]>,
): {
  down(pointer: number, at: Point): void;
  move(pointer: number, at: Point): boolean;
  up(pointer: number, group: Group): boolean;
} {
  const pointers = new Map<number, Point>();
  let travelled = 0;
  return {
    down(pointer, at) {
      if (pointers.size === 0) travelled = 0;
      pointers.set(pointer, at);
      if (tool.value === "lasso") outline.value = [at];
    },
    move(pointer, at) {
      const before = pointers.get(pointer);
      if (before === undefined) return false;
      pointers.set(pointer, at);
      travelled += Math.hypot(at[0] - before[0], at[1] - before[1]);
      if (tool.value === "lasso" && pointers.size === 1) {
        outline.value = [...outline.value, at];
        return true;
      }
      const others = [...pointers].filter(([id]) => id !== pointer);
      if (others.length === 0) camera.value = panned(camera.value, at[0] - before[0], at[1] - before[1]);
      else {
        const [, held] = others[0];
        const span = (point: Point): number => Math.hypot(point[0] - held[0], point[1] - held[1]) || 1;
        camera.value = zoomed(camera.value, size.value, span(at) / span(before), held);
      }
      return true;
    },
    up(pointer, group) {
      const known = pointers.delete(pointer);
      const drawn = outline.value;
      outline.value = [];
      if (!known || travelled < 5) return false;
      const xy = places.value?.xy;
      if (tool.value === "lasso" && drawn.length > 2 && xy !== undefined) {
        const rows = insideOutline(
          xy,
          drawn.map((point) => toPlane(camera.value, size.value, point)),
        );
        select(rows, group);
        announcement.value = `${rows.length} rows in ${group === "first" ? "group 1" : "group 2"}.`;
      }
      return true;
    },
  };
}

/** The text that follows the pointer. */
export function hoverText(row: number, { labels, names }: Partition): string {
  const known = table.value?.label;
  const cluster = `cluster ${names[labels[row]]}`;
  return known === undefined
    ? `${rowName(row)}: ${cluster}`
    : `${rowName(row)}: ${cluster}, ${known.name} ${known.values[row] || "unknown"}`;
}

export function dotSize(): number {
  return pointSize(table.value?.rows ?? 0);
}
