import { optionError, rule } from "../core/internal.ts";
import { matrix } from "../matrix/index.ts";
import type { ClassMoments } from "../metric/index.ts";
import type { ClasswiseMoments, MomentStatistics } from "../scale/index.ts";
import {
  classwiseFrom,
  COUNTED,
  kindOf,
  momentsOfBatches,
  statisticsFrom,
  UNLABELLED,
  type Counted,
} from "../scale/internal.ts";
import { rowsOfTable } from "./engineBatches.ts";
import { checkedTable, droppedNote, noRows, type EngineTable } from "./engineTable.ts";
import { labelSums, productSums, type LabelSums } from "./momentSums.ts";
import { AGGREGATES, momentRoute, routeRule, type Route } from "./route.ts";

/** Sums of a table with the route of their computation. */
export interface EngineMoments {
  readonly statistics: MomentStatistics;
  /** The moments of each class separately, if requested. */
  readonly classwise?: ClasswiseMoments;
  /** "push-down": the engine summed; "stream": the rows were streamed. */
  readonly route: Route;
  readonly notes: readonly string[];
}

const RULES = {
  /** Default: the faster of the two, see docs/reference/engine-cost.md. */
  route: routeRule,
  /** Also the second moments of each class separately (for `kissmeFromMoments`). */
  classwise: rule.flag(false),
};

export type EngineMomentsOptions = rule.OptionsOf<typeof RULES>;

/**
 * The moments of a table on an engine, the same as from `momentStatistics`: the input of MLCA, LDA, RCA,
 * KISSME and PCA. The engine computes the sums or, if X'X is too wide for that, the rows are streamed in
 * batches.
 *
 *     const table = await openEngineTable(engine, { query: "select * from 'data/*.parquet'" }, { label: "y" });
 *     const { statistics } = await engineMoments(table);
 *     const metric = mlcaFromStatistics(statistics);
 */
export async function engineMoments(
  table: EngineTable,
  options: EngineMomentsOptions = {},
): Promise<EngineMoments> {
  const resolved = rule.resolveOptions("engineMoments", options, RULES);
  const { classwise } = resolved;
  if (classwise && table.labelText === undefined) {
    throw optionError(
      "engineMoments: moments of each class need a column of classes, the label of the table",
    );
  }
  const route = resolved.route ?? momentRoute(table.engine, table.features.length);
  return route === "stream" ? streamed(table, classwise) : pushedDown(table, classwise);
}

async function pushedDown(opened: EngineTable, classwise: boolean): Promise<EngineMoments> {
  const { table, statistics: columns } = await checkedTable(opened);
  const names = table.features.map(({ name }) => name);
  const shift = Float64Array.from(columns.mean);
  const aggregates = AGGREGATES[table.engine.dialect.engine];
  const sums = await labelSums(table, shift, aggregates);
  const kinds: Record<Counted, LabelSums[]> = { known: [], minusOne: [], unlabelled: [] };
  for (const sum of sums) kinds[kindOf(sum.label)].push(sum);

  // The products of each kind of rows separately; of each class on request, which add up to the same.
  const present = COUNTED.filter((kind) => kinds[kind].length > 0);
  const by = classwise ? table.labelText : present.length > 1 ? kindSql(table.labelText!) : undefined;
  const products = await productSums(table, shift, by, aggregates);
  const squaresOf = (kind: Counted): Float64Array => {
    const total = new Float64Array(names.length ** 2);
    for (const [key, S] of products) {
      const own = by === undefined ? present[0] : classwise ? kindOf(key) : key;
      if (own === kind) S.forEach((value, p) => (total[p] += value));
    }
    return total;
  };
  const moments = (kind: Counted, named: (label: string | null) => string): ClassMoments =>
    momentsOf(kinds[kind], shift, squaresOf(kind), named);
  const statistics = statisticsFrom(names, {
    known: moments("known", String),
    minusOne: moments("minusOne", () => "-1"),
    unlabelled: moments("unlabelled", () => UNLABELLED),
    min: Float64Array.from(columns.min),
    max: Float64Array.from(columns.max),
  });
  return {
    statistics,
    ...(classwise && {
      classwise: classwiseFrom(
        names,
        [...kinds.known, ...kinds.minusOne].map((sum) =>
          momentsOf([sum], shift, products.get(sum.label)!, String),
        ),
      ),
    }),
    route: "push-down",
    notes: table.notes,
  };
}

async function streamed(table: EngineTable, classwise: boolean): Promise<EngineMoments> {
  const count = { dropped: 0 };
  const found = await momentsOfBatches(rowsOfTable(table, count), classwise);
  if (found === undefined) throw noRows(table, count.dropped);
  const { statistics, classwise: groups } = found;
  return {
    statistics,
    ...(groups && { classwise: groups }),
    route: "stream",
    notes: [...table.notes, ...(count.dropped > 0 ? [droppedNote(count.dropped)] : [])],
  };
}

function kindSql(label: string): string {
  return `case when (${label}) is null or (${label}) = '' then 'unlabelled' when (${label}) = '-1' then 'minusOne' else 'known' end`;
}

/** Labels of one name (unknown ones may be null or empty) are one class. */
function momentsOf(
  sums: readonly LabelSums[],
  shift: Float64Array,
  squares: Float64Array,
  named: (label: string | null) => string,
): ClassMoments {
  const d = shift.length;
  const classes = [...new Set(sums.map(({ label }) => named(label)))].sort();
  const place = new Map(classes.map((name, c) => [name, c]));
  const counts = new Float64Array(classes.length);
  const classSums = matrix(classes.length, d);
  for (const { label, count, sums: own } of sums) {
    const c = place.get(named(label))!;
    counts[c] += count;
    own.forEach((value, f) => (classSums.data[c * d + f] += value));
  }
  return { features: d, classes, counts, shift, classSums, secondMoments: matrix(d, d, squares) };
}
