import { matchClusters } from "kindred/score";

/** Number of distinguishable colours. */
export const COLORS = 12;
/** The slot for rows without a colour: single rows and rows in no cluster. */
export const GREY = 12;
/** Each colour comes in four shapes: round, square, triangle, diamond. */
const SHAPES = 4;

/** The slots in their order: all colours round, then all colours square, and so on; grey beyond them. */
function slotAt(place: number): number {
  return place < COLORS * SHAPES ? (place % COLORS) + 16 * Math.floor(place / COLORS) : GREY;
}

/** The form of a slot beside text. */
export function dotClass(slot: number): string {
  return slot < 16 ? `dot c${slot}` : `dot c${slot & 15} shape${slot >> 4}`;
}

/**
 * A colour for each cluster: that of the cluster it overlaps most in the previous partition, so colours stay
 * with the rows.
 */
export function slotsOf(
  labels: ArrayLike<number>,
  clusters: number,
  before?: { readonly labels: ArrayLike<number>; readonly slots: readonly number[] },
): number[] {
  const slots: number[] = Array.from({ length: clusters }, () => -1);
  const taken = new Set<number>();
  if (before !== undefined && before.labels.length === labels.length) {
    const pairs = matchClusters(labels, before.labels).sort((a, b) => b.rows - a.rows);
    for (const { cluster, class: old } of pairs) {
      const slot = before.slots[Number(old)];
      if (slot === undefined || slot === GREY || taken.has(slot) || Number(cluster) < 0) continue;
      slots[Number(cluster)] = slot;
      taken.add(slot);
    }
  }
  // The largest come first: with many clusters it is the small ones that are grey.
  const sizes = new Uint32Array(clusters);
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) sizes[labels[i]]++;
  let next = 0;
  for (const k of [...slots.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b)) {
    if (slots[k] >= 0) continue;
    while (slotAt(next) !== GREY && taken.has(slotAt(next))) next++;
    slots[k] = slotAt(next);
    taken.add(slots[k]);
  }
  return slots;
}

/** Colours along a path, from the fused end: the largest part of a cluster that splits keeps its colour. */
export function pathSlots(steps: readonly { readonly labels: Int32Array }[]): Uint8Array[] {
  const rows = steps[0].labels.length;
  const colored: Uint8Array[] = [];
  let before = new Uint8Array(rows);
  for (const { labels } of [...steps].reverse()) {
    const now = new Uint8Array(rows).fill(GREY);
    const taken = new Set<number>();
    for (const members of bySize(labels)) {
      if (members.length < 2 && rows > COLORS) break;
      const kept = before[members[0]];
      let slot = kept !== GREY && !taken.has(kept) ? kept : 0;
      while (taken.has(slot)) slot++;
      if (slot >= COLORS) break;
      taken.add(slot);
      for (const i of members) now[i] = slot;
    }
    colored.unshift(now);
    before = now;
  }
  return colored;
}

function bySize(labels: Int32Array): number[][] {
  const members = new Map<number, number[]>();
  for (let i = 0; i < labels.length; i++) {
    const list = members.get(labels[i]);
    if (list === undefined) members.set(labels[i], [i]);
    else list.push(i);
  }
  return [...members.values()].sort((a, b) => b.length - a.length);
}
