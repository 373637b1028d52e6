/** The colours of the style sheet as numbers: twelve, grey, two spare ones and the ink that rings are drawn in. */
export function themeColors(element: Element): Float32Array {
  const style = getComputedStyle(element);
  const names = [...Array.from({ length: 12 }, (_, c) => `--c${c}`), "--grey", "--grey", "--grey", "--ink"];
  return Float32Array.from(names.flatMap((name) => rgb(style.getPropertyValue(name).trim())));
}

function rgb(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}
