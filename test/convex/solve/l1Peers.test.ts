import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { solveL1 } from "../../../src/convex/solve/l1.ts";
import type { ConvexProblem, ConvexSolution } from "../../../src/convex/solve/problem.ts";
import { fromRows } from "../../../src/matrix/matrix.ts";
import { shared } from "../../../bench/shared.mjs";

const folder = shared("peers", "convex");
const here = existsSync(folder);

describe.skipIf(!here)(`problems of the peers (KINDRED_PEERS, ${here ? folder : "absent"})`, () => {
  it.each(["gmm300", "moons1000"])("%s: the path is that of the reference", (name) => {
    const problem = peerProblem(name);
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
    const problem = peerProblem(name, B === "identity" ? undefined : B);
    const { certificate: proof } = solveL1(problem, { gamma: Number(gamma), tolerance: 1e-9 });
    expect(proof.relativeGap).toBeLessThan(1e-9);
    expect(Math.abs(proof.primal / Number(best) - 1)).toBeLessThan(3e-9); // ten digits are recorded
  });
});

function peerProblem(name: string, B?: string): ConvexProblem {
  const X = fromRows(table(`${name}_X.csv.gz`));
  const edges = table(`${name}_edges.csv.gz`);
  return {
    X,
    graph: {
      nodes: X.rows,
      from: Int32Array.from(edges, (edge) => edge[0]),
      to: Int32Array.from(edges, (edge) => edge[1]),
      weights: Float64Array.from(edges, (edge) => edge[2]),
    },
    norm: 1,
    ...(B !== undefined && { metric: fromRows(table(B)) }),
  };
}

function table(file: string): number[][] {
  return text(file)
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
}

function text(file: string): string {
  const bytes = readFileSync(`${folder}/${file}`);
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}
