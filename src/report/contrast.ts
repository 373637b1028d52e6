import { clipped, percent } from "../core/internal.ts";
import type { Column, Table } from "../data/index.ts";
import type { Profile } from "../model/index.ts";
import { cellWords } from "../model/internal.ts";
import { place } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";

/** The contents of a column among the rows of a cluster and among all other clusters, as shares of their rows. */
export interface Contrast {
  readonly name: string;
  /** Of each bin of numbers, or of each level. */
  readonly own: readonly number[];
  readonly rest: readonly number[];
  /** The ends of the numbers. */
  readonly ends?: readonly [string, string];
  /** The levels in which the cluster differs most. */
  readonly levels?: readonly string[];
}

const MOST_COLUMNS = 4;
const MOST_LEVELS = 4;
const BINS = 24;
/** Effects from which a column is drawn. */
const WORTH = 0.5;

/** For each cluster the columns that tell it from the rest, the most telling first. */
export function contrastsOf(
  { columns }: Pick<Table, "columns">,
  labels: ArrayLike<number>,
  profiles: readonly Pick<Profile, "differences">[],
): Contrast[][] {
  const known = new Map<string, Counts | undefined>();
  const countsNamed = (name: string): Counts | undefined => {
    const column = columns.find((one) => one.name === name);
    if (!known.has(name)) known.set(name, column && countsOf(column, labels, profiles.length));
    return known.get(name);
  };
  return profiles.map(({ differences }, k) => {
    const telling = differences.filter(({ effect }) => Math.abs(effect) >= WORTH);
    return [...new Set(telling.map(({ column }) => column))]
      .flatMap((name) => contrastOf(name, countsNamed(name), k) ?? [])
      .slice(0, MOST_COLUMNS);
  });
}

/** How often each cluster has each bin or level, one cluster after the other. */
interface Counts extends Pick<Contrast, "ends" | "levels"> {
  readonly width: number;
  readonly counts: Uint32Array;
}

function countsOf(column: Column, labels: ArrayLike<number>, clusters: number): Counts | undefined {
  const { values, codes, levels } = column;
  const counted = (width: number, at: (row: number) => number): Pick<Counts, "width" | "counts"> => {
    const counts = new Uint32Array(clusters * width);
    for (let i = 0; i < labels.length; i++) {
      const place = at(i);
      // A gap has no place.
      if (labels[i] >= 0 && place >= 0) counts[labels[i] * width + place]++;
    }
    return { width, counts };
  };
  if (levels !== undefined && codes !== undefined)
    return { ...counted(levels.length, (i) => codes[i]), levels };
  if (values === undefined) return undefined;
  let [low, high, whole] = [Infinity, -Infinity, true];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
    whole &&= Number.isInteger(value);
  }
  if (!(low < high)) return undefined;
  const bins = whole ? Math.min(BINS, high - low + 1) : BINS;
  const at = (i: number): number =>
    Number.isNaN(values[i]) ? -1 : Math.min(bins - 1, Math.floor((bins * (values[i] - low)) / (high - low)));
  return { ...counted(bins, at), ends: [cellWords(column, low), cellWords(column, high)] };
}

function contrastOf(name: string, found: Counts | undefined, k: number): Contrast | undefined {
  if (found === undefined) return undefined;
  const { width, counts, ends, levels } = found;
  const own = Array.from(counts.subarray(k * width, (k + 1) * width));
  const rest = own.map((count) => -count);
  for (let p = 0; p < counts.length; p++) rest[p % width] += counts[p];
  const shares = (list: readonly number[]): number[] => {
    const sum = list.reduce((total, count) => total + count, 0);
    return list.map((count) => count / Math.max(1, sum));
  };
  const [here, there] = [shares(own), shares(rest)];
  if (levels === undefined) return { name, own: here, rest: there, ends };
  const order = levels
    .map((_, level) => level)
    .sort((a, b) => Math.abs(here[b] - there[b]) - Math.abs(here[a] - there[a]) || a - b)
    .slice(0, MOST_LEVELS);
  const pick = <T>(list: readonly T[]): T[] => order.map((level) => list[level]);
  return { name, own: pick(here), rest: pick(there), levels: pick(levels) };
}

