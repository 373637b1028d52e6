import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listing, scratch } from "../cli/command.ts";
import { command, environment, oneLine, reproduce } from "./reproduce.ts";

test("a quick table of what is there; what is not is named", async () => {
  const folder = scratch();
  const args = ["convex", "--table", "4.2", "--sets", "seeds,wine", "--quick", "--json"];
  const { code, stdout, stderr } = await reproduce([...args, "--out", join(folder, "new")]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^reproduce: seeds is skipped: .*KINDRED_DATA.*\n$/);
  const report = JSON.parse(stdout) as {
    skipped: { set: string }[];
    done: number;
    planned: number;
    certificates: { gap: number };
    table: {
      sets: { set: string; protocols: { protocol: string; cells: Record<string, { rand: number }> }[] }[];
    };
  };
  expect(report.skipped).toMatchObject([{ set: "seeds" }]);
  expect(report.done).toBe(report.planned);
  expect(report.certificates.gap).toBeLessThanOrEqual(1e-6);
  const [wine] = report.table.sets;
  const blind = wine.protocols.find(({ protocol }) => protocol === "unsupervised")!;
  expect(blind.cells.cc.rand).toBeGreaterThan(95);
  expect(listing(join(folder, "new"))).toEqual(["convex-table.json", "convex-table.txt"]);
  expect(readFileSync(join(folder, "new", "convex-table.txt"), "utf8")).toContain("seeds: skipped");
}, 240_000);

test("an interrupt keeps what is done", async () => {
  const [node, ...args] = command;
  const options = ["convex", "--sets", "seeds,wine", "--threads", "1"];
  const child = spawn(node, [...args, ...options], { env: environment });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.once("data", () => child.kill("SIGINT"));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(130);
  expect(stdout).toContain("wine: wine, 178 x 13, K = 3");
  expect(stdout).toMatch(/stopped: \d+ of \d+ parts were done\n/);
}, 60_000);

test.each([
  [["convex", "--sets", "barley"], /no "barley" in the tables/],
  [["convex", "--figures", "--sets", "wine"], /--sets chooses rows of a table/],
  [["convex", "--table", "1", "--repetitions", "3"], /--repetitions is for --figures/],
  [["convex", "--table", "5"], /--table/],
  [["everything"], /unknown command .everything./],
  [["cpd-uml", "--sets", "iris"], /there is no "iris" in the tables; they have breast, diabetes/],
])("%j is not understood", async (args, message) => {
  expect(await reproduce(args)).toEqual(oneLine(2, message));
});
