import { option, optionError, rule } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import type { Labeling } from "../score/index.ts";
import type { DiscretizationKind, LevelScheme } from "../select/index.ts";
import { checkGiven, discretizationOf, MOST_GIVEN } from "../select/internal.ts";
import {
  classColumnsAccumulator,
  knownColumns,
  spreadsOf,
  type ClassColumnStatistics,
  rowsByLabel,
} from "./columnStatistics.ts";
import { type BatchOptions, type BatchSource, summedBatches } from "./rowBatches.ts";

/** How the cuts are found. */
export const cutRules = {
  /** How values become levels, as in `discretize`. */
  discretize: rule.oneOf(["sigma", "width", "given"], "sigma"),
  /** Of "width"; default 5. */
  bins: rule.integer({ min: 2, max: 256 }),
};

export type CutOptions = rule.OptionsOf<typeof cutRules>;
export interface LevelSchemeOptions extends BatchOptions, CutOptions {}

/**
 * The cuts and classes for `levelCounts`, from a first pass over the rows: the cuts of `discretize` for the
 * rows with a known class.
 */
export async function levelScheme(
  source: BatchSource,
  options: LevelSchemeOptions = {},
): Promise<LevelScheme> {
  const { discretize, bins, ...reading } = options;
  const { kind } = checkedCuts("levelScheme", { discretize, bins });
  return summedBatches("levelScheme", source, reading, (names) => {
    const columns = classColumnsAccumulator(names);
    const values = kind === "given" ? valueSets(names) : undefined;
    return {
      add(X, labels) {
        columns.add(X, labels);
        values?.add(X, labels);
      },
      result: () =>
        values?.scheme(columns.result()) ??
        levelSchemeFromColumns(columns.result(), { discretize: kind, bins }),
    };
  });
}

/** The same from column statistics, which can be merged from parts or come from a database. */
export function levelSchemeFromColumns(
  statistics: ClassColumnStatistics,
  options: CutOptions = {},
): LevelScheme {
  const { kind, bins } = checkedCuts("levelSchemeFromColumns", options);
  if (kind === "given") {
    throw optionError(
      `levelSchemeFromColumns: ${option("discretize")} cannot be "given": the values of a column do not follow from its statistics`,
    );
  }
  const { classes, columns } = knownColumns(statistics);
  return { discretization: discretizationOf(spreadsOf(columns), statistics.names, kind, bins), classes };
}

/** Refuses options that do not go together. */
export function checkedCuts(
  method: string,
  options: CutOptions,
): { readonly kind: "sigma" | "width" | "given"; readonly bins: number | undefined } {
  if ((options.discretize as DiscretizationKind | undefined) === "frequency") {
    throw optionError(
      `${method}: ${option("discretize")} cannot be "frequency" in a stream, whose quantiles are known only after the last row; ` +
        `find the cuts by ${option("discretize")} on a sample and give them to levelCounts`,
    );
  }
  const { discretize: kind, bins } = rule.resolveOptions(method, options, cutRules);
  if (bins !== undefined && kind !== "width") {
    throw optionError(`${method}: ${option("bins")} is for "width"; ${option("discretize")} is "${kind}"`);
  }
  return { kind, bins };
}

/** The values of every column, label by label, up to one more than the maximum number of levels. */
function valueSets(names: readonly string[]): {
  add(X: Matrix, labels: Labeling | undefined): void;
  scheme(statistics: ClassColumnStatistics): LevelScheme;
} {
  const groups = new Map<string, Set<number>[]>();
  return {
    add(X, labels) {
      for (const { label, rows } of rowsByLabel(labels, X.rows)) {
        const name = String(label ?? "");
        const sets = groups.get(name) ?? names.map(() => new Set<number>());
        groups.set(name, sets);
        for (const [f, set] of sets.entries()) {
          for (let p = 0; p < rows.length && set.size <= MOST_GIVEN; p++) {
            set.add(X.data[rows[p] * X.cols + f]);
          }
        }
      }
    },
    scheme(statistics) {
      const { classes, known, columns } = knownColumns(statistics);
      const cuts = names.map((name, f) => {
        const values = [...new Set(known.flatMap(({ label }) => [...groups.get(String(label ?? ""))![f]]))];
        checkGiven(values, columns.rows, name);
        return values.sort((a, b) => a - b);
      });
      return { discretization: { kind: "given", columns: names, cuts }, classes };
    },
  };
}
