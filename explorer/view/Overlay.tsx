import { useComputed, type ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Pair } from "kindred/data";
import { settings } from "../app/history.ts";
import { nearestKin } from "../app/kin.ts";
import { partition, places } from "../app/partition.ts";
import { focused, hovered } from "../app/selection.ts";
import { method, solution, table } from "../app/known.ts";
import { toScreen, type Point, type Size } from "../plot/camera.ts";
import { camera } from "../app/view.ts";
import { dotSize, hoverText } from "./Scatter.tsx";

/** Hints beyond which lines would only hide the points. */
const MOST_LINES = 400;
const KIN = 5;

/** Lines and rings over the points: hints, the row that is looked at with its kin, the outline being drawn. */
export function Overlay({
  size,
  outline,
}: {
  readonly size: ReadonlySignal<Size>;
  readonly outline: ReadonlySignal<readonly Point[]>;
}): JSX.Element {
  const kin = useComputed(() => {
    const row = focused.value;
    if (row === undefined || solution.value === undefined || table.value === undefined) return [];
    return nearestKin(row, KIN, solution.value, table.value);
  });
  const xy = places.value?.xy;
  const { width, height } = size.value;
  if (xy === undefined || width === 0) return <svg class="overlay" aria-hidden="true" />;
  const at = (row: number): Point => toScreen(camera.value, size.value, [xy[2 * row], xy[2 * row + 1]]);
  const lines = (pairs: readonly Pair[], kind: string): JSX.Element[] =>
    pairs.slice(0, MOST_LINES).map(([i, j]) => {
      const [a, b] = [at(i), at(j)];
      return <line key={`${kind}${i}-${j}`} class={kind} x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} />;
    });
  const { same, different } = settings.value;
  const hints = method.value?.pairs !== "no";
  const row = focused.value;
  const over = hovered.value;
  const r = dotSize() / 2 + 4;
  return (
    <svg class="overlay" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {hints && lines(same, "same")}
      {hints && lines(different, "different")}
      {row !== undefined &&
        lines(
          kin.value.map((one): Pair => [row, one.row]),
          "kin",
        )}
      {row !== undefined && <Ring at={at(row)} r={r + 1} kind="focused" />}
      {over !== undefined && <Ring at={at(over)} r={r} kind="hovered" />}
      {outline.value.length > 1 && (
        <polygon class="outline" points={outline.value.map(([x, y]) => `${x},${y}`).join(" ")} />
      )}
      {over !== undefined && partition.value !== undefined && (
        <Tip at={at(over)} width={width} text={hoverText(over, partition.value)} />
      )}
    </svg>
  );
}

function Ring({
  at,
  r,
  kind,
}: {
  readonly at: Point;
  readonly r: number;
  readonly kind: string;
}): JSX.Element {
  return <circle class={`ring ${kind}`} cx={at[0]} cy={at[1]} r={r} />;
}

function Tip({
  at,
  width,
  text,
}: {
  readonly at: Point;
  readonly width: number;
  readonly text: string;
}): JSX.Element {
  const long = 6.6 * text.length + 20;
  const left = Math.min(Math.max(6, at[0] + 12), Math.max(6, width - long - 6));
  return (
    <g class="tip" transform={`translate(${left} ${Math.max(6, at[1] - 38)})`}>
      <rect width={long} height="26" rx="6" />
      <text x="10" y="17.5">
        {text}
      </text>
    </g>
  );
}
