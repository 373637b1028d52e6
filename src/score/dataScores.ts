import type { MatrixLike } from "../matrix/index.ts";
import type { Labeling } from "./labels.ts";
import { calinskiHarabasz, daviesBouldin, dunn } from "./separation.ts";
import { silhouette } from "./silhouette.ts";
import { withinSumOfSquares } from "./withinSumOfSquares.ts";

interface DataScore {
  readonly title: string;
  readonly says: string;
  readonly of: (X: MatrixLike, labels: Labeling) => number;
  /** It measures every pair of rows. */
  readonly pairs: boolean;
}

const score = (title: string, says: string, of: DataScore["of"], pairs = false): DataScore => ({
  title,
  says,
  of,
  pairs,
});

/** Every score of a labeling by the data alone, in the order in which they are printed. */
export const scoresByData = {
  silhouette: score(
    "silhouette",
    "-1 to 1: how much nearer the own cluster is than the next",
    silhouette,
    true,
  ),
  daviesBouldin: score(
    "Davies-Bouldin",
    "0 or more: spread within to distance between; small is good",
    daviesBouldin,
  ),
  calinskiHarabasz: score("Calinski-Harabasz", "variance between to within; large is good", calinskiHarabasz),
  dunn: score("Dunn", "smallest gap to largest width; large is good", dunn, true),
  withinSumOfSquares: score("sum of squares", "within the clusters, what k-means lowers", withinSumOfSquares),
};

export type DataScores = { readonly [K in keyof typeof scoresByData]: number };

/** Every score of a labeling by the data alone. The labels must have at least 2 clusters, and fewer than rows. */
export function dataScores(X: MatrixLike, labels: Labeling): DataScores {
  const values = Object.entries(scoresByData).map(([name, { of }]) => [name, of(X, labels)] as const);
  return Object.fromEntries(values) as DataScores;
}
