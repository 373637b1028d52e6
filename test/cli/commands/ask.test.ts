import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, oneLine, scratch } from "../command.ts";

function folderOf(hints: string): string {
  const folder = scratch();
  const rows = Array.from({ length: 40 }, (_, i) => `lot-${i},${(i % 2) * 9 + (i % 7) / 5},${"ab"[i % 2]}`);
  writeFileSync(join(folder, "lots.csv"), ["lot,x,kind", ...rows, ""].join("\n"));
  writeFileSync(join(folder, "hints.csv"), hints);
  return folder;
}

const ask = ["ask", "lots.csv", "--known", "kind", "--budget", "2"];

test("a file of answers is continued, and this is said", async () => {
  const folder = folderOf("a,b,hint\nlot-0,lot-2,same\n");
  const { code, stderr } = await kindred(ask, { cwd: folder });
  expect(code).toBe(0);
  expect(stderr).toContain("hints.csv is continued: it has 1 answer (--hints FILE begins another one)");
  expect(readFileSync(join(folder, "hints.csv"), "utf8")).toMatch(/^a,b,hint\nlot-0,lot-2,same\n.+,.+,\w+\n/);
});

test("answers about another table are not continued, and another file is offered", async () => {
  const folder = folderOf("a,b,hint\nrow-7,row-8,same\n");
  expect(await kindred(ask, { cwd: folder })).toEqual(
    oneLine(
      1,
      /hints\.csv is continued \(--hints FILE begins another one\): hints\.csv line 2: "row-7" is not/,
    ),
  );
  expect(await kindred(["ask", "lots.csv", "--known", "sort"], { cwd: folder })).toEqual(
    oneLine(2, /--known names the column "sort", which lots\.csv does not have; the columns are "lot", "x"/),
  );
});
