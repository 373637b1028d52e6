import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, duckdb } from "../../../src/engine/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { kindred, oneLine } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-representatives-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const query = `select row_number() over () as nr, * from '${at("wine.csv")}'`;
const convex = ["--method", "convex", "--clusters", "3", "--ignore", "class"];

interface Told {
  readonly method: string;
  readonly objective: number;
  readonly sizes: readonly number[];
  readonly certificate: { readonly relativeGap: number };
  readonly details: { readonly compression?: { readonly representatives: number; readonly share: number } };
}

beforeAll(async () => writeFileSync(at("wine.csv"), (await kindred(["data", "wine"])).stdout));

async function told(args: readonly string[]): Promise<Told> {
  const { code, stdout, stderr } = await kindred(["cluster", ...args, ...convex, "--json"]);
  expect({ code, stderr: stderr.replace(/^wrote .*\n$/, "") }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Told;
}

const column = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n").slice(1);

describe("kindred cluster --method convex", () => {
  test("with a representative for each row, a stream and an engine find what memory does", async () => {
    const whole = await told([at("wine.csv"), "--out", at("whole.csv")]);
    expect(whole.method).toBe("cc");
    const streamed = await told([at("wine.csv"), "--stream", "--out", at("streamed.csv")]);
    const there = await told([
      "--engine",
      "duckdb",
      "--query",
      query,
      "--id",
      "nr",
      "--out",
      at("there.parquet"),
    ]);
    for (const found of [streamed, there]) {
      expect(found.objective / whole.objective).toBeCloseTo(1, 6);
      expect(found.certificate.relativeGap).toBeLessThan(1e-6);
      expect([...found.sizes].sort()).toEqual([...whole.sizes].sort());
      expect(found.details.compression).toMatchObject({ representatives: 178 });
      expect(found.details.compression!.share).toBeLessThan(1e-20);
    }
    expect(adjustedRand(column(at("streamed.csv")), column(at("whole.csv")))).toBe(1);
    const engine = await duckdb();
    const { columns } = await answer(engine, `select cluster from '${at("there.parquet")}' order by nr`);
    await engine.close();
    expect(adjustedRand(Array.from(columns[0], String), column(at("whole.csv")))).toBe(1);
  });

  test("with fewer says what that costs", async () => {
    const few = await kindred(["cluster", at("wine.csv"), ...convex, "--representatives", "60"]);
    expect(few.stdout).toMatch(
      /^warning +clustered by 60 weighted representatives of the 178 rows, which hold all but \d+ % of the scatter: /m,
    );
    expect(few.stdout.match(/60 weighted|60 for/g)).toHaveLength(1);
    const { stdout } = await kindred([
      "cluster",
      at("wine.csv"),
      ...convex,
      "--representatives",
      "178",
      "--verbose",
    ]);
    expect(stdout).toMatch(/^method +cc, 3 clusters$/m);
    expect(stdout).not.toMatch(/^warning/m);
  });

  test.each([
    [
      "pairs",
      ["--stream", "--must-link", "pairs.csv"],
      2,
      /--must-link: rows that are not all in memory are called by their ids; give --id, their column/,
    ],
    ["too few", ["--representatives", "2"], 2, /cc: 3 clusters cannot be made of 2 representatives/],
    ["one", ["--representatives", "1"], 2, /--representatives/],
  ] as const)("refuses %s", async (_, args, code, message) => {
    expect(await kindred(["cluster", at("wine.csv"), ...convex, ...args])).toEqual(oneLine(code, message));
  });
});
