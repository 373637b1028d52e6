import { signal } from "@preact/signals";
import type { Camera } from "../../plot/camera.ts";
import type { Group } from "../rows/selection.ts";

/** The view of the plot: shared by plots side by side, and not part of the settings. */
export const camera = signal<Camera>({ x: 0, y: 0, zoom: 1 });
export const tool = signal<"move" | "lasso" | "put">("move");
export const lassoGroup = signal<Group>("first");
