import type { Note } from "../core/index.ts";
import {
  asStored,
  boolean,
  checked,
  choice,
  free,
  inputError,
  list,
  nullable,
  number,
  optional,
  record,
  size,
  tagged,
  text,
  textOr,
  whole,
  wholes,
  type Form,
  type StoredOf,
} from "../core/internal.ts";
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
const spaceForm = tagged("kind", {
  features: {
    record: featureRecordForm,
    /** A metric learned on the features. */
    metric: optional(free<AnyMetricData>()),
  },
  scaling: {
    scaling: scalingForm,
    /** The column with the scaling group of a row. */
    batch: optional(text()),
    metric: optional(free<AnyMetricData>()),
  },
});

/** A space, and how the cells of its columns are read. */
const tableSpace = {
  /** The columns of the table, and how their cells are read. */
  columns: list(columnRecordForm),
  space: spaceForm,
};

export const tableSpaceForm = record(tableSpace);

export const noteForm: Form<Note> = record({
  code: text(),
  message: text(),
  parts: optional(list(textOr(record({ option: text() })))),
  option: optional(text()),
  column: optional(text()),
  row: optional(whole()),
  file: optional(text()),
  cells: optional(whole({ min: 0 })),
  values: optional(list(text())),
});

/**
 * The method's own proof of its answer. This is about its objective, not about whether the groups are right.
 */
export const proofForm = record({
  converged: boolean(),
  objective: nullable(number()),
  iterations: nullable(number({ min: 0 })),
  certificate: nullable(free<object>()),
});

const clusteringFields = {
  method: text(),
  /** The options of the method, beyond the common ones. */
  options: free<Readonly<Record<string, unknown>>>(),
  seed: nullable(whole()),
  clusters: size("clusters"),
  /** Rows of each cluster. */
  sizes: asStored(wholes("clusters", { min: 0 })),
  /** The names of the clusters: given, or suggested. */
  names: list(text(), "clusters"),
  ...tableSpace,
  placing: placingForm,
  /** The weight of each column, largest share first; shares add to 1. */
  relevance: list(record({ column: text(), share: number() })),
  proof: proofForm,
  /** How far the partition can be trusted; absent if unknown. */
  trust: optional(trustForm),
  notes: list(noteForm),
  profiles: list(profileForm, "clusters"),
  representatives: list(representativesForm, "clusters"),
  /** Details of this method only. */
  details: free<object>(),
};

/** The version of the model file; files of other versions are refused with a message. */
export const MODEL_FORMAT = 2;

/** A clustering in the form of its file, which is published as `kindred/model.schema.json`. */
export const modelForm = asStored(
  record({
    kind: choice("clustering"),
    kindred: choice(MODEL_FORMAT),
    ...clusteringFields,
    /** One per training row, -1 for no cluster; empty where the rows were in a stream or a database. */
    labels: wholes(undefined, { min: -1, below: "clusters" }),
  }),
);

export type Space = StoredOf<typeof spaceForm>;
export interface TableSpace extends StoredOf<typeof tableSpaceForm> {}
export interface Proof extends StoredOf<typeof proofForm> {}
/** A clustering without the labels of its rows: plain data. */
export interface ClusteringData extends Omit<ModelFile, "kindred" | "kind" | "labels"> {}
export interface ModelFile extends StoredOf<typeof modelForm> {}

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
  return checked(modelForm, parsed, "the model");
}
