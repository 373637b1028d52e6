import { fileError, inputError, nodeModule } from "../core/internal.ts";

/**
 * Writes a file or folder of this machine under another name and renames it when it is complete: a reader
 * sees the old one, the new one or none, and a failure leaves nothing. Addresses (s3://...) are written
 * directly, because their stores write completely or not at all.
 */
export async function putInPlace(
  path: string,
  kind: "file" | "folder",
  write: (path: string) => Promise<void>,
): Promise<void> {
  const fs = nodeModule<typeof import("node:fs")>("fs");
  const paths = nodeModule<typeof import("node:path")>("path");
  if (fs === undefined || paths === undefined || isAddress(path)) return write(path);
  const target = paths.resolve(path);
  requirePlace(path, kind);
  const random = Math.floor(Math.random() * 36 ** 8).toString(36);
  const temporary = paths.join(paths.dirname(target), `.${paths.basename(target)}.${random}.tmp`);
  try {
    await write(temporary);
    if (kind === "folder" && fs.existsSync(target)) fs.rmdirSync(target);
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Refuses a name that cannot be written to, before long work. */
export function requirePlace(path: string, kind: "file" | "folder"): void {
  const fs = nodeModule<typeof import("node:fs")>("fs");
  const paths = nodeModule<typeof import("node:path")>("path");
  if (fs === undefined || paths === undefined || isAddress(path)) return;
  const target = paths.resolve(path);
  const parent = paths.dirname(target);
  if (!fs.existsSync(parent))
    throw fileError(`${path} cannot be written: the folder ${parent} does not exist`);
  const existing = fs.statSync(target, { throwIfNoEntry: false });
  if (kind === "file" && existing?.isDirectory()) throw fileError(`${path} is a folder, not a file`);
  if (kind === "file" || existing === undefined) return;
  if (!existing.isDirectory()) throw fileError(`${path} is a file, not a folder`);
  if (fs.readdirSync(target).length > 0) throw inputError(`the folder ${path} is not empty: choose another`);
}

function isAddress(path: string): boolean {
  return /^\w+:\/\//.test(path);
}
