import { expect, test } from "vitest";
import { compare } from "../../src/run/compare/compare.ts";
import { matrix } from "../../src/matrix/index.ts";
import { random } from "../../src/core/random.ts";
import { comparePage } from "../../src/report/index.ts";

const source = random(1);
const n = 60;
// Three groups along a line, twenty times as long as it is wide.
const X = matrix(
  n,
  2,
  Float64Array.from({ length: 2 * n }, (_, p) =>
    p % 2 === 0 ? 20 * (Math.floor(p / 2) % 3) + source.normal() : source.normal(),
  ),
);

test("a panel for each distinct partition, the rows that differ ringed, one unit as long on both axes", async () => {
  const comparison = await compare(X, { clusters: 4, methods: ["kmeans", "single", "complete"] });
  expect(comparison.partitions.length).toBeGreaterThan(1);
  const commands = comparison.partitions.map(({ use }) => use.call);
  const page = comparePage({ comparison, commands, X, names: ["a", "b"], version: "0" });
  const panels = page
    .split('<div class="pair">')[1]
    .split("<section>")
    .slice(1, comparison.partitions.length + 1);
  panels.forEach((panel, p) => {
    expect(panel.match(/class="ring"/g)?.length ?? 0).toBe(comparison.partitions[p].differs?.rows ?? 0);
  });
  // The places of the rows, in the order of the marks: by cluster, then by row.
  const { labels } = comparison.partitions[0];
  const order = Array.from({ length: n }, (_, i) => i).toSorted((i, j) => labels[i] - labels[j] || i - j);
  const places = Array.from(
    panels[0].matchAll(/<path d="M([-\d.]+) ([-\d.]+)[^>]*><title>row/g),
    ([, x, y]) => [Number(x), Number(y)],
  );
  expect(places).toHaveLength(n);
  const [i, j] = [order[0], order[n - 1]];
  const across = (places[n - 1][0] - places[0][0]) / (X.data[2 * j] - X.data[2 * i]);
  const ys = order.map((row, q) => ({ at: places[q][1], value: X.data[2 * row + 1] }));
  const top = ys.reduce((a, b) => (b.value > a.value ? b : a));
  const bottom = ys.reduce((a, b) => (b.value < a.value ? b : a));
  expect((bottom.at - top.at) / (top.value - bottom.value)).toBeCloseTo(across, 0);
  expect(page).toContain(comparison.recommendation.profiles[0].words);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test("rows that are too many numbers to draw: the tables alone", async () => {
  const comparison = await compare(X, { clusters: 2, methods: ["kmeans"] });
  const page = comparePage({ comparison, commands: ["kindred cluster x"], names: ["a", "b"], version: "0" });
  expect(page).toContain("kindred cluster x");
  expect(page).not.toContain("The rows in the plane");
});
