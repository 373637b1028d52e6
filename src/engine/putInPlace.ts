import { fileError, inputError } from "../core/errors.ts";
import { nodeModule } from "../core/node.ts";

/**
 * Writes a file or folder of this machine under another name beside its own and renames it when it is whole: a reader sees
 * the old one, the new one or none, and what failed leaves nothing. Addresses (s3://...) are written as they are, which
 * their stores do whole.
 */
export async function putInPlace(
  path: string,
  kind: "file" | "folder",
  write: (path: string) => Promise<void>,
): Promise<void> {
  const fs = nodeModule<typeof import("node:fs")>("fs");
  const paths = nodeModule<typeof import("node:path")>("path");
  if (fs === undefined || paths === undefined || /^\w+:\/\//.test(path)) return write(path);
  const target = paths.resolve(path);
  const existing = fs.statSync(target, { throwIfNoEntry: false });
  if (kind === "file" && existing?.isDirectory()) throw fileError(`${path} is a folder, not a file`);
  if (kind === "folder" && existing !== undefined) {
    if (!existing.isDirectory()) throw fileError(`${path} is a file, not a folder`);
    if (fs.readdirSync(target).length > 0) {
      throw inputError(`the folder ${path} is not empty: choose another`);
    }
  }
  const random = Math.floor(Math.random() * 36 ** 8).toString(36);
  const temporary = paths.join(paths.dirname(target), `.${paths.basename(target)}.${random}.tmp`);
  try {
    await write(temporary);
    if (kind === "folder" && existing !== undefined) fs.rmdirSync(target);
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}
