import type { CcmlOptions, ConvexClustering } from "kindred/convex";
import {
  hasPairs,
  literal,
  neighbors,
  spread,
  type Found,
  type Given,
  type MethodEntry,
} from "./methodEntry.ts";
import type { OptionShown } from "./protocol.ts";

const NORM: OptionShown = {
  name: "norm",
  label: "Norm of the fusion penalty",
  kind: "choice",
  default: "1",
  choices: ["1", "2", "inf"],
};
const ROUNDS: OptionShown = {
  name: "iterations",
  label: "Rounds of metric learning",
  kind: "number",
  default: 3,
  min: 1,
  max: 20,
  step: 1,
};
const REBUILD: OptionShown = {
  name: "rebuildGraph",
  label: "Neighbours in the learned metric",
  kind: "flag",
};

/** The convex family differs in the function and its options only. */
export const convexMethods: readonly MethodEntry[] = [
  member("cc", {
    title: "Convex clustering",
    summary: "Centres fuse as gamma grows; the answer does not depend on a start and comes with its proof.",
    options: [NORM, neighbors(30)],
  }),
  member("ccml", {
    title: "Convex, learned metric",
    summary: "Convex clustering that learns which differences count.",
    options: [NORM, neighbors(30), ROUNDS, REBUILD],
  }),
  member("ccscml", {
    title: "Convex, learned directions",
    summary: "Convex clustering that learns a few directions in which the clusters differ most.",
    options: [NORM, neighbors(30), ROUNDS],
  }),
];

function member(
  name: "cc" | "ccml" | "ccscml",
  shown: Pick<MethodEntry, "title" | "summary" | "options">,
): MethodEntry {
  return {
    name,
    ...shown,
    group: "Convex clustering",
    clusters: "optional",
    pairs: "taken",
    seeded: false,
    imports: [name],
    call: ({ options, pairs }) => `${name}(X, ${literal(options, spread(pairs), 'scale: "none"')})`,
    async run(X, given) {
      const convex = await import("kindred/convex");
      return convexFound(convex[name](X, convexOptions(given)), name !== "cc");
    },
  };
}

function convexOptions({ clusters, own, pairs, onProgress }: Given): CcmlOptions {
  const { norm, ...rest } = own;
  return {
    clusters,
    ...rest,
    ...(norm !== undefined && { norm: norm === "inf" ? "inf" : norm === "2" ? 2 : 1 }),
    ...(hasPairs(pairs) && pairs),
    scale: "none",
    onProgress,
  };
}

function convexFound(found: ConvexClustering, learned: boolean): Found {
  const { gamma, coverage, certificate, metric } = found;
  return {
    ...found,
    metric: learned ? metric.matrix : undefined,
    facts: [
      ["Gamma", `${Number(gamma.toPrecision(4))}, ${(100 * coverage).toFixed(0)} % of the rows fused by it`],
      ["Proof", `relative duality gap ${certificate.relativeGap.toExponential(1)}`],
    ],
  };
}
