import {
  asMatrix,
  restoreMatrix,
  storeMatrix,
  type Matrix,
  type MatrixLike,
  type StoredMatrix,
} from "../../matrix/index.ts";
import { extended, inputError, plain, stored } from "../../core/internal.ts";
import { loadKnown } from "../knownRows.ts";
import { type KnownRowsData } from "../centerModel.ts";
import { shiftedKernelMatrix, type KernelFunction } from "../../metric/index.ts";
import { requireKernel } from "../../metric/internal.ts";

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
export interface KernelKmeansData {
  readonly method: "kernel-kmeans";
  readonly kernel: KernelFunction;
  readonly rows: StoredMatrix;
  readonly labels: readonly number[];
  readonly weights: readonly number[];
  readonly clusters: number;
  readonly within: readonly number[];
  readonly known?: KnownRowsData;
}

interface Parts {
  readonly kernel: KernelFunction;
  readonly rows: Matrix;
  readonly labels: Int32Array;
  readonly weights: Float64Array;
  readonly clusters: number;
  /** Mean of the shifted kernel over the pairs of rows of each cluster. */
  readonly within: Float64Array;
}

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
      if (Y.cols !== rows.cols) {
        throw inputError(`predict: the data has ${Y.cols} columns, but the clusters have ${rows.cols}`);
      }
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
    model: () => ({
      method: "kernel-kmeans",
      kernel,
      rows: storeMatrix(rows),
      labels: Array.from(labels),
      weights: Array.from(weights),
      clusters,
      within: Array.from(within),
    }),
  });
}

/** Reads the output of `model()`. */
export function loadKernelKmeans(data: KernelKmeansData): KernelKmeansModel {
  const rows = restoreMatrix(data.rows, "the rows of kernel k-means");
  const checked = stored(data, "kernel k-means");
  const most = checked.whole("clusters", { min: 1, max: rows.rows });
  const labels = Int32Array.from(checked.wholes("labels", rows.rows, { min: 0, max: most - 1 }));
  const weights = Float64Array.from(checked.numbers("weights", rows.rows, { min: 0 }));
  checked.numbers("within", most);
  requireKernel(data.kernel, "kernel k-means");
  const within = Float64Array.from(data.within);
  const { kernel, clusters } = data;
  const model = kernelKmeansModel({ kernel, rows, labels, weights, clusters, within });
  return extended(model, { predict: loadKnown(data.known, clusters, (Y: Matrix) => model.predict(Y)) });
}
