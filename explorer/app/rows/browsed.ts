import { signal } from "@preact/signals";
import type { Brush } from "../../protocol.ts";

/** The rows in view: this is a way of looking, not a setting. */
export const brushes = signal<Readonly<Record<string, Brush>>>({});
export const search = signal("");
/** The row whose nearness sorts the rows, and how far the others are. */
export const near = signal<{ readonly row: number; readonly distances: Float32Array } | undefined>(undefined);
/** The column that sorts the rows, and whether the order is descending. */
export const sorting = signal<{ readonly column: string; readonly down: boolean } | undefined>(undefined);
/** 1 for each row inside of all brushes; absent: there are none. */
export const inside = signal<Uint8Array | undefined>(undefined);
/** All columns are shown over the map. */
export const columnsOpen = signal(false);
