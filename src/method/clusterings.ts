import type { Dendrogram, DensityModelData } from "../cluster/index.ts";
import { asGiven, inValueOrder } from "../matrix/internal.ts";
import { jsonOf, option, optionError } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { amlOrNaml, kernelOrMixture } from "./amlOrNaml.ts";
import { convexFamily } from "./convexFamily.ts";
import { kmeansElsewhere, mixtureElsewhere } from "./elsewhere.ts";
import {
  byCenters,
  byRows,
  fromCalls,
  fromFunction,
  underMetric,
  withDenseRows,
  type Composed,
} from "./fromFunction.ts";
import type { ClusteringMethod, Fact, FitOptions, TreeMerge } from "./method.ts";
import {
  cpdUmlFacts,
  discriminants,
  kernelMixture,
  kernelText,
  listed,
  mixtureTold,
  named,
  short,
} from "./told.ts";

const LINKAGES = {
  ward: "Joins the two clusters whose union adds least to the squared distances; round clusters.",
  average: "Joins the two clusters whose rows are nearest on average.",
  complete: "Joins the two clusters whose farthest rows are nearest; compact clusters.",
  single: "Joins the two clusters whose nearest rows are nearest; follows chains.",
};

/** Every clustering method. A new one needs its function, an export of its room, and an entry here. */
const entries: readonly ClusteringMethod[] = [
  {
    name: "kmeans",
    title: "k-means",
    group: "Common",
    sentence: "Round clusters around their means; quick, also for very many rows.",
    needs: { clusters: "required", seed: true, sparse: true },
    async open() {
      const { kmeans, kmeansOptions } = await import("../cluster/kmeans/kmeans.ts");
      return { ...fromFunction(kmeansOptions, "kmeans", kmeans, byCenters), elsewhere: kmeansElsewhere };
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
      return fromFunction(kMedoidsOptions, "kMedoids", kMedoids, byCenters, ({ medoids }) => ({
        facts: [["medoids", `rows ${listed(Array.from(medoids))}`]],
        details: { medoids: Array.from(medoids) },
      }));
    },
  },
  {
    name: "clara",
    title: "CLARA",
    group: "Common",
    sentence: "k-medoids of samples of the rows, for more rows than k-medoids takes.",
    needs: { clusters: "required", seed: true, rows: 1_000_000 },
    onRequest: true,
    async open() {
      const { clara, claraOptions } = await import("../cluster/kmeans/clara.ts");
      return fromFunction(claraOptions, "clara", clara, byCenters, ({ medoids }) => ({
        facts: [["medoids", `rows ${listed(Array.from(medoids))}`]],
        details: { medoids: Array.from(medoids) },
      }));
    },
  },
  {
    name: "fuzzy-cmeans",
    title: "Fuzzy c-means",
    group: "Common",
    sentence: "k-means with soft memberships: each row belongs to every cluster by its distances.",
    needs: { clusters: "required", seed: true, rows: 200_000 },
    onRequest: true,
    async open() {
      const { fuzzyCMeans, fuzzyCMeansOptions } = await import("../cluster/kmeans/fuzzyCMeans.ts");
      return fromFunction(fuzzyCMeansOptions, "fuzzyCMeans", fuzzyCMeans, byCenters, (fit) => ({
        facts: [["memberships", `partition coefficient ${fit.partitionCoefficient.toFixed(3)}; 1 is hard`]],
        details: { partitionCoefficient: fit.partitionCoefficient },
      }));
    },
  },
  {
    name: "minibatch-kmeans",
    title: "Mini-batch k-means",
    group: "Common",
    sentence: "k-means in steps of few rows; kmeans itself is as quick for rows in memory.",
    needs: { clusters: "required", seed: true },
    onRequest: true,
    async open() {
      const { miniBatchKmeans, miniBatchKmeansOptions } =
        await import("../cluster/kmeans/miniBatchKmeans.ts");
      return fromFunction(miniBatchKmeansOptions, "miniBatchKmeans", miniBatchKmeans, byCenters);
    },
  },
  {
    name: "affinity-propagation",
    title: "Affinity propagation",
    group: "Common",
    sentence: "Rows choose exemplars among themselves by messages; their number follows from a preference.",
    needs: { clusters: "optional", seed: false, quadratic: true, rows: 2000 },
    takes: "longer",
    onRequest: true,
    async open() {
      const { affinityPropagation, affinityPropagationOptions } =
        await import("../cluster/affinityPropagation.ts");
      return fromFunction(
        affinityPropagationOptions,
        "affinityPropagation",
        affinityPropagation,
        byRows,
        ({ exemplars, preference }) => ({
          facts: [
            ["exemplars", `rows ${listed(Array.from(exemplars))}`],
            ["preference", short(preference)],
          ],
          details: { exemplars: Array.from(exemplars), preference },
        }),
      );
    },
  },
  {
    name: "spherical-kmeans",
    title: "spherical k-means",
    group: "Common",
    sentence: "k-means of directions: rows are compared by the cosine, as texts are by their words.",
    needs: { clusters: "required", seed: true, rows: 1_000_000 },
    async open() {
      const { sphericalKmeans, sphericalKmeansOptions } =
        await import("../cluster/kmeans/sphericalKmeans.ts");
      return fromFunction(sphericalKmeansOptions, "sphericalKmeans", sphericalKmeans, byCenters);
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
        ...fromFunction(
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
    name: "mclust",
    title: "Gaussian mixture by BIC",
    group: "Common",
    sentence:
      "Gaussian mixtures of 14 kinds of covariance and all numbers of clusters; the smallest BIC wins.",
    needs: { clusters: "optional", seed: true, rows: 5000 },
    takes: "longer",
    onRequest: true,
    async open() {
      const { mclust, mclustOptions } = await import("../cluster/mixture/mclust.ts");
      return fromFunction(
        mclustOptions,
        "mclust",
        mclust,
        (fit) => ({ kind: "mixture", mixture: fit.model() }),
        (fit) => {
          const told = mixtureTold(fit);
          return {
            facts: [
              ["model", `${fit.chosen}, of ${fit.tried.length} mixtures that were fitted`],
              ...told.facts,
            ],
            details: { ...told.details, model: fit.chosen, tried: fit.tried },
          };
        },
      );
    },
  },
  {
    name: "leiden",
    title: "Communities (Leiden)",
    group: "Common",
    sentence:
      "Communities of the graph of nearest rows, by modularity or the Potts model; their number follows.",
    needs: { clusters: "optional", seed: true, rows: 100_000 },
    onRequest: true,
    async open() {
      const { leiden, leidenOptions } = await import("../cluster/spectral/communities.ts");
      return fromFunction(
        leidenOptions,
        "leiden",
        leiden,
        byRows,
        ({ objective, resolution }, { quality }) => ({
          facts: [
            [
              quality === "potts" ? "Potts" : "modularity",
              `${short(objective)}, resolution ${short(resolution)}`,
            ],
          ],
          details: { resolution },
        }),
      );
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
      return fromFunction(spectralOptions, "spectral", spectral, byRows, ({ eigenvalues }) => ({
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
    needs: { clusters: "optional", instead: "maxCut", seed: true, rows: 200_000 },
    async open() {
      const { normalizedCut, normalizedCutOptions } = await import("../cluster/spectral/normalizedCut.ts");
      return fromFunction(normalizedCutOptions, "normalizedCut", normalizedCut, byRows, ({ cuts }) => ({
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
      instead: "height",
      seed: false,
      // These two keep distances between clusters, or all of them; the others need only the rows.
      ...(linkage === "average" || linkage === "complete"
        ? { quadratic: true, rows: 20_000 }
        : { rows: 500_000 }),
    },
    async open() {
      const { agglomerative, agglomerativeOptions } = await import("../cluster/linkage/agglomerative.ts");
      return fromFunction(
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
      return fromFunction(hdbscanOptions, "hdbscan", hdbscan, byDensity, (fit) => {
        const { noise, stabilities, strengths, minClusterSize, minSamples, condensed, tree } = fit;
        const merges = treeMerges(tree);
        return {
          facts: [
            noiseOf(fit),
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
      });
    },
  },
  {
    name: "dbscan",
    title: "DBSCAN",
    group: "Density",
    sentence: "Rows with enough others within one reach, epsilon, and what they reach; the rest is noise.",
    needs: { clusters: "optional", seed: false, rows: 500_000 },
    onRequest: true,
    async open() {
      const { dbscan, dbscanOptions } = await import("../cluster/density/dbscan.ts");
      return fromFunction(dbscanOptions, "dbscan", dbscan, byDensity, (fit) => ({
        facts: [noiseOf(fit), ["epsilon", `${short(fit.epsilon)}, ${fit.minSamples} rows make a row dense`]],
        details: { epsilon: fit.epsilon, minSamples: fit.minSamples, noise: fit.noise },
      }));
    },
  },
  {
    name: "optics",
    title: "OPTICS",
    group: "Density",
    sentence: "Valleys of the distance at which rows are reached in turn; for clusters of different density.",
    needs: { clusters: "optional", seed: false, rows: 20_000 },
    onRequest: true,
    async open() {
      const { optics, opticsOptions } = await import("../cluster/density/optics.ts");
      return fromFunction(opticsOptions, "optics", optics, byDensity, (fit) => ({
        facts: [noiseOf(fit)],
        details: {
          noise: fit.noise,
          order: Array.from(fit.order),
          // The first row of the plot is reached from nowhere.
          reachability: Array.from(fit.reachability, (reach) => (reach === Infinity ? null : reach)),
        },
      }));
    },
  },
  {
    name: "consensus",
    title: "Consensus of many k-means",
    group: "Trees",
    sentence: "Joins rows that many divisions by k-means keep together; finds the number of clusters.",
    needs: { clusters: "optional", seed: true, quadratic: true, rows: 10_000 },
    onRequest: true,
    async open() {
      const { consensus, consensusOptions } = await import("../cluster/linkage/consensus.ts");
      return fromFunction(consensusOptions, "consensus", consensus, byRows, ({ tree }) => ({
        facts: [],
        details: { merges: treeMerges(tree) },
        drawing: {
          tree: { rows: tree.rows, merges: treeMerges(tree), height: "share of partitions that part" },
        },
      }));
    },
  },
  {
    name: "genie",
    title: "Genie",
    group: "Trees",
    sentence: "Single linkage that keeps the sizes from becoming too unequal; clusters of any shape.",
    needs: { clusters: "required", seed: false, rows: 200_000 },
    onRequest: true,
    async open() {
      const { genie, genieOptions } = await import("../cluster/linkage/genie.ts");
      return fromFunction(genieOptions, "genie", genie, byRows);
    },
  },
  {
    name: "bisecting-kmeans",
    title: "Bisecting k-means",
    group: "Trees",
    sentence: "Splits one cluster by two-means, again and again: that of which the squares fall most.",
    needs: { clusters: "required", seed: true, rows: 500_000 },
    onRequest: true,
    async open() {
      const { divisive, divisiveOptions } = await import("../cluster/linkage/divisive.ts");
      const { split: _, ...options } = divisiveOptions;
      return fromFunction(options, "divisive", divisive, byRows, undefined, { split: "kmeans" });
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
      return fromFunction(divisiveOptions, "divisive", divisive, byRows, ({ split, divisions }) => ({
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
  ...convexFamily,
  {
    name: "biclusters",
    title: "Convex biclustering",
    group: "Convex clustering",
    sentence: "Fuses rows and columns together into blocks; proves its optimum. For columns of one unit.",
    needs: { clusters: "optional", oneUnit: true, seed: false, rows: 5000 },
    takes: "longer",
    async open() {
      const { biclusters, biclustersOptions } = await import("../convex/bicluster/biclusters.ts");
      return fromFunction(biclustersOptions, "biclusters", biclusters, byRows, (fit) => ({
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
        import("../score/rand.ts"),
      ]);
      return fromFunction(
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
      return fromFunction(amlOptions, "aml", aml, byRows, discriminants);
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
      return fromFunction(
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
      return fromCalls(
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
    needs: { clusters: "optional", instead: "labels", labels: "optional", seed: true, rows: 200_000 },
    takes: "longer",
    async open() {
      const { fme, fmeOptions } = await import("../embed/fme.ts");
      return fromFunction(fmeOptions, "fme", fme, byRows, ({ embedding, certificate, classes }) => ({
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
      return fromFunction(
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
      return fromFunction(
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
      return fromFunction(pckMeansOptions, "pckMeans", pckMeans, byCenters);
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
      return fromFunction(
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
      return fromFunction(lcvqeOptions, "lcvqe", lcvqe, byCenters);
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
      return fromFunction(
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
      return fromFunction(
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

const byDensity = (fit: { model(): DensityModelData }) => ({ kind: "density" as const, model: fit.model() });

function noiseOf({ noise, labels }: { readonly noise: number; readonly labels: Int32Array }): Fact {
  return ["noise", `${noise} of ${labels.length} rows (${((100 * noise) / labels.length).toFixed(1)} %)`];
}

export const clusterings: readonly ClusteringMethod[] = entries.map(withDenseRows);

function treeMerges({ merges, heights, sizes }: Dendrogram): TreeMerge[] {
  return Array.from(heights, (height, m) => ({
    a: merges[2 * m],
    b: merges[2 * m + 1],
    height,
    size: sizes[m],
  }));
}
