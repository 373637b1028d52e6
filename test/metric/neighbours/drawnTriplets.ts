import { random } from "../../../src/core/index.ts";
import type { Triplet } from "../../../src/data/index.ts";
import { encodeLabels, type Labeling } from "../../../src/score/index.ts";

/** Triplets from class labels: the anchor is uniform over the rows whose class has a second member. */
export function drawnTriplets(labels: Labeling, options: { count: number; seed?: number }): Triplet[] {
  const stream = random(options.seed ?? 0);
  const { codes, classes } = encodeLabels(labels);
  const rows = classes.map((_, c) => [...codes.keys()].filter((i) => codes[i] === c));
  const known = rows.reduce((sum, group) => sum + group.length, 0);
  const anchors = codes.reduce<number[]>((list, code, i) => {
    if (code >= 0 && rows[code].length > 1) list.push(i);
    return list;
  }, []);
  return Array.from({ length: options.count }, () => {
    const anchor = anchors[stream.integer(anchors.length)];
    const own = rows[codes[anchor]];
    // Uniform over the others: the last row of the class replaces the anchor.
    let positive = own[stream.integer(own.length - 1)];
    if (positive === anchor) positive = own[own.length - 1];
    let other = stream.integer(known - own.length);
    let k = 0;
    for (; k === codes[anchor] || other >= rows[k].length; k++)
      if (k !== codes[anchor]) other -= rows[k].length;
    return [anchor, positive, rows[k][other]];
  });
}
