import { inputError } from "../core/errors.ts";
import type { Scaling } from "../data/index.ts";
import { embeddingNamed, type EmbeddingModel, type FittedEmbedding } from "../method/index.ts";
import { restoreScaling } from "./storedScaling.ts";

/** What places new rows in the coordinates of an embedding, with the scaling that goes before it. */
export interface PlacedEmbedding {
  /** As of the registry: "kernel-pca". */
  readonly method: string;
  readonly scaling: Scaling;
  readonly model: EmbeddingModel;
}

/** As it is written to a file. */
export interface EmbeddingModelData {
  readonly kind: "embedding";
  readonly method: string;
  /** Of the columns that the scaling keeps. */
  readonly names: readonly string[];
  readonly scaling: Scaling;
  readonly model: object;
}

export function storeEmbedding(method: string, scaling: Scaling, fit: FittedEmbedding): EmbeddingModelData {
  const names = scaling.kept.map((f) => scaling.columns[f]);
  return { kind: "embedding", method, names, scaling, model: fit.model() };
}

/** Reads back what `storeEmbedding` gave; refuses what is none, or damaged. */
export async function loadEmbedding(json: unknown): Promise<PlacedEmbedding> {
  const { kind, method, scaling, model } = (json ?? {}) as Partial<EmbeddingModelData>;
  const entry = typeof method === "string" ? embeddingNamed(method) : undefined;
  if (kind !== "embedding" || entry === undefined || typeof model !== "object" || model === null) {
    throw inputError('this is not an embedding; "kindred embed --model" writes one');
  }
  const { load } = await entry.open();
  return { method: entry.name, scaling: restoreScaling(scaling), model: load(model) };
}
