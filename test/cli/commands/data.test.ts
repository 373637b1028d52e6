import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readNumbers } from "../../../src/data/index.ts";
import { kindred, listing, scratch } from "../command.ts";

test("lists the embedded and generated sets", async () => {
  const { code, stdout, stderr } = await kindred(["data"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^name +rows +features +classes +from$/m);
  expect(stdout).toMatch(/^wine +178 +13 +3 +embedded +wines of three cultivars$/m);
  expect(stdout).toMatch(/^gmm-outliers +300 +10 +3 +generated/m);
});

test("lists them as JSON", async () => {
  const { stdout } = await kindred(["data", "--json"]);
  const { datasets } = JSON.parse(stdout) as { datasets: { name: string }[] };
  expect(datasets.slice(0, 2).map(({ name }) => name)).toEqual(["wine", "iris"]);
});

test("writes a set that reads back as it was", async () => {
  const { code, stdout } = await kindred(["data", "wine"]);
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  expect(lines[0]).toMatch(/^alcohol,malic_acid,.*,proline,class$/);
  expect(lines[1]).toBe("14.23,1.71,2.43,15.6,127,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065,1");
  const table = await readNumbers(new TextEncoder().encode(stdout), { label: "class" });
  expect([table.X.rows, table.X.cols, table.label!.values[177]]).toEqual([178, 13, "3"]);
});

test("generators take their options and a seed", async () => {
  const args = ["data", "gmm-outliers", "--outliers", "2", "--per-class=5", "--no-permute", "--seed"];
  const one = await kindred([...args, "1"]);
  const again = await kindred([...args, "1"]);
  const other = await kindred([...args, "2"]);
  expect(one.code).toBe(0);
  expect(one.stdout.split("\n")[0]).toBe("x1,x2,x3,normal,uniform,class");
  expect(one.stdout.trimEnd().split("\n")).toHaveLength(16);
  expect(again.stdout).toBe(one.stdout);
  expect(other.stdout).not.toBe(one.stdout);
});

test("--out writes the same to a file", async () => {
  const folder = scratch();
  const { code, stdout } = await kindred(["data", "iris", "--out", join(folder, "iris.csv")]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(readFileSync(join(folder, "iris.csv"), "utf8")).toBe((await kindred(["data", "iris"])).stdout);
  expect(listing(folder)).toEqual(["iris.csv"]);
});

test("a name that nobody knows is an input error that lists the known ones", async () => {
  const { code, stderr } = await kindred(["data", "vine"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^kindred: there is no data set "vine"; did you mean wine\? The data sets are wine, iris, .*\n$/,
  );
});
