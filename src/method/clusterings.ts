import type { Dendrogram, GaussianMixtureFit } from "../cluster/index.ts";
import type {
  Ccscml,
  ConvexByRepresentatives,
  ConvexClustering,
  RobustCc,
  SparseCc,
} from "../convex/index.ts";
import type { Aml, CpdUml, Naml } from "../embed/index.ts";
import { option, optionError } from "../core/errors.ts";
import { jsonOf } from "../core/result.ts";
import type { Pair } from "../data/index.ts";
import { multiply, symmetricEigen, toDense } from "../matrix/index.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { isSparse, type Sparse } from "../matrix/sparse.ts";
import { asGiven, inValueOrder } from "../cluster/inValueOrder.ts";
import { storeMatrix } from "../matrix/storedMatrix.ts";
import type { KernelFunction } from "../metric/index.ts";
import type { GaussianMixtureStream } from "../scale/index.ts";
import type { Drawing, TreeMerge } from "./drawing.ts";
import type {
  ClusteringMethod,
  Elsewhere,
  Fact,
  FitOptions,
  Fitted,
  Needs,
  OpenMethod,
  OptionRules,
  PassFit,
} from "./method.ts";
import { passed as taken } from "./method.ts";
import { placingRule, type PlacingRule, type Proposal } from "./placing.ts";

const LINKAGES = {
  ward: "Joins the two clusters whose union adds least to the squared distances; round clusters.",
  average: "Joins the two clusters whose rows are nearest on average.",
  complete: "Joins the two clusters whose farthest rows are nearest; compact clusters.",
  single: "Joins the two clusters whose nearest rows are nearest; follows chains.",
};

