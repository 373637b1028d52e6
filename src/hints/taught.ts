import type { Note } from "../core/index.ts";
import { note } from "../core/internal.ts";
import type { HintLinks, PairHint } from "../data/index.ts";

/** Maximum number of hinted rows for learning; the result keeps the hints on all of them. */
const MOST_HINTED = 600;

/** The rows whose hints are learned from: all, or with very many evenly spaced ones, so that every part of the table is used. */
export function taughtRows({ same, different, contradictions }: HintLinks, notes: Note[]): readonly number[] {
  const touched = hintedRows([...same, ...different, ...contradictions.flatMap(({ setAside }) => setAside)]);
  if (touched.length <= MOST_HINTED) return touched;
  notes.push(
    note(
      "sampled-hints",
      `members learned from hints about ${MOST_HINTED} of ${touched.length} rows; all hints are kept`,
    ),
  );
  const step = touched.length / MOST_HINTED;
  return Array.from({ length: MOST_HINTED }, (_, r) => touched[Math.floor(r * step)]);
}

function hintedRows(hints: readonly PairHint[]): number[] {
  return [...new Set(hints.flatMap(({ a, b }) => [a, b]))].sort((a, b) => a - b);
}
