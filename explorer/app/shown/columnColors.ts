import { cellText, type Column } from "kindred/data";
import { COLORS, GREY } from "./colors.ts";

/** A colour for each row by one column. */
export interface ColumnColors {
  readonly slots: Uint8Array;
  /** The colours are ordered from the smallest to the largest value. */
  readonly ordered: boolean;
  readonly legend: readonly { readonly slot: number; readonly text: string }[];
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
    const text = (value: number): string => {
      const row = values.indexOf(value);
      return kind === "number" || row < 0
        ? Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 10 })
        : cellText(column, row);
    };
    const ends = [low, (low + high) / 2, high];
    return {
      slots,
      ordered: true,
      legend: [0, 4, 8].map((slot, e) => ({ slot, text: text(ends[e]) })),
    };
  }
  if (codes === undefined || levels === undefined) return { slots, ordered: false, legend: [] };
  const counts = new Uint32Array(levels.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const own = order.length <= COLORS ? order : order.slice(0, COLORS - 1);
  const place = new Map(own.map((code, slot) => [code, slot]));
  for (let i = 0; i < rows; i++) slots[i] = place.get(codes[i]) ?? GREY;
  const legend = own.map((code, slot) => ({ slot, text: levels[code] }));
  const rest = order.length - own.length;
  return {
    slots,
    ordered: false,
    legend: rest > 0 ? [...legend, { slot: GREY, text: `${rest} more` }] : legend,
  };
}