/** Every clustering method. A new one needs its function, an export of its room, and an entry here. */
export const clusterings: readonly ClusteringMethod[] = [
  {
    name: "kmeans",
    title: "k-means",
    group: "Common",
    sentence: "Round clusters around their means; quick, also for very many rows.",
    needs: { clusters: "required", seed: true, sparse: true },
    async open() {
      const { kmeans, kmeansOptions } = await import("../cluster/kmeans/kmeans.ts");
      return { ...method(kmeansOptions, "kmeans", kmeans, byCenters), elsewhere: kmeansElsewhere };
    },
  },
  {
    name: "k-medoids",
    title: "k-medoids",
    group: "Common",
    sentence: "Clusters around actual rows, which represent them; robust to outliers.",
    needs: { clusters: "required", seed: true, rows: 20_000 },
    async open() {
      const { kMedoids, kMedoidsOptions } = await import("../cluster/kmeans/kMedoids.ts");
      return method(kMedoidsOptions, "kMedoids", kMedoids, byCenters, ({ medoids }) => ({
        facts: [["medoids", `rows ${listed(Array.from(medoids))}`]],
        details: { medoids: Array.from(medoids) },
      }));
    },
  },
  {
    name: "gmm",
    title: "Gaussian mixture",
    group: "Common",
    sentence: "Clusters as Gaussians of different shape and size, by EM; gives likelihood and BIC.",
    needs: { clusters: "required", seed: true, rows: 1_000_000 },
    async open() {
      const { gaussianMixture, gaussianMixtureOptions } =
        await import("../cluster/mixture/gaussianMixture.ts");
      return {
        ...method(
          gaussianMixtureOptions,
          "gaussianMixture",
          gaussianMixture,
          (fit) => ({ kind: "mixture", mixture: fit.model() }),
          mixtureTold,
        ),
        elsewhere: mixtureElsewhere,
      };
    },
  },
  {
    name: "spectral",
    title: "Spectral clustering",
    group: "Common",
    sentence: "Cuts the graph of nearest rows by its eigenvectors; for clusters of any shape.",
    needs: { clusters: "required", seed: true, rows: 200_000 },
    async open() {
      const { spectral, spectralOptions } = await import("../cluster/spectral/spectral.ts");
      return method(spectralOptions, "spectral", spectral, byRows, ({ eigenvalues }) => ({
        facts: [["eigenvalues", Array.from(eigenvalues, (value) => value.toFixed(4)).join(" ")]],
        details: { eigenvalues: Array.from(eigenvalues) },
      }));
    },
  },
  {
    name: "ncut",
    title: "Normalised cuts",
    group: "Common",
    sentence: "Cuts the graph of nearest rows in two, and again in two (Shi and Malik).",
    needs: { clusters: "optional", seed: true, rows: 200_000 },
    async open() {
      const { normalizedCut, normalizedCutOptions } = await import("../cluster/spectral/normalizedCut.ts");
      return method(normalizedCutOptions, "normalizedCut", normalizedCut, byRows, ({ cuts }) => ({
        facts: [["cuts", listed(cuts.map(({ cut, sizes: [a, b] }) => `${cut.toFixed(4)} (${a} + ${b})`))]],
        details: { cuts },
      }));
    },
  },
  ...(["ward", "average", "complete", "single"] as const).map((linkage): ClusteringMethod => ({
    name: linkage,
    title: `${linkage[0].toUpperCase()}${linkage.slice(1)} linkage`,
    group: "Trees",
    sentence: LINKAGES[linkage],
    needs: {
      clusters: "optional",
      seed: false,
      // These two keep all distances; the others need only the rows.
      ...(linkage === "average" || linkage === "complete"
        ? { quadratic: true, rows: 20_000 }
        : { rows: 500_000 }),
    },
    async open() {
      const { agglomerative, agglomerativeOptions } = await import("../cluster/linkage/agglomerative.ts");
      return method(
        agglomerativeOptions,
        "agglomerative",
        (X: Matrix, options: FitOptions) => {
          if ((options.clusters === undefined) === (options.height === undefined)) {
            throw optionError(
              `${linkage} needs either ${option("clusters")}, their number, or ${option("height")}, where to cut the tree`,
            );
          }
          return agglomerative(X, options as never);
        },
        byRows,
        ({ between: [low, high], tree }) => ({
          facts: [
            [
              "cut",
              `between the heights ${short(low)} and ${Number.isFinite(high) ? short(high) : "infinity"}`,
            ],
            [
              "heights",
              listed(
                Array.from(tree.heights.slice(-6).toReversed(), (height) => short(height)),
                5,
              ),
            ],
          ],
          details: {
            linkage,
            between: [low, Number.isFinite(high) ? high : null],
            merges: treeMerges(tree),
          },
          drawing: {
            tree: {
              rows: tree.rows,
              merges: treeMerges(tree),
              height: `height (${linkage})`,
            },
          },
        }),
        { linkage },
      );
    },
  })),
  {
    name: "hdbscan",
    title: "Density clustering (HDBSCAN*)",
    group: "Density",
    sentence: "Dense regions of any shape, with their number found; rows between them are noise.",
    needs: { clusters: "optional", seed: false, rows: 500_000 },
    async open() {
      const { hdbscan, hdbscanOptions } = await import("../cluster/density/hdbscan.ts");
      return method(
        hdbscanOptions,
        "hdbscan",
        hdbscan,
        (fit) => ({ kind: "density", model: fit.model() }),
        (fit) => {
          const { noise, labels, stabilities, strengths, minClusterSize, minSamples, condensed, tree } = fit;
          const merges = treeMerges(tree);
          return {
            facts: [
              [
                "noise",
                `${noise} of ${labels.length} rows (${((100 * noise) / labels.length).toFixed(1)} %)`,
              ],
              ["stability", listed(Array.from(stabilities, (value) => short(value)))],
              ["sizes", `clusters of at least ${minClusterSize} rows, density by ${minSamples} neighbours`],
            ],
            details: {
              noise,
              minClusterSize,
              minSamples,
              stabilities: Array.from(stabilities),
              strengths: Array.from(strengths),
              condensed: jsonOf(condensed),
            },
            drawing: { tree: { rows: tree.rows, merges, height: "mutual reachability distance" } },
          };
        },
      );
    },
  },
  {
    name: "divisive",
    title: "Divisive clustering",
    group: "Trees",
    sentence: "Divides from one cluster downwards: bisecting k-means or DIANA.",
    needs: { clusters: "required", seed: true, rows: 500_000 },
    async open() {
      const { divisive, divisiveOptions } = await import("../cluster/linkage/divisive.ts");
      return method(divisiveOptions, "divisive", divisive, byRows, ({ split, divisions }) => ({
        facts: [
          [
            "divisions",
            listed(divisions.map(({ height, sizes: [a, b] }) => `${short(height)} (${a} + ${b})`)),
          ],
        ],
        details: { split, divisions },
      }));
    },
  },
  convex(
    "cc",
    "Convex clustering",
    "Centres that fuse as gamma grows; needs no start and proves its optimum.",
  ),
  convex(
    "rcc",
    "Robust convex clustering",
    "Convex clustering that smooths outlier features harder.",
    (fit) => {
      const robust = fit.robustShares.filter((share: number) => share > 0).length;
      return [
        ["beta", `${short(fit.beta, 6)}: ${robust} of ${fit.robustShares.length} features hold outliers`],
      ];
    },
  ),
  convex(
    "scc",
    "Sparse convex clustering",
    "Convex clustering that drops features that do not separate clusters.",
    (fit, names) => {
      const dropped = names.filter((_, f) => fit.factors[f] === 0);
      return [
        [
          "gamma2",
          `${short(fit.gamma2, 6)}: ${dropped.length === 0 ? "no feature" : listed(dropped)} dropped`,
        ],
      ];
    },
  ),
  {
    ...convex(
      "ccml",
      "Convex, learned metric",
      "Convex clustering that learns which differences count.",
      (fit) => {
        const { eigenvalues } = fit.metric;
        const condition = eigenvalues[0] / eigenvalues[eigenvalues.length - 1];
        return [["metric", `cond(B) ${condition.toPrecision(3)}`]];
      },
    ),
    takes: "longest",
    weighs: true,
  },
  {
    ...convex(
      "ccscml",
      "Convex, learned directions",
      "Convex clustering that learns a few directions in which the clusters differ most.",
      (fit) => [["metric", `${fit.projection.cols} directions`]],
    ),
    weighs: true,
  },
  {
    name: "biclusters",
    title: "Convex biclustering",
    group: "Convex",
    sentence: "Fuses rows and columns together into blocks; proves its optimum. For columns of one unit.",
    needs: { clusters: "optional", oneUnit: true, seed: false, rows: 5000 },
    takes: "longer",
    async open() {
      const { biclusters, biclustersOptions } = await import("../convex/bicluster/biclusters.ts");
      return method(biclustersOptions, "biclusters", biclusters, byRows, (fit) => ({
        facts: [
          ["columns", `${fit.columnClusters} groups of columns`],
          [
            "gamma",
            `${short(fit.gamma, 6)}, relative duality gap ${fit.certificate.relativeGap.toExponential(1)}`,
          ],
        ],
        details: {
          gamma: fit.gamma,
          columnLabels: Array.from(fit.columnLabels),
          blocks: { ...fit.blocks, data: Array.from(fit.blocks.data) },
          path: fit.path,
        },
        drawing: { columnGroups: fit.columnLabels },
      }));
    },
  },
  {
    name: "cpd-uml",
    title: "Moving rows (CPD-UML)",
    group: "Learned deformation",
    sentence: "Moves the rows by a smooth field until k-means separates them; for curved clusters.",
    needs: { clusters: "required", seed: true, rows: 100_000 },
    async open() {
      const [{ cpdUml, cpdUmlOptions }, { adjustedRand }] = await Promise.all([
        import("../embed/cpdUml/cpdUml.ts"),
        import("../score/index.ts"),
      ]);
      return method(
        cpdUmlOptions,
        "cpdUml",
        cpdUml,
        (fit) => ({ kind: "cpd-uml", model: fit.model() }),
        (fit) => ({
          facts: [
            ...cpdUmlFacts(fit),
            [
              "without it",
              `the spectral step alone gives clusters at adjusted Rand ` +
                `${adjustedRand(fit.alternationLabels, fit.spectralLabels).toFixed(3)} to those of the field`,
            ],
          ],
          details: {
            setting: fit.setting,
            outcome: fit.outcome,
            period: fit.period,
            returned: fit.returned,
            grid: fit.grid,
            spectralLabels: Array.from(fit.spectralLabels),
          },
          drawing: fit.kernel === undefined ? { moved: fit.field.moved } : {},
        }),
      );
    },
  },
  {
    name: "aml",
    title: "Adaptive metric (AML)",
    group: "Learned projection",
    sentence: "Learns a partition together with the linear projection that separates it best.",
    needs: { clusters: "required", seed: true, rows: 500_000 },
    async open() {
      const { aml, amlOptions } = await import("../embed/aml.ts");
      return method(amlOptions, "aml", aml, byRows, discriminants);
    },
  },
  {
    name: "naml",
    title: "Adaptive kernel metric (NAML)",
    group: "Learned projection",
    sentence: "AML in the feature space of a kernel that is given or mixed from several widths.",
    needs: { clusters: "required", seed: true, quadratic: true, rows: 4000 },
    takes: "longest",
    async open() {
      const room = await import("../embed/index.ts");
      return method(
        kernelOrMixture(room),
        "naml",
        (X: Matrix, options: FitOptions) => amlOrNaml(room, X, options),
        byRows,
        (fit) => ("mixture" in fit ? kernelMixture(fit) : discriminants(fit)),
      );
    },
  },
  {
    name: "rpca-om",
    title: "Robust plane (RPCA-OM)",
    group: "Learned projection",
    sentence: "k-means in the plane with the smallest sum of distances (not squares) to the rows.",
    needs: { clusters: "required", seed: true, rows: 500_000 },
    async open() {
      const [{ rpcaOm, rpcaOmOptions }, { kmeansInOrder, kmeansOptions }] = await Promise.all([
        import("../embed/rpcaOm.ts"),
        import("../cluster/kmeans/kmeans.ts"),
      ]);
      const { dims } = rpcaOmOptions;
      const fitted = (X: Matrix, { clusters, seed, restarts, dims, ...options }: FitOptions): Composed => {
        const K = clusters!;
        const directions = (dims as number | undefined) ?? Math.max(1, Math.min(K, X.rows, X.cols) - 1);
        const plane = rpcaOm(X, { dims: directions, ...options } as never);
        const found = kmeansInOrder(plane.embedding, { clusters: K, seed, restarts: restarts as number });
        const fall = 1 - plane.objective / plane.history[0];
        return {
          ...found,
          converged: plane.converged && found.converged,
          warnings: [...plane.warnings, ...found.warnings],
          objective: plane.objective,
          iterations: plane.iterations,
          centers: undefined,
          proposal: { kind: "rows" },
          facts: [
            [
              "plane",
              `${directions} directions, sum of distances ${short(plane.objective, 8)}, ` +
                `${(100 * fall).toFixed(1)} % below that of the start`,
            ],
          ],
          details: { dims: directions, withinPlane: found.objective },
          drawing: { history: plane.history },
        };
      };
      return composed(
        {
          ...rpcaOmOptions,
          dims: { ...dims, control: { ...dims.control!, usual: "one less than the clusters" } },
          restarts: kmeansOptions.restarts,
        },
        (X: Matrix, options) => inValueOrder(X, options, [], fitted, asGiven()),
      );
    },
  },
  {
    name: "fme",
    title: "Flexible manifold embedding (FME)",
    group: "Learned projection",
    sentence: "A smooth, almost affine embedding of the neighbour graph; takes known labels.",
    needs: { clusters: "optional", labels: "optional", seed: true, rows: 200_000 },
    takes: "longer",
    async open() {
      const { fme, fmeOptions } = await import("../embed/fme.ts");
      return method(fmeOptions, "fme", fme, byRows, ({ embedding, certificate, classes }) => ({
        facts: [
          ["embedding", `${embedding.cols} coordinates, residual ${certificate.residual.toExponential(1)}`],
          ...(classes === undefined ? [] : [["labels", named(classes)] as Fact]),
        ],
        details: { dims: embedding.cols, ...(classes !== undefined && { classes }) },
      }));
    },
  },
  {
    name: "kernel-kmeans",
    title: "Kernel k-means",
    group: "Kernels",
    sentence: "k-means in the feature space of a kernel: gaussian, polynomial or linear.",
    needs: { clusters: "required", seed: true, quadratic: true, rows: 10_000 },
    takes: "longer",
    async open() {
      const { kernelKmeans, kernelKmeansOptions } = await import("../cluster/mercer/kernelKmeans.ts");
      return method(
        kernelKmeansOptions,
        "kernelKmeans",
        kernelKmeans,
        (fit) => ({ kind: "kernel-kmeans", model: fit.model() }),
        ({ kernel }) => ({ facts: [["kernel", kernelText(kernel)]], details: { kernel } }),
      );
    },
  },
  {
    name: "cop-kmeans",
    title: "k-means, hints kept",
    group: "From hints",
    sentence: "Keeps every pair, or names those that exclude each other (COP-KMEANS).",
    needs: { clusters: "required", pairs: "required", seed: true, sparse: true },
    weighs: true,
    async open() {
      const { constrainedKmeans, constrainedKmeansOptions } =
        await import("../cluster/pairs/constrainedKmeans.ts");
      return method(
        constrainedKmeansOptions,
        "constrainedKmeans",
        constrainedKmeans,
        underMetric,
        ({ metric }) => ({
          facts: [["metric", metric === undefined ? "none, plain distances" : "learned from the pairs"]],
          details: {},
        }),
      );
    },
  },
  {
    name: "pck-means",
    title: "k-means, hints weighed",
    group: "From hints",
    sentence: "A violated pair costs a penalty; for pairs that may be wrong (PCK-means).",
    needs: { clusters: "required", pairs: "required", seed: true, rows: 1_000_000 },
    async open() {
      const { pckMeans, pckMeansOptions } = await import("../cluster/pairs/pckMeans.ts");
      return method(pckMeansOptions, "pckMeans", pckMeans, byCenters);
    },
  },
  {
    name: "mpck-means",
    title: "k-means, metric from hints",
    group: "From hints",
    sentence: "Uses the pairs and learns from them which differences count (MPCK-means).",
    needs: { clusters: "required", pairs: "required", seed: true, rows: 200_000 },
    weighs: true,
    async open() {
      const { mpckMeans, mpckMeansOptions } = await import("../cluster/pairs/mpckMeans.ts");
      return method(
        mpckMeansOptions,
        "mpckMeans",
        (X: Matrix, options: FitOptions) => {
          const fit = mpckMeans(X, options as never);
          const shared = fit.metrics.every((A) => A === fit.metrics[0]);
          return { ...fit, ...(shared && { metric: fit.metrics[0] }) };
        },
        underMetric,
        ({ metrics }) => ({
          facts: [],
          details: { metrics: [...new Set(metrics)].map(({ data }) => Array.from(data)) },
        }),
      );
    },
  },
  {
    name: "lcvqe",
    title: "k-means, hints pull centres",
    group: "From hints",
    sentence: "Violated pairs pull the centres; for many or doubtful pairs (LCVQE).",
    needs: { clusters: "required", pairs: "required", seed: true, rows: 1_000_000 },
    async open() {
      const { lcvqe, lcvqeOptions } = await import("../cluster/pairs/lcvqe.ts");
      return method(lcvqeOptions, "lcvqe", lcvqe, byCenters);
    },
  },
  {
    name: "bregman-kmeans",
    title: "k-means, Bregman distance",
    group: "From hints",
    sentence: "Learns a Bregman distance from pairs of both kinds and clusters with it.",
    needs: { clusters: "required", pairs: "required", seed: true, sparse: true, rows: 100_000 },
    weighs: true,
    async open() {
      const { bregmanKmeans, bregmanKmeansOptions } = await import("../cluster/bregman/bregmanKmeans.ts");
      return method(
        bregmanKmeansOptions,
        "bregmanKmeans",
        bregmanKmeans,
        byRows,
        ({ distance }, { enforce = false, loss }) => ({
          facts: [
            [
              "distance",
              `h = ${distance.h}, ${distance.weights.length} points, ` +
                `${loss === "hinge" ? "duality gap" : "KKT residual"} ${distance.certificate.residual.toExponential(1)}`,
            ],
          ],
          details: { distance: distance.toJSON(), enforced: enforce },
        }),
      );
    },
  },
  {
    name: "seeded-kmeans",
    title: "k-means from known labels",
    group: "From hints",
    sentence: "k-means that starts from a few known labels, and may take pairs too.",
    needs: { clusters: "optional", pairs: "optional", labels: "required", seed: true, sparse: true },
    weighs: true,
    async open() {
      const { seededKmeans, seededKmeansOptions } = await import("../cluster/pairs/seededKmeans.ts");
      return method(
        seededKmeansOptions,
        "seededKmeans",
        seededKmeans,
        underMetric,
        (fit, { labels = [] }) => {
          const known = labels.filter((label) => label !== "" && label !== "-1").length;
          const moved = fit.certificate.seedsMoved;
          return {
            facts: [
              [
                "labels",
                `${known} known${moved > 0 ? `, ${moved} of them in another cluster` : ""}; ${named(fit.classes)}`,
              ],
              ["metric", fit.metric === undefined ? "none, plain distances" : "learned from the labels"],
            ],
            details: { classes: fit.classes, known, moved },
          };
        },
      );
    },
  },
];

