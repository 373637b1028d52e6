import { defined } from "../core/internal.ts";
import type { Ccscml, ConvexClustering, RobustCc, SparseCc } from "../recipes/index.ts";
import type { Matrix } from "../matrix/index.ts";
import { convexElsewhere } from "./elsewhere.ts";
import { finished, squareRoot, withPairs } from "./fromFunction.ts";
import type { ClusteringMethod, Fact, FitOptions, OpenMethod } from "./method.ts";
import { listed, short, type Told } from "./told.ts";

/** A member of the family: what is said of it, and what it tells beside the facts of all. */
interface Said extends Pick<ClusteringMethod, "title" | "sentence" | "takes" | "weighs"> {
  /** Rows up to which all are fitted; for very many rows, cc solves representatives. */
  readonly rows?: number;
  readonly more?: (fit: ConvexMember, names: readonly string[]) => Fact[];
}

const MEMBERS: Readonly<Record<Member, Said>> = {
  cc: {
    title: "Convex clustering",
    sentence: "Centres that fuse as gamma grows; needs no start and proves its optimum.",
  },
  carp: {
    title: "Algorithmic convex path (CARP)",
    sentence:
      "The whole path of convex clustering in one sweep of few steps, each with the gap that it leaves.",
    rows: 2000,
  },
  rcc: {
    title: "Robust convex clustering",
    sentence: "Convex clustering that smooths outlier features harder.",
    rows: 20_000,
    more: (fit) => {
      const robust = fit.robustShares.filter((share: number) => share > 0).length;
      return [
        ["beta", `${short(fit.beta, 6)}: ${robust} of ${fit.robustShares.length} features hold outliers`],
      ];
    },
  },
  scc: {
    title: "Sparse convex clustering",
    sentence: "Convex clustering that drops features that do not separate clusters.",
    rows: 20_000,
    more: (fit, names) => {
      const dropped = names.filter((_, f) => fit.factors[f] === 0);
      return [
        [
          "gamma2",
          `${short(fit.gamma2, 6)}: ${dropped.length === 0 ? "no feature" : listed(dropped)} dropped`,
        ],
      ];
    },
  },
  ccml: {
    title: "Convex, learned metric",
    sentence: "Convex clustering that learns which differences count.",
    rows: 10_000,
    takes: "longest",
    weighs: true,
    more: (fit) => {
      const { eigenvalues } = fit.metric;
      const condition = eigenvalues[0] / eigenvalues[eigenvalues.length - 1];
      return [["metric", `cond(B) ${condition.toPrecision(3)}`]];
    },
  },
  ccscml: {
    title: "Convex, learned directions",
    sentence: "Convex clustering that learns a few directions in which the clusters differ most.",
    rows: 20_000,
    weighs: true,
    more: (fit) => [["metric", `${fit.projection.cols} directions`]],
  },
};

/** Convex clustering and its variants. */
export const convexFamily: readonly ClusteringMethod[] = (Object.keys(MEMBERS) as Member[]).map((name) => {
  const { rows, more, ...said } = MEMBERS[name];
  const needs = {
    clusters: "optional",
    pairs: "optional",
    seed: false,
    ...(rows !== undefined && { rows }),
  } as const;
  return {
    name,
    group: "Convex clustering",
    needs,
    takes: "longer",
    ...said,
    open: () => opened(name, more),
  };
});

type ConvexRun = (X: Matrix, options: never) => ConvexClustering;

type Member = "cc" | "carp" | "rcc" | "scc" | "ccml" | "ccscml";

async function opened(name: Member, more: Said["more"] = () => []): Promise<OpenMethod> {
  const recipes = await import("../recipes/index.ts");
  const run: ConvexRun = recipes[name];
  return {
    options: recipes[`${name}Options`],
    fit(X, given, { names } = {}) {
      const asked = defined(given);
      const fit = run(X as Matrix, asked as never);
      const columns = names ?? Array.from({ length: X.cols }, (_, f) => `column ${f}`);
      const { onProgress: _, ...kept } = asked as FitOptions;
      const learned = isLearned(fit);
      const B = fit.metric.matrix;
      const map = learned ? squareRoot(B) : undefined;
      const facts = convexTold(fit, columns, more(fit as ConvexMember, columns));
      const told = withPairs(facts, given, fit.labels);
      const result = { ...fit, metric: learned ? B : undefined, history: undefined };
      return finished(X, result, () => ({ kind: "centers", centers: fit.centers, map }), told, {
        name,
        options: kept,
      });
    },
    ...(name === "cc" && { elsewhere: convexElsewhere }),
  };
}

