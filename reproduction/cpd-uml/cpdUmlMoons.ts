import { kmeans } from "kindred/cluster";
import { cpdUml, kernelPca } from "kindred/embed";
import type { Matrix } from "kindred/matrix";
import { accuracy } from "kindred/score";
import { type ClassedSet, classedSet } from "../knownSets.ts";

/** Section 3.1 of the text: the two moons, by its grid of 11 x 11 settings and by kernels of four widths. */
export interface MoonsTask {
  readonly kind: "cpd-uml moons";
  readonly folder?: string;
}

export type MoonsResult = Awaited<ReturnType<typeof runMoonsTask>>;
export type MoonsVariant = MoonsResult["variants"][number];

export const MOONS = {
  sigmas: Array.from({ length: 11 }, (_, e) => 2 ** e),
  lambdas: Array.from({ length: 11 }, (_, e) => 10 ** e),
  widths: [4, 8, 16, 32],
  /** The accuracy of the text, in percent. */
  text: 99,
} as const;

export async function runMoonsTask({ folder }: MoonsTask) {
  const began = performance.now();
  const [seen, unseen] = await Promise.all(
    ["two-moons", "two-moons-test"].map((name) => classedSet(name, folder)),
  );
  const rate = (labels: Int32Array, { truth }: ClassedSet): number => 100 * accuracy(labels, truth);
  const variants = [false, true].flatMap((center) =>
    (["discrete", "relaxed"] as const).map((indicator) => {
      let best = { rate: 0, setting: "", unseen: 0 };
      // Cells of at least 97 % and of at least 99 % accuracy on the rows themselves, not on the second half.
      const counts = { good: 0, excellent: 0, cycles: 0, cells: 0 };
      for (const sigma of MOONS.sigmas) {
        for (const lambda of MOONS.lambdas) {
          const fit = cpdUml(seen.X, { clusters: 2, sigma, lambda, center, indicator });
          const found = rate(fit.alternationLabels, seen);
          counts.cells++;
          if (found >= 97) counts.good++;
          if (found >= 99) counts.excellent++;
          if (fit.outcome === "cycle") counts.cycles++;
          if (found <= best.rate) continue;
          best = {
            rate: found,
            setting: `sigma ${sigma}, lambda ${lambda}`,
            unseen: rate(fit.predict(unseen.X), unseen),
          };
        }
      }
      return { center, indicator, ...counts, best: best.rate, setting: best.setting, unseen: best.unseen };
    }),
  );
  const widths = MOONS.widths.map((width) => {
    const { embedding: Z } = kernelPca(seen.X, { sigma: width, dims: Math.min(100, seen.X.rows - 1) });
    const fits = widthFits(Z).map((labels) => rate(labels, seen));
    return {
      width,
      kmeans: rate(kmeans(Z, { clusters: 2 }).labels, seen),
      best: Math.max(...fits),
      cells: fits.length,
    };
  });
  return {
    kmeans: rate(kmeans(seen.X, { clusters: 2 }).labels, seen),
    variants,
    widths,
    seconds: (performance.now() - began) / 1000,
  };
}

/** r-CPD-UML by several fields. The rows under a wide kernel are small; the widths of the field go with them. */
export function widthFits(Z: Matrix): Int32Array[] {
  return [0.25, 0.5, 1, 2, 4].flatMap((factor) =>
    [0.01, 0.1, 1, 10].map(
      (perRow) =>
        cpdUml(Z, { clusters: 2, sigma: factor * radius(Z), lambda: perRow * Z.rows }).alternationLabels,
    ),
  );
}

/** Root mean square length of the rows, equal to that of centred kernel components. */
function radius(Z: Matrix): number {
  return Math.sqrt(Z.data.reduce((sum, value) => sum + value * value, 0) / Z.rows);
}
