import { computed, type ReadonlySignal } from "@preact/signals";
import type { Point } from "../../plot/camera.ts";
import { CHOSEN_FIRST, CHOSEN_SECOND, DIMMED, STATE_BITS } from "../../plot/marks.ts";
import type { Placed } from "../../plot/livePlot.ts";
import { cellText, type Column } from "kindred/data";
import type { Solution, View } from "../../protocol.ts";
import { inside } from "../rows/browsed.ts";
import { columnColors, type ColumnColors } from "./columnColors.ts";
import { GREY, pathSlots, slotsOf } from "./colors.ts";
import { settings } from "../history.ts";
import { matchClusters } from "kindred/score";
import { first, highlighted, onlyDiffering, second } from "../rows/selection.ts";
import { MODEL } from "../settings.ts";
import { layout, path, pinned, placed, preview, solution, table } from "../known.ts";

/**
 * The content of the plot: positions, groups and colours of the rows, for the clustering or for a step along
 * the path.
 */
export interface Partition {
  /** -1: in no cluster. */
  readonly labels: ArrayLike<number>;
  readonly sizes: readonly number[];
  readonly names: readonly string[];
  /** The colour of each cluster. */
  readonly slots: readonly number[];
  /** The size of each row relative to the usual size, in sixteenths. */
  readonly weights?: Uint8Array;
}

let shown: { solution: Solution; slots: number[] } | undefined;

/** The clustering with colours that follow those of the one before it. */
export const clustered: ReadonlySignal<Partition | undefined> = computed(() => {
  const found = solution.value;
  if (found === undefined) return undefined;
  if (shown?.solution !== found) {
    const { slots } = settings.peek();
    // After a reload the address has the colours.
    const kept = slots?.length === found.sizes.length ? { labels: found.labels, slots } : undefined;
    const before = shown === undefined ? kept : { labels: shown.solution.labels, slots: shown.slots };
    shown = { solution: found, slots: slotsOf(found.labels, found.sizes.length, before) };
  }
  return {
    labels: found.labels,
    sizes: found.sizes,
    names: clusterNames(found.sizes.length),
    slots: shown.slots,
  };
});

/** The names of the clusters: given by hand, or suggested. */
export const calledNames: ReadonlySignal<readonly string[]> = computed(() =>
  (solution.value?.names ?? []).map((suggested, k) => settings.value.names[k] || suggested),
);

/**
 * The lines of each cluster's label: the name given, or as many parts of the suggested one as tell it from the others, without
 * what stands in brackets.
 */
export const shortNames: ReadonlySignal<readonly (readonly string[])[]> = computed(() => {
  const parts = (solution.value?.names ?? []).map((name) => name.replaceAll(BRACKETS, "").split(", "));
  return parts.map((own, k) => {
    const given = settings.value.names[k];
    if (given) return [given];
    const alone = parts.every((other, at) => at === k || other[0] !== own[0]);
    return own.slice(0, alone ? 1 : 2);
  });
});

/** An explanation or a unit after a word; the number that tells equal names apart stays. */
const BRACKETS = / \((?!\d+\))[^()]*\)/g;

const colored = computed(() => (path.value === undefined ? undefined : pathSlots(path.value.steps)));

/** The step of the path that is shown: the one whose gamma is nearest to that of the settings. */
export const stepNumber: ReadonlySignal<number | undefined> = computed(() => {
  const { gamma } = settings.value;
  const steps = path.value?.steps;
  if (gamma === undefined || steps === undefined) return undefined;
  let best = 0;
  for (const [s, step] of steps.entries()) {
    if (Math.abs(step.gamma - gamma) <= Math.abs(steps[best].gamma - gamma)) best = s;
  }
  return best;
});

/** The groups on the screen. */
export const partition: ReadonlySignal<Partition | undefined> = computed(() => {
  const at = stepNumber.value;
  if (at === undefined || path.value === undefined) return clustered.value ?? unclustered.value;
  const { labels, clusters } = path.value.steps[at];
  const sizes: number[] = Array.from({ length: clusters }, () => 0);
  const slots: number[] = Array.from({ length: clusters }, () => GREY);
  const rows = colored.value![at];
  for (let i = 0; i < labels.length; i++) {
    sizes[labels[i]]++;
    slots[labels[i]] = rows[i];
  }
  // Fused rows are one point, whose size grows with their number.
  const weights = Uint8Array.from(labels, (label) => Math.min(64, 5 * (Math.sqrt(sizes[label]) - 1)));
  return { labels, sizes, names: clusterNames(clusters), slots, weights };
});

