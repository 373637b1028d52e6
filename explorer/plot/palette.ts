/** The colours of clusters, of the levels of a column, and the scales of numbers and of dates. */
export type Palette = "c" | "k" | "s" | "d";

/** The custom property with the colour of a slot: twelve, or nine steps of a scale, and grey beyond. */
export function colorName(palette: Palette, slot: number): string {
  if (slot >= 12) return "--grey";
  return `--${palette}${palette === "s" || palette === "d" ? Math.min(8, slot) : slot}`;
}

/** The colours of the style sheet as numbers: of twelve slots, of grey, two spare ones and the ink of rings. */
export function themeColors(element: Element, palette: Palette = "c"): Float32Array {
  const style = getComputedStyle(element);
  const names = Array.from({ length: 15 }, (_, slot) => colorName(palette, slot));
  return Float32Array.from([...names, "--ink"].flatMap((name) => rgb(style.getPropertyValue(name).trim())));
}

function rgb(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}
