import { hintLinks, type HintLinks, type Hints } from "../data/index.ts";
import type { Arranged } from "./arrange.ts";
import type { Said } from "./fit.ts";
import { withDeductions } from "./known.ts";
import { withoutSuspects, type Suspect } from "./mistakes.ts";
import { colorableFrom, requireColorable } from "./resolve.ts";
import { statementsIn } from "./statements.ts";
import { usedHints } from "./taught.ts";

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
  return {
    statements: statementsIn(hints, rows.placeOf),
    links,
    without: (accused) => {
      const own = links(accused);
      const { same, different } = taught === undefined ? own : usedHints(own, taught);
      const known = rows.known(same, different);
      return {
        known: clusters === undefined ? known : withDeductions(known, clusters),
        colorable: (K) => colorableFrom(own, K),
      };
    },
    ...(certain === true && { certain }),
  };
}