/** One grey group, while there is no clustering yet. */
const unclustered = computed((): Partition | undefined => {
  const rows = table.value?.rows;
  if (rows === undefined || preview.value === undefined) return undefined;
  return { labels: new Uint8Array(rows), sizes: [rows], names: ["not yet known"], slots: [GREY] };
});

/** The other partition: a pinned clustering or the known classes. */
export const other: ReadonlySignal<Partition | undefined> = computed(() => {
  const shownNow = clustered.value;
  if (shownNow === undefined || settings.value.pinned === undefined) return undefined;
  if (settings.value.pinned === "classes") return classes.value;
  const model = placed.value;
  const found =
    typeof settings.value.pinned === "object"
      ? pinned.value
      : settings.value.pinned === MODEL + model?.name && model?.key === table.value?.key
        ? model
        : undefined;
  if (found === undefined) return undefined;
  return {
    labels: found.labels,
    sizes: found.sizes,
    names: clusterNames(found.sizes.length),
    slots: slotsOf(found.labels, found.sizes.length, shownNow),
  };
});

/** The colours of the column that the points are coloured by. */
export const coloring: ReadonlySignal<ColumnColors | undefined> = computed(() => {
  const column = columnNamed(settings.value.color);
  return column && columnColors(column, table.value?.rows ?? 0);
});

/** 1 for each row in another cluster, after matching clusters by their overlap. */
export function differing(labels: ArrayLike<number>, others: ArrayLike<number>): Uint8Array {
  const same = new Map(
    matchClusters(labels, others).map((pair) => [Number(pair.cluster), Number(pair.class)] as const),
  );
  return Uint8Array.from({ length: labels.length }, (_, i) =>
    Number((same.get(labels[i]) ?? -2) !== others[i]),
  );
}

/** Rows in another cluster of the pinned partition, if only these are shown. */
const elsewhere = computed(() => {
  const [a, b] = [other.value, clustered.value];
  if (!onlyDiffering.value || a === undefined || b === undefined) return undefined;
  return differing(a.labels, b.labels);
});

/** The known class of each row, "" where it is not known. */
export const knownClasses: ReadonlySignal<readonly string[] | undefined> = computed(() => {
  const column = columnNamed(table.value?.label);
  const rows = table.value?.rows ?? 0;
  return column && Array.from({ length: rows }, (_, i) => cellText(column, i));
});

/** The known classes as groups. */
export const classes: ReadonlySignal<Partition | undefined> = computed(() => {
  const values = knownClasses.value;
  if (values === undefined) return undefined;
  const names = [...new Set(values)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const place = new Map(names.map((name, k) => [name, k]));
  const labels = Int32Array.from(values, (value) => place.get(value)!);
  const sizes = names.map(() => 0);
  for (const label of labels) sizes[label]++;
  return { labels, sizes, names, slots: slotsOf(labels, names.length, clustered.value) };
});

/**
 * The rows by two of their columns, each in standard deviations; rows with a missing cell have no position.
 */
const columnsView = computed((): View | undefined => {
  const { view, axes } = settings.value;
  const rows = table.value?.rows ?? 0;
  if (view !== "columns" || axes === undefined) return undefined;
  const [a, b] = axes.map((name) => columnNamed(name));
  if (a === undefined || b === undefined) return undefined;
  const [x, y] = [spreadOf(a, rows), spreadOf(b, rows)];
  const xy = new Float32Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    xy[2 * i] = x[i];
    xy[2 * i + 1] = y[i];
  }
  return {
    xy,
    axes: [`${a.name} across${levelsOf(a)}`, `${b.name} up${levelsOf(b)} · each in its standard deviations`],
  };
});

const LISTED = 8;

/** Levels in the order that they lie in, from the left or from below. */
function levelsOf({ levels = [] }: Column): string {
  if (levels.length === 0) return "";
  return levels.length <= LISTED ? ` (${levels.join(", ")})` : ` (${levels[0]} to ${levels.at(-1)})`;
}

