/**
 * The weight of every part of a table: near copies share one weight, a category that determines another
 * represents it, and a part is weighted by its relation to others (columnWeights.ts).
 */
import { note, type Note } from "../../core/notes.ts";
import { listed } from "../../data/columns/cells/columnNames.ts";
import { ARE_ZERO, type Candidate } from "../encode/candidates.ts";
import { encodePart, type Cells } from "../encode/encodePart.ts";
import { codedPart, levelCodes } from "./codedPart.ts";
import { columnWeights, significance, strength, type Weights } from "./columnWeights.ts";
import { codedNumbers, dependence } from "./dependence.ts";
import { determinedLevels } from "./determinedLevels.ts";
import { PLAIN_PAIR_ROWS } from "./mostTell.ts";
import { withoutCopies } from "./withoutCopies.ts";

/** The requested texts. */
type AskedTexts = string | readonly string[];

const PAIR_ROWS = 10_000;
/** Rows times pairs of parts; beyond it fewer rows are compared. */
const PAIR_WORK = 2e9;

export interface Decided {
  readonly candidate: Candidate;
  readonly weight: number;
}

export function weighCandidates(
  given: readonly Candidate[],
  cells: Cells,
  sample: Int32Array,
  { text, plain }: { text: AskedTexts; plain: boolean },
  why: Map<string, string>,
  notes: Note[],
): Decided[] {
  const pairs = (given.length * (given.length - 1)) / 2;
  const most = Math.max(
    1000,
    Math.min(plain ? PLAIN_PAIR_ROWS : PAIR_ROWS, Math.floor(PAIR_WORK / Math.max(1, pairs))),
  );
  const rows = sample.subarray(0, Math.min(sample.length, most));
  const encode = (candidate: Candidate): Float64Array => encodePart(candidate, cells, rows);
  let blocks = given.map(encode);
  let coded = given.map((candidate, k) => codedPart(candidate, blocks[k]));
  const merged = plain ? given : withoutCopies(given, coded, cells);
  if (merged.length < given.length) {
    for (const { encoding } of merged) {
      if (encoding.form === "copies") {
        const names = encoding.members.map(({ column }) => column);
        const message = `${listed(names)} say the same and count as one column`;
        notes.push(note("near-copies", message, { column: names[0] }));
      }
    }
    blocks = merged.map(encode);
    coded = merged.map((candidate, k) => codedPart(candidate, blocks[k]));
  }
  const found = dependence(coded, (i, j) => sameColumn(merged[i], merged[j]));
  const bar = significance(merged.length);
  const { groups, dropped } = determinedLevels(
    merged.map((candidate, k) => levelCodes(candidate, blocks[k])),
    found,
    bar,
  );
  for (const group of groups) {
    for (const i of group) {
      for (const j of group) found.score[i * found.size + j] = -Infinity;
    }
  }
  const own = new Map<number, number>();
  merged.forEach((candidate, k) => {
    if (candidate.kind !== "vector" && candidate.kind !== "text") return;
    const value = ownStrength(blocks[k], candidate.names.length);
    if (value > 0) own.set(k, value);
  });
  const result = columnWeights(found, own, new Set(dropped.keys()));
  explain(merged, result, dropped, text, why);
  if (!result.found) {
    const kept = dropped.size > 0 ? "that is kept " : "";
    notes.push(note("independent", `no column ${kept}is related to another: all have the same weight`));
    const left = merged.filter((candidate, k) => !dropped.has(k) && keepText(candidate, text));
    return equalWeights(left.length > 0 ? left : merged, why, false);
  }
  return merged.flatMap((candidate, k) => {
    const weight = result.weights[k] * fairShare(merged, result, k);
    return weight > 0 ? [{ candidate, weight }] : [];
  });
}

export function equalWeights(
  candidates: readonly Candidate[],
  why: Map<string, string>,
  asked: boolean,
): Decided[] {
  const reason = asked ? "kept" : "kept: no column is related to another, so all have the same weight";
  for (const { column, share } of candidates) {
    const before = why.get(column);
    if (before === undefined) why.set(column, reason);
    else if (share > 0 && before.endsWith(ARE_ZERO)) why.set(column, onlyMark(before));
  }
  return candidates
    .filter(({ share }) => share > 0)
    .map((candidate) => ({ candidate, weight: candidate.share }));
}

