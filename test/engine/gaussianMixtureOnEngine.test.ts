import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { gaussianMixture, gaussianMixtureInOrder } from "../../src/cluster/mixture/gaussianMixture.ts";
import { duckdb, engineTable, gaussianMixtureOnEngine, type Engine } from "../../src/engine/index.ts";
import type { EngineTable } from "../../src/engine/index.ts";
import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";

const n = 900;
const d = 3;
const X: Matrix = matrix(n, d);
const { normal } = random(4);
for (let i = 0; i < n; i++) {
  const group = i % 3;
  const z = [normal(), normal(), normal()];
  // An offset, and columns that go together.
  X.data.set(
    [1e3 + 5 * group + z[0], z[0] + 0.3 * z[1] - 4 * group, 2 * z[2] + (group === 1 ? 9 : 0)],
    d * i,
  );
}
let engine: Engine;
let table: EngineTable;
beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  await engine.run("create table t(a double, b double, c double)");
  const rows = Array.from(
    { length: n },
    (_, i) => `(${Array.from(X.data.subarray(d * i, d * i + d)).join()})`,
  );
  await engine.run(`insert into t values ${rows.join()}`);
  ({ table } = await engineTable(engine, { table: "t" }));
});
afterAll(() => engine.close());

test.each(["full", "tied", "diagonal", "spherical"] as const)(
  "sums by SQL give the mixture that is found in memory: %s",
  async (covariance) => {
    const direct = gaussianMixtureInOrder(X, { clusters: 3, covariance, tolerance: 1e-9 });
    const start = gaussianMixture(X, { clusters: 3, covariance, maxIterations: 3 });
    const there = await gaussianMixtureOnEngine(table, { start, tolerance: 1e-9, route: "push-down" });
    const here = await gaussianMixtureOnEngine(table, { start, tolerance: 1e-9, route: "stream" });
    expect(there.route).toBe("push-down");
    expect(there.converged).toBe(true);
    expect(there.iterations).toBe(here.iterations);
    expect(Array.from(there.sizes)).toEqual(Array.from(here.sizes));
    expect(Math.abs(there.logLikelihood / here.logLikelihood - 1)).toBeLessThan(1e-10);
    for (let p = 0; p < 3 * d; p++) {
      expect(Math.abs(there.centers.data[p] - here.centers.data[p])).toBeLessThan(1e-7);
    }
    there.covariances.forEach(({ data }, m) => {
      data.forEach((value, p) => expect(Math.abs(value - here.covariances[m].data[p])).toBeLessThan(1e-6));
    });
    expect(there.logLikelihood).toBeGreaterThan(direct.logLikelihood - 1e-3);
  },
);

test("one component, and a start from a sample", async () => {
  const one = await gaussianMixtureOnEngine(table, { clusters: 1, route: "push-down" });
  expect(one.rows).toBe(n);
  expect(Array.from(one.sizes)).toEqual([n]);
  const drawn = await gaussianMixtureOnEngine(table, { clusters: 3, sample: 200, route: "push-down" });
  expect(Array.from(drawn.sizes).toSorted()).toEqual([300, 300, 300]);
  expect(drawn.passes).toBe(drawn.iterations + 2);
  await expect(gaussianMixtureOnEngine(table, { route: "push-down" })).rejects.toThrow(/clusters/);
});

test.each(["push-down", "stream"] as const)(
  "stopped at the sample, its mixture is kept and labels the rows: %s",
  async (route) => {
    let time = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 300));
    onTestFinished(() => clock.mockRestore());
    let on = true;
    const onProgress = ({ label }: { label: string }): boolean => (on &&= !label.startsWith("EM on"));
    const found = await gaussianMixtureOnEngine(table, { clusters: 3, sample: 200, route, onProgress });
    expect(found.warnings).toContainEqual(expect.stringMatching(/^stopped by onProgress before the first/));
    expect(found.converged).toBe(false);
    const counts = [0, 0, 0];
    for (const label of found.predict(X)) counts[label]++;
    expect(counts).toEqual([300, 300, 300]);
    expect(Array.from(found.sizes)).toEqual(counts);
  },
);
