import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kindred } from "../command.ts";

let folder = "";
const at = (name: string): string => join(folder, name);
const pairs = (): string[] => ["--must-link", at("ml.csv"), "--cannot-link", at("cl.csv")];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kindred-bregman-"));
  // Wine: rows 0 to 58, 59 to 129 and 130 to 177 are the three cultivars.
  const rows = [0, 10, 20, 30, 70, 80, 90, 100, 140, 150, 160, 170];
  const cultivar = (row: number): number => (row < 59 ? 0 : row < 130 ? 1 : 2);
  const must: string[] = ["a,b"];
  const cannot: string[] = ["a,b"];
  for (const i of rows) {
    for (const j of rows) if (i < j) (cultivar(i) === cultivar(j) ? must : cannot).push(`${i},${j}`);
  }
  writeFileSync(at("ml.csv"), must.join("\n"));
  writeFileSync(at("cl.csv"), cannot.join("\n"));
  writeFileSync(at("wrong.csv"), "a,b\n0,70\n");
  writeFileSync(at("self.csv"), "a,b\n3,3\n");
  writeFileSync(at("empty.csv"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("learns, clusters, says what was proved and how many pairs hold", async () => {
  const args = [
    "cluster",
    "wine",
    "--label",
    "class",
    "--clusters",
    "3",
    "--method",
    "bregman-kmeans",
    ...pairs(),
  ];
  const { stdout, code } = await kindred([...args, "--json"]);
  expect(code).toBe(0);
  const result = JSON.parse(stdout);
  expect(result.scores.adjustedRand).toBeGreaterThan(0.6);
  expect(result.details.distance.certificate.residual).toBeLessThan(1e-6);
  expect(result.details.enforced).toBe(false);
  const enforced = JSON.parse(
    (await kindred([...args, "--enforce", "--function", "square", "--json"])).stdout,
  );
  expect(enforced.details.mustLinksKept).toBe(enforced.details.mustLinks);
  expect(enforced.details.cannotLinksKept).toBe(enforced.details.cannotLinks);
  expect((await kindred(args)).stdout).toMatch(/KKT residual/);
});

test.each([
  ["no pairs", () => [], /bregman-kmeans needs pairs: --must-link, --cannot-link or both/],
  ["an odd power", () => [...pairs(), "--function", "3"], /--function.*must be one of exp, square, shifted2/],
  [
    "a contradiction",
    () => ["--must-link", at("wrong.csv"), "--cannot-link", at("cl.csv")],
    /contradict.*0 = 70/,
  ],
  ["a row with itself", () => ["--must-link", at("self.csv"), "--cannot-link", at("cl.csv")], /itself/],
  [
    "an empty file",
    () => ["--must-link", at("empty.csv"), "--cannot-link", at("cl.csv")],
    /empty|no pairs|both kinds/,
  ],
])("%s is refused in one line", async (_, args, message) => {
  const { stderr, code } = await kindred([
    "cluster",
    "wine",
    "--clusters",
    "3",
    "--method",
    "bregman-kmeans",
    ...args(),
  ]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(message);
});