/** The method of that name, or undefined. */
export function clusteringNamed(name: string): ClusteringMethod | undefined {
  return clusterings.find((known) => known.name === name);
}

/** The common part of the results of functions on numbers. */
interface Result {
  readonly labels: Int32Array;
  readonly sizes: ArrayLike<number>;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly objective?: number;
  readonly iterations?: number;
  readonly certificate?: object;
  readonly centers?: Matrix;
  readonly history?: readonly unknown[];
}

export interface Told {
  readonly facts: readonly Fact[];
  readonly details: object;
  readonly drawing?: Drawing;
}

/** A method that is one function of the library. */
function method<R extends Result>(
  options: object,
  name: string,
  call: (X: never, options: never) => R,
  propose: (fit: R, X: Matrix) => Proposal,
  tell: (fit: R, options: FitOptions) => Told = () => ({ facts: [], details: {} }),
  fixed: object = {},
): OpenMethod {
  return {
    options: options as OptionRules,
    fit(rows, given) {
      const X = isSparse(rows) && !takesSparse(name) ? toDense(rows) : rows;
      const all = taken(options as OptionRules, { ...fixed, ...present(given) });
      const fit = call(X as never, all as never);
      const { onProgress: __, ...kept } = all as FitOptions;
      const told = tell(fit, given);
      return finished(X, fit, (dense) => propose(fit, dense), withPairs(told, given, fit.labels), {
        name,
        options: kept,
      });
    },
  };
}

