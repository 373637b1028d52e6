/** How far two files of JSON are apart in their numbers, relative to these; infinite if they have not as many. */
export function apart([a, b]: readonly string[]): number {
  const [left, right] = [a, b].map((text) => numbersOf(JSON.parse(text)));
  if (left.length !== right.length) return Infinity;
  return Math.max(
    ...left.map((value, p) => Math.abs(value - right[p]) / Math.max(1, Math.abs(value), Math.abs(right[p]))),
  );
}

function numbersOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (/seconds/i.test(key) ? [] : numbersOf(part)));
}
