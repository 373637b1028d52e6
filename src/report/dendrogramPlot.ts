import type { Tree, TreeMerge } from "../method/index.ts";
import { linearAxis, logAxis, place, short } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";
import { clusterColor } from "./palette.ts";

/** Maximum number of drawn leaves; below them the tree is folded and a leaf gives its number of rows. */
const MOST_LEAVES = 60;

/** The last merges of a tree; branches within one cluster have its colour. */
export function dendrogramPlot({ merges, rows, height, log }: Tree, labels: ArrayLike<number>): Markup {
  const first = Math.max(0, merges.length - (MOST_LEAVES - 1));
  const drawn = merges.slice(first);
  const nodes = new Map<number, Node>();
  const only = onlyCluster(merges, rows, labels);
  const size = (name: number): number => (name < rows ? 1 : merges[name - rows].size);
  const children = new Set(drawn.flatMap(({ a, b }) => [a, b]));
  const roots = drawn.map((_, m) => rows + first + m).filter((name) => !children.has(name));
  const leaves: number[] = [];
  const visit = (name: number): void => {
    // An explicit stack: chains of single linkage are as deep as the number of leaves.
    const open = [name];
    while (open.length > 0) {
      const next = open.pop()!;
      if (next < rows + first) leaves.push(next);
      else open.push(merges[next - rows].b, merges[next - rows].a);
    }
  };
  roots.forEach(visit);
  const positive = drawn.map((merge) => merge.height).filter((value) => value > 0);
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  const useLog = log === true && positive.length > 0;
  const y = useLog
    ? logAxis(low / 1.2, high * 1.05, BOX.bottom, BOX.top)
    : linearAxis(0, Math.max(high, 1e-300), BOX.bottom, BOX.top, 0.03);
  const heightAt = (value: number): number => (useLog ? y.at(Math.max(value, low / 1.2)) : y.at(value));
  leaves.forEach((name, l) => {
    nodes.set(name, { x: BOX.left + ((l + 0.5) / leaves.length) * (BOX.right - BOX.left), y: BOX.bottom });
  });
  const branches = drawn.map(({ a, b, height: value }, m) => {
    const [left, right] = [nodes.get(a)!, nodes.get(b)!];
    const top = heightAt(value);
    const name = rows + first + m;
    nodes.set(name, { x: (left.x + right.x) / 2, y: top });
    const same = only[a] === only[b] && only[a] >= 0;
    const color = same ? clusterColor(only[a]) : "currentColor";
    const path = `M${place(left.x)} ${place(left.y)}V${place(top)}H${place(right.x)}V${place(right.y)}`;
    return html`<path stroke="${color}" d="${raw(path)}"
      ><title>${size(name)} rows at ${short(value)}</title></path
    >`;
  });
  const names = leaves.map((name) => {
    const { x } = nodes.get(name)!;
    const text = name < rows ? `${name}` : `(${size(name)})`;
    return html`<text
      x="${place(x + 3)}"
      y="${BOX.bottom + 8}"
      text-anchor="end"
      transform="rotate(-90 ${place(x + 3)} ${BOX.bottom + 8})"
      >${text}</text
    >`;
  });
  const ticks = y.ticks.map(
    (tick) =>
      html`<line
          class="grid"
          x1="${BOX.left}"
          x2="${BOX.right}"
          y1="${place(y.at(tick))}"
          y2="${place(y.at(tick))}"
        />
        <text x="${BOX.left - 6}" y="${place(y.at(tick) + 4)}" text-anchor="end">${y.label(tick)}</text>`,
  );
  return html`<svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="Dendrogram: which rows join at which ${height}"
    >
      <g class="axis">
        ${ticks}
        <text
          class="name"
          x="14"
          y="${HEIGHT / 2}"
          text-anchor="middle"
          transform="${raw(`rotate(-90 14 ${HEIGHT / 2})`)}"
        >
          ${height}
        </text>
      </g>
      <g class="tree">${branches}</g>
      <g class="leaves">${names}</g>
    </svg>
    ${
      first > 0
        ? html`<p class="note">
            The last ${drawn.length} of ${merges.length} merges; a number in brackets is a branch of that many
            rows.
          </p>`
        : undefined
    }`;
}

interface Node {
  readonly x: number;
  readonly y: number;
}

const WIDTH = 720;
const HEIGHT = 340;
const BOX = { left: 66, right: WIDTH - 10, top: 10, bottom: HEIGHT - 48 };

/** For every node the cluster of all its rows, or -1 if they differ. */
function onlyCluster(merges: readonly TreeMerge[], rows: number, labels: ArrayLike<number>): Int32Array {
  const of = new Int32Array(rows + merges.length);
  for (let i = 0; i < rows; i++) of[i] = labels[i];
  merges.forEach(({ a, b }, m) => {
    of[rows + m] = of[a] === of[b] ? of[a] : -1;
  });
  return of;
}
