import type { Matrix } from "../../matrix/index.ts";
import type { FitContext, FitOptions } from "../../method/index.ts";
import { chosenPartition } from "../../judge/index.ts";

/** Number of the default's candidate partitions that vote. */
const MOST_CANDIDATES = 8;

/**
 * Partitions of the default without hints, the chosen one first: the start for hints. Where no groups are needed there are
 * none, and `clusters` is 1.
 */
export function unhintedLibrary(
  X: Matrix,
  options: FitOptions,
  { record, unhinted }: Pick<FitContext, "record" | "unhinted">,
): { library: { name: string; labels: Int32Array }[]; clusters: number } {
  const free =
    unhinted === undefined
      ? chosenPartition(X, options, record)
      : chosenPartition(unhinted.X, options, unhinted.record);
  if (free.trust.word === "none") return { library: [], clusters: 1 };
  const library = [
    { name: "default", labels: free.labels },
    ...free.candidates
      .slice(1, MOST_CANDIDATES)
      .map(({ labels, methods }) => ({ name: methods[0].method, labels })),
  ].filter(({ labels }) => new Set(labels).size > 1);
  return { library, clusters: free.clusters };
}
