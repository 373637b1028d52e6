import { inputError } from "../../core/internal.ts";
import { type Pair, linkStore } from "../constraints.ts";
import { fillHints, type Hints, type PairHint } from "./hints.ts";

/** Contradictory hints. The last of them, with the least weight, was set aside. */
export interface Contradiction {
  readonly code: "contradiction";
  /** The rows involved, in the order of the argument. */
  readonly rows: readonly number[];
  readonly message: string;
  /** Hints that are not used because of it. */
  readonly setAside: readonly PairHint[];
}

/** Hints as links between rows without contradictions. */
export interface HintLinks {
  readonly rows: number;
  readonly same: readonly PairHint[];
  readonly different: readonly PairHint[];
  readonly contradictions: readonly Contradiction[];
  /** One row of each named cluster. */
  readonly names: readonly { readonly name: string; readonly row: number }[];
}

/**
 * Hints as links. Hints with more weight come first, and "same" before "different" at equal weight; a hint
 * that contradicts earlier ones is set aside and listed. A pair that is called the same and different with
 * equal weight, and a row with two labels, are ambiguous: all such hints are set aside.
 *
 * @param nameOf what rows are called in messages
 */
export function hintLinks(
  rows: number,
  given: Partial<Hints>,
  nameOf: (row: number) => string = String,
): HintLinks {
  const hints = fillHints(given);
  const contradictions: Contradiction[] = [];
  const { links, names } = asPairs(rows, hints, contradictions, nameOf);
  const sorted = distinct(links, contradictions, nameOf).sort(
    (p, q) => weightOf(q) - weightOf(p) || Number(q.same) - Number(p.same) || p.a - q.a || p.b - q.b,
  );
  const store = linkStore();
  const same: PairHint[] = [];
  const different: PairHint[] = [];
  for (const hint of sorted) {
    const { a, b } = hint;
    if (hint.same) {
      const against = store.exclusion(a, b);
      if (against === undefined) {
        store.join(a, b);
        same.push(hint);
        continue;
      }
      const chain = [...store.chain(a, against[0]), ...store.chain(against[1], b)];
      contradictions.push({
        code: "contradiction",
        rows: chain,
        message:
          `rows ${nameOf(a)} and ${nameOf(b)} are said to belong together, but ${nameOf(against[0])} and ` +
          `${nameOf(against[1])} are said not to${because([store.chain(a, against[0]), store.chain(against[1], b)], nameOf)}: the hint "same" is not used`,
        setAside: [hint],
      });
    } else if (store.together(a, b)) {
      const chain = store.chain(a, b);
      contradictions.push({
        code: "contradiction",
        rows: chain,
        message: `rows ${nameOf(a)} and ${nameOf(b)} are said to be different, but other hints join them (${chain.map(nameOf).join(" = ")}): the hint "different" is not used`,
        setAside: [hint],
      });
    } else {
      store.exclude(a, b);
      different.push(hint);
    }
  }
  return { rows, same, different, contradictions, names };
}

/** Constraints for the methods that take pairs. */
export function constraintsFromHints(links: HintLinks): { mustLink: Pair[]; cannotLink: Pair[] } {
  return {
    mustLink: links.same.map(({ a, b }): Pair => [a, b]),
    cannotLink: links.different.map(({ a, b }): Pair => [a, b]),
  };
}

function weightOf({ weight = 1 }: PairHint): number {
  return weight;
}

/** The chains of rows behind the contradiction. */
function because(chains: readonly (readonly number[])[], nameOf: (row: number) => string): string {
  const long = chains.filter((chain) => chain.length > 1).map((chain) => chain.map(nameOf).join(" = "));
  return long.length === 0 ? "" : ` (${long.join("; ")})`;
}

function checkRow(row: number, rows: number, where: string): void {
  if (!Number.isInteger(row) || row < 0 || row >= rows) {
    throw inputError(`${where}: there is no row ${row}; rows are numbered 0 to ${rows - 1}`);
  }
}