type Composed = Result & Told & { readonly proposal: Proposal };

/** A method that takes more than one call. */
function composed(options: object, run: (X: never, options: FitOptions) => Composed): OpenMethod {
  return {
    options: options as OptionRules,
    fit(X, given) {
      const fit = run(X as never, present(given) as FitOptions);
      return finished(X, fit, () => fit.proposal, fit);
    },
  };
}

const SPARSE: ReadonlySet<string> = new Set(["kmeans", "constrainedKmeans", "seededKmeans", "bregmanKmeans"]);
const takesSparse = (name: string): boolean => SPARSE.has(name);

/** Numbers up to which sparse rows are made dense, to check a rule against them. */
const MOST_NUMBERS = 4e7;

function finished(
  rows: Matrix | Sparse,
  fit: Result,
  propose: (X: Matrix) => Proposal,
  { facts, details, drawing = {} }: Told,
  call?: Fitted["call"],
): Fitted {
  const { labels, sizes, converged, warnings, objective, iterations, certificate, centers, history } = fit;
  const clusters = sizes.length;
  const X = isSparse(rows) ? (rows.rows * rows.cols <= MOST_NUMBERS ? toDense(rows) : centers!) : rows;
  // For rows that are too many to make dense, the centres are the rule.
  const own = X === centers ? Int32Array.from({ length: clusters }, (_, k) => k) : labels;
  const numbers = history?.every((value) => typeof value === "number") ? (history as number[]) : undefined;
  const { metric } = fit as { readonly metric?: unknown };
  return {
    labels,
    clusters,
    sizes,
    converged,
    warnings,
    ...(objective !== undefined && { objective }),
    ...(iterations !== undefined && { iterations }),
    ...(certificate !== undefined && { certificate }),
    ...(centers !== undefined && { centers }),
    placing: placingRule(X, own, clusters, propose(X)),
    ...(isMatrix(metric) && { metric }),
    facts,
    details,
    drawing: { ...(numbers !== undefined && { history: numbers }), ...drawing },
    ...(call !== undefined && { call }),
  };
}

