import { requireColumns, requireCoordinates, type PlacingMap } from "./embedding.ts";
import { asMatrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { centered, matrixForm, requireFinite } from "../matrix/internal.ts";
import { knownPlacing, knownRowsForm, placeKnown, type KnownRows } from "../cluster/internal.ts";
import { extended, form, inputError, plain } from "../core/internal.ts";
import { kernelSpaceFields, loadKernelPca, type KernelPcaModel } from "./kernelPca.ts";

/** The form in a file. */
const projectionForm = form.record({
  method: form.text(),
  /** d x r. */
  map: matrixForm("numbers", "coordinates"),
  /** d; subtracted first. */
  mean: form.numbers("numbers"),
  /** r; added last. */
  offset: form.numbers("coordinates"),
  /** K x r. */
  centers: form.optional(matrixForm("clusters", "coordinates")),
  known: form.optional(knownRowsForm),
  ...kernelSpaceFields,
});

export interface ProjectionData extends form.StoredOf<typeof projectionForm> {}

/**
 * An affine map, on the rows or on their kernel components, and the centres of its clusters, if there are
 * any.
 */
interface ProjectionParts extends Omit<form.LoadedOf<typeof projectionForm>, "known" | "kernel"> {
  readonly kernel?: KernelPcaModel;
}

/** Rows become (y - mean) map + offset. */
export interface Projection extends ProjectionParts, PlacingMap<ProjectionData> {
  readonly method: string;
}

/** A projection whose clusters come from labels. */
export function placedProjection(X: Matrix, labels: Int32Array, parts: ProjectionParts): Projection {
  return keepingLabels(projection(parts), X, labels);
}

/** The model of these labels: rows that it would place elsewhere keep theirs. */
export function keepingLabels<M extends PlacingMap>(model: M, X: Matrix, labels: Int32Array): M {
  const { predict, stored } = knownPlacing(X, labels, (Y: Matrix) => model.predict(Y));
  const whole = (): object => ({ ...model.model(), ...stored() });
  return extended(model, { predict, model: whole }) as unknown as M;
}

/** The model of a file, with such rows. */
export function withKnown<M extends PlacingMap>(model: M, known: KnownRows | undefined): M {
  return extended(model, { predict: placeKnown(known, (Y: Matrix) => model.predict(Y)) }) as unknown as M;
}

export function projection(parts: ProjectionParts): Projection {
  const { method, mean, map, offset, centers, kernel } = parts;
  const transform = (input: MatrixLike): Matrix => {
    const rows = asMatrix(input, method);
    requireFinite(rows);
    const Y = kernel === undefined ? rows : kernel.transform(rows);
    requireColumns(method, mean.length, Y);
    const Z = multiply(centered(Y, mean), map);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += offset[p % map.cols];
    return requireCoordinates(Z, method);
  };
  return plain({
    ...parts,
    transform,
    predict(Y) {
      if (centers === undefined)
        throw inputError(`${method} found no clusters, so it cannot place rows in them`);
      return nearestRows(centers, 1, { queries: transform(Y) }).indices;
    },
    model: () => projectionForm.save({ ...parts, kernel: kernel?.model() }),
  });
}

/** Reads the output of `model()` of aml, rpcaOm or fme. */
export function loadProjection(data: ProjectionData): Projection {
  const { known, kernel, ...parts } = form.load(projectionForm, data, "the projection");
  return withKnown(projection({ ...parts, ...(kernel && { kernel: loadKernelPca(kernel) }) }), known);
}