/** Units of the drawing: half of its width holds a histogram, a row of it a level. */
const WIDTH = 300;
const HALF = 142;
const ROW = 17;
const TALL = 30;
/** Letters of a name and of a level in half of the width, and in all of it; a longer level stands above its bars. */
const NAME = [22, 46];
const LEVEL = [9, 22];

/** The columns of one cluster, its rows in its colour before those of all others in grey, as one picture. */
export function contrastPicture(contrasts: readonly Contrast[], color: string): Markup {
  const drawn: Markup[] = [];
  let [x, y, tall] = [0, 0, 0];
  for (const one of contrasts) {
    const wide = one.levels?.some((level) => level.length > LEVEL[0]) === true;
    if (x > 0 && (wide || x + HALF > WIDTH)) [x, y, tall] = [0, y + tall, 0];
    const width = wide ? WIDTH : HALF;
    drawn.push(
      html`<g transform="translate(${x} ${y})">
        <text class="name" y="12">${clipped(one.name, NAME[Number(wide)])}</text>
        ${one.levels === undefined ? histogram(one, color) : bars(one, one.levels, width, color)}
      </g>`,
    );
    tall = Math.max(
      tall,
      26 + (one.levels === undefined ? TALL + 14 : rowOf(one.levels) * one.levels.length),
    );
    x += width + WIDTH - 2 * HALF;
  }
  const label = `the cluster against the rest: ${contrasts.map(inWords).join("; ")}`;
  return html`<svg
    class="map contrast"
    viewBox="0 0 ${WIDTH} ${y + tall}"
    role="img"
    font-size="11"
    fill="currentColor"
    aria-label="${label}"
  >
    ${drawn}
  </svg>`;
}

const GREY = raw('fill="#8b939e" fill-opacity="0.5"');

function histogram({ own, rest, ends }: Contrast, color: string): Markup {
  const most = Math.max(...own, ...rest);
  const step = HALF / own.length;
  const path = (shares: readonly number[], from: number, width: number): string =>
    shares
      .map((share, b) => {
        if (share === 0) return "";
        const height = place(Math.max(0.7, (TALL * share) / most));
        return `M${place((b + from) * step)} ${TALL}v-${height}h${place(width * step)}v${height}z`;
      })
      .join("");
  return html`<g transform="translate(0 18)">
    <path ${GREY} d="${path(rest, 0, 0.94)}" />
    <path fill="${color}" d="${path(own, 0.22, 0.5)}" />
    <text y="${TALL + 12}">${ends?.[0]}</text>
    <text x="${HALF}" y="${TALL + 12}" text-anchor="end">${ends?.[1]}</text>
  </g>`;
}

/** The height of a level. */
function rowOf(levels: readonly string[]): number {
  return levels.some((level) => level.length > LEVEL[1]) ? ROW + 14 : ROW;
}

function bars({ own, rest }: Contrast, levels: readonly string[], width: number, color: string): Markup {
  const down = rowOf(levels) - ROW;
  const [from, to] = [down > 0 ? 0 : width * 0.46, width - 40];
  const most = down > 0 ? NAME[1] : LEVEL[Number(width > HALF)];
  const bar = (share: number, y: number, look: Markup): Markup =>
    html`<rect
      x="${place(from)}"
      y="${y}"
      width="${place(Math.max(0.7, share * (to - from)))}"
      height="5"
      ${look}
    />`;
  return html`${levels.map(
    (level, at) =>
      html`<g transform="translate(0 ${18 + (ROW + down) * at})">
        <text y="11">${clipped(level, most)}<title>${level}</title></text>
        ${bar(own[at], down + 2, html`fill="${color}"`)} ${bar(rest[at], down + 8, GREY)}
        <text x="${width}" y="${down + 11}" text-anchor="end">${percent(own[at])}</text>
      </g>`,
  )}`;
}

function inWords({ name, own, rest, ends, levels }: Contrast): string {
  if (levels === undefined) return `${name} from ${ends?.[0]} to ${ends?.[1]}`;
  const shares = levels.map((level, at) => `${level} ${percent(own[at])}, of the rest ${percent(rest[at])}`);
  return `${name}: ${shares.join(", ")}`;
}
