import type { Note } from "../core/index.ts";
import { form, inputError } from "../core/internal.ts";
import { columnRecordForm, scalingForm } from "../data/internal.ts";
import { featureRecordForm } from "../features/internal.ts";
import { placingForm, trustForm } from "../method/internal.ts";
import type { AnyMetricData } from "../metric/index.ts";
import { profileForm } from "./profiles.ts";
import { representativesForm } from "./representatives.ts";

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

export const noteForm: form.Form<Note> = form.record({
  code: form.text(),
  message: form.text(),
  parts: form.optional(form.list(form.textOr(form.record({ option: form.text() })))),
  option: form.optional(form.text()),
  column: form.optional(form.text()),
  row: form.optional(form.whole()),
  file: form.optional(form.text()),
  cells: form.optional(form.whole({ min: 0 })),
  values: form.optional(form.list(form.text())),
});

/**
 * The method's own proof of its answer. This is about its objective, not about whether the groups are right.
 */
export const proofForm = form.record({
  converged: form.boolean(),
  objective: form.nullable(form.number()),
  iterations: form.nullable(form.number({ min: 0 })),
  certificate: form.nullable(form.free<object>()),
});

const clusteringFields = {
  method: form.text(),
  /** The options of the method, beyond the common ones. */
  options: form.free<Readonly<Record<string, unknown>>>(),
  seed: form.nullable(form.whole()),
  clusters: form.size("clusters"),
  /** Rows of each cluster. */
  sizes: form.asStored(form.wholes("clusters", { min: 0 })),
  /** The names of the clusters: given, or suggested. */
  names: form.list(form.text(), "clusters"),
  ...tableSpace,
  placing: placingForm,
  /** The weight of each column, largest share first; shares add to 1. */
  relevance: form.list(form.record({ column: form.text(), share: form.number() })),
  proof: proofForm,
  /** How far the partition can be trusted; absent if unknown. */
  trust: form.optional(trustForm),
  notes: form.list(noteForm),
  profiles: form.list(profileForm, "clusters"),
  representatives: form.list(representativesForm, "clusters"),
  /** Details of this method only. */
  details: form.free<object>(),
};

/** The version of the model file; files of other versions are refused with a message. */
export const MODEL_FORMAT = 2;

/** A clustering in the form of its file, which is published as `kindred/model.schema.json`. */
export const modelForm = form.asStored(
  form.record({
    kind: form.choice("clustering"),
    kindred: form.choice(MODEL_FORMAT),
    ...clusteringFields,
    /** One per training row, -1 for no cluster; empty where the rows were in a stream or a database. */
    labels: form.wholes(undefined, { min: -1, below: "clusters" }),
  }),
);

export type Space = form.StoredOf<typeof spaceForm>;
export interface TableSpace extends form.StoredOf<typeof tableSpaceForm> {}
export interface Proof extends form.StoredOf<typeof proofForm> {}
/** A clustering without the labels of its rows: plain data. */
export interface ClusteringData extends Omit<ModelFile, "kindred" | "kind" | "labels"> {}
export interface ModelFile extends form.StoredOf<typeof modelForm> {}

/** The content of a model file, checked before it is used. */
export function checkedModel(parsed: unknown): ModelFile {
  const format = (parsed as Partial<ModelFile> | null)?.kindred;
  const { kind } = (parsed ?? {}) as Partial<ModelFile>;
  if (kind === "clustering" && format !== MODEL_FORMAT) {
    throw inputError(
      `the model is of format ${JSON.stringify(format) ?? "nothing"}, and this version reads format 2; make it again with: kindred cluster --model`,
      { code: "model-format" },
    );
  }
  return form.checked(modelForm, parsed, "the model");
}
