import { contrastPicture } from "kindred/report";
import { COLOR_BITS, DIMMED, STATE_BITS, pointSize } from "../../plot/marks.ts";
import { fitted, toScreen } from "../../plot/camera.ts";
import { colorName, type Palette } from "../../plot/palette.ts";
import { clipped } from "../rows/cells.ts";
import { contrasts } from "../rows/contrast.ts";
import { GREY } from "../shown/colors.ts";
import {
  calledNames,
  clustered,
  codesOf,
  coloring,
  middles,
  partition,
  places,
  shortNames,
  stepNumber,
  type Partition,
} from "../shown/partition.ts";
import { solution, table } from "../known.ts";

const WIDTH = 900;
const HEIGHT = 620;
const LEGEND = 340;
const CAPTION = 46;
const LINE = 20;
/** Lines of the legend that fit beside the map. */
const LISTED = 28;
/** Pixels of the PNG for each of the SVG. */
const SHARP = 2;

/** The whole map as it is coloured on the page, with legend and caption, in the colours of the current theme. */
export function mapSvg(): string | undefined {
  const [shown, view, rows] = [partition.value, places.value, table.value];
  if (shown === undefined || view === undefined || rows === undefined) return undefined;
  const size = { width: WIDTH, height: HEIGHT };
  const camera = fitted(view.xy, size);
  const codes = codesOf(shown);
  const paths = new Map<number, string[]>();
  for (let i = 0; i < codes.length; i++) {
    const [x, y] = toScreen(camera, size, [view.xy[2 * i], view.xy[2 * i + 1]]);
    if (Number.isNaN(x + y)) continue;
    const look = (codes[i] & COLOR_BITS) | ((codes[i] & STATE_BITS) === DIMMED ? DIMMED : 0);
    const path = paths.get(look) ?? [];
    path.push(`M${x.toFixed(1)} ${y.toFixed(1)}h0`);
    paths.set(look, path);
  }
  const palette = coloring.value?.palette ?? "c";
  const points = [...paths].map(
    ([look, path]) =>
      `<path stroke="${colorOf(palette, look & COLOR_BITS)}" opacity="${look & DIMMED ? 0.15 : 0.85}" d="${path.join("")}"/>`,
  );
  const labels = middles.value.map(({ cluster, at }) => {
    const [x, y] = toScreen(camera, size, at);
    return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escaped(labelOf(cluster))}</text>`;
  });
  const trust = solution.value?.trust;
  const caption = [
    `${rows.source}: ${rows.rows.toLocaleString("en")} rows, ${shown.sizes.length} groups`,
    ...(trust === undefined || stepNumber.value !== undefined ? [] : [`how clear they are: ${trust.word}`]),
    view.axes.join(" · "),
  ];
  const [card, ink, soft] = ["--card", "--ink", "--soft"].map(themed);
  const whole = `${WIDTH + LEGEND} ${HEIGHT + CAPTION}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole}" width="${WIDTH + LEGEND}" height="${HEIGHT + CAPTION}" font-family="system-ui, sans-serif" font-size="14" fill="${ink}">
<rect width="100%" height="100%" fill="${card}"/>
<g stroke-width="${pointSize(codes.length)}" stroke-linecap="round">${points.join("\n")}</g>
<g font-weight="700" text-anchor="middle" stroke="${card}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">${labels.join("")}</g>
<g transform="translate(${WIDTH + 10} 30)">${legend(shown, palette)}</g>
<text x="20" y="${HEIGHT + CAPTION - 18}" fill="${soft}">${escaped(caption.join("; "))}</text>
</svg>
`;
}

/** A drawing below a title and a caption, in the colours of the current theme. */
function titled(title: string, caption: string, drawing: string, width: number, height: number): string {
  const [card, ink, soft] = ["--card", "--ink", "--soft"].map(themed);
  const [across, down] = [width + 40, height + 80];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${down}" width="${across}" height="${down}" font-family="system-ui, sans-serif" fill="${ink}" color="${ink}">
<rect width="100%" height="100%" fill="${card}"/>
<text x="20" y="28" font-size="14" font-weight="700">${escaped(title)}</text>
<text x="20" y="46" font-size="11" fill="${soft}">${escaped(caption)}</text>
<svg x="20" y="62" width="${width}" height="${height}">${drawing}</svg>
</svg>
`;
}

