import { open, realpath, stat } from "node:fs/promises";
import { basename, dirname, resolve, sep } from "node:path";
import { fileError } from "../core/internal.ts";

export type FilesBelow = ReturnType<typeof filesBelow>;

/** Files below a folder without links, wherever links lead; nothing else is read or written. */
export function filesBelow(root: string) {
  const isInside = (path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);
  return {
    /** The path of a file that is there. */
    async find(given: string): Promise<string> {
      const path = await realpath(resolve(root, given)).catch(() => undefined);
      if (path === undefined || !isInside(path)) throw fileError(`there is no file ${given} below ${root}`);
      if (!(await stat(path)).isFile()) throw fileError(`${given} is not a file`);
      return path;
    },
    /** Writes a new file: nothing is replaced, and no link is followed. */
    async write(given: string, text: string): Promise<object> {
      const path = resolve(root, given);
      const folder = await realpath(dirname(path)).catch(() => undefined);
      if (folder === undefined || (folder !== root && !isInside(folder))) {
        throw fileError(`${given} is not below ${root}`);
      }
      const file = await open(resolve(folder, basename(path)), "wx").catch((error: NodeJS.ErrnoException) => {
        const exists = error.code === "EEXIST";
        throw fileError(exists ? `${given} exists; give another name` : `cannot write ${given}`, error);
      });
      await file.writeFile(text).finally(() => file.close());
      return { wrote: given, characters: text.length };
    },
  };
}
