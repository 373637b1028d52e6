import { fileError, nodeModule, optionError, option } from "../../core/internal.ts";
import type { Embedder } from "./embedTexts.ts";

/** What is used of the package. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(task: "feature-extraction", model: string, settings: object): Promise<Extractor>;
}
type Extractor = (
  texts: readonly string[],
  settings: object,
) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>;

const PACKAGE = "@huggingface/transformers";
const BATCH = 32;

/**
 * A model in a folder (config.json, tokenizer.json, onnx/model.onnx), by the package @huggingface/transformers, which may load
 * from disk only. A text is the mean of its tokens' vectors, of length 1, as sentence models are trained.
 */
export async function localModel(
  folder: string,
  load: () => Promise<Transformers> = loaded,
): Promise<Embedder> {
  const { resolve, dirname, basename, join } = nodeModule<typeof import("node:path")>("path")!;
  const { statSync, readdirSync } = nodeModule<typeof import("node:fs")>("fs")!;
  const whole = resolve(folder);
  const models = ["onnx", "."].flatMap((part) => {
    try {
      return readdirSync(join(whole, part))
        .filter((name) => name.endsWith(".onnx"))
        .map((name) => join(whole, part, name));
    } catch {
      return [];
    }
  });
  if (models.length === 0) {
    throw optionError(
      `${option("embed")}: ${folder} holds no model: a file such as onnx/model.onnx is missing`,
    );
  }
  const { env, pipeline } = await load();
  env.allowRemoteModels = false;
  env.localModelPath = `${dirname(whole)}/`;
  const stamps = models.map((path) => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}`);
  let extract: Extractor | undefined;
  return {
    name: `the model ${folder}`,
    key: stamps.join("\n"),
    batch: BATCH,
    async embed(texts) {
      try {
        extract ??= await pipeline("feature-extraction", basename(whole), {
          dtype: "fp32",
          local_files_only: true,
        });
        const { dims, data } = await extract(texts, { pooling: "mean", normalize: true });
        const width = dims.at(-1)!;
        return texts.map((_, t) => Array.from({ length: width }, (__, f) => data[t * width + f]));
      } catch (error) {
        throw fileError(`the model in ${folder} cannot embed texts`, error);
      }
    },
  };
}

async function loaded(): Promise<Transformers> {
  // Not a literal, so that bundlers do not look for a package that most do not need.
  const name = PACKAGE;
  try {
    return (await import(/* @vite-ignore */ name)) as Transformers;
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw optionError(`${option("embed")} with a model in a folder needs a package: npm install ${PACKAGE}`);
  }
}
