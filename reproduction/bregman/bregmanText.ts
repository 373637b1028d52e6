import { endText } from "../ending.ts";
import { exactly, type Figure, type Findings, ranked, type Table } from "../page.ts";
import type { BregmanReport, BregmanSetReport, Figures } from "./bregman.ts";
import { type BregmanMethod, type Budget, METHODS, PROTOCOL, TITLES } from "./bregmanTables.ts";

type Form = "alone" | "enforced";
const forms = ["alone", "enforced"] as const;
const rowTitle = (form: Form, method: BregmanMethod): string =>
  form === "alone" || method === "ckmeans" ? TITLES[method] : `${TITLES[method]}, enforced`;
type Measure = Exclude<keyof Figures, "openF1">;
/** Places of the measures in a printed cell, their deviations behind them. */
const PLACES = { precision: 0, recall: 2, f1: 4 } as const;
const MEASURES: Readonly<Record<Measure, string>> = { f1: "F1", precision: "precision", recall: "recall" };

/** The report as tables. */
export function bregmanFindings(report: BregmanReport): Findings {
  const { runs, sets } = report;
  const columns = sets.map(({ set }) => set);
  const measures = (Object.keys(MEASURES) as Measure[]).map((measure): Table => ({
    name: `bregman ${measure}`,
    title: `Table 2, ${MEASURES[measure]} over all pairs of rows in percent, 500 must-links and 500 cannot-links`,
    digits: 1,
    columns,
    rows: [
      ...(measure === "f1" ? [facts(sets)] : []),
      ...rowsOf((form, method) => sets.map((set) => measured(set, form, method, measure))),
    ],
  }));
  const open = PROTOCOL.budgets.map((budget): Table => ({
    name: `bregman open ${budget}`,
    title: `F1 over the pairs of rows that the constraints do not imply, ${budget} constraints`,
    digits: 1,
    columns,
    rows: rowsOf((form, method) =>
      sets.map((set): Figure => ({ ours: figures(set, budget, form, method)?.openF1 })),
    ),
  }));
  const filled = (table: Table): boolean => table.rows.length > (table.name === "bregman f1" ? 1 : 0);
  return {
    title: "Wu, Jin, Hoi, Zhu and Yu 2009, learning Bregman distance functions, Table 2",
    head: [
      `Means over ${runs} ${runs === 1 ? "run" : "runs"} (20 in the text), seeds 0, 1, ...; a run draws pairs, half must-links and half`,
      "cannot-links, and two random rows as the starting centres of every method. Columns are z-scored; every method has",
      "its defaults; the loss of Bk-means has the corrected sign. Each method twice: its distance alone, and with the pairs",
      "enforced (no must-link split, no cannot-link joined), which the paper calls Ck-means.",
      "implied: share of all pairs of rows that the constraints settle. With two clusters all rows connected by must-links and",
      "cannot-links are settled, so 1000 pairs on a few hundred rows nearly determine the labels.",
      `DistBoost: ${PROTOCOL.distBoost.rounds} mixtures of two components, k-means on the rows as they see them.`,
    ],
    tables: [...measures.filter(filled), possible(sets), ...open.filter(filled), secondsTable(sets)],
    claims: forms.flatMap((form) =>
      ranked({
        claim: `Bk-means has the best or second best F1 on every set, ${form}`,
        tables: measures.slice(0, 1),
        own: rowTitle(form, "bkmeans"),
        others: METHODS.filter((one) => one !== "bkmeans" && one !== "ckmeans").map((one) =>
          rowTitle(form, one),
        ),
        better: "larger",
        places: 1,
      }),
    ),
    end: endText(report),
  };
}

/** Rows of every method in both forms, without those that have no number. */
function rowsOf(cells: (form: Form, method: BregmanMethod) => Figure[]): Table["rows"] {
  return forms.flatMap((form) =>
    METHODS.flatMap((method): Table["rows"] => {
      const row = cells(form, method);
      return row.some(({ ours }) => ours !== undefined) ? [[rowTitle(form, method), ...row]] : [];
    }),
  );
}

function figures(
  set: BregmanSetReport,
  budget: Budget,
  form: Form,
  method: BregmanMethod,
): Figures | undefined {
  const cells = set.budgets.find((one) => one.budget === budget)?.cells;
  return cells?.find((cell) => cell.method === method)?.[form];
}

function measured(set: BregmanSetReport, form: Form, method: BregmanMethod, measure: Measure): Figure {
  const cell = set.published.find((one) => one.method === method)?.cell;
  const at = PLACES[measure];
  return {
    text: cell?.[at],
    textSpread: cell?.[at + 1],
    ours: figures(set, "1000", form, method)?.[measure],
  };
}

function facts(sets: readonly BregmanSetReport[]): Table["rows"][number] {
  const implied = sets.map(({ oneCluster, budgets }) => {
    const share = budgets.find(({ budget }) => budget === "1000")?.implied.mean;
    return `${oneCluster.f1.toFixed(1)}; ${share === undefined ? "-" : `${(100 * share).toFixed(0)} %`}`;
  });
  return ["one cluster; implied", ...implied];
}

/** Which cells of the text some partition into two clusters can have. */
function possible(sets: readonly BregmanSetReport[]): Table {
  return {
    name: "bregman possible",
    title:
      "Points from the text's precision and recall to the nearest that any partition into two clusters has " +
      "(! farther than three times the printed deviations, or a mean of 100 with a deviation; " +
      "f: the printed F1 is more than 1.5 points from that of the printed precision and recall)",
    digits: 1,
    columns: sets.map(({ set }) => set),
    rows: METHODS.map((method) => [
      TITLES[method],
      ...sets.map(({ published }) => {
        const cell = published.find((one) => one.method === method);
        if (cell === undefined) return "";
        const marks = `${cell.impossible ? " !" : ""}${Math.abs(cell.f1Error) > 1.5 ? " f" : ""}`;
        return `${cell.fromPossible.toFixed(1)}${marks}`;
      }),
    ]),
  };
}

function secondsTable(sets: readonly BregmanSetReport[]): Table {
  return {
    name: "bregman seconds",
    title: "Seconds of a method with 1000 constraints, both forms",
    digits: 2,
    columns: sets.map(({ set }) => set),
    rows: METHODS.map((method) => [
      TITLES[method],
      ...sets.map(({ budgets }): Figure => {
        const cells = budgets.find(({ budget }) => budget === "1000")?.cells;
        return { ours: exactly(cells?.find((cell) => cell.method === method)?.seconds) };
      }),
    ]),
  };
}
