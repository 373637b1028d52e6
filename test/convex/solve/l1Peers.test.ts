import { describe, expect, it } from "vitest";
import { solveL1 } from "../../../src/convex/solve/l1.ts";
import type { ConvexSolution } from "../../../src/convex/solve/problem.ts";
import { folder, here, peerProblem, table, text } from "./peerProblems.ts";

describe.skipIf(!here)(`problems of the peers (KINDRED_PEERS, ${here ? folder : "absent"})`, () => {
  it.each(["gmm300", "moons1000"])("%s: the path is that of the reference", (name) => {
    const problem = peerProblem(name, 1);
    let start: ConvexSolution | undefined;
    for (const [gamma, primal] of table(`${name}_ref_q1_path.csv`).slice(1)) {
      start = solveL1(problem, { gamma, start });
      expect(start.certificate.relativeGap).toBeLessThan(1e-13);
      expect(start.certificate.primal / primal - 1).toBeLessThan(1e-9);
      expect(start.certificate.primal / primal - 1).toBeGreaterThan(-1e-6);
    }
  });

  const known = here ? text("best_known.csv").trim().split("\n").slice(1) : [];
  const ours = known.map((line) => line.split(",")).filter(([, q]) => q === "1");
  it.each(ours)("%s, norm %s, gamma %s, metric %s: the best known objective", (name, _q, gamma, B, best) => {
    const problem = peerProblem(name, 1, B === "identity" ? undefined : B);
    const { certificate: proof } = solveL1(problem, { gamma: Number(gamma), tolerance: 1e-9 });
    expect(proof.relativeGap).toBeLessThan(1e-9);
    expect(Math.abs(proof.primal / Number(best) - 1)).toBeLessThan(3e-9); // ten digits are recorded
  });
});
