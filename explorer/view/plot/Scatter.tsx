import { signal, useSignalEffect, type ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  clusterOf,
  codesOf,
  coloring,
  knownClasses,
  partition,
  places,
  rowName,
  type Partition,
} from "../../app/shown/partition.ts";
import { theme } from "../../app/theme.ts";
import { focused, hovered, toggle } from "../../app/rows/selection.ts";
import { table } from "../../app/known.ts";
import { camera, lassoGroup, tool } from "../../app/shown/view.ts";
import { toPlane, zoomed, type Point, type Size } from "../../plot/camera.ts";
import { nearestPoint } from "../../plot/find.ts";
import type { LivePlot } from "../../plot/livePlot.ts";
import { pointSize } from "../../plot/marks.ts";
import { createGestures } from "./gestures.ts";
import { Overlay } from "./Overlay.tsx";
import { plotKey } from "./plotKeys.ts";

const REACH = 14;

/** The rows as points in the plane, to view, select and mark. */
export function Scatter({
  shown,
  title,
}: {
  readonly shown: ReadonlySignal<Partition | undefined>;
  readonly title: string;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useRef(signal<Size>({ width: 0, height: 0 })).current;
  const outline = useRef(signal<readonly Point[]>([])).current;
  // Its code is loaded with the first points.
  const plot = useRef(signal<LivePlot | undefined>(undefined)).current;
  const drawn = useRef(signal(camera.peek())).current;

  useEffect(() => {
    const element = box.current!;
    const overlay = (): SVGElement | null => element.querySelector("svg.overlay");
    const parts = { canvas: canvas.current!, overlay, size, camera, drawn };
    let gone = false;
    void import("../../plot/livePlot.ts").then(({ createLivePlot }) => {
      if (!gone) plot.value = createLivePlot(parts);
    });
    const observer = new ResizeObserver(() => {
      const { width, height } = element.getBoundingClientRect();
      // It is being removed.
      if (width === 0 || height === 0) return;
      const before = size.value;
      const other =
        Math.abs(width - before.width) > 0.1 * width || Math.abs(height - before.height) > 0.1 * height;
      size.value = { width, height };
      if (other) plot.value?.fit();
    });
    observer.observe(element);
    return () => {
      gone = true;
      observer.disconnect();
      plot.value?.dispose();
    };
  }, []);
  useSignalEffect(() => plot.value?.move(places.value));
  useSignalEffect(() => {
    if (shown.value !== undefined) plot.value?.paint(codesOf(shown.value), shown.value.weights);
  });
  useSignalEffect(() => {
    void theme.value;
    plot.value?.recolor(coloring.value?.palette ?? "c");
  });
  useSignalEffect(() => {
    void camera.value;
    void size.value;
    plot.value?.redraw();
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
      aria-label={`${title}. Arrow keys move from point to point, Enter selects, S and D mark, question mark shows help.`}
      tabIndex={0}
      onKeyDown={(event) => plotKey(event, size.value, () => plot.value?.fit())}
      onPointerDown={(event) => {
        box.current!.setPointerCapture(event.pointerId);
        plot.value?.hold(true);
        gestures.down(event.pointerId, at(event));
      }}
      onPointerMove={(event) => {
        if (gestures.move(event.pointerId, at(event))) return;
        if (event.pointerType === "mouse") hovered.value = hit(event);
      }}
      onPointerUp={(event) => {
        plot.value?.hold(false);
        if (gestures.up(event.pointerId, event.shiftKey ? "second" : lassoGroup.value)) return;
        const row = hit(event);
        if (row !== undefined && (event.shiftKey || event.ctrlKey || event.metaKey))
          toggle(row, lassoGroup.value);
        else focused.value = row;
      }}
      onPointerCancel={(event) => {
        plot.value?.hold(false);
        gestures.up(event.pointerId, "first");
      }}
      onPointerLeave={() => (hovered.value = undefined)}
      onWheel={(event) => {
        event.preventDefault();
        camera.value = zoomed(camera.value, size.value, Math.exp(-event.deltaY * 0.0015), at(event));
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <Overlay size={size} camera={drawn} outline={outline} own={shown === partition} />
      <div class="plot-title" aria-hidden="true">
        {title}
      </div>
    </div>
  );
}

/** The text that follows the pointer. */
export function hoverText(row: number, shown: Partition): string {
  const known = knownClasses.value;
  const name = `${rowName(row)}: ${clusterOf(shown, row)}`;
  return known === undefined ? name : `${name}, ${table.value?.label} ${known[row] || "unknown"}`;
}

export function dotSize(): number {
  return pointSize(table.value?.rows ?? 0);
}
