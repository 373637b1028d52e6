import { inputError } from "../core/internal.ts";

/** Reads labels from a file, which must match the clusters (and the rows, if these are stored). */
export function restoreLabels(stored: readonly number[], clusters: number, rows?: number): Int32Array {
  const given = Array.isArray(stored) || ArrayBuffer.isView(stored) ? stored : [];
  const labels = Int32Array.from(given);
  const fit = (rows === undefined || labels.length === rows) && Number.isSafeInteger(clusters);
  if (!fit || given.some((label, i) => label !== labels[i] || label < 0 || label >= clusters)) {
    throw inputError(
      `the labels do not fit ${rows ?? "the"} rows in ${clusters} clusters: the file is damaged`,
    );
  }
  return labels;
}
