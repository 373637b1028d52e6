import { describe, expect, it } from "vitest";
import type { Judged } from "../../src/compare/found.ts";
import { judgedAgain } from "../../src/compare/judgedAgain.ts";
import { partition, rowCodes } from "../../src/compare/partition.ts";
import { spreadOut } from "../../src/compare/spreadOut.ts";
import { takeRows } from "../../src/matrix/matrix.ts";
import { blobs } from "./sets.ts";

/** Two clusters that touch. The first 300 rows are clustered, and all 3000 judge again. */
const { X, y } = blobs(
  [
    [0, 0, 0],
    [4, 0, 0],
  ],
  [1500, 1500],
  3,
);
const order = Int32Array.from({ length: X.rows }, (_, i) => (i * 7) % X.rows);
const SIZE = 300;
const sample = takeRows(X, order.subarray(0, SIZE));
const spread = spreadOut(X, order, sample);

/** A partition of the sample as if it had been judged, with the same evidence as every other one. */
function judged(labelOf: (row: number) => number, icl = 0): Judged {
  const labels = Int32Array.from(order.subarray(0, SIZE), (row) => labelOf(row));
  return {
    partition: partition(labels, rowCodes(SIZE)),
    made: [],
    weakest: { evidence: 5 },
    icl,
  };
}

const right = judged((row) => y[row]);
/** Its border lies too far to one side. */
const shifted = judged((row) => (X.data[row * X.cols] > 1.4 ? 1 : 0));

function again(all: readonly Judged[], chosen: Judged): Judged {
  return judgedAgain(X, order, all, chosen, spread, { rule: "borders", seed: 0 });
}

describe("judgedAgain", () => {
  it("prefers the better border on more rows, whichever was chosen before", () => {
    expect(again([right, shifted], shifted)).toBe(right);
    expect(again([right, shifted], right)).toBe(right);
  });

  it("keeps the chosen one where no other shows the same clusters", () => {
    const other = judged((row) => (X.data[row * X.cols + 1] > 0 ? 1 : 0), 1e6);
    const three = judged(
      (row) => (X.data[row * X.cols] > 1.4 ? (X.data[row * X.cols + 1] > 0 ? 1 : 2) : 0),
      1e6,
    );
    expect(again([shifted, other, three], shifted)).toBe(shifted);
    expect(again([shifted], shifted)).toBe(shifted);
  });
});
