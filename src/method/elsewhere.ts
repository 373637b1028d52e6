import { defined } from "../core/internal.ts";
import type { GaussianMixtureFit } from "../cluster/index.ts";
import type { ConvexByRepresentatives } from "../recipes/index.ts";
import { storeMatrix, type Matrix } from "../matrix/index.ts";
import type { GaussianMixtureStream } from "../scale/index.ts";
import type { Elsewhere, PassFit } from "./method.ts";
import type { PlacingRule } from "./placingForm.ts";
import { mixtureTold, short } from "./told.ts";

export async function kmeansElsewhere(): Promise<Elsewhere> {
  const { kmeansByPassesOptions } = await import("../scale/passes/kmeansByPasses.ts");
  return {
    options: kmeansByPassesOptions,
    async stream(pass, options) {
      const { kmeansStream } = await import("../scale/passes/kmeansStream.ts");
      const fit = await kmeansStream(pass, defined(options));
      return { ...passed(fit, centersOf(fit.centers)), labels: () => fit.labels() };
    },
    async onEngine(table, options) {
      const { kmeansOnEngine } = await import("../engine/cluster/kmeansOnEngine.ts");
      const fit = await kmeansOnEngine(table, defined(options));
      const { route, centers } = fit;
      return { ...passed(fit, centersOf(centers)), labelling: { centers }, route };
    },
  };
}

export async function mixtureElsewhere(): Promise<Elsewhere> {
  const { gaussianMixtureStreamOptions } = await import("../scale/passes/gaussianMixtureStream.ts");
  const stream = async (...args: Parameters<Elsewhere["stream"]>): Promise<GaussianMixtureStream> => {
    const { gaussianMixtureStream } = await import("../scale/passes/gaussianMixtureStream.ts");
    return gaussianMixtureStream(args[0], defined(args[1]));
  };
  const described = (
    fit: Pick<GaussianMixtureStream, "rows" | "passes" | "sizes"> & GaussianMixtureFit,
  ): PassFit => ({
    ...passed(fit, {
      kind: "mixture",
      mixture: fit.model(),
      agreement: 1,
      means: storeMatrix(fit.centers),
    }),
    ...mixtureTold(fit),
  });
  return {
    options: gaussianMixtureStreamOptions,
    async stream(pass, options) {
      const fit = await stream(pass, options);
      return { ...described(fit), labels: () => fit.labels() };
    },
    async onEngine(table, options) {
      const { gaussianMixtureOnEngine } = await import("../engine/cluster/gaussianMixtureOnEngine.ts");
      const fit = await gaussianMixtureOnEngine(table, defined(options));
      return { ...described(fit), labelling: fit, route: fit.route };
    },
  };
}

/** Always by representatives. */
export async function convexElsewhere(): Promise<Elsewhere> {
  const { byRepresentativesOptions } = await import("../recipes/byRepresentatives.ts");
  const described = (fit: ConvexByRepresentatives & { rows: number; passes: number }): PassFit => ({
    ...passed(fit, centersOf(fit.centers)),
    facts: [
      [
        "gamma",
        `${short(fit.gamma, 6)}, relative duality gap ${fit.certificate.relativeGap.toExponential(1)}`,
      ],
      ["coverage", `${(100 * fit.coverage).toFixed(1)} % of the rows`],
    ],
    details: { gamma: fit.gamma, coverage: fit.coverage, compression: fit.compression },
  });
  return {
    options: byRepresentativesOptions,
    async stream(pass, given) {
      const { seed: _, ...options } = given;
      const { convexStream } = await import("../scale/passes/convexStream.ts");
      const fit = await convexStream(pass, defined(options));
      return { ...described(fit), labels: () => fit.labels() };
    },
    async onEngine(table, given) {
      const { seed: _, ...options } = given;
      const { convexOnEngine } = await import("../engine/cluster/convexOnEngine.ts");
      const fit = await convexOnEngine(table, defined(options));
      return { ...described(fit), labelling: fit, route: "push-down" };
    },
  };
}

const centersOf = (centers: Matrix): PlacingRule => ({
  kind: "centers",
  centers: storeMatrix(centers),
  agreement: 1,
  means: storeMatrix(centers),
});

type Passed = Omit<PassFit, "clusters" | "centers" | "placing" | "facts" | "details"> & {
  readonly centers: Matrix;
};

function passed(fit: Passed, placing: PlacingRule): PassFit {
  const { sizes, centers, converged, warnings, objective, iterations, certificate, rows, passes } = fit;
  return {
    clusters: centers.rows,
    sizes,
    centers,
    converged,
    warnings,
    objective,
    iterations,
    certificate,
    placing,
    facts: [],
    details: {},
    rows,
    passes,
  };
}