/** All parts of one column together have at most the weight of one column. */
function fairShare(candidates: readonly Candidate[], { weights }: Weights, k: number): number {
  let sum = 0;
  candidates.forEach(({ column, encoding }, j) => {
    if (column === candidates[k].column && encoding.form !== "mark") sum += weights[j];
  });
  return candidates[k].encoding.form === "mark" || sum <= 1 ? 1 : 1 / sum;
}

/** An unrelated text counts only on request. */
function keepText({ kind, column }: Candidate, text: AskedTexts): boolean {
  return kind !== "text" || (typeof text !== "string" && text.includes(column));
}

function explain(
  candidates: readonly Candidate[],
  { weights, tells, found }: Weights,
  dropped: ReadonlyMap<number, number>,
  text: AskedTexts,
  why: Map<string, string>,
): void {
  const names = new Map<string, number[]>();
  candidates.forEach((candidate, k) => {
    const own =
      candidate.encoding.form === "copies"
        ? candidate.encoding.members.map(({ column }) => column)
        : [candidate.column];
    for (const name of own) names.set(name, [...(names.get(name) ?? []), k]);
  });
  for (const [name, parts] of names) {
    const before = why.get(name);
    if (before !== undefined) {
      // Left out because of its gaps or zeros, which are nevertheless related to others.
      if (parts.some((k) => weights[k] > 0)) why.set(name, onlyMark(before));
      continue;
    }
    const main = parts.filter((k) => candidates[k].encoding.form !== "mark");
    const kept = parts.filter((k) => weights[k] > 0);
    const stand = main.find((k) => dropped.has(k));
    if (stand !== undefined && kept.length === 0) {
      why.set(name, `left out: goes with ${candidates[dropped.get(stand)!].column}`);
    } else if (!found) {
      const onlyText = main.length > 0 && !main.some((k) => keepText(candidates[k], text));
      why.set(
        name,
        onlyText
          ? "left out: unrelated to every other column"
          : "kept: no column is related to another, so all have the same weight",
      );
    } else if (kept.length === 0) {
      const some = parts.some((k) => tells[k].length > 0);
      why.set(
        name,
        some
          ? "left out: related only to columns of little weight"
          : "left out: unrelated to every other column",
      );
    } else {
      const about = [
        ...new Set(
          kept.flatMap((k) => tells[k].filter((j) => weights[j] > 0).map((j) => candidates[j].label)),
        ),
      ];
      const copies = candidates[kept[0]].encoding;
      const shared = copies.form === "copies" ? ` (one weight for ${copies.members.length} near copies)` : "";
      why.set(
        name,
        about.length === 0
          ? `kept: its own features are related${shared}`
          : `kept: related to ${about.slice(0, 3).join(", ")}${about.length > 3 ? ", ..." : ""}${shared}`,
      );
    }
  }
}

/** The reason for a column of which only the mark is kept. */
function onlyMark(leftOut: string): string {
  const marked = leftOut.endsWith(ARE_ZERO) ? "whether it is 0" : "its gaps";
  return leftOut.replace("left out:", `only ${marked}:`);
}

function sameColumn(a: Candidate, b: Candidate): boolean {
  if (a.column === b.column) return true;
  const marked = (mark: Candidate, other: Candidate): boolean =>
    mark.encoding.form === "mark" && mark.encoding.of.includes(other.column);
  return marked(a, b) || marked(b, a);
}

/** The relation between the first features of a vector or text. */
function ownStrength(block: Float64Array, width: number): number {
  if (width < 2) return 0;
  const count = Math.min(6, width);
  const parts = Array.from({ length: count }, (_, f) =>
    codedNumbers(Float64Array.from({ length: block.length / width }, (__, r) => block[r * width + f])),
  );
  const { size, information, excess, score } = dependence(parts, () => false);
  const bar = significance(6);
  let most = 0;
  for (let p = 0; p < size * size; p++) {
    if (score[p] > bar) most = Math.max(most, strength(information[p], excess[p]));
  }
  return most;
}
