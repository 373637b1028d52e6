import { asMatrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { matrixForm } from "../../matrix/internal.ts";
import {
  choice,
  extended,
  load,
  numbers,
  optional,
  plain,
  record,
  size,
  wholes,
  type LoadedOf,
  type StoredOf,
} from "../../core/internal.ts";
import { knownRowsForm } from "../centerModel.ts";
import { placeKnown } from "../knownRows.ts";
import { shiftedKernelMatrix, type KernelFunction } from "../../metric/index.ts";
import { kernelForm } from "../../metric/internal.ts";
import { requireColumns } from "../clusterInput.ts";

/** Clusters in the feature space of a kernel, and the rows that hold their centres. */
export interface KernelKmeansModel {
  readonly kernel: KernelFunction;
  readonly clusters: number;
  readonly labels: Int32Array;
  predict(Y: MatrixLike): Int32Array;
  model(): KernelKmeansData;
  toJSON(): object;
}

/** The form in a file. */
const kernelKmeansForm = record({
  method: choice("kernel-kmeans"),
  kernel: kernelForm,
  clusters: size("clusters", { min: 1 }),
  rows: matrixForm("rows", "columns"),
  labels: wholes("rows", { min: 0, below: "clusters" }),
  weights: numbers("rows", { min: 0 }),
  /** Mean of the shifted kernel over the pairs of rows of each cluster. */
  within: numbers("clusters"),
  known: optional(knownRowsForm),
});

export interface KernelKmeansData extends StoredOf<typeof kernelKmeansForm> {}

type Parts = Omit<LoadedOf<typeof kernelKmeansForm>, "method" | "known">;

export function kernelKmeansModel(parts: Parts): KernelKmeansModel {
  const { kernel, rows, labels, weights, clusters, within } = parts;
  const mass = new Float64Array(clusters);
  labels.forEach((label, i) => (mass[label] += weights[i]));
  return plain({
    kernel,
    clusters,
    labels,
    predict(input) {
      const Y = asMatrix(input, "predict");
      requireColumns(Y.cols, rows.cols);
      const K = shiftedKernelMatrix(Y, rows, kernel);
      const sums = new Float64Array(clusters);
      return Int32Array.from({ length: Y.rows }, (_, i) => {
        sums.fill(0);
        for (let j = 0; j < rows.rows; j++) sums[labels[j]] += weights[j] * K.data[i * rows.rows + j];
        let best = -1;
        let least = Infinity;
        for (let c = 0; c < clusters; c++) {
          const distance = within[c] - (2 * sums[c]) / mass[c];
          if (mass[c] > 0 && distance < least) {
            least = distance;
            best = c;
          }
        }
        return best;
      });
    },
    model: () => kernelKmeansForm.save({ method: "kernel-kmeans", ...parts }),
  });
}

/** Reads the output of `model()`. */
export function loadKernelKmeans(data: KernelKmeansData): KernelKmeansModel {
  const { known, ...parts } = load(kernelKmeansForm, data, "kernel k-means");
  const model = kernelKmeansModel(parts);
  return extended(model, { predict: placeKnown(known, (Y: Matrix) => model.predict(Y)) });
}