const isMatrix = (value: unknown): value is Matrix =>
  typeof value === "object" && value !== null && "data" in value && "cols" in value;

function treeMerges({ merges, heights, sizes }: Dendrogram): TreeMerge[] {
  return Array.from(heights, (height, m) => ({
    a: merges[2 * m],
    b: merges[2 * m + 1],
    height,
    size: sizes[m],
  }));
}

const byCenters = ({ centers }: Result): Proposal => ({ kind: "centers", centers: centers! });
const byRows = (): Proposal => ({ kind: "rows" });
const underMetric = (fit: Result): Proposal => {
  const { metric } = fit as { readonly metric?: unknown };
  return { kind: "centers", centers: fit.centers!, ...(isMatrix(metric) && { map: squareRoot(metric) }) };
};

function mixtureTold(fit: GaussianMixtureFit): Told {
  const { covariance, logLikelihood, bic, aic, parameters, weights } = fit;
  return {
    facts: [
      ["likelihood", `log ${logLikelihood.toFixed(2)}, ${parameters} parameters, BIC ${bic.toFixed(2)}`],
      ["weights", percentages(weights)],
    ],
    details: { covariance, logLikelihood, bic, aic, parameters, weights: Array.from(weights) },
  };
}

async function kmeansElsewhere(): Promise<Elsewhere> {
  const { kmeansByPassesOptions } = await import("../scale/passes/kmeansByPasses.ts");
  return {
    options: kmeansByPassesOptions as unknown as OptionRules,
    async stream(pass, options) {
      const { kmeansStream } = await import("../scale/passes/kmeansStream.ts");
      const fit = await kmeansStream(pass, present(options));
      return { ...passed(fit, centersOf(fit.centers)), labels: () => fit.labels() };
    },
    async onEngine(table, options) {
      const { kmeansOnEngine } = await import("../engine/cluster/kmeansOnEngine.ts");
      const fit = await kmeansOnEngine(table, present(options));
      const { route, centers } = fit;
      return { ...passed(fit, centersOf(centers)), labelling: { centers }, route };
    },
  };
}

