import { useComputed, type ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Pair } from "kindred/data";
import { settings } from "../../app/history.ts";
import { nearestKin } from "../../app/rows/kin.ts";
import { density } from "../../app/shown/density.ts";
import { middles, partition, places, shortNames, stepNumber } from "../../app/shown/partition.ts";
import { focused, hovered } from "../../app/rows/selection.ts";
import { solution, takesHints } from "../../app/known.ts";
import { toScreen, type Camera, type Point, type Size } from "../../plot/camera.ts";
import type { Statement } from "../../protocol.ts";
import { clipped, rowWords } from "../../app/rows/cells.ts";
import { dotSize, hoverText } from "./Scatter.tsx";

/** Number of hints above which lines would hide the points. */
const MOST_LINES = 400;
const MOST_SAID = 60;
const MOST_ARMS = 60;
const KIN = 5;

/**
 * Lines and rings over the points: hints, the row in focus with its nearest rows, the outline being drawn.
 */
export function Overlay({
  size,
  camera,
  outline,
  own,
}: {
  /** The plot of the clustering itself. */
  readonly own: boolean;
  readonly size: ReadonlySignal<Size>;
  /** The camera that draws the points. */
  readonly camera: ReadonlySignal<Camera>;
  readonly outline: ReadonlySignal<readonly Point[]>;
}): JSX.Element {
  const kin = useComputed(() => {
    const row = focused.value;
    if (row === undefined || solution.value === undefined) return [];
    return nearestKin(row, KIN, solution.value);
  });
  const xy = places.value?.xy;
  const { width, height } = size.value;
  if (xy === undefined || width === 0) return <svg class="overlay" aria-hidden="true" />;
  const at = (row: number): Point => toScreen(camera.value, size.value, [xy[2 * row], xy[2 * row + 1]]);
  // An address may mention rows that the table does not have.
  const drawn = (row: number): boolean => 2 * row + 1 < xy.length;
  const lines = (pairs: readonly Pair[], kind: string): JSX.Element[] =>
    pairs
      .filter((pair) => pair.every(drawn))
      .slice(0, MOST_LINES)
      .map(([i, j]) => {
        const [a, b] = [at(i), at(j)];
        return <line key={`${kind}${i}-${j}`} class={kind} x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} />;
      });
  const { same, different, statements } = settings.value;
  const hints = takesHints.value;
  const row = focused.value;
  const over = hovered.value;
  const r = dotSize() / 2 + 4;
  return (
    <svg class="overlay" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <Density camera={camera.value} size={size.value} />
      {own && <Labels camera={camera.value} size={size.value} />}
      {hints && lines(same, "same")}
      {hints && lines(different, "different")}
      {row !== undefined &&
        lines(
          kin.value.map((one): Pair => [row, one.row]),
          "kin",
        )}
      {row !== undefined && <Ring at={at(row)} r={r + 1} kind="focused" />}
      {over !== undefined && <Ring at={at(over)} r={r} kind="hovered" />}
      {hints &&
        statements
          .filter((said) => [...said.rows, ...(said.kind === "apart" ? said.others : [])].every(drawn))
          .slice(0, MOST_SAID)
          .map((said, s) => <Said key={`said${s}`} said={said} at={at} />)}
      {outline.value.length === 2 && (
        <line
          class="same"
          x1={outline.value[0][0]}
          y1={outline.value[0][1]}
          x2={outline.value[1][0]}
          y2={outline.value[1][1]}
        />
      )}
      {outline.value.length > 2 && (
        <polygon class="outline" points={outline.value.map(([x, y]) => `${x},${y}`).join(" ")} />
      )}
      {over !== undefined && partition.value !== undefined && (
        <Tip
          at={at(over)}
          width={width}
          height={height}
          lines={[hoverText(over, partition.value), ...rowWords(over)]}
        />
      )}
    </svg>
  );
}

interface Seen {
  readonly camera: Camera;
  readonly size: Size;
}

/** Lines of equal density: moved with the points, not redrawn. */
function Density({ camera, size }: Seen): JSX.Element | null {
  const lines = useComputed(() =>
    density.value.map(({ share, lines: own }) => ({
      share,
      d: own
        .map((line) => `M${line.map((point) => point.map((part) => part.toPrecision(4))).join("L")}`)
        .join(""),
    })),
  );
  if (lines.value.length === 0) return null;
  const { zoom } = camera;
  const [x, y] = toScreen(camera, size, [0, 0]);
  return (
    <g class="density" transform={`translate(${x} ${y}) scale(${zoom} ${-zoom})`}>
      {lines.value.map(({ share, d }) => (
        <path key={share} d={d} vector-effect="non-scaling-stroke" />
      ))}
    </g>
  );
}

