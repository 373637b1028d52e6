/** One byte per point: its colour, its shape (round, square, triangle, diamond), and its highlight. */
export const COLOR_BITS = 15;
export const SHAPE_BITS = 48;
export const STATE_BITS = 192;
export const DIMMED = 64;
export const CHOSEN_FIRST = 128;
export const CHOSEN_SECOND = 192;

/** Pixels across a point: small where there are many, a little larger when zoomed in. */
export function pointSize(count: number): number {
  if (count <= 400) return 10;
  if (count <= 3000) return 8;
  if (count <= 20_000) return 5;
  return 3;
}
