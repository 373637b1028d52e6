import type { DensityModelData, GaussianMixtureData, KernelKmeansData } from "../cluster/index.ts";
import { form } from "../core/internal.ts";
import type { CpdUmlData } from "../embed/index.ts";
import { codeRuleForm, lastFeature, levelCount } from "../features/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { matrixForm } from "../matrix/internal.ts";

/**
 * The rule for new rows, as plain data of a model file. Most methods place by the nearest centre, if that
 * reproduces the training labels; otherwise by the nearest of the training rows themselves.
 */
export const placingForm = form.asStored(
  form.where(
    form.tagged(
      "kind",
      {
        centers: {
          /** One row per cluster. */
          centers: matrixForm("clusters", "coordinates"),
          /** Coordinates x places: the map before distances. */
          map: form.optional(matrixForm("coordinates")),
          /** Rows that are not in the cluster of the nearest centre: equal rows go to the same cluster. */
          exceptions: form.optional(
            form.record({
              rows: matrixForm("exceptions", "coordinates"),
              labels: form.wholes("exceptions", { min: 0, below: "clusters" }),
            }),
          ),
        },
        rows: {
          rows: matrixForm("rows", "coordinates"),
          labels: form.wholes("rows", { min: 0, below: "clusters" }),
          map: form.optional(matrixForm("coordinates")),
          /** Number of nearest rows that vote, each by 1 / distance; default 1. */
          neighbors: form.optional(form.number({ min: 1 })),
        },
        mixture: { mixture: form.free<GaussianMixtureData>() },
        "kernel-kmeans": { model: form.free<KernelKmeansData>() },
        "cpd-uml": { model: form.free<CpdUmlData>() },
        density: { model: form.free<DensityModelData>() },
        /**
         * The cluster with the largest score: bias_k + sum_f x_f weights[f, k] + sum_v logs_v[k, level of the row],
         * over the numeric features and the categorical columns; a missing or unknown level adds nothing.
         */
        mixed: {
          bias: form.numbers("clusters"),
          features: form.wholes("features", { min: 0, below: "coordinates" }),
          /** Features x clusters. */
          weights: matrixForm("features", "clusters"),
          levels: form.list(
            form.where(
              form.record({
                rule: codeRuleForm,
                /** Clusters x levels. */
                logs: matrixForm("clusters"),
              }),
              ({ rule, logs }, refuse) => {
                const count = levelCount(rule);
                if (logs.cols !== count) throw refuse("logs", `has ${logs.cols} columns for ${count} levels`);
              },
            ),
          ),
        },
      },
      {
        /** Share of the training rows for which the rule gives the method's label. */
        agreement: form.number({ min: 0, max: 1 }),
        /** Means of the clusters, for distances if the rule has none of its own. */
        means: matrixForm("clusters", "coordinates"),
      },
    ),
    (rule, refuse) => {
      if (rule.kind !== "mixed") return;
      const beyond = rule.levels.findIndex(({ rule: codes }) => lastFeature(codes) >= rule.means.cols);
      if (beyond >= 0) throw refuse(`levels[${beyond}].rule`, "is of no feature");
    },
  ),
);

export type PlacingRule = form.StoredOf<typeof placingForm>;
export type MixedPlacing = Pick<
  Extract<PlacingRule, { readonly kind: "mixed" }>,
  "bias" | "features" | "weights" | "levels"
>;

/** The placement of rows: the cluster, its distance, the next cluster and its distance. */
export interface Placed {
  /** -1: in no cluster; the next cluster is then the nearest one. */
  readonly labels: Int32Array;
  /** Infinity in no cluster. */
  readonly distances: Float64Array;
  /** -1 if there is only one cluster. */
  readonly next: Int32Array;
  /** Infinity if there is only one cluster. */
  readonly nextDistances: Float64Array;
}

export type Place = (X: Matrix) => Placed;
