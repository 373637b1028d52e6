import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { FeatureColumn } from "kindred/features";
import type {
  FusionPath,
  Layout,
  Look,
  MethodShown,
  OptionShown,
  PathEntry,
  Solution,
  TableData,
} from "../protocol.ts";
import { settings } from "./history.ts";

/** What the page knows: the table, the clustering, the path, and what is under way. */
export const methods = signal<readonly MethodShown[]>([]);
export const table = signal<TableData | undefined>(undefined);
export const solution = signal<Solution | undefined>(undefined);
/** The rows before the first clustering is done. */
export const preview = signal<Look | undefined>(undefined);
/** The options of the methods that were looked at. */
export const options = signal<Readonly<Record<string, readonly OptionShown[]>>>({});
/** What became of each column. */
export const became: ReadonlySignal<readonly FeatureColumn[]> = computed(
  () => solution.value?.columns ?? preview.value?.columns ?? [],
);
/** What the automatic choice said of each number of clusters when it was free to choose. */
export const freeCounts = signal<FreeCounts | undefined>(undefined);
/** The clustering that is compared with. */
export const pinned = signal<Solution | undefined>(undefined);
export const path = signal<FusionPath | undefined>(undefined);
/** The layout by neighbours of the table on the screen, once it was asked for. */
export const layout = signal<Layout | undefined>(undefined);
/** Why the last wish could not be met. */
export const problem = signal<Problem | undefined>(undefined);
/** What a person should know about what is on the screen, until it is dismissed. */
export const caution = signal<string | undefined>(undefined);
/** Each thing that is under way, the newest last. */
export const underWay = signal<readonly ReadonlySignal<Work>[]>([]);
/** What is shown of it. */
export const work: ReadonlySignal<Work | undefined> = computed(() => underWay.value.at(-1)?.value);
/** A file that the address names and that the page does not have: it has to be dropped again. */
export const wantedFile = signal<string | undefined>(undefined);
/** There are so many numbers that clustering waits to be asked for. */
export const held = signal(false);
/** The method would take minutes with this many rows, and waits to be asked for. */
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
