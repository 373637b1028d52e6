import type { Matrix } from "../matrix/index.ts";
import type { FitContext, FitOptions } from "../method/index.ts";
import { chosenPartition } from "../compare/index.ts";

/** Number of the default's candidate partitions that vote. */
const MOST_CANDIDATES = 8;

/**
 * Partitions of the default without hints, the chosen one first: the start for hints. One cluster is no
 * partition; `clusters` is the number of the default.
 */
export async function unhintedLibrary(
  X: Matrix,
  options: FitOptions,
  { record, unhinted }: Pick<FitContext, "record" | "unhinted">,
): Promise<{ library: { name: string; labels: Int32Array }[]; clusters: number }> {
  const free = await (unhinted === undefined
    ? chosenPartition(X, options, record)
    : chosenPartition(unhinted.X, options, unhinted.record));
  const library = [
    { name: "default", labels: free.labels },
    ...free.candidates
      .slice(1, MOST_CANDIDATES)
      .map(({ labels, methods }) => ({ name: methods[0].method, labels })),
  ].filter(({ labels }) => new Set(labels).size > 1);
  return { library, clusters: free.clusters };
}
