import type { Signal } from "@preact/signals";
import { putInto } from "../../app/hints/hints.ts";
import { partition, places, stepNumber } from "../../app/shown/partition.ts";
import { select, type Group } from "../../app/rows/selection.ts";
import { announcement } from "../../app/known.ts";
import { camera, tool } from "../../app/shown/view.ts";
import { panned, toPlane, zoomed, type Point, type Size } from "../../plot/camera.ts";
import { insideOutline, nearestPoint } from "../../plot/find.ts";

export interface Gestures {
  down(pointer: number, at: Point): void;
  move(pointer: number, at: Point): boolean;
  up(pointer: number, group: Group): boolean;
}

const REACH = 16;

/** The row belongs to the cluster of the row that it was dropped on. */
function drop(row: number, onto: number | undefined): void {
  const labels = partition.value?.labels;
  const cluster = onto === undefined ? -1 : (labels?.[onto] ?? -1);
  if (cluster < 0 || stepNumber.value !== undefined) {
    announcement.value = "Drop it on a point of its cluster.";
    return;
  }
  putInto([row], cluster);
}

/** Dragging, pinching and drawing an outline; each method says whether the event was one of these. */
export function createGestures(size: Signal<Size>, outline: Signal<readonly Point[]>): Gestures {
  const pointers = new Map<number, Point>();
  let travelled = 0;
  /** The row that is being dragged to its cluster. */
  let carried: number | undefined;
  const rowAt = (at: Point): number | undefined => {
    const xy = places.value?.xy;
    return xy && nearestPoint(xy, toPlane(camera.value, size.value, at), REACH / camera.value.zoom);
  };
  return {
    down(pointer, at) {
      if (pointers.size === 0) travelled = 0;
      pointers.set(pointer, at);
      if (tool.value === "lasso") outline.value = [at];
      if (tool.value === "put") {
        carried = rowAt(at);
        if (carried !== undefined) outline.value = [at];
      }
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
      if (tool.value === "put" && carried !== undefined) {
        outline.value = [outline.value[0], at];
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
      const put = carried;
      carried = undefined;
      if (put !== undefined && drawn.length === 2 && travelled >= 5) {
        drop(put, rowAt(drawn[1]));
        return true;
      }
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
