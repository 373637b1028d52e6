import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { FeatureColumn } from "kindred/features";
import type {
  FusionPath,
  Layout,
  Look,
  MethodShown,
  OptionShown,
  PathEntry,
  Placed,
  Solution,
  TableData,
} from "../protocol.ts";
import { settings } from "./history.ts";

/** The data of the page: the table, the clustering, the path, and work in progress. */
export const methods = signal<readonly MethodShown[]>([]);
export const table = signal<TableData | undefined>(undefined);
export const solution = signal<Solution | undefined>(undefined);
/** The rows before the first clustering is done. */
export const preview = signal<Look | undefined>(undefined);
/** The options of the methods opened so far. */
export const options = signal<Readonly<Record<string, readonly OptionShown[]>>>({});
/** The conversion of each column. */
export const became: ReadonlySignal<readonly FeatureColumn[]> = computed(
  () => solution.value?.columns ?? preview.value?.columns ?? [],
);
/** The result of the automatic choice for each number of clusters, when it was free to choose. */
export const freeCounts = signal<FreeCounts | undefined>(undefined);
/** The clustering that is compared with. */
export const pinned = signal<Solution | undefined>(undefined);
/** The clusters by a model file, of the table with this key. */
export const placed = signal<(Placed & { readonly key: number; readonly name: string }) | undefined>(
  undefined,
);
export const path = signal<FusionPath | undefined>(undefined);
/** The neighbour layout of the table on the screen, after the first request. */
export const layout = signal<Layout | undefined>(undefined);
/** Why the last request failed. */
export const problem = signal<Problem | undefined>(undefined);
/** A notice about the current screen, until it is dismissed. */
export const caution = signal<string | undefined>(undefined);
/** Work in progress, the newest last. */
export const underWay = signal<readonly ReadonlySignal<Work>[]>([]);
/** The text shown for it. */
export const work: ReadonlySignal<Work | undefined> = computed(() => underWay.value.at(-1)?.value);
/** A file named by the address that the page does not have: it has to be dropped again. */
export const wantedFile = signal<string | undefined>(undefined);
/** The table is so large that clustering waits for a request. */
export const held = signal(false);
/** The method would take minutes for these rows, and waits for a request. */
export const slow = signal(false);
/** For screen readers: what just happened. */
export const announcement = signal("");

export const method: ReadonlySignal<MethodShown | undefined> = computed(() =>
  methods.value.find(({ name }) => name === settings.value.method),
);

/** Whether the method in use takes hints. */
export const takesHints: ReadonlySignal<boolean> = computed(() => method.value?.needs.pairs !== undefined);

export interface FreeCounts {
  readonly key: string;
  readonly path: readonly PathEntry[];
  readonly taken: number;
}

export interface Problem {
  readonly about: "data" | "method" | "path" | "layout" | "compare";
  readonly text: string;
}

export interface Work {
  readonly label: string;
  readonly fraction: number;
  cancel(): void;
}

export function titleOf(name: string): string {
  return methods.value.find((one) => one.name === name)?.title ?? name;
}
