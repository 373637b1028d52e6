import type { Note } from "../core/index.ts";
import { form } from "../core/internal.ts";
import { trustForm } from "../method/internal.ts";
import { fileFields, placedFields, requireFormat } from "./placedForm.ts";
import { profileForm } from "./profiles.ts";
import { representativesForm } from "./representatives.ts";

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
  /** Rows of each cluster. */
  sizes: form.asStored(form.wholes("clusters", { min: 0 })),
  ...placedFields,
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

/** A clustering in the form of its file, which is published as `kindred/model.schema.json`. */
export const modelForm = form.asStored(
  form.record({
    ...fileFields,
    ...clusteringFields,
    /** One per training row, -1 for no cluster; empty where the rows were in a stream or a database. */
    labels: form.wholes(undefined, { min: -1, below: "clusters" }),
  }),
);

export interface Proof extends form.StoredOf<typeof proofForm> {}
/** A clustering without the labels of its rows: plain data. */
export interface ClusteringData extends Omit<ModelFile, "kindred" | "kind" | "labels"> {}
export interface ModelFile extends form.StoredOf<typeof modelForm> {}

/** The content of a model file, checked before it is used. */
export function checkedModel(parsed: unknown): ModelFile {
  requireFormat(parsed);
  return form.checked(modelForm, parsed, "the model");
}
