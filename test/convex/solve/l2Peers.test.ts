import { describe, expect, it } from "vitest";
import { certificate } from "../../../src/convex/solve/certificate.ts";
import { l2Path, solveL2 } from "../../../src/convex/solve/l2.ts";
import { folder, here, peerProblem, table, text } from "./peerProblems.ts";

describe.skipIf(!here)(`problems of the peers (KINDRED_PEERS, ${here ? folder : "absent"})`, () => {
  it.each(["gmm300", "moons1000"])(
    "%s: every point of the path at most the gap above the recorded optimum",
    (name) => {
      const problem = peerProblem(name, 2);
      const gammas = table(`${name}_gammas.csv`).map(([gamma]) => gamma);
      const recorded = table(`${name}_ref_q2_path.csv`).slice(1);
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
    const best = text("best_known.csv")
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    for (const [name, q, gamma, metric, objective] of best) {
      if (q !== "2" || metric !== "identity" || name === "gmm20000") continue;
      const problem = peerProblem(name, 2);
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
