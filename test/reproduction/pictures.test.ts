import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random } from "kindred";
import { twoMoons } from "kindred/data";
import { matrix, pseudoInverse, toRows } from "kindred/matrix";
import { convexPictures } from "../../reproduction/convex/convexPictures.ts";
import { moonsPictures } from "../../reproduction/cpd-uml/moonsPictures.ts";
import { fisherValues } from "../../reproduction/convex/fisherValues.ts";
import { minimumCut } from "../../reproduction/convex/minimumCut.ts";
import { categoriesSvg, segmentsSvg } from "../../reproduction/mlca/mlcaPictures.ts";
import { heatPanel, panelsSvg } from "../../reproduction/panelsSvg.ts";

const PANEL = /<g transform="translate/g;
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
    "figure-2.2.svg",
    "figure-4.1.svg",
    "figure-4.6.svg",
    "figure-4.7.svg",
    "figure-4.8.svg",
    "figure-4.9.svg",
  ]);
}, 240_000);

test("the minimum cut is the least of all cuts", () => {
  for (let seed = 0; seed < 20; seed++) {
    const draw = random(seed);
    const n = 7;
    const W = matrix(n, n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) W.data[i * n + j] = W.data[j * n + i] = draw.uniform();
    }
    const value = (inside: (i: number) => boolean): number =>
      W.data.reduce((sum, w, p) => sum + (inside(Math.floor(p / n)) && !inside(p % n) ? w : 0), 0);
    let least = Infinity;
    for (let mask = 1; mask < 2 ** (n - 1); mask++)
      least = Math.min(
        least,
        value((i) => ((mask >> i) & 1) === 1),
      );
    const cut = minimumCut(W);
    expect(cut.value).toBeCloseTo(least, 12);
    expect(value((i) => cut.side.includes(i))).toBeCloseTo(least, 12);
  }
});

test("Fisher's eigenvalues: as many above 0 as clusters less one, and their sum is tr(S_W^-1 S_B)", () => {
  const draw = random(5);
  const [n, d, K] = [60, 4, 3];
  const X = matrix(n, d);
  for (let p = 0; p < n * d; p++) X.data[p] = draw.normal() + (p % d === 0 ? Math.floor(p / d) % K : 0);
  const labels = Int32Array.from({ length: n }, (_, i) => i % K);
  const values = fisherValues(X, labels);
  expect(values.filter((value) => value > 1e-10)).toHaveLength(K - 1);
  const mean = (rows: readonly number[], f: number): number =>
    rows.reduce((sum, i) => sum + X.data[i * d + f], 0) / rows.length;
  const every = Array.from({ length: n }, (_, i) => i);
  const [S, B] = [matrix(d, d), matrix(d, d)];
  for (let c = 0; c < K; c++) {
    const own = every.filter((i) => labels[i] === c);
    for (let f = 0; f < d; f++) {
      for (let g = 0; g < d; g++) {
        B.data[f * d + g] += (mean(own, f) - mean(every, f)) * (mean(own, g) - mean(every, g));
        for (const i of own) {
          S.data[f * d + g] += (X.data[i * d + f] - mean(own, f)) * (X.data[i * d + g] - mean(own, g));
        }
      }
    }
  }
  const { inverse } = pseudoInverse(S);
  const trace = inverse.data.reduce(
    (sum, value, p) => sum + value * B.data[(p % d) * d + Math.floor(p / d)],
    0,
  );
  expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(trace, 10);
});
