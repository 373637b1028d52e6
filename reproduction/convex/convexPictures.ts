import { random } from "kindred";
import { kmeans, normalizedCutGraph } from "kindred/cluster";
import { cc, ccml, ccscml, type LearnedMetric, rcc, solveRcc } from "kindred/convex";
import { encodeLabels } from "kindred/score";
import { gaussianMixtureOutliers, listData, scale } from "kindred/data";
import { type Matrix, matrix, squaredDistances, symmetricEigen } from "kindred/matrix";
import { COLORS, type Curve, curvesSvg } from "../curvesSvg.ts";
import { type ClassedSet, classedSet, where } from "../knownSets.ts";
import { heatPanel, type Panel, panelsSvg, pointsFrom } from "../panelsSvg.ts";
import type { Picture } from "../runReproduction.ts";
import { DATA, type SetName, SETS } from "./convexTables.ts";
import { fisherValues } from "./fisherValues.ts";
import { minimumCut } from "./minimumCut.ts";
import { OUTLIERS } from "./outlierRepetition.ts";

/**
 * Figures 2.1, 2.2, 4.1 and 4.6 to 4.9 of Sui (2018): k-means on iris, two kinds of cut, the three Gaussians, CPU time by
 * rounds, the metric B that CCML learns with its eigenvalues, and those of Fisher's directions. Sets that are not there are
 * left out. Figure 4.8 has seeds and wine, raw and scaled, without image, on which CCML takes minutes.
 */
export async function convexPictures(folder: string | undefined): Promise<Picture[]> {
  const iris = await table("iris", folder);
  const species = encodeLabels(iris.truth).codes;
  const petals: [number, number] = [2, 3];
  const { perClass, separation, outlierDeviation, clusters } = OUTLIERS;
  const drawn = { perClass, separation, outlierDeviation, seed: 1 };
  const clean = gaussianMixtureOutliers({ ...drawn, outliers: 0, permute: false });
  const noisy = gaussianMixtureOutliers({ ...drawn, outliers: 7, permute: false });
  const sets: Panel[] = [];
  for (const { set, title, matrix: B } of await learnedMetrics(folder))
    sets.push(...metricPanels(`${set}, ${title}`, B));
  const fisher = (await fisherShares(folder)).map(({ title, shares }): Panel => {
    return { title, points: Array.from(shares, (y, x) => ({ x, y, group: 0 })) };
  });
  return [
    {
      name: "figure-2.1.svg",
      svg: panelsSvg("Petals of iris", [
        { title: "species", points: pointsFrom(iris.X, species, petals) },
        {
          title: "k-means",
          points: pointsFrom(iris.X, kmeans(iris.X, { clusters: 3, seed: 1 }).labels, petals),
        },
      ]),
    },
    { name: "figure-2.2.svg", svg: cutsSvg() },
    {
      name: "figure-4.1.svg",
      svg: panelsSvg(
        "Three Gaussians",
        (
          [
            [0, 1],
            [0, 2],
            [1, 2],
          ] as [number, number][]
        ).map((axes) => ({
          title: `columns ${axes[0] + 1} and ${axes[1] + 1}`,
          points: pointsFrom(clean.X, clean.labels, axes),
        })),
      ),
    },
    { name: "figure-4.6.svg", svg: secondsSvg(noisy.X, clusters) },
    {
      name: "figure-4.7.svg",
      svg: panelsSvg("The metric of CCML on three Gaussians and 7 outlier features", [
        ...metricPanels("raw", learned(noisy.X, clusters).matrix),
        ...metricPanels("z-scored", learned(scale(noisy.X, "zscore").X, clusters).matrix),
      ]),
    },
    ...(sets.length === 0 ? [] : [{ name: "figure-4.8.svg", svg: panelsSvg("The metric of CCML", sets, 4) }]),
    ...(fisher.length === 0
      ? []
      : [{ name: "figure-4.9.svg", svg: panelsSvg("Eigenvalues of Fisher's directions", fisher) }]),
  ];
}

/** Two clouds and a row far from both: the minimum cut of exp(-d^2 / 2) takes this row, the normalised one parts the clouds. */
function cutsSvg(): string {
  const draw = random(1);
  const X = matrix(41, 2);
  for (let i = 0; i < 40; i++) X.data.set([draw.normal() / 2 + (i % 2) * 2.2, draw.normal() / 2], 2 * i);
  X.data.set([2.2, 3.2], 80);
  const D = squaredDistances(X, X);
  const W = matrix(
    41,
    41,
    D.data.map((square, p) => (p % 42 === 0 ? 0 : Math.exp(-square / 2))),
  );
  const { side } = minimumCut(W);
  const cut = Int32Array.from({ length: 41 }, (_, i) => Number(side.includes(i)));
  return panelsSvg("Cuts in two", [
    { title: "minimum cut", points: pointsFrom(X, cut) },
    { title: "normalised cut", points: pointsFrom(X, normalizedCutGraph(W, { clusters: 2 }).labels) },
  ]);
}

