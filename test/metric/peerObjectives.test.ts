// Objectives that metric-learn 0.7.0 (MMC, patched for the scikit-learn of today) and scikit-learn 1.9.1 (NCA) reach from the
// same pairs and the same start.
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import type { Pair } from "../../src/data/constraints.ts";
import { scale } from "../../src/data/scaling.ts";
import { fromRows, type Matrix } from "../../src/matrix/matrix.ts";
import { nca } from "../../src/metric/neighbours/nca.ts";
import { mmc } from "../../src/metric/pairs/mmc.ts";
import { shared } from "../../bench/shared.mjs";

const folder = shared("datasets");
const there = existsSync(`${folder}/segment.csv`);
if (!there) console.warn(`segment.csv is not in ${folder} (set KINDRED_DATA): its tests are skipped`);

function table(file: string): { rows: number[][]; classes: string[] } {
  const bytes = readFileSync(`${folder}/${file}`);
  const lines = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().trim().split(/\r?\n/).slice(1);
  const cells = lines.map((line) => line.split(","));
  return {
    rows: cells.map((line) => line.slice(0, -1).map(Number)),
    classes: cells.map((line) => line.at(-1)!),
  };
}

/** The first 200 pairs of each kind that three steps through the rows meet. */
function pairsOf(classes: readonly string[]): { mustLink: Pair[]; cannotLink: Pair[] } {
  const mustLink: Pair[] = [];
  const cannotLink: Pair[] = [];
  for (let i = 0; i < classes.length; i++) {
    for (const step of [37, 211, 709]) {
      const j = (i * step + 11) % classes.length;
      if (i !== j) (classes[i] === classes[j] ? mustLink : cannotLink).push([i, j]);
    }
  }
  return { mustLink: mustLink.slice(0, 200), cannotLink: cannotLink.slice(0, 200) };
}

describe.skipIf(!there)("objectives beside the peers'", () => {
  it("MMC on segment, whose columns depend on each other", () => {
    const { rows, classes } = table("segment.csv");
    const X = scale(fromRows(rows), "zscore").X as Matrix;
    const metric = mmc(X, { ...pairsOf(classes), regularization: 0 });
    expect(metric.converged).toBe(true);
    expect(metric.J).toBeGreaterThan(88.064499);
    expect(metric.certificate.residual).toBeLessThan(1e-6);
    expect(metric.warnings).toEqual(["6 pairs have been given before and count once"]);
  });

  it.each([
    ["segment.csv", 0.9558368],
    ["usps20.csv.gz", 0.9773106],
  ])("NCA on every third row of %s", (file, theirs) => {
    const { rows, classes } = table(file);
    const some = rows.filter((_, i) => i % 3 === 0);
    const metric = nca(
      fromRows(some),
      classes.filter((_, i) => i % 3 === 0),
      { init: "identity" },
    );
    expect(metric.objective).toBeGreaterThan(theirs);
  });
});

describe("MMC where columns depend on each other", () => {
  const { normal } = random(3);
  const kind = (i: number): number => (i >> 1) % 2;
  const rows = Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 4 }, (_, f) => normal() + (f === 0 ? 2 * kind(i) : 0)),
  );
  const pairs = pairsOf(rows.map((_, i) => String(kind(i))));

  it("reaches the optimum of the columns that determine the others", () => {
    const alone = mmc(fromRows(rows), { ...pairs, regularization: 0 });
    const more = mmc(fromRows(rows.map(([a, b, c, d]) => [a, b, c, d, 7, a - 2 * c, b + d + 1])), {
      ...pairs,
      regularization: 0,
    });
    expect(Math.abs(more.J / alone.J - 1)).toBeLessThan(1e-6);
    expect(more.converged).toBe(true);
    expect(more.warnings).toEqual(["18 pairs have been given before and count once"]);
  });

  it("says so where only the must-links do not vary, and J has no maximum", () => {
    const more = mmc(fromRows(rows.map((cells, i) => [...cells, kind(i)])), { ...pairs, regularization: 0 });
    expect(more.warnings.join()).toMatch(/must-links do not vary in every direction/);
  });
});
