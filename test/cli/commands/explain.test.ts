import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, scratch } from "../command.ts";

const people = Array.from({ length: 60 }, (_, i) => {
  const own = i % 2;
  return [`p${i}`, own === 0 ? "cook" : "guest", 20 + 40 * own + (i % 7), `${i % 5}`].join(",");
});

async function modelled(): Promise<string> {
  const cwd = scratch();
  writeFileSync(join(cwd, "people.csv"), `name,trade,age,day\n${people.join("\n")}\n`);
  const args = [
    "cluster",
    "people.csv",
    "--method",
    "kmeans",
    "-k",
    "2",
    "--as",
    "name=id",
    "--model",
    "m.json",
  ];
  expect((await kindred(args, { cwd })).code).toBe(0);
  return cwd;
}

test("a model tells what its clusters are; with a row, why it is in its cluster", async () => {
  const cwd = await modelled();
  const all = await kindred(["explain", "m.json"], { cwd });
  expect(all.stdout).toMatch(/^2 clusters, found by kmeans\.\n0 \(/);
  const one = await kindred(["explain", "m.json", "people.csv", "--row", "p3", "--id", "name"], { cwd });
  expect(one.stdout).toMatch(
    /^The row is in cluster [01] \(.*\)\. The next cluster is [01] \(.*\), [\d.]+ times\s+as far\./s,
  );
  expect(one.stdout).toMatch(/\ntrade +guest +100 % guest \(50 % overall\)\n/);
  expect(one.stdout).toMatch(/\nage +63 +6\d /);
});

test("a row that is not there, a table without a row and another kind of file are refused in words", async () => {
  const cwd = await modelled();
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kindred(["explain", ...args], { cwd });
    expect([code! > 0, stdout]).toEqual([true, ""]);
    return stderr;
  };
  expect(await refused("m.json", "people.csv", "--row", "p99", "--id", "name")).toMatch(
    /"p99" is no row of people\.csv, whose rows are named by column "name"/,
  );
  expect(await refused("m.json", "people.csv", "--row", "cook", "--id", "trade")).toMatch(
    /"cook" is in several rows of column "trade"/,
  );
  expect(await refused("m.json", "people.csv")).toMatch(/--row says which row of people\.csv to explain/);
  expect(await refused("m.json", "--row", "3")).toMatch(/--row: give the table of the row after the model/);
  expect(await refused("people.csv")).toMatch(/people\.csv is no model/);
});

test("the page of a model, with the rows of the same or another table", async () => {
  const cwd = await modelled();
  const page = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await kindred(["report", ...args, "--out", "page.html"], { cwd });
    expect([code, stderr]).toEqual([0, "wrote page.html\n"]);
    return readFileSync(join(cwd, "page.html"), "utf8");
  };
  const alone = await page("m.json");
  expect(alone).toMatch(/<h1>2 clusters of m\.json/);
  expect(alone).not.toMatch(/The rows<\/h2>/);
  expect(await page("m.json", "people.csv", "--id", "name")).toMatch(/p3: .*trade guest/);
  const header = "name,trade,age,day";
  writeFileSync(join(cwd, "new.csv"), `${header}\n${people.slice(0, 9).join("\n")}\n`);
  expect(await page("m.json", "new.csv")).toMatch(/9 rows, /);
  const { code, stderr } = await kindred(["report", "people.csv"], { cwd });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/people\.csv is no model/)]);
});
