import type { Hints } from "kindred/data";
import type { MethodChoice } from "../protocol.ts";

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
      said.kind === "apart" ? said.rows.map((row) => ({ row, rows: said.others })) : [],
    ),
  };
}
