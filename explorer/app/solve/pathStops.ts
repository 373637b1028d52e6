import type { FusionPath } from "../../protocol.ts";

const known = new WeakMap<FusionPath, number[]>();

/** The steps of a path where the groups change, and its end. */
export function stopsOf(path: FusionPath): number[] {
  const found = known.get(path);
  if (found !== undefined) return found;
  const { steps } = path;
  const stops = [...steps.keys()].filter(
    (s) => s === 0 || s === steps.length - 1 || steps[s].clusters !== steps[s - 1].clusters,
  );
  known.set(path, stops);
  return stops;
}

/** "3 groups and 17 single rows", "150 single rows", "1 group". */
export function countText(labels: ArrayLike<number>): string {
  const sizes = new Map<number, number>();
  for (let i = 0; i < labels.length; i++) sizes.set(labels[i], (sizes.get(labels[i]) ?? 0) + 1);
  let alone = 0;
  for (const size of sizes.values()) if (size === 1) alone++;
  const groups = sizes.size - alone;
  const count = (many: number, word: string): string =>
    `${many.toLocaleString("en")} ${word}${many === 1 ? "" : "s"}`;
  if (alone === 0) return count(groups, "group");
  const rest = count(alone, "single row");
  return groups === 0 ? rest : `${count(groups, "group")} and ${rest}`;
}