function asPairs(
  rows: number,
  hints: Hints,
  contradictions: Contradiction[],
  nameOf: (row: number) => string,
): { links: PairHint[]; names: { name: string; row: number }[] } {
  const links: PairHint[] = [];
  hints.pairs.forEach(({ a, b, same, weight = 1 }, p) => {
    checkRow(a, rows, `pair ${p} of the hints`);
    checkRow(b, rows, `pair ${p} of the hints`);
    if (a === b) throw inputError(`pair ${p} of the hints compares row ${nameOf(a)} with itself`);
    if (!(weight > 0) || !Number.isFinite(weight)) {
      throw inputError(`pair ${p} of the hints has the weight ${weight}; weights are finite and above 0`);
    }
    links.push({ a: Math.min(a, b), b: Math.max(a, b), same, ...(weight !== 1 && { weight }) });
  });
  hints.groups.forEach((group, g) => {
    const inside = [...new Set(group)].sort((a, b) => a - b);
    for (const row of inside) checkRow(row, rows, `group ${g} of the hints`);
    for (let r = 1; r < inside.length; r++) links.push({ a: inside[r - 1], b: inside[r], same: true });
  });
  const { names, byName } = labelGroups(rows, hints, contradictions, nameOf);
  for (const inside of byName.values()) {
    for (let r = 1; r < inside.length; r++) links.push({ a: inside[r - 1], b: inside[r], same: true });
  }
  names.forEach(({ row }, n) => {
    for (const other of names.slice(0, n)) links.push(apart(other.row, row));
  });
  hints.not.forEach(({ row, label, rows: others = [] }, at) => {
    checkRow(row, rows, `"not" ${at} of the hints`);
    const named = label === undefined ? undefined : byName.get(clusterName(label));
    if (label !== undefined && named === undefined) {
      throw inputError(`row ${nameOf(row)} is said not to be "${label}", but no row has this label`);
    }
    for (const other of [...(named?.slice(0, 1) ?? []), ...others]) {
      checkRow(other, rows, `"not" ${at} of the hints`);
      if (other === row) {
        throw inputError(
          `row ${nameOf(row)} is said not to belong ${label === undefined ? "with itself" : `to "${label}"`}, but it is labelled so`,
        );
      }
      links.push(apart(row, other));
    }
  });
  return { links, names };
}

/** A name must fit on one line. */
export function clusterName(label: string): string {
  return label.trim().replace(/\s*[\r\n]\s*/g, " ");
}

function apart(a: number, b: number): PairHint {
  return { a: Math.min(a, b), b: Math.max(a, b), same: false };
}

function labelGroups(
  rows: number,
  hints: Hints,
  contradictions: Contradiction[],
  nameOf: (row: number) => string,
): { names: { name: string; row: number }[]; byName: Map<string, number[]> } {
  const labelOf = new Map<number, Set<string>>();
  hints.labels.forEach(({ row, label }, at) => {
    checkRow(row, rows, `label ${at} of the hints`);
    const name = clusterName(label);
    if (name === "") return;
    if (!labelOf.has(row)) labelOf.set(row, new Set());
    labelOf.get(row)!.add(name);
  });
  const byName = new Map<string, number[]>();
  for (const row of [...labelOf.keys()].sort((a, b) => a - b)) {
    const own = [...labelOf.get(row)!].sort();
    if (own.length > 1) {
      contradictions.push({
        code: "contradiction",
        rows: [row],
        message: `row ${nameOf(row)} has ${own.length} labels (${own.map((name) => `"${name}"`).join(", ")}): none of them is used`,
        setAside: [],
      });
      continue;
    }
    if (!byName.has(own[0])) byName.set(own[0], []);
    byName.get(own[0])!.push(row);
  }
  const names = [...byName.keys()].sort().map((name) => ({ name, row: byName.get(name)![0] }));
  return { names, byName };
}

/**
 * Each pair once, by its hint with most weight; pairs called the same and different with equal weight are
 * set aside.
 */
function distinct(
  links: readonly PairHint[],
  contradictions: Contradiction[],
  nameOf: (row: number) => string,
): PairHint[] {
  const byPair = new Map<string, PairHint[]>();
  for (const hint of links) {
    const key = `${hint.a} ${hint.b}`;
    if (!byPair.has(key)) byPair.set(key, []);
    byPair.get(key)!.push(hint);
  }
  const kept: PairHint[] = [];
  for (const hints of byPair.values()) {
    const heaviest = (same: boolean): number =>
      Math.max(0, ...hints.filter((hint) => hint.same === same).map(weightOf));
    const [same, different] = [heaviest(true), heaviest(false)];
    const { a, b } = hints[0];
    const both = same > 0 && different > 0;
    if (both) {
      const setAside = same === different ? hints : hints.filter((hint) => hint.same !== same > different);
      contradictions.push({
        code: "contradiction",
        rows: [a, b],
        message: `rows ${nameOf(a)} and ${nameOf(b)} are said to be the same and to be different: ${same === different ? "neither" : "the lighter one"} is ${same === different ? "used" : "not used"}`,
        setAside,
      });
    }
    if (both && same === different) continue;
    const weight = Math.max(same, different);
    kept.push({ a, b, same: same > different, ...(weight !== 1 && { weight }) });
  }
  return kept;
}
