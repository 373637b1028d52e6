import type { Note } from "../../core/index.ts";
import { note } from "../../core/internal.ts";
import { fillHints, type Hints, type Pair, type Triplet } from "../../data/index.ts";
import { hintCount } from "../../data/internal.ts";
import type { ClusterOptions } from "../cluster.ts";

/** The options about rows, restricted to the kept rows of a table; notes report the others. */
export function onKeptRows(
  options: ClusterOptions,
  kept: Int32Array,
): { readonly options: ClusterOptions; readonly notes: readonly Note[] } {
  const { hints, mustLink, cannotLink, labels } = options;
  const place = placesOf(kept);
  const known = hints === undefined ? undefined : keptHints(hints, kept);
  const given = [mustLink, cannotLink].filter((pairs) => pairs !== undefined);
  const lost =
    (known?.lost ?? 0) +
    given.reduce((sum, pairs) => sum + pairs.length - keptLists(pairs, kept).length, 0) +
    (labels?.filter((label, row) => label !== "" && label !== "-1" && !place.has(row)).length ?? 0);
  const message = `${lost} ${lost === 1 ? "hint speaks" : "hints speak"} of rows that were left out, and ${lost === 1 ? "is" : "are"} not used`;
  return {
    options: {
      ...options,
      ...(known !== undefined && { hints: known.hints }),
      ...(mustLink !== undefined && { mustLink: keptLists(mustLink, kept) }),
      ...(cannotLink !== undefined && { cannotLink: keptLists(cannotLink, kept) }),
      ...(labels !== undefined && { labels: Array.from(kept, (row) => labels[row]) }),
    },
    notes: lost === 0 ? [] : [note("hints-left-out", message, { option: "missing" })],
  };
}

/** Hints on the kept rows, and the number of hints about other rows. */
export function keptHints(given: Partial<Hints>, kept: Int32Array): { hints: Hints; lost: number } {
  const { pairs, groups, labels, not, skipped = [] } = fillHints(given);
  const place = placesOf(kept);
  const inside = (rows: readonly number[]): number[] =>
    rows.flatMap((row) => (place.has(row) ? [place.get(row)!] : []));
  const hints: Hints = {
    pairs: pairs.flatMap(({ a, b, ...said }) =>
      place.has(a) && place.has(b) ? [{ ...said, a: place.get(a)!, b: place.get(b)! }] : [],
    ),
    groups: groups.map(inside).filter((group) => group.length > 1),
    labels: labels.flatMap(({ row, label }) => (place.has(row) ? [{ row: place.get(row)!, label }] : [])),
    not: [],
    skipped: keptLists(skipped, kept),
  };
  const named = new Set(hints.labels.map(({ label }) => label.trim()));
  const left = not.flatMap(({ row, label, rows = [] }) => {
    const others = inside(rows);
    const usable = label !== undefined && named.has(label.trim());
    if (!place.has(row) || (!usable && others.length === 0)) return [];
    return [{ row: place.get(row)!, ...(usable && { label }), rows: others }];
  });
  const all = { ...hints, not: left };
  return { hints: all, lost: hintCount({ pairs, groups, labels, not }) - hintCount(all) };
}

/** Pairs or triplets of rows by their places among the kept ones; those with another row are left out. */
export function keptLists<L extends Pair | Triplet>(lists: readonly L[], kept: Int32Array): L[] {
  const place = placesOf(kept);
  return lists
    .filter((rows) => rows.every((row) => place.has(row)))
    .map((rows) => rows.map((row) => place.get(row)!) as unknown as L);
}

function placesOf(kept: Int32Array): Map<number, number> {
  return new Map(Array.from(kept, (row, i) => [row, i]));
}