function spreadOf({ values, codes }: Column, rows: number): Float64Array {
  // Levels lie side by side with a small spread, so rows do not coincide.
  const own =
    values ??
    Float64Array.from({ length: rows }, (_, i) =>
      codes === undefined || codes[i] < 0 ? Number.NaN : codes[i] + 0.5 * (((i * 0.618034) % 1) - 0.5),
    );
  let [mean, squares, count] = [0, 0, 0];
  for (const value of own) {
    if (Number.isNaN(value)) continue;
    const from = value - mean;
    mean += from / ++count;
    squares += from * (value - mean);
  }
  const unit = Math.sqrt(squares / Math.max(1, count)) || 1;
  return own.map((value) => (value - mean) / unit);
}

/** The positions of the rows, and the view for the camera. */
export const places: ReadonlySignal<(View & Placed) | undefined> = computed(() => {
  const at = stepNumber.value;
  if (at !== undefined && path.value !== undefined) {
    const { steps, axes } = path.value;
    return { xy: steps[at].xy, axes, whole: steps[0].xy, origin: steps[0].xy };
  }
  const found = solution.value;
  const before = preview.value?.view;
  if (found === undefined) return before && { ...before, whole: before.xy };
  const view =
    columnsView.value ??
    (settings.value.view === "layout" ? layout.value : undefined) ??
    (settings.value.view === "plain" ? undefined : found.learned) ??
    found.plain;
  return { ...view, whole: view.xy };
});

/** Number of clusters above which labels would hide the points. */
const MOST_LABELS = 60;

/**
 * The centre of each cluster, where its label is drawn, and the radius that holds half of its rows; the
 * largest first.
 */
export const middles: ReadonlySignal<readonly Middle[]> = computed(() => {
  const [shown, xy] = [clustered.value, places.value?.xy];
  if (shown === undefined || xy === undefined || stepNumber.value !== undefined) return [];
  const { labels, sizes } = shown;
  if (sizes.length < 2 || sizes.length > MOST_LABELS) return [];
  const step = Math.max(1, Math.floor(labels.length / 50_000));
  const xs: number[][] = sizes.map(() => []);
  const ys: number[][] = sizes.map(() => []);
  for (let i = 0; i < labels.length; i += step) {
    if (labels[i] < 0 || Number.isNaN(xy[2 * i] + xy[2 * i + 1])) continue;
    xs[labels[i]].push(xy[2 * i]);
    ys[labels[i]].push(xy[2 * i + 1]);
  }
  const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
  return [...sizes.keys()]
    .filter((k) => xs[k].length > 0)
    .sort((a, b) => sizes[b] - sizes[a] || a - b)
    .map((cluster) => {
      const at = [median(xs[cluster]), median(ys[cluster])] as const;
      return { cluster, at, reach: median(ys[cluster].map((y) => Math.abs(y - at[1]))) };
    });
});

interface Middle {
  readonly cluster: number;
  readonly at: Point;
  readonly reach: number;
}

/** Colours and marks of the rows, one byte each. */
export function codesOf({ labels, slots }: Partition): Uint8Array {
  const codes = new Uint8Array(labels.length);
  const only = highlighted.value;
  const part = inside.value;
  const differ = elsewhere.value;
  const painted = coloring.value?.slots;
  for (let i = 0; i < codes.length; i++) {
    codes[i] = painted?.[i] ?? (labels[i] < 0 ? GREY : slots[labels[i]]);
    if (only !== undefined && labels[i] !== only) codes[i] |= DIMMED;
    if (part !== undefined && part[i] === 0) codes[i] |= DIMMED;
    if (differ !== undefined && differ[i] === 0) codes[i] |= DIMMED;
  }
  for (const i of first.value) codes[i] = (codes[i] & ~STATE_BITS) | CHOSEN_FIRST;
  for (const i of second.value) codes[i] = (codes[i] & ~STATE_BITS) | CHOSEN_SECOND;
  return codes;
}

function clusterNames(count: number): string[] {
  return Array.from({ length: count }, (_, k) => String(k));
}

/** The colour of a row's cluster; grey where it is in none. */
export function slotOf({ labels, slots }: Partition, row: number): number {
  return labels[row] < 0 ? GREY : slots[labels[row]];
}

/** "cluster 2", or "no cluster". */
export function clusterOf({ labels, names }: Partition, row: number): string {
  return labels[row] < 0 ? "no cluster" : `cluster ${names[labels[row]]}`;
}

export function columnNamed(name: string | undefined): Column | undefined {
  return name === undefined ? undefined : table.value?.columns.find((column) => column.name === name);
}

/** The name of a row: its id, or its number. */
export function rowName(row: number): string {
  const ids = columnNamed(table.value?.id);
  return (ids && cellText(ids, row)) || `row ${row}`;
}
