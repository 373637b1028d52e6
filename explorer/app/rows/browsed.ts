import { signal } from "@preact/signals";
import type { Brush } from "../../protocol.ts";

/** What part of the rows is looked at: it says how to look, and is no part of the settings. */
export const brushes = signal<Readonly<Record<string, Brush>>>({});
export const search = signal("");
/** The column that the rows are sorted by, and whether from the largest down. */
export const sorting = signal<{ readonly column: string; readonly down: boolean } | undefined>(undefined);
/** 1 for each row inside of all brushes; absent: there are none. */
export const inside = signal<Uint8Array | undefined>(undefined);
