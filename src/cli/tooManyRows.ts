import { existsSync } from "node:fs";
import { bytesText, inputError, machineMemory } from "../core/internal.ts";
import { detectFormat, isGzip, openSource, readHead } from "../data/internal.ts";
import { clusterings } from "../method/index.ts";

/**
 * Methods that keep a number for every pair of rows are refused before a file of sparse rows is read, if its
 * length shows that memory is too small. For other rows a sample is fitted.
 */
export async function refuseTooManyRows(
  sources: readonly string[],
  method: string | undefined,
): Promise<void> {
  const found = clusterings.find(({ name }) => name === method);
  if (found?.needs.quadratic !== true) return;
  const most = Math.sqrt(machineMemory() / 4); // half of the pairs, eight bytes each
  let rows = 0;
  for (const source of sources) if (source !== "-" && existsSync(source)) rows += await aboutRows(source);
  if (rows <= most) return;
  const others = clusterings.filter(({ needs }) => needs.quadratic !== true && needs.pairs !== "required");
  const named = ["kmeans", "ward", "single", "gmm"].filter((name) =>
    others.some((other) => other.name === name),
  );
  throw inputError(
    `${sources.join(", ")}: at least ${rows.toPrecision(2)} rows, and ${method} keeps a number for every pair of rows ` +
      `(${bytesText(4 * rows * rows)}); ${named.join(", ")} need no such table, or use fewer rows`,
  );
}

/** A lower bound for the number of rows; 0 if only reading would tell. */
async function aboutRows(path: string): Promise<number> {
  const { reader, byteLength, name } = await openSource(path, undefined);
  try {
    const head = await readHead(reader, HEAD);
    if (byteLength === undefined || head.length === 0 || isGzip(head)) return 0;
    const format = formatOf(head, name);
    if (format !== "libsvm") return 0;
    let lines = 0;
    for (const byte of head) if (byte === 10) lines++;
    // Half of the estimate from the first lines: later ones may be longer.
    return (0.5 * lines * byteLength) / head.length;
  } catch {
    return 0; // what is wrong with it is told when it is read
  } finally {
    await reader.close();
  }
}

function formatOf(head: Uint8Array, name: string): string | undefined {
  try {
    return detectFormat(head, name);
  } catch {
    return undefined;
  }
}

const HEAD = 1 << 20;
