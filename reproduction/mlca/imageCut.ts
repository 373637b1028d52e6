import { normalizedCutGraph } from "kindred/cluster";
import { edgeList } from "kindred/graph";
import type { LabelledImage } from "./segmentation.ts";

/**
 * Normalised cuts of an image, with nothing learned (J. Shi and J. Malik 2000, (11)): pixels within a radius of each other
 * are joined by
 *
 *     w_ij = exp(-||F_i - F_j||^2 / s_F^2) exp(-||p_i - p_j||^2 / s_X^2) ,
 *
 * F the colour of a pixel (here of its neighbourhood, because the images are textured), p its place; s_F is a share of
 * the range of ||F_i - F_j||, as the text has it. The graph is cut in two until there are K parts.
 */
export function imageCut(
  { width, height, X }: Pick<LabelledImage, "width" | "height" | "X">,
  clusters: number,
): Int32Array {
  const color = (p: number): Float64Array => X.data.subarray(p * X.cols + COLORS, p * X.cols + COLORS + 3);
  const apart = (p: number, q: number): number => {
    const [a, b] = [color(p), color(q)];
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  const pairs: { from: number; to: number; away: number; unlike: number }[] = [];
  let range = 0;
  for (let p = 0; p < width * height; p++) {
    const [x, y] = [p % width, Math.floor(p / width)];
    for (let v = y; v <= Math.min(height - 1, y + RADIUS); v++) {
      for (let u = Math.max(0, x - RADIUS); u <= Math.min(width - 1, x + RADIUS); u++) {
        const [q, away] = [v * width + u, Math.hypot(u - x, v - y)];
        if (q <= p || away > RADIUS) continue;
        const unlike = apart(p, q);
        range = Math.max(range, unlike);
        pairs.push({ from: p, to: q, away, unlike });
      }
    }
  }
  const scale = SHARE * range || 1;
  const graph = edgeList(
    width * height,
    pairs.map(({ from, to }) => [from, to] as const),
    pairs.map(({ away, unlike }) => Math.exp(-((unlike / scale) ** 2) - (away / NEAR) ** 2)),
  );
  return normalizedCutGraph(graph, { clusters }).labels;
}

/** The first of the three columns of the colour nearby. */
const COLORS = 4;
const RADIUS = 5;
const NEAR = 4;
const SHARE = 0.15;
