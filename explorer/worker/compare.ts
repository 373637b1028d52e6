import { compareRun, methodNamed } from "kindred/run";
import type { Compared, CompareQuestion, OwnValue, Told } from "../protocol.ts";
import { numberRows } from "./rows.ts";
import { controlOf } from "./shownMethods.ts";

/** Seconds for all methods together. */
const BUDGET = 30;

/** The few distinct partitions that all methods find, the recommended one first. */
export async function compare(asked: CompareQuestion, onProgress: (told: Told) => void): Promise<Compared> {
  const { prepared } = numberRows(asked);
  const { clusters, seed } = asked;
  const { partitions, failed, recommendation } = await compareRun(prepared, {
    ...(clusters !== undefined && { clusters }),
    seed,
    budget: BUDGET,
    spell: controlOf,
    onProgress: ({ fraction, label }) => onProgress({ fraction, label }),
  });
  return {
    partitions: partitions.map(({ methods, sizes, labels, agreement, expected, differs, use }) => ({
      choice: {
        method: methods[0].method,
        clusters: use.options.clusters,
        own: methods[0].options as Readonly<Record<string, OwnValue>>,
      },
      titles: methods.map(({ method }) => methodNamed(method).title),
      sizes,
      labels: Int32Array.from(labels),
      agreement,
      expected,
      ...(differs !== null && { differs: differs.words, moved: differs.rows }),
    })),
    failed: failed.map(({ method, message }) => `${methodNamed(method).title}: ${message}`),
    words: recommendation.words,
  };
}
