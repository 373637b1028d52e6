/**
 * Vectors of earlier runs, one file for each model: lines of the hash of a text and its vector in base64. A file is only ever
 * appended to, so an interrupted run keeps what it got.
 */
import { fileError, nodeModule } from "../../core/internal.ts";

export interface VectorCache {
  get(text: string): Float32Array | undefined;
  add(texts: readonly string[], vectors: readonly ArrayLike<number>[]): void;
}

/** @param folder default: `embeddings` in KINDRED_CACHE, or in `kindred` of the user's cache */
export function vectorCache(model: string, folder: string = usualFolder()): VectorCache {
  const { mkdirSync, readFileSync, appendFileSync, existsSync } = nodeModule<typeof import("node:fs")>("fs")!;
  const { createHash } = nodeModule<typeof import("node:crypto")>("crypto")!;
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const file = `${folder}/${hash(model).slice(0, 32)}.txt`;
  const known = new Map<string, Float32Array>();
  const memory = new Map<string, string>();
  const keyOf = (text: string): string => {
    let key = memory.get(text);
    if (key === undefined) memory.set(text, (key = hash(text)));
    return key;
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    for (const line of lines) {
      const [key, length, bytes = ""] = line.split(" ");
      const vector = Buffer.from(bytes, "base64");
      // A line that was cut off when the disk was full counts for nothing.
      if (vector.length === 0 || vector.length !== 4 * Number(length)) continue;
      known.set(key, new Float32Array(new Uint8Array(vector).buffer));
    }
  } catch (error) {
    throw fileError(`the vectors of earlier runs cannot be read from ${file}`, error);
  }
  return {
    get: (text) => known.get(keyOf(text)),
    add(texts, vectors) {
      const lines = texts.map((text, t) => {
        const vector = Float32Array.from(vectors[t]);
        known.set(keyOf(text), vector);
        return `\n${keyOf(text)} ${vector.length} ${Buffer.from(vector.buffer).toString("base64")}`;
      });
      try {
        appendFileSync(file, lines.join(""), { mode: 0o600 });
      } catch (error) {
        throw fileError(`the vectors cannot be kept in ${file}`, error);
      }
    },
  };
}

function usualFolder(): string {
  const { env } = process;
  const { homedir } = nodeModule<typeof import("node:os")>("os")!;
  return `${env.KINDRED_CACHE ?? `${env.XDG_CACHE_HOME ?? `${homedir()}/.cache`}/kindred`}/embeddings`;
}
