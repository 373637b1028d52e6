import { describe, expect, test } from "vitest";
import { feasible } from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/index.ts";
import { checkConstraints, type Constraints, type Pair } from "../../../src/data/index.ts";
import { exclusionGraph } from "../../../src/cluster/pairs/coloring/exclusionGraph.ts";
import { brokenPairs, plantedPairs } from "./pairData.ts";

function violations(labels: Int32Array, { mustLink, cannotLink }: Constraints): number {
  return (
    mustLink.filter(([i, j]) => labels[i] !== labels[j]).length +
    cannotLink.filter(([i, j]) => labels[i] === labels[j]).length
  );
}

/** All K^n labelings. */
function anyLabeling(n: number, K: number, constraints: Constraints): boolean {
  const labels = new Int32Array(n);
  for (let code = 0; code < K ** n; code++) {
    for (let i = 0, rest = code; i < n; i++, rest = Math.floor(rest / K)) labels[i] = rest % K;
    if (violations(labels, constraints) === 0) return true;
  }
  return false;
}

describe("feasible", () => {
  test("agrees with trying all labelings", () => {
    const stream = random(1);
    let infeasible = 0;
    for (let round = 0; round < 150; round++) {
      const K = 2 + (round % 2);
      const pairs: Pair[] = [];
      while (pairs.length < 8 + (round % 6)) {
        const i = stream.integer(7);
        const j = stream.integer(7);
        if (i !== j) pairs.push([i, j]);
      }
      const constraints = { mustLink: [], cannotLink: pairs };
      const found = feasible(7, constraints, { clusters: K });
      expect(found.status === "feasible").toBe(anyLabeling(7, K, constraints));
      expect(found.labels === undefined ? 0 : violations(found.labels, constraints)).toBe(0);
      if (found.labels === undefined) infeasible++;
    }
    expect(infeasible).toBeGreaterThan(20);
  });

  test("tells planted instances from broken ones", () => {
    for (let seed = 0; seed < 60; seed++) {
      const stream = random(seed);
      const n = 30 + stream.integer(600);
      const K = 2 + stream.integer(9);
      const must = stream.integer(n / 2);
      const cannot = stream.integer(3 * n);
      const planted = plantedPairs(n, K, must, cannot, stream);
      const answer = feasible(n, planted, { clusters: K });
      // Near the threshold of random colouring the search may give up, but it may never be wrong.
      expect(answer.status, `seed ${seed}`).not.toBe("infeasible");
      expect(answer.labels === undefined ? 0 : violations(answer.labels, planted)).toBe(0);
    }
  });

  test("names a small conflict that is one, and cannot be made smaller", () => {
    for (let seed = 0; seed < 12; seed++) {
      const K = 2 + (seed % 4);
      const pairs = brokenPairs(80, K, 20, 60, seed);
      const { status, conflict } = feasible(80, pairs, { clusters: K });
      expect(status).toBe("infeasible");
      expect(conflict!.irreducible).toBe(true);
      const { mustLink, cannotLink } = conflict!;
      expect(feasible(80, { mustLink, cannotLink }, { clusters: K }).status).toBe("infeasible");
      for (const pair of cannotLink) {
        const rest = { mustLink, cannotLink: cannotLink.filter((other) => other !== pair) };
        expect(feasible(80, rest, { clusters: K }).status).toBe("feasible");
      }
      expect(conflict!.clique ?? Array(K + 1)).toHaveLength(K + 1);
    }
  });

  test("finds a colouring that was put in where random graphs are hardest", () => {
    const stream = random(7);
    const planted = plantedPairs(480, 4, 0, 1970, stream);
    const { status, labels } = feasible(480, planted, { clusters: 4 });
    expect(status).toBe("feasible");
    expect(violations(labels!, planted)).toBe(0);
  });

  test("finds an odd wheel on a clique, without a clique of K + 1, in a graph too hard to search", () => {
    for (const [K, cannot] of [
      [3, 1500],
      [4, 2500],
      [5, 3500],
    ]) {
      const pairs = brokenPairs(600, K, 60, cannot, 2 * K + 1);
      const { status, conflict, nodes } = feasible(600, pairs, { clusters: K });
      expect(status).toBe("infeasible");
      expect(nodes).toBe(0);
      expect(conflict!.irreducible).toBe(true);
      const { mustLink, cannotLink } = conflict!;
      expect(feasible(600, { mustLink, cannotLink }, { clusters: K }).status).toBe("infeasible");
    }
  });

  test("gives up when the budget is spent, and says so", () => {
    // 200 rows at the threshold of 4-colouring: no answer within ten nodes.
    const stream = random(3);
    const pairs: Pair[] = [];
    while (pairs.length < 960) {
      const i = stream.integer(200);
      const j = stream.integer(200);
      if (i !== j) pairs.push([i, j]);
    }
    expect(feasible(200, { cannotLink: pairs }, { clusters: 4, budget: 10 }).status).toBe("gave up");
  });

  test("one cluster, no pairs, and an odd cycle", () => {
    expect(feasible(3, {}, { clusters: 1 })).toMatchObject({ status: "feasible", nodes: 0 });
    const edge: Pair[] = [[0, 2]];
    const single = feasible(3, { cannotLink: edge }, { clusters: 1 });
    expect(single).toMatchObject({
      status: "infeasible",
      conflict: { cannotLink: [[0, 2]], clique: [0, 2] },
    });
    const cycle: Pair[] = [0, 1, 2, 3, 4].map((i) => [i, (i + 1) % 5]);
    const odd = feasible(6, { cannotLink: cycle }, { clusters: 2 });
    expect(odd.status).toBe("infeasible");
    expect(odd.conflict!.cannotLink).toHaveLength(5);
    expect(feasible(6, { cannotLink: cycle }, { clusters: 3 }).status).toBe("feasible");
  });
});

test("groups that no cannot-links join are parts of their own", () => {
  const cannotLink: Pair[] = [
    [0, 1],
    [2, 3],
    [3, 4],
  ];
  const { parts } = exclusionGraph(checkConstraints(6, { cannotLink }));
  expect(parts.map((nodes) => nodes.toSorted())).toEqual([
    Int32Array.from([0, 1]),
    Int32Array.from([2, 3, 4]),
  ]);
});
