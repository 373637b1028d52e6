import { inputError } from "../core/internal.ts";
import type { ScaleKind, Scaling } from "../data/index.ts";
import { matrix } from "../matrix/index.ts";
import { diagonalOf } from "../matrix/internal.ts";
import type { ClassMoments } from "../metric/index.ts";
import { scatter } from "../metric/internal.ts";
import { columnScaling } from "./columnStatistics.ts";
import { allMoments, type MomentStatistics } from "./momentStatistics.ts";

/** The scaling of `scale`, from statistics instead of rows; constant columns are left out. */
export function statisticsScaling(
  statistics: MomentStatistics,
  kind: ScaleKind = "zscore",
): { scaling: Scaling; notes: readonly string[] } {
  const { names, rows, min, max } = statistics;
  const { mean, total } = scatter(allMoments(statistics));
  const squares = Array.from(diagonalOf(total), (square) => Math.max(0, square));
  const columns = { names, rows, min: [...min], max: [...max], mean: [...mean], squares };
  return columnScaling(columns, kind);
}

/**
 * The moments of the scaled rows y = (x - c) / s on the kept columns, without the rows: about the shift (shift - c) / s
 * the sums are divided by s, and the second moments by s s'.
 */
export function scaledMoments(moments: ClassMoments, scaling: Scaling): ClassMoments {
  if (moments.features !== scaling.columns.length) {
    throw inputError(
      `the scaling was made for ${scaling.columns.length} columns, the statistics have ${moments.features}`,
    );
  }
  if (scaling.groups.length !== 1 || scaling.groups[0].batch !== undefined) {
    throw inputError("the statistics are not separate for each batch, so they cannot be scaled per batch");
  }
  const { kept } = scaling;
  const { center, scale } = scaling.groups[0];
  const d = moments.features;
  const width = kept.length;
  const k = moments.counts.length;
  const classSums = matrix(k, width);
  for (let c = 0; c < k; c++) {
    for (let j = 0; j < width; j++) {
      classSums.data[c * width + j] = moments.classSums.data[c * d + kept[j]] / scale[j];
    }
  }
  const secondMoments = matrix(width, width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) {
      secondMoments.data[i * width + j] =
        moments.secondMoments.data[kept[i] * d + kept[j]] / scale[i] / scale[j];
    }
  }
  return {
    ...moments,
    features: width,
    shift: Float64Array.from(kept, (f, j) => (moments.shift[f] - center[j]) / scale[j]),
    classSums,
    secondMoments,
  };
}
