import { fileError, fileSystem, nodeModule } from "../../core/internal.ts";
import type { Source } from "../../data/index.ts";

/** Sources that are read twice. */
export interface KeptSources {
  readonly sources: readonly Source[];
  /** Refuses a file that was written to since. */
  requireUnchanged(): void;
}

/** Standard input and pipes can be read only once: what they give is kept in memory for the second reading. */
export function keptSources(paths: readonly string[]): KeptSources {
  const before = paths.map(stamp);
  return {
    sources: paths.map((path, k) => (before[k] === undefined ? keptChunks(path) : path)),
    requireUnchanged() {
      const changed = paths.find((path, k) => before[k] !== undefined && stamp(path) !== before[k]);
      if (changed === undefined) return;
      throw fileError(`${changed} changed while the command ran, so its rows cannot be copied; run it again`);
    },
  };
}

/** Undefined for what is not a file. */
function stamp(path: string): string | undefined {
  const fs = fileSystem();
  if (path === "-" || fs?.existsSync(path) !== true) return undefined;
  const found = fs.statSync(path);
  return found.isFile() ? `${found.size} ${found.mtimeMs}` : undefined;
}

/** The chunks of the first reading, and again for a second one. */
function keptChunks(path: string): Source {
  const name = path === "-" ? "standard input" : path;
  const kept: Uint8Array[] = [];
  let opened = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (opened) return yield* kept;
    opened = true;
    const input = nodeModule<{ stdin: AsyncIterable<Uint8Array> }>("process")!.stdin;
    for await (const chunk of path === "-" ? input : fileSystem()!.createReadStream(path)) {
      kept.push(chunk);
      yield chunk;
    }
  }
  return Object.assign({ [Symbol.asyncIterator]: chunks }, { name });
}