/** CPU seconds of fits with 1, 2, ... rounds, after one fit that lets the engine compile them. */
function secondsSvg(X: Matrix, clusters: number): string {
  const rounds = Array.from({ length: OUTLIERS.convergence.iterations }, (_, t) => t + 1);
  const common = { clusters, scale: "none" } as const;
  const robust = rcc(X, common);
  const methods: [string, string, (iterations: number) => unknown][] = [
    [
      "RCC",
      COLORS.orange,
      (maxIterations) => solveRcc({ X, graph: robust.graph, norm: 1 }, { ...robust, maxIterations }),
    ],
    ["CCML", COLORS.vermilion, (iterations) => ccml(X, { ...common, iterations })],
    ["CCML, rebuilt", COLORS.purple, (iterations) => ccml(X, { ...common, iterations, rebuildGraph: true })],
    ["CCSCML", COLORS.blue, (iterations) => ccscml(X, { ...common, iterations })],
  ];
  const lines = methods.map(([name, color, fit]): Curve => {
    fit(1);
    const points = rounds.map((x) => {
      const before = process.cpuUsage();
      fit(x);
      const { user, system } = process.cpuUsage(before);
      return { x, mean: (user + system) / 1e6, deviation: 0, count: 1 };
    });
    return { name, color, points };
  });
  const most = Math.ceil(Math.max(...lines.flatMap(({ points }) => points.map(({ mean }) => mean))));
  return curvesSvg({
    title: "CPU seconds by rounds, three Gaussians and 7 outlier features",
    xTitle: "rounds",
    yTitle: "CPU seconds",
    x: { from: 1, to: rounds.length, ticks: rounds },
    y: { from: 0, to: most, ticks: [0, most / 2, most], digits: 1 },
    lines,
  });
}

/**
 * Figure 4.9: the first ten eigenvalues of Fisher's directions as shares of the largest, of the classes and of clusters of CC, of
 * the sets that are there. The ridge is that of CCSCML: two of the four sets have a singular S_W.
 */
export async function fisherShares(folder: string | undefined) {
  const known = new Set((await listData(where(folder))).map(({ name }) => name));
  const found: { set: SetName; title: string; shares: Float64Array }[] = [];
  for (const set of SETS.filter((one) => known.has(DATA[one].data))) {
    const { X, truth } = await table(DATA[set].data, folder);
    const rows = scale(X, "zscore").X;
    const add = (title: string, labels: ArrayLike<number>): void => {
      const values = fisherValues(rows, labels, 0.1).subarray(0, 10);
      found.push({
        set,
        title: `${set}, ${title}`,
        shares: values.map((value) => Math.max(0, value) / values[0]),
      });
    };
    add("classes", encodeLabels(truth).codes);
    if (set === "seeds" || set === "wine") {
      add("clusters of CC", cc(rows, { clusters: DATA[set].clusters, scale: "none" }).labels);
    }
  }
  return found;
}

/** Figure 4.8: the metrics that CCML learns on real data, raw and scaled, with the share of each feature. */
export async function learnedMetrics(folder: string | undefined) {
  const known = new Set((await listData(where(folder))).map(({ name }) => name));
  const found = [];
  for (const set of (["seeds", "wine"] as const).filter((name) => known.has(name))) {
    const { X } = await table(set, folder);
    for (const [title, kind] of [
      ["raw", "none"],
      ["z-scored", "zscore"],
    ] as const) {
      const { matrix: B, relevance } = learned(scale(X, kind).X, OUTLIERS.clusters);
      found.push({ set, title, matrix: B, relevance });
    }
  }
  return found;
}

function learned(X: Matrix, clusters: number): LearnedMetric {
  return ccml(X, { clusters, rebuildGraph: true, iterations: OUTLIERS.rebuiltIterations }).metric;
}

/** B, and its eigenvalues in falling order, as shares of the largest. */
function metricPanels(title: string, B: Matrix): Panel[] {
  const { values } = symmetricEigen(B);
  const points = Array.from(values, (value, r) => ({ x: r, y: value / values[0], group: 0 }));
  return [heatPanel(`B, ${title}`, B), { title: "its eigenvalues", points }];
}

function table(name: string, folder: string | undefined): Promise<ClassedSet> {
  return classedSet(name, name === "iris" ? undefined : folder);
}
