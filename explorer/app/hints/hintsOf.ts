import type { Hints } from "kindred/data";
import type { MethodChoice } from "../../protocol.ts";

/** The hints of the page in the form of the library. */
export function hintsOf({
  same,
  different,
  statements,
}: Pick<MethodChoice, "same" | "different" | "statements">): Hints {
  return {
    pairs: [
      ...same.map(([a, b]) => ({ a, b, same: true })),
      ...different.map(([a, b]) => ({ a, b, same: false })),
    ],
    groups: statements.flatMap((said) => (said.kind === "together" ? [said.rows] : [])),
    labels: [],
    not: statements.flatMap((said) =>
      said.kind === "apart"
        ? said.rows.map((row, place) => ({ row, rows: some(said.others, said.rows.length, place) }))
        : [],
    ),
  };
}

/** Number of links that represent one statement: more links add time but no information. */
const MOST_LINKS = 2000;

/** With very many rows each row is compared with some of the others, and all others are used in turn. */
function some(others: readonly number[], rows: number, place: number): readonly number[] {
  const each = Math.max(1, Math.floor(MOST_LINKS / rows));
  if (each >= others.length) return others;
  return Array.from({ length: each }, (_, p) => others[(place * each + p) % others.length]);
}
