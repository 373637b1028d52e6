import { methodNamed } from "kindred/run";
import { textsOf } from "kindred/model";
import { clusterPage } from "kindred/report";
import { allScores } from "kindred/score";
import { version } from "../../package.json";
import type { SolveQuestion } from "../protocol.ts";
import { equivalent } from "./equivalent.ts";
import { numberRows } from "./rows.ts";
import { shownRun, typed } from "./solve.ts";

/** The self-contained page about the clustering on the screen. */
export async function report(given: SolveQuestion): Promise<string> {
  const asked = await typed(given);
  const { table } = asked;
  const rows = numberRows(asked);
  const { clustering, prepared, fitted, byHand } = await shownRun(asked, rows);
  const texts = (name: string | undefined): string[] | undefined => {
    const column = table.columns.find((known) => known.name === name);
    return column === undefined ? undefined : textsOf(column);
  };
  // Rows that were left out for missing cells are not drawn.
  const drawn = (labels: Int32Array): Int32Array =>
    prepared.rows === undefined ? labels : Int32Array.from(prepared.rows, (row) => labels[row]);
  const classes = texts(table.label);
  const ids = texts(table.id);
  const scores = classes === undefined ? undefined : allScores(clustering.labels, classes);
  return clusterPage({
    source: table.source,
    method: clustering.method,
    labels: drawn(clustering.labels),
    sizes: clustering.sizes,
    profiles: clustering.profiles,
    representatives: clustering.representatives,
    ...(clustering.trust !== undefined && { trust: clustering.trust }),
    X: rows.X,
    names: prepared.names,
    table: prepared.table,
    ...(ids !== undefined && { rowName: (row: number) => ids[row] }),
    made: [
      ...fitted.facts,
      ["scaling", asked.scale === "auto" ? "by kind of column" : asked.scale],
      ["seed", String(asked.seed)],
      ["hints", hintsText(asked)],
      ...byHand.map((text) => ["by hand", text] as const),
    ],
    converged: clustering.proof.converged,
    notes: clustering.notes,
    ...(classes !== undefined && {
      classes: {
        name: table.label!,
        values: prepared.rows === undefined ? classes : Array.from(prepared.rows, (row) => classes[row]),
      },
    }),
    ...(scores !== undefined && {
      scores: [
        ["adjusted Rand", scores.adjustedRand],
        ["NMI", scores.nmi],
        ["accuracy", scores.accuracy],
      ] as const,
    }),
    drawing: fitted.drawing,
    ...equivalent(asked, methodNamed(asked.method)),
    version,
  });
}

function hintsText({ same, different, statements }: SolveQuestion): string {
  const pairs = `${same.length} same, ${different.length} different`;
  return statements.length === 0 ? pairs : `${pairs}, ${statements.length} about groups of rows`;
}
