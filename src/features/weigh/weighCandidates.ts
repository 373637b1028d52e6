/**
 * The weight of every part of a table: near copies share one weight, a category that determines another
 * represents it, and a part is weighted by its relation to others (columnWeights.ts).
 */
import type { Note } from "../../core/index.ts";
import { note } from "../../core/internal.ts";
import { listed } from "../../data/internal.ts";
import { ARE_ZERO, type Candidate } from "../encode/candidates.ts";
import { ratingScales } from "../encode/batteries.ts";
import { encodePart, type Cells } from "../encode/encodePart.ts";
import { codedPart, levelCodes } from "./codedPart.ts";
import { columnWeights, significance, strength, type Weights } from "./columnWeights.ts";
import { codedNumbers, dependence } from "./dependence.ts";
import { determinedLevels } from "./determinedLevels.ts";
import { PLAIN_PAIR_ROWS } from "./mostTell.ts";
import { tellTogether } from "./tellTogether.ts";
import { memberLabels, withoutCopies } from "./withoutCopies.ts";

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
    blocks = merged.map(encode);
    coded = merged.map((candidate, k) => codedPart(candidate, blocks[k]));
  }
  const oneColumn = sameColumn(merged);
  // Two dates are related because one follows the other in every row, whatever the groups are.
  // The time between them is a part of the later one.
  const isDate = ({ kind }: Candidate): boolean => kind === "date";
  const ofDates = (a: Candidate, b: Candidate): boolean =>
    (isDate(a) && (isDate(b) || isTime(b))) || (isTime(a) && isDate(b));
  const found = dependence(coded, (i, j) => oneColumn(merged[i], merged[j]) || ofDates(merged[i], merged[j]));
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
  const byPairs = columnWeights(found, own, new Set(dropped.keys()));
  const { together, ...result } = withRatings(byPairs, merged, blocks);
  explain(merged, result, dropped, together, text, why);
  if (!result.found) {
    const kept = dropped.size > 0 ? "that is kept " : "";
    notes.push(note("independent", `no column ${kept}is related to another: all have the same weight`));
    const left = merged.filter((candidate, k) => !dropped.has(k) && keepText(candidate, text));
    return withCopiesNoted(equalWeights(left.length > 0 ? left : merged, why, false), notes);
  }
  const kept = merged.flatMap((candidate, k) => {
    const weight = result.weights[k] * fairShare(merged, oneColumn, result, k);
    return weight > 0 ? [{ candidate, weight }] : [];
  });
  return withCopiesNoted(kept, notes);
}

/** Notes which columns count as one, of those that count. */
function withCopiesNoted(kept: Decided[], notes: Note[]): Decided[] {
  const candidates = kept.map(({ candidate }) => candidate);
  const times = candidates.some(isTime);
  for (const { encoding, kind } of candidates) {
    // Dates that rank the rows alike still differ by the time between them.
    if (encoding.form !== "copies" || (times && kind === "date")) continue;
    const message = `${listed(memberLabels(encoding))} say the same and count as one column`;
    notes.push(note("near-copies", message, { column: encoding.members[0].column }));
  }
  return kept;
}

export function equalWeights(
  candidates: readonly Candidate[],
  why: Map<string, string>,
  asked: boolean,
): Decided[] {
  const reason = asked ? "kept" : "kept: no column is related to another, so all have the same weight";
  for (const candidate of candidates) {
    const { column, share } = candidate;
    const before = why.get(column);
    if (before === undefined) why.set(column, reason);
    else if (share > 0) why.set(column, onlyPart(before, candidate));
  }
  const sums = new Map<string, number>();
  for (const { column, share } of candidates) sums.set(column, (sums.get(column) ?? 0) + share);
  return candidates
    .filter(({ share }) => share > 0)
    .map((candidate) => ({ candidate, weight: candidate.share / sums.get(candidate.column)! }));
}

/** All parts of one column together have at most the weight of one column. */
function fairShare(
  candidates: readonly Candidate[],
  oneColumn: (a: Candidate, b: Candidate) => boolean,
  { weights }: Weights,
  k: number,
): number {
  let sum = 0;
  candidates.forEach((candidate, j) => {
    if (candidate.encoding.form !== "mark" && oneColumn(candidate, candidates[k])) sum += weights[j];
  });
  return candidates[k].encoding.form === "mark" || sum <= 1 ? 1 : 1 / sum;
}

/**
 * Ratings on one scale all have the same weight if those that pairs leave out are related together: where people
 * rate a few things each, a pair of things has few rows.
 */
function withRatings(
  given: Weights,
  candidates: readonly Candidate[],
  blocks: readonly Float64Array[],
): Weights & { readonly together: ReadonlySet<number> } {
  const together = new Set<number>();
  const weights = given.weights.slice();
  for (const group of given.found ? ratingScales(candidates) : []) {
    const left = group.filter((k) => weights[k] === 0);
    // A gap is the mean, which is 0.
    const filled = (k: number): Float64Array => blocks[k].map((value) => (Number.isNaN(value) ? 0 : value));
    if (!tellTogether(left.map(filled))) continue;
    const most = group.reduce((max, k) => Math.max(max, weights[k]), 0) || 1;
    for (const k of group) weights[k] = most;
    for (const k of left) together.add(k);
  }
  return { ...given, weights, together };
}

/** An unrelated text counts only on request. */
function keepText({ kind, column }: Candidate, text: AskedTexts): boolean {
  return kind !== "text" || (typeof text !== "string" && text.includes(column));
}

function explain(
  candidates: readonly Candidate[],
  { weights, tells, found }: Weights,
  dropped: ReadonlyMap<number, number>,
  together: ReadonlySet<number>,
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
      // Left out because of its gaps or zeros, which are nevertheless related to others, or because it numbers the rows.
      const part = parts.find((k) => weights[k] > 0);
      if (part !== undefined) why.set(name, onlyPart(before, candidates[part]));
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
    } else if (together.has(kept[0])) {
      why.set(name, "kept: related to all ratings on its scale together");
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

/** The reason for a column of which only the mark or the time since another date is kept. */
function onlyPart(leftOut: string, { encoding }: Candidate): string {
  const since = encoding.form === "number" ? encoding.since : undefined;
  const marked = leftOut.endsWith(ARE_ZERO) ? "whether it is 0" : "its gaps";
  return leftOut.replace("left out:", `only ${since === undefined ? marked : `the time since ${since}`}:`);
}

/** Whether two parts are of one column, or of columns that are near copies. */
function sameColumn(candidates: readonly Candidate[]): (a: Candidate, b: Candidate) => boolean {
  const first = new Map<string, string>();
  for (const { column, encoding } of candidates) {
    if (encoding.form !== "copies") continue;
    for (const member of encoding.members) {
      if (member.encoding.since === undefined) first.set(member.column, column);
    }
  }
  const of = (name: string): string => first.get(name) ?? name;
  // The time since another date counts with the later date alone, also if the two are near copies.
  const owner = (part: Candidate): string => (isTime(part) ? part.column : of(part.column));
  const marked = (mark: Candidate, other: Candidate): boolean =>
    mark.encoding.form === "mark" && mark.encoding.of.some((name) => of(name) === of(other.column));
  return (a, b) => owner(a) === owner(b) || marked(a, b) || marked(b, a);
}

/** Whether a part is the time between two dates, alone or as a near copy of others. */
function isTime({ encoding }: Candidate): boolean {
  if (encoding.form === "number") return encoding.since !== undefined;
  return encoding.form === "copies" && encoding.members.some((member) => member.encoding.since !== undefined);
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