/** The columns of a cluster against the rest. */
export function cardSvg(k: number): string | undefined {
  const [shown, rows, found] = [clustered.value, table.value, contrasts.value];
  if (shown === undefined || rows === undefined || found?.of !== shown) return undefined;
  const slot = shown.slots[k];
  const color = themed(slot === GREY ? "--grey" : `--c${slot & COLOR_BITS}`);
  const { markup } = contrastPicture(found.columns[k], color);
  const [width, height] = /viewBox="0 0 (\d+) ([\d.]+)"/.exec(markup)!.slice(1).map(Number);
  const caption = `${shown.sizes[k].toLocaleString("en")} of ${rows.rows.toLocaleString("en")} rows of ${rows.source}; all others in grey`;
  return titled(labelOf(k), clipped(caption, 60), markup, width, height);
}

const BAR = 30;
const TALL = 120;

/** How well each number of clusters that was tried is supported. */
export function countsSvg(): string | undefined {
  const { path = [], sizes } = solution.value ?? {};
  const tried = path.filter(({ clusters }) => clusters > 1);
  if (tried.length < 2 || table.value === undefined) return undefined;
  const bars = tried.map(({ clusters, support }, at) => {
    const height = TALL * Math.min(1, Math.max(0.02, support));
    const color = themed(clusters === sizes?.length ? "--accent" : "--grey");
    return `<rect x="${at * BAR}" y="${TALL - height}" width="${BAR - 5}" height="${height}" fill="${color}"/><text x="${at * BAR + (BAR - 5) / 2}" y="${TALL + 16}" font-size="11" text-anchor="middle">${clusters}</text>`;
  });
  const caption = "Agreement of the best grouping into each with all plausible ones";
  return titled(
    `Numbers of clusters tried: ${table.value.source}`,
    caption,
    bars.join(""),
    Math.max(BAR * tried.length, 380),
    TALL + 22,
  );
}

/** A picture as pixels. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SHARP * image.naturalWidth;
  canvas.height = SHARP * image.naturalHeight;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) =>
        blob === null ? reject(new Error("the picture is too large for this browser")) : resolve(blob),
      "image/png",
    ),
  );
}

/** A colour and a name for each cluster, or for the values of the column that gives the colours. */
function legend({ sizes, slots }: Partition, palette: Palette): string {
  const painted = coloring.value;
  const lines =
    painted === undefined
      ? sizes.map((size, k) => ({ slot: slots[k], text: `${size.toLocaleString("en")}  ${nameOf(k)}` }))
      : painted.legend;
  const listed = lines
    .slice(0, LISTED)
    .map(
      ({ slot, text }, at) =>
        `<circle cx="6" cy="${at * LINE - 5}" r="5" fill="${colorOf(palette, slot & COLOR_BITS)}"/><text x="20" y="${at * LINE}">${escaped(clipped(text, 38))}</text>`,
    );
  const more = lines.length - LISTED;
  return `${listed.join("")}${more > 0 ? `<text x="20" y="${LISTED * LINE}">and ${more} more</text>` : ""}`;
}

function nameOf(cluster: number): string {
  return (stepNumber.value === undefined ? calledNames.value[cluster] : undefined) ?? `cluster ${cluster}`;
}

function labelOf(cluster: number): string {
  return clipped(shortNames.value[cluster]?.join(", ") ?? nameOf(cluster), 40);
}

function colorOf(palette: Palette, slot: number): string {
  return themed(colorName(palette, slot));
}

function themed(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