/** Each member of the family has fields of its own. */
type ConvexMember = ConvexClustering &
  Pick<RobustCc, "robustShares" | "beta"> &
  Pick<SparseCc, "factors" | "gamma2"> &
  Pick<Ccscml, "projection">;

const isLearned = ({ metric: { eigenvalues } }: ConvexClustering): boolean =>
  eigenvalues[0] - eigenvalues[eigenvalues.length - 1] > 1e-9;

/** If the rows are so well separated that the partition is guaranteed. */
function recoveryFact(found: ConvexClustering["recovery"]): Fact[] {
  if (found?.holds !== true) return [];
  const { lower, upper } = found;
  const range = Number.isFinite(upper) ? `${short(lower, 4)} to ${short(upper, 4)}` : `${short(lower, 4)} on`;
  return [["recovery", `every gamma from ${range} gives these clusters (Sun, Toh and Yuan 2021)`]];
}

function convexTold(fit: ConvexClustering, names: readonly string[], more: readonly Fact[]): Told {
  const { gamma, coverage, components, availableCounts, metric, certificate, history, path, compression } =
    fit;
  const { matrix: B, relevance, eigenvalues } = metric;
  return {
    facts: [
      ["gamma", `${short(gamma, 6)}, relative duality gap ${certificate.relativeGap.toExponential(1)}`],
      ["coverage", `${(100 * coverage).toFixed(1)} % of the rows, ${components.length} components`],
      ...recoveryFact(fit.recovery),
      ...more,
      ...relevanceFact(relevance, names),
    ],
    details: {
      ...(fit.recovery?.holds === true && {
        recovery: {
          lower: fit.recovery.lower,
          upper: Number.isFinite(fit.recovery.upper) ? fit.recovery.upper : null,
        },
      }),
      ...(fit.pairs !== undefined && { moved: fit.pairs.moved }),
      gamma,
      coverage,
      components: Array.from(components),
      availableCounts,
      history,
      ...(compression !== undefined && { compression: compressionDetails(compression) }),
      metric: {
        matrix: { rows: B.rows, cols: B.cols, data: Array.from(B.data) },
        relevance: Object.fromEntries(names.map((name, f) => [name, relevance[f]])),
        eigenvalues: Array.from(eigenvalues),
      },
    },
    drawing: {
      ...(isLearned(fit) && { metric }),
      tree: {
        merges: path.fusions.map(({ a, b, gamma: height, size }) => ({ a, b, height, size })),
        rows: fit.labels.length,
        height: "gamma",
        log: true,
      },
      path: {
        gammas: path.steps.map((step) => step.gamma),
        clusters: path.steps.map((step) => step.clusters),
        chosen: gamma,
      },
      history: history.map((half) => half.objective),
    },
  };
}

/** For a compression, without the cell of every row. */
function compressionDetails(compression: NonNullable<ConvexClustering["compression"]>): object {
  const { rows, representatives, withinSumOfSquares, share, bound, largestRadius, border } = compression;
  return { rows, representatives, withinSumOfSquares, share, bound, largestRadius, border };
}

/** The decisive features, largest share first; nothing if all are equal. */
function relevanceFact(relevance: ArrayLike<number>, names: readonly string[]): Fact[] {
  const order = names.map((_, f) => f).sort((a, b) => relevance[b] - relevance[a] || a - b);
  if (relevance[order[0]] - relevance[order[order.length - 1]] < 1e-9) return [];
  return [["features", listed(order.map((f) => `${names[f]} ${(100 * relevance[f]).toFixed(1)} %`))]];
}
