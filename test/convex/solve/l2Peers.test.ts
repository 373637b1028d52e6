import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { certificate } from "../../../src/convex/solve/certificate.ts";
import { l2Path, solveL2 } from "../../../src/convex/solve/l2.ts";
import type { ConvexProblem } from "../../../src/convex/solve/problem.ts";
import { fromRows } from "../../../src/matrix/matrix.ts";
import { shared } from "../../../bench/shared.mjs";

const folder = shared("peers", "convex");
const here = existsSync(folder);

const lines = (text: string): number[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
const read = (name: string): string =>
  name.endsWith(".gz")
    ? gunzipSync(readFileSync(`${folder}/${name}`)).toString()
    : readFileSync(`${folder}/${name}`, "utf8");

function peerProblem(name: string): ConvexProblem {
  const X = fromRows(lines(read(`${name}_X.csv.gz`)));
  const edges = lines(read(`${name}_edges.csv.gz`));
  return {
    X,
    graph: {
      nodes: X.rows,
      from: Int32Array.from(edges, (e) => e[0]),
      to: Int32Array.from(edges, (e) => e[1]),
      weights: Float64Array.from(edges, (e) => e[2]),
    },
    norm: 2,
  };
}

describe.skipIf(!here)(`problems of the peers (KINDRED_PEERS, ${here ? folder : "absent"})`, () => {
  it.each(["gmm300", "moons1000"])(
    "%s: every point of the path at most the gap above the recorded optimum",
    (name) => {
      const problem = peerProblem(name);
      const gammas = lines(read(`${name}_gammas.csv`)).map(([gamma]) => gamma);
      const recorded = lines(read(`${name}_ref_q2_path.csv`)).slice(1);
      const proofs: number[] = [];
      const path = l2Path(problem, gammas, {
        onSolution: ({ gamma, U }, duals, p) =>
          void (p % 7 === 0 && proofs.push(certificate(problem, gamma, U, duals()).relativeGap)),
      });
      for (const [p, solution] of path.entries()) {
        expect(solution.converged).toBe(true);
        const { primal, gap } = solution.certificate;
        expect(primal - gap).toBeLessThanOrEqual(recorded[p][1] * (1 + 1e-9));
        expect(primal).toBeLessThanOrEqual(recorded[p][1] * (1 + 1e-9) + gap);
      }
      expect(Math.max(...proofs)).toBeLessThan(1.0001e-6);
    },
  );

  it("best known objectives from cold starts, at 1e-6 and 1e-9", () => {
    const best = read("best_known.csv")
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    for (const [name, q, gamma, metric, objective] of best) {
      if (q !== "2" || metric !== "identity" || name === "gmm20000") continue;
      const problem = peerProblem(name);
      for (const tolerance of name === "gmm5000" ? [1e-6] : [1e-6, 1e-9]) {
        const solution = solveL2(problem, { gamma: Number(gamma), tolerance });
        expect(solution.converged).toBe(true);
        const { primal, gap, relativeGap } = solution.certificate;
        expect(relativeGap).toBeLessThanOrEqual(tolerance);
        expect(primal).toBeLessThanOrEqual(Number(objective) * (1 + 1e-9) + gap);
      }
    }
  });
});
