import type { Matrix } from "../matrix/matrix.ts";
import { encodeLabels, type Labeling } from "../score/labels.ts";
import { withVariable } from "../select/discrete.ts";
import { applyDiscretization, discretize } from "../select/discretize.ts";
import { informationTable } from "../select/informationTable.ts";
import { withPairInformation } from "../select/pairInformation.ts";
import { growingTree } from "../select/spanningTree.ts";

/** Differences below are rounding. */
const TIE = 1e-12;

/**
 * Algorithm 3 of P1 as it stands but for line 11, which must store weight(T2) - weight(T1): every feature is a
 * candidate, constant or not, the first of equal ones wins, and it goes on to k features whatever they add.
 */
export function textChowLiu(X: Matrix, labels: Labeling, k: number): Int32Array {
  const { codes, classes } = encodeLabels(labels);
  const variables = withVariable(applyDiscretization(discretize(X), X), codes, classes.length);
  const d = X.cols;
  return withPairInformation(variables, informationTable(X.rows, "plug-in", "nats"), false, (pairs) => {
    const relevance = pairs.row(d);
    const rows: Float64Array[] = [];
    const [alone, withClass] = [growingTree(), growingTree()];
    withClass.grow([]);
    const [T1, T2] = [new Float64Array(d), new Float64Array(d)];
    const selected: number[] = [];
    while (selected.length < k) {
      alone.increases(rows, T1);
      withClass.increases([relevance, ...rows], T2);
      let next = -1;
      for (let i = 0; i < d; i++) {
        if (selected.includes(i)) continue;
        if (next < 0 || T2[i] - T1[i] > T2[next] - T1[next] + TIE) next = i;
      }
      const links = rows.map((row) => row[next]);
      alone.grow(links);
      withClass.grow([relevance[next], ...links]);
      rows.push(pairs.row(next));
      selected.push(next);
    }
    return Int32Array.from(selected);
  });
}
