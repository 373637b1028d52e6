import type { Matrix } from "../../matrix/index.ts";
import type { Splitter } from "./divisive.ts";
import { distanceTriangle } from "./linkageChain.ts";

/** The splinter group of Kaufman and Rousseeuw; all distances are held, n (n - 1) / 2 numbers. */
export function dianaSplitter(X: Matrix): Splitter {
  const D = distanceTriangle(X, false);
  const between = (i: number, j: number): number => {
    if (i === j) return 0;
    return i > j ? D[(i * (i - 1)) / 2 + j] : D[(j * (j - 1)) / 2 + i];
  };
  return {
    value(rows) {
      let diameter = 0;
      for (const i of rows) for (const j of rows) if (j < i) diameter = Math.max(diameter, between(i, j));
      return diameter > 0 ? diameter : undefined;
    },
    divide(rows) {
      const m = rows.length;
      const left = new Uint8Array(m); // 1: has left
      const toStaying = Float64Array.from(rows, (i) => rows.reduce((sum, j) => sum + between(i, j), 0));
      const toLeft = new Float64Array(m);
      let gone = 0;
      for (; gone < m - 1; gone++) {
        let best = -1;
        let most = gone === 0 ? -Infinity : 0;
        for (let p = 0; p < m; p++) {
          if (left[p] === 1) continue;
          // Mean distance to the others that stay, minus that to those that left.
          const gain = toStaying[p] / (m - gone - 1) - (gone === 0 ? 0 : toLeft[p] / gone);
          if (gain > most) {
            most = gain;
            best = p;
          }
        }
        if (best < 0) break;
        left[best] = 1;
        for (let p = 0; p < m; p++) {
          const distance = between(rows[p], rows[best]);
          toStaying[p] -= distance;
          toLeft[p] += distance;
        }
      }
      const splinter = rows.filter((_, p) => left[p] === 1);
      const rest = rows.filter((_, p) => left[p] === 0);
      return rest[0] < splinter[0] ? [rest, splinter] : [splinter, rest];
    },
  };
}
