import { option, optionError, rule } from "../core/internal.ts";
import type { Embedding, NamlData, ProjectionData } from "../embed/index.ts";
import type { Matrix, Sparse } from "../matrix/index.ts";
import { amlOrNaml, kernelOrMixture } from "./amlOrNaml.ts";
import { passed, withDenseRows } from "./fromFunction.ts";
import type { Fact, GivenOptions, Method } from "./method.ts";
import { cpdUmlFacts, discriminants, kernelMixture, kernelText, percentages } from "./told.ts";

/** An embedding method, for `kindred embed`. */
export interface EmbeddingMethod extends Method<OpenEmbedding> {
  readonly needs: {
    /** The number of clusters; absent: it takes none. */
    readonly clusters?: "required" | "optional";
    /** It takes sparse rows without making them dense. */
    readonly sparse?: boolean;
  };
}

/** The code of a method. */
export interface OpenEmbedding {
  /** All options except `dims` by their names; those with a `control` are for people. */
  readonly options: rule.OptionRules;
  fit(X: Matrix | Sparse, options: EmbeddingOptions): FittedEmbedding;
  /** The transform for new rows, from the `model` of a fit. */
  load(data: object): EmbeddingModel;
}

export interface EmbeddingOptions extends GivenOptions {
  /** The number of coordinates. */
  readonly dims: number;
  readonly clusters?: number;
}

/** An embedding with the method's own report. */
export interface FittedEmbedding extends Pick<
  Embedding,
  "embedding" | "converged" | "iterations" | "warnings" | "transform" | "model"
> {
  readonly facts: readonly Fact[];
}

/** The transform of new rows to the coordinates. */
export interface EmbeddingModel {
  transform(Y: Matrix): Matrix;
}

/**
 * Every method of `kindred embed`. A new one needs its function, an export of its room, and an entry here.
 */
