import { hintLinks, type HintLinks, type Hints } from "../data/index.ts";
import type { Arranged } from "./arrange.ts";
import type { Said } from "./fit.ts";
import { knownAmong, knownOf, withDeductions } from "./known.ts";
import { withoutSuspects, type Suspect } from "./mistakes.ts";
import { colorableFrom, requireColorable } from "./resolve.ts";
import { statementsIn } from "./statements.ts";

/** Hints as statements, and what follows from them without some. */
export function saidIn(
  hints: Hints,
  count: number,
  rows: Arranged,
  {
    taught,
    clusters,
    nameOf,
    certain,
  }: {
    /** The rows whose hints are learned from; absent: all. */
    readonly taught?: readonly number[];
    readonly clusters: number | undefined;
    readonly nameOf?: (row: number) => string;
    readonly certain?: boolean;
  },
): Said & { readonly links: (accused: readonly Suspect[]) => HintLinks } {
  const links = (accused: readonly Suspect[]): HintLinks =>
    requireColorable(hintLinks(count, withoutSuspects(hints, accused), nameOf), clusters, nameOf);
  const learned = taught && new Set(taught);
  const placeOf = (row: number): number => (learned?.has(row) === false ? -1 : rows.placeOf(row));
  return {
    statements: statementsIn(hints, placeOf),
    links,
    without: (accused) => {
      const own = links(accused);
      const answers = own.same.length + own.different.length;
      const known = { ...knownAmong(knownOf(own), rows.X.rows, placeOf), answers };
      return {
        known: clusters === undefined ? known : withDeductions(known, clusters),
        colorable: (K) => colorableFrom(own, K),
      };
    },
    ...(certain === true && { certain }),
  };
}
