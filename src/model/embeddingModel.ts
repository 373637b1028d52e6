import { inputError } from "../core/internal.ts";
import { embeddingNamed, type EmbeddingModel, type FittedEmbedding } from "../method/index.ts";
import type { TableSpace } from "./modelForm.ts";
import { restoreTableSpace } from "./storedSpace.ts";

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

/** Reads the output of `storeEmbedding`; refuses anything else and damaged files. */
export async function loadEmbedding(json: unknown): Promise<PlacedEmbedding> {
  const { kind, method, model } = (json ?? {}) as Partial<EmbeddingModelData>;
  const entry = typeof method === "string" ? embeddingNamed(method) : undefined;
  if (kind !== "embedding" || entry === undefined || typeof model !== "object" || model === null) {
    throw inputError('this is not an embedding; "kindred embed --model" writes one');
  }
  const { load } = await entry.open();
  return { method: entry.name, ...restoreTableSpace(json as object), model: load(model) };
}
