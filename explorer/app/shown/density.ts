import { effect, signal, untracked } from "@preact/signals";
import type { Contour } from "../../plot/contours.ts";
import { places } from "./partition.ts";

/** Points above which lines of equal density are drawn over them. */
export const CONTOURED = 20_000;

/** Whether they are shown. */
export const contoured = signal(true);
export const density = signal<readonly Contour[]>([]);

/** The lines follow the positions of the rows; the code for them is loaded on first use. */
effect(() => {
  const xy = places.value?.xy;
  const wanted = contoured.value && xy !== undefined && xy.length > 2 * CONTOURED;
  untracked(() => {
    density.value = [];
    if (wanted) void draw(xy);
  });
});

async function draw(xy: Float32Array): Promise<void> {
  const { contours } = await import("../../plot/contours.ts");
  if (places.value?.xy === xy && contoured.value) density.value = contours(xy);
}