async function mixtureElsewhere(): Promise<Elsewhere> {
  const { gaussianMixtureStreamOptions } = await import("../scale/passes/gaussianMixtureStream.ts");
  const stream = async (...args: Parameters<Elsewhere["stream"]>): Promise<GaussianMixtureStream> => {
    const { gaussianMixtureStream } = await import("../scale/passes/gaussianMixtureStream.ts");
    return gaussianMixtureStream(args[0], present(args[1]));
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
    options: gaussianMixtureStreamOptions as unknown as OptionRules,
    async stream(pass, options) {
      const fit = await stream(pass, options);
      return { ...described(fit), labels: () => fit.labels() };
    },
    async onEngine(table, options) {
      const { gaussianMixtureOnEngine } = await import("../engine/cluster/gaussianMixtureOnEngine.ts");
      const fit = await gaussianMixtureOnEngine(table, present(options));
      return { ...described(fit), labelling: fit, route: fit.route };
    },
  };
}

/** Always by representatives. */
async function convexElsewhere(): Promise<Elsewhere> {
  const { byRepresentativesOptions } = await import("../convex/recipe/byRepresentatives.ts");
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
    options: byRepresentativesOptions as unknown as OptionRules,
    async stream(pass, given) {
      const { seed: _, ...options } = given;
      const { convexStream } = await import("../scale/passes/convexStream.ts");
      const fit = await convexStream(pass, present(options));
      return { ...described(fit), labels: () => fit.labels() };
    },
    async onEngine(table, given) {
      const { seed: _, ...options } = given;
      const { convexOnEngine } = await import("../engine/cluster/convexOnEngine.ts");
      const fit = await convexOnEngine(table, present(options));
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

interface Passed {
  readonly sizes: ArrayLike<number>;
  readonly centers: Matrix;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly objective?: number;
  readonly iterations?: number;
  readonly certificate?: object;
  readonly rows: number;
  readonly passes: number;
}

function passed(fit: Passed, placing: PlacingRule): PassFit {
  const { sizes, centers, converged, warnings, objective, iterations, certificate, rows, passes } = fit;
  return {
    clusters: centers.rows,
    sizes,
    centers,
    converged,
    warnings,
    ...(objective !== undefined && { objective }),
    ...(iterations !== undefined && { iterations }),
    ...(certificate !== undefined && { certificate }),
    placing,
    facts: [],
    details: {},
    rows,
    passes,
  };
}

type ConvexRun = (X: Matrix, options: never) => ConvexClustering;

/** Each member of the family, and its options. */
const CONVEX = {
  cc: async (): Promise<[ConvexRun, object]> => {
    const { cc, ccOptions } = await import("../convex/recipe/cc.ts");
    return [cc, ccOptions];
  },
  rcc: async (): Promise<[ConvexRun, object]> => {
    const { rcc, rccOptions } = await import("../convex/recipe/robustCc.ts");
    return [rcc, rccOptions];
  },
  scc: async (): Promise<[ConvexRun, object]> => {
    const { scc, sccOptions } = await import("../convex/recipe/sparseCc.ts");
    return [scc, sccOptions];
  },
  ccml: async (): Promise<[ConvexRun, object]> => {
    const { ccml, ccmlOptions } = await import("../convex/recipe/ccml.ts");
    return [ccml, ccmlOptions];
  },
  ccscml: async (): Promise<[ConvexRun, object]> => {
    const { ccscml, ccscmlOptions } = await import("../convex/recipe/ccscml.ts");
    return [ccscml, ccscmlOptions];
  },
};

function convex(
  name: keyof typeof CONVEX,
  title: string,
  sentence: string,
  more: (fit: ConvexMember, names: readonly string[]) => Fact[] = () => [],
): ClusteringMethod {
  // For very many rows, cc solves representatives.
  const rows = { cc: undefined, rcc: 20_000, scc: 20_000, ccscml: 20_000, ccml: 10_000 }[name];
  const needs: Needs = {
    clusters: "optional",
    pairs: "optional",
    seed: false,
    ...(rows !== undefined && { rows }),
  };
  return {
    name,
    title,
    group: "Convex clustering",
    sentence,
    needs,
    takes: "longer",
    async open() {
      const [run, rules] = await CONVEX[name]();
      return {
        options: rules as OptionRules,
        fit(rows, given, { names } = {}) {
          const X = isSparse(rows) ? toDense(rows) : rows;
          const options = present(given);
          const fit = run(X, options as never);
          const columns = names ?? Array.from({ length: X.cols }, (_, f) => `column ${f}`);
          const { onProgress: _, ...kept } = options as FitOptions;
          const learned = isLearned(fit);
          const B = fit.metric.matrix;
          const map = learned ? squareRoot(B) : undefined;
          const told = withPairs(
            convexTold(fit, columns, more(fit as ConvexMember, columns)),
            given,
            fit.labels,
          );
          const result = { ...fit, metric: learned ? B : undefined, history: undefined };
          return finished(X, result, () => ({ kind: "centers", centers: fit.centers, map }), told, {
            name,
            options: kept,
          });
        },
        ...(name === "cc" && { elsewhere: convexElsewhere }),
      };
    },
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
export function compressionDetails(compression: NonNullable<ConvexClustering["compression"]>): object {
  const { rows, representatives, withinSumOfSquares, share, bound, largestRadius, border } = compression;
  return { rows, representatives, withinSumOfSquares, share, bound, largestRadius, border };
}

/** The decisive features, largest share first; nothing if all are equal. */
function relevanceFact(relevance: ArrayLike<number>, names: readonly string[]): Fact[] {
  const order = names.map((_, f) => f).sort((a, b) => relevance[b] - relevance[a] || a - b);
  if (relevance[order[0]] - relevance[order[order.length - 1]] < 1e-9) return [];
  return [["features", listed(order.map((f) => `${names[f]} ${(100 * relevance[f]).toFixed(1)} %`))]];
}

function withPairs(told: Told, { mustLink, cannotLink }: FitOptions, labels: Int32Array): Told {
  if ((mustLink?.length ?? 0) + (cannotLink?.length ?? 0) === 0) return told;
  const kept = keptPairs({ mustLink: mustLink ?? [], cannotLink: cannotLink ?? [] }, labels);
  return { ...told, facts: [...told.facts, ...kept.facts], details: { ...kept.details, ...told.details } };
}

/** How many of the given pairs hold. */
function keptPairs(
  { mustLink, cannotLink }: { readonly mustLink: readonly Pair[]; readonly cannotLink: readonly Pair[] },
  labels: Int32Array,
): { facts: Fact[]; details: object } {
  const must = mustLink.filter(([i, j]) => labels[i] === labels[j]).length;
  const cannot = cannotLink.filter(([i, j]) => labels[i] !== labels[j]).length;
  return {
    facts: [
      [
        "pairs",
        `${must} of ${mustLink.length} must-links and ${cannot} of ${cannotLink.length} cannot-links kept`,
      ],
    ],
    details: {
      mustLinks: mustLink.length,
      mustLinksKept: must,
      cannotLinks: cannotLink.length,
      cannotLinksKept: cannot,
    },
  };
}

export function cpdUmlFacts(fit: CpdUml): Fact[] {
  const { setting, certificate, grid } = fit;
  const ends = {
    converged: "the partition repeats itself",
    cycle: `a cycle of ${fit.period} partitions`,
    limit: "the limit of iterations",
    stopped: "stopped",
  };
  const best = grid.reduce((most, { stability }) => Math.max(most, stability), -Infinity);
  return [
    [
      "field",
      `sigma ${short(setting.sigma, 5)} (${setting.sigmaFrom}), lambda ${short(setting.lambda, 5)} ` +
        `(${setting.lambdaFrom})${setting.landmarks > 0 ? `, ${setting.landmarks} landmarks` : ""}`,
    ],
    ["ended by", `${ends[fit.outcome]}; iterate ${fit.returned} of ${fit.iterations} is returned`],
    ["proof", `${certificate.kind}, gradient of the field ${certificate.gradient.toExponential(1)}`],
    ...(grid.length === 0
      ? []
      : [["choice", `the most stable of ${grid.length} settings, adjusted Rand ${best.toFixed(3)}`] as Fact]),
  ];
}

export function discriminants({ objective, embedding }: { objective: number; embedding: Matrix }): Told {
  const count = embedding.cols;
  return {
    facts: [["projection", `${count} discriminants explain ${objective.toFixed(3)} of ${count} indicators`]],
    details: { dims: count },
  };
}

/** The options of NAML: it takes a kernel, or learns a mixture of kernels. */
export function kernelOrMixture({ amlOptions, namlOptions }: EmbedRoom): OptionRules {
  const { kernel, maxIterations } = amlOptions;
  const usual = `${namlOptions.maxIterations.fallback}; with a kernel ${maxIterations.fallback}`;
  return {
    ...amlOptions,
    ...namlOptions,
    kernel: { ...kernel, control: { ...kernel.control!, usual: "a mixture of widths, learned" } },
    maxIterations: { ...maxIterations, fallback: undefined, control: { ...maxIterations.control!, usual } },
  } as unknown as OptionRules;
}

/** NAML with a kernel that is given is AML on the components of that kernel. */
export function amlOrNaml({ aml, naml, amlOptions }: EmbedRoom, X: Matrix, options: object): Aml | Naml {
  const { sigmas, ...rest } = options as Readonly<Record<string, unknown>>;
  if (rest.kernel === undefined) {
    const needless = Object.keys(rest).find((name) => name.startsWith("kernel") && name in amlOptions);
    if (needless === undefined) return naml(X, options as never);
    throw optionError(`${option(needless)} needs ${option("kernel")}, the kernel that it belongs to`);
  }
  if (sigmas === undefined) return aml(X, rest as never);
  throw optionError(
    `${option("sigmas")} are the widths of a mixture that is learned; with ${option("kernel")} give ${option("kernelSigma")}`,
  );
}

type EmbedRoom = typeof import("../embed/index.ts");

export function kernelMixture(fit: Naml): Told {
  const { weights, mixture, certificate } = fit;
  const parts = Array.from(weights, (weight, k) =>
    weight < 0.005 ? [] : [`${(100 * weight).toFixed(0)} % of width ${short(mixture.sigmas[k], 3)}`],
  ).flat();
  const { facts, details } = discriminants(fit);
  return {
    facts: [
      ["kernel", `${parts.join(", ")}; other weights could gain ${certificate.gap.toExponential(1)}`],
      ...facts,
    ],
    details: { ...details, sigmas: mixture.sigmas, weights: Array.from(weights) },
  };
}

/** "gaussian, sigma 1.5" */
export function kernelText(kernel: KernelFunction): string {
  if (kernel.kind === "gaussian") return `gaussian, sigma ${short(kernel.sigma, 5)}`;
  return kernel.kind === "polynomial"
    ? `polynomial, degree ${kernel.degree}, offset ${kernel.offset}`
    : kernel.kind;
}

/** B^(1/2): rows times it are Euclidean. */
function squareRoot(B: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(B);
  const scaled = matrix(vectors.rows, vectors.cols);
  for (let i = 0, p = 0; i < vectors.rows; i++) {
    for (let k = 0; k < vectors.cols; k++, p++)
      scaled.data[p] = vectors.data[p] * Math.sqrt(Math.max(0, values[k]));
  }
  const turned = matrix(vectors.cols, vectors.rows);
  for (let i = 0; i < vectors.rows; i++) {
    for (let k = 0; k < vectors.cols; k++)
      turned.data[k * vectors.rows + i] = vectors.data[i * vectors.cols + k];
  }
  return multiply(scaled, turned);
}

function present(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function named(classes: readonly (string | number)[]): string {
  return classes.map((name, k) => `${k} = ${name}`).join(", ");
}

function listed(parts: readonly (string | number)[], most: number = 6): string {
  return `${parts.slice(0, most).join(", ")}${parts.length > most ? ", ..." : ""}`;
}

function short(value: number, digits: number = 4): string {
  return String(Number(value.toPrecision(digits)));
}

/** "72.9 %, 22.9 %": shares of 1 for people; only the first few of many. */
export function percentages(shares: ArrayLike<number>): string {
  return listed(Array.from(shares, (share) => `${(100 * share).toFixed(1)} %`));
}
