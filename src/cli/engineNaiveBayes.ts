import {
  classColumnsOnEngine,
  levelCountsOnEngine,
  scaledTable,
  type CheckedTable,
} from "../engine/index.ts";
import { columnScaling } from "../scale/index.ts";
import type { EngineFit } from "./classifyMethods.ts";
import { countingText, routeText } from "./engineInput.ts";
import { discreteFit, gaussianFit, keptColumns } from "./streamedNaiveBayes.ts";

/** Gaussian naive Bayes from sums that an engine makes. */
export async function gaussianOnEngine({ table }: CheckedTable): Promise<EngineFit> {
  const { statistics } = await classColumnsOnEngine(table);
  return { ...gaussianFit(statistics), how: routeText("push-down") };
}

/** Discrete naive Bayes from counts that an engine makes, or that are made here where it would take longer. */
export async function discreteOnEngine({ table, statistics }: CheckedTable): Promise<EngineFit> {
  const { scaling, notes } = columnScaling(statistics, "none");
  const kept = scaledTable(table, scaling);
  const { counts, route } = await levelCountsOnEngine(kept, {
    discretize: "given",
    pairs: false,
    columns: { names: kept.features.map(({ name }) => name), ...keptColumns(statistics, scaling.kept) },
  });
  return { fitted: discreteFit(counts), scaling, rows: statistics.rows, notes, how: countingText(route) };
}
