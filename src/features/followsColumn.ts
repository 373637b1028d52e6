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
    const told = sharedInformation(labels, (i) => codes[rows === undefined ? i : rows[i]], levels.length);
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

function sharedInformation(
  labels: ArrayLike<number>,
  code: (i: number) => number,
  levels: number,
): { information: number; ofLabels: number; ofLevels: number } | undefined {
  const [joint, ofCluster, ofLevel] = [0, 1, 2].map(() => new Map<number, number>());
  const add = (counts: Map<number, number>, key: number): void =>
    void counts.set(key, (counts.get(key) ?? 0) + 1);
  let n = 0;
  for (let i = 0; i < labels.length; i++) {
    const level = code(i);
    if (level < 0 || labels[i] < 0) continue;
    add(joint, labels[i] * levels + level);
    add(ofCluster, labels[i]);
    add(ofLevel, level);
    n++;
  }
  if (n < labels.length / 2 || n < 20) return undefined;
  const [ofLabels, ofLevels] = [entropy(ofCluster, n), entropy(ofLevel, n)];
  const df = (ofCluster.size - 1) * (ofLevel.size - 1);
  const information = ofLabels + ofLevels - entropy(joint, n) - df / (2 * n);
  return { information: Math.max(0, information), ofLabels, ofLevels };
}

function entropy(counts: ReadonlyMap<number, number>, n: number): number {
  let sum = 0;
  for (const count of counts.values()) sum -= (count / n) * Math.log(count / n);
  return sum;
}
