import type { Hints } from "../data/index.ts";
import { clusterName } from "../data/internal.ts";
import { NO_PAIRS, sumOf, type PairTable, type Together } from "./evidence.ts";

/** What was said of one row, by a row of the table: it belongs with these others, or with none of them. */
export interface Statement {
  readonly part: "pairs" | "groups" | "labels" | "not";
  /** The place in this part of the hints. */
  readonly at: number;
  readonly row: number;
  readonly others: readonly number[];
  readonly same: boolean;
  readonly label?: string;
  /** How often it was said. */
  readonly times: number;
  /** The same as places among the rows that are learned from: of many others some, evenly spaced. */
  readonly place: number;
  readonly compared: readonly number[];
  /** Of a label: rows with other labels, with which the row does not belong. */
  readonly apartFrom: readonly number[];
}

/** Number of rows, evenly spaced, with which a row of a large group is compared. */
const COMPARED = 20;

/** The statements that compare rows of which something is known: their places are 0 or more. */
export function statementsIn(
  { pairs, groups, labels, not }: Hints,
  placeOf: (row: number) => number,
): Statement[] {
  const byName = new Map<string, number[]>();
  for (const { row, label } of labels) {
    const name = clusterName(label);
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name)!.push(row);
  }
  const named = (label: string | undefined): readonly number[] =>
    label === undefined ? [] : (byName.get(clusterName(label)) ?? []);
  const all = new Map<string, Statement>();
  const add = (
    one: Omit<Statement, "place" | "compared" | "apartFrom" | "times">,
    against: readonly number[] = [],
  ): void => {
    const inside = (rows: readonly number[]): number[] =>
      [...new Set(rows)].filter((row) => row !== one.row && placeOf(row) >= 0).sort((a, b) => a - b);
    const others = inside(one.others);
    if (placeOf(one.row) < 0 || others.length === 0 || one.label?.trim() === "") return;
    const key = keyOf(one);
    all.set(key, {
      ...one,
      others,
      times: (all.get(key)?.times ?? 0) + 1,
      place: placeOf(one.row),
      compared: spaced(others).map(placeOf),
      apartFrom: spaced(inside(against)).map(placeOf),
    });
  };
  pairs.forEach(({ a, b, same }, at) => {
    const [row, other] = placeOf(a) < placeOf(b) ? [a, b] : [b, a];
    add({ part: "pairs", at, row, others: [other], same });
  });
  groups.forEach((group, at) => {
    for (const row of group) add({ part: "groups", at, row, others: group, same: true });
  });
  labels.forEach(({ row, label }, at) => {
    const against = [...byName].flatMap(([name, rows]) => (name === clusterName(label) ? [] : rows));
    add({ part: "labels", at, row, others: named(label), same: true, label }, against);
  });
  not.forEach(({ row, label, rows = [] }, at) => {
    const others = [...named(label), ...rows];
    add({ part: "not", at, row, others, same: false, ...(label !== undefined && { label }) });
  });
  const order = (p: Statement, q: Statement): number =>
    p.place - q.place || p.compared[0] - q.compared[0] || Number(q.same) - Number(p.same);
  return [...all.values()].sort(order);
}

/** The same for who says it again. */
export function keyOf({
  part,
  at,
  row,
  others,
  same,
}: Pick<Statement, "part" | "at" | "row" | "others" | "same">): string {
  if (part === "pairs") return `pairs ${[row, others[0]].sort((a, b) => a - b).join(" ")} ${same}`;
  return `${part} ${at} ${row}`;
}

function spaced(rows: readonly number[]): readonly number[] {
  if (rows.length <= COMPARED) return rows;
  return Array.from({ length: COMPARED }, (_, r) => rows[Math.floor((r * rows.length) / COMPARED)]);
}

/** The share of a statement's comparisons that a partition puts together, and of those with rows of other labels. */
export function sharesOf(
  { place, compared, apartFrom }: Statement,
  together: Together,
): { with: number; beside: number } {
  // The rows of a group stay together when one of them is held out: the row in question must be that one.
  const first = compared.length > 1;
  const share = (rows: readonly number[]): number =>
    rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + together(place, row, first), 0) / rows.length;
  return { with: share(compared), beside: share(apartFrom) };
}

/**
 * How often a partition puts together or apart what is said to be the same or different. Only what was said counts, not what
 * follows from it: one mistake can join or separate whole groups. Of a group or label each two rows are compared twice.
 */
export function tableOf(said: readonly Statement[], together: Together): PairTable {
  let table = NO_PAIRS;
  for (const one of said) {
    const shares = sharesOf(one, together);
    const weight = one.compared.length > 1 || one.part === "labels" ? 1 / 2 : 1;
    table = sumOf(table, one.same ? sameAt(shares.with) : differentAt(shares.with), weight);
    if (one.apartFrom.length > 0) table = sumOf(table, differentAt(shares.beside), 1 / 2);
  }
  return table;
}

function sameAt(share: number): PairTable {
  return { ...NO_PAIRS, togetherSame: share, apartSame: 1 - share };
}

function differentAt(share: number): PairTable {
  return { ...NO_PAIRS, togetherDifferent: share, apartDifferent: 1 - share };
}

/** The statements that speak of no row that is held out. */
export function withoutHeld(said: readonly Statement[], held: Uint8Array): Statement[] {
  return said.filter(({ place, compared }) => held[place] === 0 && compared.every((row) => held[row] === 0));
}
