import { kmeans } from "kindred/cluster";
import { ccml } from "kindred/convex";
import { encodeLabels } from "kindred/score";
import { gaussianMixtureOutliers, listData, namedData, scale } from "kindred/data";
import { isSparse, type Matrix, symmetricEigen } from "kindred/matrix";
import { heatPanel, type Panel, panelsSvg, pointsFrom } from "../panelsSvg.ts";
import { OUTLIERS } from "./outlierRepetition.ts";

export interface Picture {
  readonly name: string;
  readonly svg: string;
}

/**
 * Figures 2.1, 4.1, 4.7 and 4.8 of Sui (2018): k-means on iris, the three Gaussians, and the metric B that CCML learns with its
 * eigenvalues. Figure 4.8 has seeds and wine, where they are there, without image, on which CCML takes minutes.
 */
export async function convexPictures(folder: string | undefined): Promise<Picture[]> {
  const iris = await table("iris", folder);
  const species = encodeLabels(iris.classes).codes;
  const petals: [number, number] = [2, 3];
  const { perClass, separation, outlierDeviation, clusters } = OUTLIERS;
  const drawn = { perClass, separation, outlierDeviation, seed: 1 };
  const clean = gaussianMixtureOutliers({ ...drawn, outliers: 0, permute: false });
  const noisy = gaussianMixtureOutliers({ ...drawn, outliers: 7, permute: false });
  const known = new Set((await listData(folder === undefined ? {} : { folder })).map(({ name }) => name));
  const sets: Panel[] = [];
  for (const name of ["seeds", "wine"].filter((set) => known.has(set))) {
    const { X } = await table(name, folder);
    sets.push(...metricPanels(`${name}, z-scored`, scale(X, "zscore").X, clusters));
  }
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
    {
      name: "figure-4.7.svg",
      svg: panelsSvg("The metric of CCML on three Gaussians and 7 outlier features", [
        ...metricPanels("raw", noisy.X, clusters),
        ...metricPanels("z-scored", scale(noisy.X, "zscore").X, clusters),
      ]),
    },
    ...(sets.length === 0 ? [] : [{ name: "figure-4.8.svg", svg: panelsSvg("The metric of CCML", sets) }]),
  ];
}

/** B, and its eigenvalues in falling order, as shares of the largest. */
function metricPanels(title: string, X: Matrix, clusters: number): Panel[] {
  const { metric } = ccml(X, { clusters, rebuildGraph: true, iterations: OUTLIERS.rebuiltIterations });
  const { values } = symmetricEigen(metric.matrix);
  const points = Array.from(values, (value, r) => ({ x: r, y: value / values[0], group: 0 }));
  return [heatPanel(`B, ${title}`, metric.matrix), { title: "its eigenvalues", points }];
}

async function table(
  name: string,
  folder: string | undefined,
): Promise<{ X: Matrix; classes: readonly string[] }> {
  const { X, label } = await namedData(name, folder === undefined || name === "iris" ? {} : { folder });
  if (isSparse(X)) throw new Error(`${name} is sparse`);
  return { X, classes: label!.values };
}
