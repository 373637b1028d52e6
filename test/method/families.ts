import { namedData, scale } from "../../src/data/index.ts";
import { takeRows } from "../../src/matrix/index.ts";
import type { Matrix } from "../../src/matrix/matrix.ts";
import {
  classifiers,
  clusterings,
  embeddings,
  metrics,
  selections,
  type FitOptions,
  type OptionRules,
} from "../../src/method/index.ts";
import type { Pair, Triplet } from "../../src/data/index.ts";

/** A few rows of iris, scaled, with classes, pairs and chunklets. */
const rows = Array.from({ length: 45 }, (_, i) => 10 * Math.floor(i / 3) + (i % 3) * 3);
const table = await namedData("iris");
export const X: Matrix = takeRows(scale(table.X as Matrix).X, rows);
export const labels: string[] = rows.map((i) => table.label!.values[i]);
const chain = (step: number, same: boolean): Pair[] =>
  rows
    .map((_, i): Pair => [i, (i + step) % rows.length])
    .filter(([i, j]) => i < j && (labels[i] === labels[j]) === same);
export const pairs: { mustLink: Pair[]; cannotLink: Pair[] } = {
  mustLink: chain(2, true),
  cannotLink: chain(17, false),
};

export const triplets: Triplet[] = pairs.mustLink.map(([i, j]) => [
  i,
  j,
  labels.findIndex((label) => label !== labels[i]),
]);
/** For what takes two classes only. */
export const halves: string[] = labels.map((label) => (label === labels[0] ? label : "other"));

/** A method of any family: its options, and what it gives as text that can be compared. */
export interface AnyMethod {
  readonly family: string;
  readonly name: string;
  readonly title: string;
  readonly sentence: string;
  open(): Promise<{ readonly options: OptionRules; run(own: object): string | Promise<string> }>;
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (ArrayBuffer.isView(part) ? Array.from(part as never) : part));

export const families: readonly AnyMethod[] = [
  ...metrics.map((method) => ({
    ...method,
    family: "metric",
    async open() {
      const { options, learn } = await method.open();
      const side = { labels, pairs, chunklets: labels, triplets };
      return { options, run: (own: object) => text(learn(X, side, { ...own, names: COLUMNS }).transform(X)) };
    },
  })),
  ...selections.map((method) => ({
    ...method,
    family: "select",
    async open() {
      const { options, select } = await method.open();
      const run = (own: object): string => {
        const { features, figures } = select(X, { labels }, { clusters: undefined, ...own, names: COLUMNS });
        return text({ features, figures });
      };
      return { options, run };
    },
  })),
  ...classifiers.map((method) => ({
    ...method,
    family: "classify",
    async open() {
      const { options, fit } = await method.open();
      return {
        options,
        run: (own: object) =>
          text(fit(X, method.classes === 2 ? halves : labels, { ...own, seed: 1 }).classifier.model()),
      };
    },
  })),
  ...embeddings.map((method) => ({
    ...method,
    family: "embed",
    async open() {
      const { options, fit } = await method.open();
      const clusters = method.needs.clusters === undefined ? undefined : 3;
      return { options, run: (own: object) => text(fit(X, { dims: 2, clusters, ...own }).embedding) };
    },
  })),
  ...clusterings.map((method) => ({
    ...method,
    family: "cluster",
    async open() {
      const { options, fit } = await method.open();
      const { pairs: takesPairs, labels: takesLabels } = method.needs;
      const given: FitOptions = {
        clusters: 3,
        ...(method.needs.seed && { seed: 0 }),
        ...(takesPairs === "required" && pairs),
        ...(takesLabels === "required" && { labels: labels.map((name, i) => (i % 5 === 0 ? name : "")) }),
      };
      const run = async (own: object): Promise<string> => text((await fit(X, { ...given, ...own })).labels);
      return { options, run };
    },
  })),
];

const COLUMNS = ["a", "b", "c", "d"];
