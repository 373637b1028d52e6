import { describe, expect, test } from "vitest";
import { findingsText } from "../../reproduction/page.ts";
import { type ConvexPlan, type Done, planConvex, reportConvex } from "../../reproduction/convex/convex.ts";
import { runTask } from "../../reproduction/convex/convexTask.ts";
import { convexFindings } from "../../reproduction/convex/convexText.ts";

const plan = await planConvex({ table: "4.2", figures: true, quick: true, repetitions: 1 });

async function some(wanted: ConvexPlan, count: number): Promise<Done[]> {
  const done: Done[] = [];
  for (const task of wanted.tasks.slice(0, count)) {
    done.push({ task, result: await runTask(task) } as Done);
  }
  return done;
}

describe("plan", () => {
  test("wine is always there, other sets are done or named", () => {
    const named = [...plan.sets.map(({ set }) => set), ...plan.skipped.map(({ set }) => set)];
    expect(named.toSorted()).toEqual(["dlbcl", "image", "seeds", "wine"]);
    expect(plan.sets.map(({ set }) => set)).toContain("wine");
  });

  test("Table 1 has no row for DLBCL", async () => {
    const { skipped } = await planConvex({ table: "1", sets: ["wine", "dlbcl"] });
    expect(skipped).toEqual([{ set: "dlbcl", why: "Table 1 has no such row" }]);
  });

  test("without a table there are repetitions only, 2 scalings x 8 points each", async () => {
    const { tasks, sets } = await planConvex({ figures: true, repetitions: 3 });
    expect(sets).toEqual([]);
    expect(tasks).toHaveLength(48);
    expect(new Set(tasks.map((task) => task.kind))).toEqual(new Set(["repetition"]));
  });
});

describe("report", () => {
  test("of nothing done shows the text's numbers and says so", () => {
    const lines = findingsText(convexFindings(reportConvex(plan, [])));
    expect(lines.join("\n")).toContain("72.9");
    expect(lines).toContain(`stopped: 0 of ${plan.tasks.length} parts were done`);
  });

  test("a cell that threw is in its place, with its message, and is not taken for one that was not run", async () => {
    const wine = await planConvex({ table: "4.2", sets: ["wine"], quick: true });
    const [task, ...others] = wine.tasks;
    const failed = [{ task, cell: "wine, paper, kmeans", why: "no start is left" }];
    const lines = findingsText(convexFindings(reportConvex(wine, [], failed)));
    expect(lines.find((line) => line.startsWith("  k-means"))).toMatch(/^  k-means +failed/);
    expect(lines).toContain("wine, paper, kmeans: failed, no start is left");
    expect(lines).toContain(`stopped: 0 of ${others.length + 1} parts were done`);
    const only = reportConvex({ ...wine, tasks: [task] }, [], failed);
    expect(findingsText(convexFindings(only)).join("\n")).not.toContain("stopped");
  });

  test("of a part shows that part", async () => {
    const wine = await planConvex({ table: "4.2", sets: ["wine"], quick: true });
    const done = await some(wine, 3);
    const report = reportConvex(wine, done);
    expect(report.certificates.solves).toBeGreaterThan(0);
    expect(report.certificates.gap).toBeLessThanOrEqual(1e-6);
    const [paper] = report.table!.sets[0].protocols;
    expect(Object.keys(paper.cells)).toEqual(["kmeans", "ncut", "cc"]);
    expect(paper.cells.kmeans?.rand).toBeCloseTo(71.87, 1);
    expect(JSON.parse(JSON.stringify(report))).toMatchObject({ done: 3, planned: wine.tasks.length });
    const row = findingsText(convexFindings(report)).find((line) => line.startsWith("  k-means"))!;
    expect(row).toMatch(/^  k-means +71\.9 \(70, \+1\.9 !\) +\(70\)/);
  });
});
