/**
 * The colours of the style sheet as numbers: twelve, or nine steps of a scale; grey, two spare ones and the
 * ink of rings.
 */
export function themeColors(element: Element, scale = false): Float32Array {
  const style = getComputedStyle(element);
  const own = Array.from({ length: 12 }, (_, c) => (scale ? `--s${Math.min(8, c)}` : `--c${c}`));
  const names = [...own, "--grey", "--grey", "--grey", "--ink"];
  return Float32Array.from(names.flatMap((name) => rgb(style.getPropertyValue(name).trim())));
}

function rgb(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}
