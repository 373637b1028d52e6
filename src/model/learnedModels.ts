/**
 * Models beside clusterings, with the preprocessing of their rows: a metric, an embedding; classifierModel.ts has the
 * classifiers, which a clustering does not load. Loading refuses anything else and damaged files.
 */
import { form, inputError } from "../core/internal.ts";
import { embeddings, type EmbeddingModel, type FittedEmbedding } from "../method/index.ts";
import { loadAnyMetric, metricWidth, type AnyMetric, type AnyMetricData } from "../metric/index.ts";
import { tableSpaceForm, type TableSpace } from "./placedForm.ts";

/** A learned metric with its preprocessing. */
export interface MetricModel extends TableSpace {
  readonly metric: AnyMetric;
}

/** The form in a file. */
export interface MetricModelData extends TableSpace {
  readonly kind: "metric";
  readonly metric: AnyMetricData;
}

/** A learned metric as a model file. */
export function storeMetricModel({ columns, space, metric }: MetricModel): MetricModelData {
  return { kind: "metric", columns, space, metric: metric.model() };
}

/** Reads the output of `storeMetricModel`. */
export function loadMetricModel(json: unknown): MetricModel {
  const { kind, metric } = (json ?? {}) as Partial<MetricModelData>;
  if (kind !== "metric" || metric === undefined) throw isNot("a learned metric", "metric");
  const loaded = loadAnyMetric(metric);
  return { ...restoreTableSpace(json as object, metricWidth(loaded), "metric"), metric: loaded };
}

/** The transform of new rows to the coordinates of an embedding, with its preprocessing. */
export interface PlacedEmbedding extends TableSpace {
  /** The name in the registry: "kernel-pca". */
  readonly method: string;
  readonly model: EmbeddingModel;
}

/** The form in a file. */
export interface EmbeddingModelData extends TableSpace {
  readonly kind: "embedding";
  readonly method: string;
  readonly model: object;
}

/** An embedding as a model file. */
export function storeEmbedding(
  method: string,
  { columns, space }: TableSpace,
  fit: FittedEmbedding,
): EmbeddingModelData {
  return { kind: "embedding", method, columns, space, model: fit.model() };
}

/** Reads the output of `storeEmbedding`. */
export async function loadEmbedding(json: unknown): Promise<PlacedEmbedding> {
  const { kind, method, model } = (json ?? {}) as Partial<EmbeddingModelData>;
  const entry = embeddings.find(({ name }) => name === method);
  if (kind !== "embedding" || entry === undefined || typeof model !== "object" || model === null) {
    throw isNot("an embedding", "embed");
  }
  const { load } = await entry.open();
  return { method: entry.name, ...restoreTableSpace(json as object), model: load(model) };
}

export function isNot(what: string, command: string): Error {
  return inputError(`this is not ${what}; "kindred ${command} --model" writes one`);
}

/**
 * The space of a model. An older file has the scaling of its columns instead.
 *
 * @param width the numbers that what comes after it takes, which is called `what`
 */
export function restoreTableSpace(json: object, width?: number, what?: string): TableSpace {
  const file = json as Readonly<Record<string, unknown>>;
  const given = "scaling" in file ? { columns: [], space: { kind: "scaling", scaling: file.scaling } } : file;
  const { columns, space } = form.checked(tableSpaceForm, given, "the model");
  const has =
    space.kind === "scaling"
      ? space.scaling.kept.length
      : space.record.parts.reduce((sum, { names }) => sum + names.length, 0);
  if (width !== undefined && has !== width) {
    throw inputError(
      `the rows of the model have ${has} numbers, but the ${what} takes ${width}: the file is damaged`,
    );
  }
  return { columns, space };
}
