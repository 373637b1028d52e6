import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { twoMoons } from "kindred/data";
import { matrix, toRows } from "kindred/matrix";
import { convexPictures } from "../../reproduction/convex/convexPictures.ts";
import { moonsPictures } from "../../reproduction/cpd-uml/moonsPictures.ts";
import { categoriesSvg, segmentsSvg } from "../../reproduction/mlca/mlcaPictures.ts";
import { heatPanel, panelsSvg } from "../../reproduction/panelsSvg.ts";

const PANEL = /<g transform/g;
const count = (svg: string, what: RegExp): number => svg.match(what)?.length ?? 0;

test("panels hold their points, arrows and cells", () => {
  const points = [
    { x: 0, y: 0, group: 0 },
    { x: 2, y: 1, group: 1 },
  ];
  const svg = panelsSvg("two", [
    { title: "a", points, moved: [points[1], points[0]] },
    heatPanel("b", matrix(2, 2, Float64Array.of(1, -1, 0, 0.5))),
  ]);
  expect(count(svg, PANEL)).toBe(2);
  // The first point is at the lower left, the second at the upper right, and each moves to the other.
  expect(svg).toContain('d="M6.0 194.0L194.0 6.0M194.0 6.0L6.0 194.0"');
  expect(["#f00", "#00f", "#fff", "#f88"].every((one) => svg.includes(one))).toBe(true);
  expect(svg).not.toMatch(/NaN|undefined/);
});

test("figures of MLCA, CPD-UML and convex clustering", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kindred-moons-"));
  const { X, labels } = twoMoons({ seed: 1 });
  const lines = toRows(X).map((row, i) => [...row, labels[i]].join());
  writeFileSync(join(folder, "moons.csv"), ["x,y,class", ...lines, ""].join("\n"));
  const entry = { name: "two-moons", file: "moons.csv", rows: X.rows, features: 2, n_classes: 2 };
  writeFileSync(join(folder, "index.json"), JSON.stringify({ datasets: [entry] }));
  const drift = await moonsPictures(folder);
  rmSync(folder, { recursive: true });
  const convex = await convexPictures(undefined);
  const found = [
    ["figure 2", categoriesSvg(), 4],
    ["figure 3", segmentsSvg(), 12],
    ...drift.map(({ name, svg }, i) => [name, svg, [4, 8][i]]),
    ...convex.map(({ name, svg }) => [name, svg, count(svg, PANEL)]),
  ] as [string, string, number][];
  for (const [name, svg, panels] of found) {
    expect([name, count(svg, PANEL)]).toEqual([name, panels]);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  }
  expect(convex.map(({ name }) => name)).toEqual([
    "figure-2.1.svg",
    "figure-4.1.svg",
    "figure-4.7.svg",
    "figure-4.8.svg",
  ]);
});
