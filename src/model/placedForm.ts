import { form, inputError } from "../core/internal.ts";
import { columnRecordForm, scalingForm } from "../data/internal.ts";
import { featureRecordForm } from "../features/internal.ts";
import { placingForm } from "../method/internal.ts";
import type { AnyMetricData } from "../metric/index.ts";

/**
 * The number space of a clustering: features learned from a table with columns of any kind, or the scaled
 * numbers of a numeric table, possibly under an existing metric.
 */
const spaceForm = form.tagged("kind", {
  features: {
    record: featureRecordForm,
    /** A metric learned on the features. */
    metric: form.optional(form.free<AnyMetricData>()),
  },
  scaling: {
    scaling: scalingForm,
    /** The column with the scaling group of a row. */
    batch: form.optional(form.text()),
    metric: form.optional(form.free<AnyMetricData>()),
  },
});

/** A space, and how the cells of its columns are read. */
const tableSpace = {
  /** The columns of the table, and how their cells are read. */
  columns: form.list(columnRecordForm),
  space: spaceForm,
};

export const tableSpaceForm = form.record(tableSpace);

/** The version of the model file; files of other versions are refused with a message. */
export const MODEL_FORMAT = 2;

export const fileFields = { kind: form.choice("clustering"), kindred: form.choice(MODEL_FORMAT) };

/** What places rows. */
export const placedFields = {
  clusters: form.size("clusters"),
  /** The names of the clusters: given, or suggested. */
  names: form.list(form.text(), "clusters"),
  ...tableSpace,
  placing: placingForm,
};

/** The part of a model file that places rows. */
export const placedForm = form.record({ ...fileFields, ...placedFields });

export type Space = form.StoredOf<typeof spaceForm>;
export interface TableSpace extends form.StoredOf<typeof tableSpaceForm> {}

export function requireFormat(parsed: unknown): void {
  const { kind, kindred } = (parsed ?? {}) as { readonly kind?: unknown; readonly kindred?: unknown };
  if (kind !== "clustering" || kindred === MODEL_FORMAT) return;
  throw inputError(
    `the model is of format ${JSON.stringify(kindred) ?? "nothing"}, and this version reads format 2; make it again with: kindred cluster --model`,
    { code: "model-format" },
  );
}