/** Pixels of a letter and of a line of the labels. */
const LETTER = 7.2;
const LINE = 15;
const LONGEST = 22;
const LINES = 3;
/** Where a label may stand, in lines from its place: nearest first, wider than high as labels are. */
const SHIFTS: readonly Point[] = [
  [0, 0],
  ...Array.from({ length: 10 }, (_, ring) => ring + 1).flatMap((ring) =>
    Array.from({ length: 12 }, (_, part): Point => {
      const angle = (Math.PI * (part - 3)) / 6;
      return [2.2 * ring * Math.cos(angle), ring * Math.sin(angle)];
    }),
  ),
];

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly half: number;
  readonly tall: number;
}

/**
 * The clusters by their names. A name that would hide another label moves, and a thin line leads to its cluster; if
 * there is no room anywhere near, the number stands for it.
 */
function Labels({ camera, size: { width, height } }: Seen): JSX.Element {
  const taken: Placed[] = [];
  const room = (x: number, y: number, lines: readonly string[]): boolean => {
    const half = (LETTER * Math.max(...lines.map(({ length }) => length))) / 2 + 3;
    const tall = (LINE * lines.length) / 2;
    if (x < half || x > width - half || y < tall || y > height - tall) return false;
    if (taken.some((one) => Math.abs(one.x - x) < one.half + half && Math.abs(one.y - y) < one.tall + tall))
      return false;
    taken.push({ x, y, half, tall });
    return true;
  };
  // On the path clusters have no names.
  const names = stepNumber.value === undefined ? shortNames.value : [];
  return (
    <>
      {middles.value.map(({ cluster, at, reach }) => {
        const [x, middle] = toScreen(camera, { width, height }, at);
        if (x < 0 || x > width || middle < 0 || middle > height) return null;
        const high = 3 * reach * camera.zoom;
        // A label would hide a small cluster: it stands above.
        const y = high < LINE ? middle - high - LINE / 2 - 3 : middle;
        const words = (names[cluster] ?? []).flatMap(wrapped).slice(0, LINES);
        for (const lines of words.length === 0 ? [[String(cluster)]] : [words, [String(cluster)]]) {
          const shift = SHIFTS.find(([right, down]) => room(x + right * LINE, y + down * LINE, lines));
          if (shift === undefined) continue;
          const [left, top] = [x + shift[0] * LINE, y + shift[1] * LINE];
          return (
            <g key={cluster}>
              {shift !== SHIFTS[0] && <line class="leader" x1={left} y1={top} x2={x} y2={middle} />}
              {lines.map((line, at) => (
                <text
                  key={line}
                  class="cluster-label"
                  x={left}
                  y={top + 4 + (at - (lines.length - 1) / 2) * LINE}
                  text-anchor="middle"
                >
                  {line}
                </text>
              ))}
            </g>
          );
        }
        return null;
      })}
    </>
  );
}

/** Lines of whole words; only a word that is longer than a line is cut. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= LONGEST) lines[lines.length - 1] = longer;
    else lines.push(clipped(word, LONGEST));
  }
  return lines;
}

/** Rows that belong together are joined to their centre; two groups that do not are joined by one line. */
function Said({ said, at }: { readonly said: Statement; readonly at: (row: number) => Point }): JSX.Element {
  const middle = (rows: readonly number[]): Point => {
    const places = rows.map(at);
    return [mean(places.map(([x]) => x)), mean(places.map(([, y]) => y))];
  };
  const from = middle(said.rows);
  if (said.kind === "apart") {
    const to = middle(said.others);
    return (
      <>
        <Ring at={from} r={5} kind="different" />
        <Ring at={to} r={5} kind="different" />
        <line class="different" x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} />
      </>
    );
  }
  return (
    <>
      {said.rows.slice(0, MOST_ARMS).map((row) => {
        const to = at(row);
        return <line key={row} class="same" x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} />;
      })}
    </>
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
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

/** The row under its usual name. */
function Tip({
  at,
  width,
  height,
  lines,
}: {
  readonly at: Point;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
}): JSX.Element {
  const long = 6.9 * Math.max(...lines.map((line) => line.length)) + 20;
  const tall = 17 * lines.length + 10;
  const left = Math.min(Math.max(6, at[0] + 12), Math.max(6, width - long - 6));
  const above = at[1] - tall - 12;
  const top = above >= 6 ? above : Math.max(6, Math.min(at[1] + 14, height - tall - 6));
  return (
    <g class="tip" transform={`translate(${left} ${top})`}>
      <rect width={long} height={tall} rx="6" />
      {lines.map((line, l) => (
        // eslint-disable-next-line react/no-array-index-key
        <text key={l} class={l === 0 ? "" : "cell"} x="10" y={18 + 17 * l}>
          {line}
        </text>
      ))}
    </g>
  );
}
