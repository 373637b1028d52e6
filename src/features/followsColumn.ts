/**
 * Warns when clusters repeat the levels of one column: with the mutual information I of labels and levels,
 *
 *     I / max(H(labels), H(levels)) near 1: the clusters are the levels of the column;
 *     I / H(levels) near 1: no cluster mixes its levels, so the clusters follow it.
 *
 * This may be intended or not. No rule without labels can decide, so a note says so, with the option that
 * changes it.
 */
import type { Note } from "../core/index.ts";
import { inputError, note, option } from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import { mutualInformation } from "../score/index.ts";
import type { TableFeatures } from "./learnFeatures.ts";

const ARE_LEVELS = 0.8;
const FOLLOW = 0.8;
/** Columns that are nearly constant (entropy in nats) or have very many levels are ignored here. */
const LEAST_ENTROPY = 0.3;
const MOST_LEVELS = 60;

export function followsColumn(
  labels: ArrayLike<number>,
  table: Table,
  features: Pick<TableFeatures, "record" | "columns" | "rows">,
): Note[] {
  const rows = features.rows;
  const n = rows?.length ?? table.rows;
  if (labels.length !== n) throw inputError(`there are ${labels.length} labels for ${n} rows`);
  const vectors = features.record.parts.some(({ kind }) => kind === "vector" || kind === "text");
  const found: { share: number; note: Note }[] = [];
  for (const { name, kind, codes, levels } of table.columns) {
    if ((kind !== "category" && kind !== "ordered") || codes === undefined || levels === undefined) continue;
    if (levels.length < 2 || levels.length > MOST_LEVELS) continue;
    const told = sharedInformation(labels, (i) => codes[rows === undefined ? i : rows[i]]);
    if (told === undefined || told.ofLevels < LEAST_ENTROPY || told.ofLabels === 0) continue;
    const same = told.information / Math.max(told.ofLabels, told.ofLevels);
    const follow = told.information / told.ofLevels;
    if (same < ARE_LEVELS && follow < FOLLOW) continue;
    const used = (features.columns.find((column) => column.name === name)?.weight ?? 0) > 0;
    const says =
      same >= ARE_LEVELS
        ? `the clusters are nearly the levels of "${name}"`
        : `the clusters follow "${name}": hardly any cluster mixes two of its levels`;
    // Leaving out a column that shifts every vector does not remove its influence.
    const remedy = used && !vectors ? "ignore" : "adjust";
    const effect = remedy === "ignore" ? "leaves it out" : "removes its influence on the other columns";
    found.push({
      share: Math.max(same, follow),
      note: note(
        same >= ARE_LEVELS ? "clusters-are-levels" : "clusters-follow",
        `${says}; if that is not what is sought, ${option(remedy)} ${quoted(name)} ${effect}`,
        { column: name, option: remedy },
      ),
    });
  }
  return found.sort((a, b) => b.share - a.share).map((entry) => entry.note);
}

function quoted(name: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? name : JSON.stringify(name);
}

/** Over the rows where both are known; undefined if these are few. */
function sharedInformation(
  labels: ArrayLike<number>,
  code: (i: number) => number,
): { information: number; ofLabels: number; ofLevels: number } | undefined {
  const rows = Array.from({ length: labels.length }, (_, i) => i).filter(
    (i) => labels[i] >= 0 && code(i) >= 0,
  );
  const n = rows.length;
  if (n < labels.length / 2 || n < 20) return undefined;
  const [clusters, levels] = [rows.map((i) => labels[i]), rows.map(code)];
  const df = (new Set(clusters).size - 1) * (new Set(levels).size - 1);
  return {
    information: Math.max(0, mutualInformation(clusters, levels) - df / (2 * n)),
    ofLabels: mutualInformation(clusters, clusters),
    ofLevels: mutualInformation(levels, levels),
  };
}
