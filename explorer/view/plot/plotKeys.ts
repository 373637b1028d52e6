import { canMarkDifferent, canMarkSame, markDifferent, markSame } from "../../app/hints/hints.ts";
import { partition, places, stepNumber } from "../../app/shown/partition.ts";
import { clearSelection, focused, toggle } from "../../app/rows/selection.ts";
import { announcement, path } from "../../app/known.ts";
import { change } from "../../app/history.ts";
import { countText, stopsOf } from "../../app/solve/pathStops.ts";
import { panned, toScreen, zoomed, type Point, type Size } from "../../plot/camera.ts";
import { nextPoint } from "../../plot/find.ts";
import { camera, lassoGroup } from "../../app/shown/view.ts";
import { hoverText } from "./Scatter.tsx";

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export function plotKey(event: KeyboardEvent, size: Size, fit: () => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const middle: Point = [size.width / 2, size.height / 2];
  const keys: Readonly<Record<string, () => void>> = {
    Enter: () => pick(event.shiftKey),
    " ": () => pick(event.shiftKey),
    s: () => (canMarkSame() ? markSame() : refuse("Choose at least two points first: Enter picks one.")),
    d: () =>
      canMarkDifferent()
        ? markDifferent()
        : refuse("Choose two points, or two groups: Enter picks for group 1, Shift + Enter for group 2."),
    "[": () => alongPath(-1),
    "]": () => alongPath(1),
    "+": () => (camera.value = zoomed(camera.value, size, 1.25, middle)),
    "=": () => (camera.value = zoomed(camera.value, size, 1.25, middle)),
    "-": () => (camera.value = zoomed(camera.value, size, 0.8, middle)),
    "0": fit,
    Escape: clearSelection,
  };
  const direction = DIRECTIONS[event.key];
  const action =
    direction === undefined ? (keys[event.key.toLowerCase()] ?? keys[event.key]) : () => go(direction, size);
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function alongPath(steps: number): void {
  const at = stepNumber.value;
  const known = path.value?.steps;
  if (at === undefined || known === undefined) return;
  const stops = stopsOf(path.value!);
  const now = stops.findLastIndex((stop) => stop <= at);
  const next = stops[Math.min(stops.length - 1, Math.max(0, now + steps))];
  change({ gamma: known[next].gamma }, "path");
  announcement.value = `${countText(known[next].labels)}.`;
}

function go(direction: Point, size: Size): void {
  const xy = places.value?.xy;
  if (xy === undefined) return;
  const next = focused.value === undefined ? 0 : nextPoint(xy, focused.value, direction);
  if (next === undefined) return;
  focused.value = next;
  const [x, y] = toScreen(camera.value, size, [xy[2 * next], xy[2 * next + 1]]);
  const beyond = (place: number, most: number): number =>
    place < 0 ? 40 - place : place > most ? most - place - 40 : 0;
  camera.value = panned(camera.value, beyond(x, size.width), beyond(y, size.height));
  if (partition.value !== undefined) announcement.value = hoverText(next, partition.value);
}

function pick(second: boolean): void {
  const row = focused.value;
  if (row === undefined) return refuse("Go to a point with the arrow keys first.");
  toggle(row, second ? "second" : lassoGroup.value);
}

function refuse(text: string): void {
  announcement.value = text;
}
