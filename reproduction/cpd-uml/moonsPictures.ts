import { kmeans } from "kindred/cluster";
import { cpdUml, kernelPca } from "kindred/embed";
import { accuracy } from "kindred/score";
import { classedSet } from "../knownSets.ts";
import { panelsSvg, pointsFrom } from "../panelsSvg.ts";
import type { Picture } from "../runReproduction.ts";
import { MOONS, widthFits } from "./cpdUmlMoons.ts";

/** Figures 1 and 2 of the text as pictures, on the rows of its two moons. */
export async function moonsPictures(folder: string | undefined): Promise<Picture[]> {
  const { X, truth } = await classedSet("two-moons", folder);
  const rate = (labels: Int32Array): string => `${(100 * accuracy(labels, truth)).toFixed(1)} %`;
  const plain = kmeans(X, { clusters: 2 }).labels;
  // The one cell of the text's grid that has 99 %.
  const fit = cpdUml(X, { clusters: 2, sigma: 1, lambda: 100, center: false });
  const { points, moved } = fit.field;
  const found = fit.alternationLabels;
  const first = panelsSvg("Two moons by k-means and by CPD-UML, and the field that moves the rows", [
    { title: `(a) k-means, ${rate(plain)}`, points: pointsFrom(X, plain) },
    { title: `(b) CPD-UML, ${rate(found)}`, points: pointsFrom(X, found) },
    { title: "(c) the field", points: pointsFrom(points, found), moved: pointsFrom(moved, found) },
    { title: "(d) the moved rows", points: pointsFrom(moved, found) },
  ]);
  const panels = MOONS.widths.map((width) => {
    const { embedding: Z } = kernelPca(X, { sigma: width, dims: Math.min(100, X.rows - 1) });
    const best = widthFits(Z)
      .map((labels) => ({ labels, value: accuracy(labels, truth) }))
      .reduce((a, b) => (b.value > a.value ? b : a));
    return { width, kernel: kmeans(Z, { clusters: 2 }).labels, drift: best.labels };
  });
  const second = panelsSvg(
    "Two moons under Gaussian kernels of four widths",
    [
      ...panels.map(({ width, kernel }) => ({
        title: `kernel k-means, ${width}: ${rate(kernel)}`,
        points: pointsFrom(X, kernel),
      })),
      ...panels.map(({ width, drift }) => ({
        title: `r-CPD-UML, ${width}: ${rate(drift)}`,
        points: pointsFrom(X, drift),
      })),
    ],
    MOONS.widths.length,
  );
  return [
    { name: "figure-1.svg", svg: first },
    { name: "figure-2.svg", svg: second },
  ];
}
