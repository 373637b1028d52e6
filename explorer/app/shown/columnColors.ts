import type { Column } from "kindred/data";
import type { Palette } from "../../plot/palette.ts";
import type { Brush } from "../../protocol.ts";
import { valueWords } from "../rows/cells.ts";
import { COLORS, GREY } from "./colors.ts";

/** A colour for each row by one column. */
export interface ColumnColors {
  readonly slots: Uint8Array;
  /** Levels have colours of their own; numbers, dates and ordered levels are on a scale. */
  readonly palette: Palette;
  /** Each colour with the part of the column that has it; a step of a scale may have no text. */
  readonly legend: readonly { readonly slot: number; readonly text: string; readonly part?: Brush }[];
}

/** Steps of a scale: slots 0 to 8. */
export const STEPS = 9;

/**
 * Numbers use steps of a scale whose range ignores outliers; levels have their own colours, the frequent
 * ones first.
 */
export function columnColors(column: Column, rows: number): ColumnColors {
  const { values, codes, levels, kind } = column;
  const slots = new Uint8Array(rows).fill(GREY);
  if (kind !== "category" && values !== undefined) {
    const sorted = values.filter((value) => !Number.isNaN(value)).sort();
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const [low, high] = at(0.02) < at(0.98) ? [at(0.02), at(0.98)] : [at(0), at(1)];
    const unit = STEPS / (high - low || 1);
    for (let i = 0; i < rows; i++) {
      if (!Number.isNaN(values[i])) {
        slots[i] = Math.min(STEPS - 1, Math.max(0, Math.floor((values[i] - low) * unit)));
      }
    }
    const end = (slot: number): number => (slot === 0 ? at(0) : slot === STEPS ? at(1) : low + slot / unit);
    const texts = [valueWords(column, low), valueWords(column, high)];
    const legend = Array.from({ length: STEPS }, (_, slot) => ({
      slot,
      text: slot === 0 ? texts[0] : slot === STEPS - 1 ? texts[1] : "",
      part: { from: end(slot), to: end(slot + 1) },
    }));
    return { slots, palette: kind === "date" ? "d" : "s", legend };
  }
  if (codes === undefined || levels === undefined) return { slots, palette: "k", legend: [] };
  if (kind === "ordered" && levels.length > 1 && levels.length <= STEPS) {
    const slot = (code: number): number => Math.round(((STEPS - 1) * code) / (levels.length - 1));
    for (let i = 0; i < rows; i++) if (codes[i] >= 0) slots[i] = slot(codes[i]);
    const legend = levels.map((text, code) => ({ slot: slot(code), text, part: { levels: [code] } }));
    return { slots, palette: "s", legend };
  }
  const counts = new Uint32Array(levels.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const own = order.length <= COLORS ? order : order.slice(0, COLORS - 1);
  const place = new Map(own.map((code, slot) => [code, slot]));
  for (let i = 0; i < rows; i++) slots[i] = place.get(codes[i]) ?? GREY;
  const legend = own.map((code, slot) => ({ slot, text: levels[code], part: { levels: [code] } }));
  const rest = order.slice(own.length);
  if (rest.length === 0) return { slots, palette: "k", legend };
  return {
    slots,
    palette: "k",
    legend: [...legend, { slot: GREY, text: `${rest.length} more`, part: { levels: rest } }],
  };
}
