import type { Hints } from "kindred/data";
import type { MethodChoice } from "../../protocol.ts";

/** The hints of the page as the library has them. */
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

/** Links that one statement is told by: more of them say no more, and cost time. */
const MOST_LINKS = 2000;

/** Of very many rows each is told apart from some of the others, all of which have their turn. */
function some(others: readonly number[], rows: number, place: number): readonly number[] {
  const each = Math.max(1, Math.floor(MOST_LINKS / rows));
  if (each >= others.length) return others;
  return Array.from({ length: each }, (_, p) => others[(place * each + p) % others.length]);
}