const entries: readonly EmbeddingMethod[] = [
  {
    name: "pca",
    title: "Principal components",
    sentence: "The directions of largest variance; sparse data stays sparse.",
    needs: { sparse: true },
    async open() {
      const { loadPca, pca, pcaOptions } = await import("../embed/pca.ts");
      return embedding(pcaOptions, pca, ({ shares }) => [["variance", percentages(shares)]], loadPca);
    },
  },
  {
    name: "kernel-pca",
    title: "Kernel principal components",
    sentence:
      "Principal components in the feature space of a kernel; for curved data of up to a few thousand rows.",
    needs: {},
    async open() {
      const { kernelPca, kernelPcaOptions, loadKernelPca } = await import("../embed/kernelPca.ts");
      return embedding(
        kernelPcaOptions,
        kernelPca,
        ({ kernel, shares }) => [
          ["kernel", kernelText(kernel)],
          ["variance", `${percentages(shares)} of that in the feature space`],
        ],
        loadKernelPca,
      );
    },
  },
  {
    name: "layout",
    title: "Layout by neighbours",
    sentence: "A picture that keeps near rows near, like UMAP; for plots, also of 100000 rows.",
    needs: {},
    async open() {
      const { loadNeighborLayout, neighborLayout, neighborLayoutOptions } = await import("../embed/index.ts");
      return embedding(
        neighborLayoutOptions,
        neighborLayout,
        ({ neighbors, iterations }) => [["layout", `by ${neighbors} neighbours, ${iterations} epochs`]],
        loadNeighborLayout,
      );
    },
  },
  {
    name: "cpd-uml",
    title: "Moving rows (CPD-UML)",
    sentence: "Singular vectors of the rows after a smooth field has moved them towards clusters.",
    needs: { clusters: "optional" },
    async open() {
      const { cpdUml, cpdUmlOptions, loadCpdUml } = await import("../embed/index.ts");
      return embedding(
        cpdUmlOptions,
        cpdUml,
        (fit, { clusters }) => [["clusters", String(clusters)], ...cpdUmlFacts(fit)],
        loadCpdUml,
        { clusters: (dims) => Math.max(2, dims) },
      );
    },
  },
  {
    name: "aml",
    title: "Adaptive metric (AML)",
    sentence: "The linear projection that separates a partition best.",
    needs: { clusters: "required" },
    async open() {
      const { aml, amlOptions, loadProjection } = await import("../embed/index.ts");
      return embedding(amlOptions, aml, (fit) => discriminants(fit).facts, loadProjection);
    },
  },
  {
    name: "naml",
    title: "Adaptive kernel metric (NAML)",
    sentence: "AML in the feature space of a kernel that is given or mixed from several widths.",
    needs: { clusters: "required" },
    async open() {
      const room = await import("../embed/index.ts");
      const options = rule.without(kernelOrMixture(room), "dims");
      return {
        options,
        fit(X, { dims, ...given }) {
          const { clusters: K = 1, kernel } = given;
          if (kernel === undefined && dims !== K - 1) {
            throw optionError(
              `${option("dims")}: naml has ${K - 1} coordinates for ${K} clusters; ${option("kernel")} allows fewer`,
            );
          }
          const dimensions = kernel === undefined ? {} : { dims };
          const fit = amlOrNaml(room, X as Matrix, { ...passed(options, given), ...dimensions });
          const { facts } = "mixture" in fit ? kernelMixture(fit) : discriminants(fit);
          return { ...taken(fit), facts };
        },
        load: (data) =>
          "coefficients" in data
            ? room.loadNaml(data as NamlData)
            : room.loadProjection(data as ProjectionData),
      };
    },
  },
  {
    name: "rpca-om",
    title: "Robust plane (RPCA-OM)",
    sentence: "The plane with the smallest sum of distances (not squares) to the rows: outliers pull less.",
    needs: {},
    async open() {
      const { loadProjection, rpcaOm, rpcaOmOptions } = await import("../embed/index.ts");
      return embedding(
        rpcaOmOptions,
        rpcaOm,
        ({ embedding: { cols }, objective, history }) => [
          [
            "plane",
            `${cols} directions, sum of distances ${Number(objective.toPrecision(8))}, ` +
              `${(100 * (1 - objective / history[0])).toFixed(1)} % below that of the start`,
          ],
        ],
        loadProjection,
      );
    },
  },
  {
    name: "fme",
    title: "Flexible manifold embedding (FME)",
    sentence: "Coordinates that are smooth on the graph of neighbours and almost affine.",
    // The coordinates do not depend on the number of clusters, which the model keeps for new rows.
    needs: { clusters: "optional" },
    async open() {
      const { fme, fmeOptions, loadProjection } = await import("../embed/index.ts");
      return embedding(
        // There are no labels to trust here.
        rule.without(fmeOptions, "trust"),
        fme,
        ({ embedding: { cols }, certificate }) => [
          ["embedding", `${cols} coordinates, residual ${certificate.residual.toExponential(1)}`],
        ],
        loadProjection,
        { clusters: (dims) => dims + 1 },
      );
    },
  },
];

export const embeddings: readonly EmbeddingMethod[] = entries.map(withDenseRows);

/** An embedding that is one function of the library. */
function embedding<E extends Embedding>(
  rules: rule.OptionRules,
  fit: (X: never, options: never) => E,
  tell: (fit: E, options: EmbeddingOptions) => readonly Fact[],
  load: (data: never) => EmbeddingModel,
  more: { readonly clusters?: (dims: number) => number } = {},
): OpenEmbedding {
  const options = rule.without(rules, "dims");
  return {
    options,
    fit(X, { dims, ...given }) {
      const clusters = given.clusters ?? more.clusters?.(dims);
      const all = { dims, ...passed(options, { ...given, clusters }) };
      const found = fit(X as never, all as never);
      return { ...taken(found), facts: tell(found, all) };
    },
    load: (data) => load(data as never),
  };
}

function taken(fit: Embedding): Omit<FittedEmbedding, "facts"> {
  const { embedding: coordinates, converged, iterations, warnings } = fit;
  return {
    embedding: coordinates,
    converged,
    iterations,
    warnings,
    transform: (Y) => fit.transform(Y),
    model: () => fit.model(),
  };
}
