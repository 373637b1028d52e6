import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

test("without an answer there is no file, and an old one stays as it was, to the byte", async () => {
  const folder = folderOf("a,b,hint\r\nlot-0,lot-2,same");
  const old = readFileSync(join(folder, "hints.csv"));
  const none = await kindred(["ask", "lots.csv"], { cwd: folder });
  expect(none.code).toBe(0);
  expect(none.stderr).toContain("no answer was given; hints.csv is as it was");
  expect(readFileSync(join(folder, "hints.csv")).equals(old)).toBe(true);
  const fresh = await kindred(["ask", "lots.csv", "--hints", "new.csv"], { cwd: folder });
  expect(fresh.stderr).toContain("no answer was given, and no file was written");
  expect(existsSync(join(folder, "new.csv"))).toBe(false);
  // An answer is added behind what is there; taken back, the file is the old one.
  await kindred(["ask", "lots.csv"], { cwd: folder, input: "s\nq\n" });
  const text = readFileSync(join(folder, "hints.csv"), "utf8");
  expect(text.startsWith(`${old.toString()}\n`)).toBe(true);
  expect(text.split("\n")).toHaveLength(4);
  await kindred(["ask", "lots.csv"], { cwd: folder, input: "s\nu\nq\n" });
  expect(readFileSync(join(folder, "hints.csv"), "utf8")).toBe(text);
});

test("answers by row number hold for the table they were given for", async () => {
  const folder = folderOf("");
  const rows = Array.from({ length: 30 }, (_, i) => `${(i % 2) * 9 + (i % 7) / 5},${(i % 3) / 2}`);
  writeFileSync(join(folder, "plain.csv"), ["x,y", ...rows, ""].join("\n"));
  writeFileSync(join(folder, "other.csv"), ["x,y", ...rows.toReversed(), ""].join("\n"));
  await kindred(["ask", "plain.csv", "--hints", "plain-hints.csv"], { cwd: folder, input: "s\nd\nq\n" });
  const text = readFileSync(join(folder, "plain-hints.csv"), "utf8");
  expect(text).toMatch(
    /^# rows by number of a table with 30 rows, digest [0-9a-f]{14}\na,b,hint\n\d+,\d+,same\n/,
  );
  const used = await kindred(["cluster", "plain.csv", "--hints", "plain-hints.csv"], { cwd: folder });
  expect(used.code).toBe(0);
  const about =
    /plain-hints\.csv numbers the rows of a table with other cells, and other\.csv has 30 rows; if the numbers hold here too, delete/;
  for (const command of ["cluster", "ask"])
    expect(await kindred([command, "other.csv", "--hints", "plain-hints.csv"], { cwd: folder })).toEqual(
      oneLine(1, about),
    );
  expect(readFileSync(join(folder, "plain-hints.csv"), "utf8")).toBe(text);
});

test("numbers of rows are not continued in a table that has names, and a file says which column names its rows", async () => {
  const folder = folderOf("60,70,same\n");
  expect(await kindred(ask, { cwd: folder })).toEqual(
    oneLine(1, /hints\.csv is continued .*"60" is not among/),
  );
  expect(readFileSync(join(folder, "hints.csv"), "utf8")).toBe("60,70,same\n");
  await kindred([...ask, "--hints", "named.csv"], { cwd: folder });
  expect(readFileSync(join(folder, "named.csv"), "utf8")).toMatch(/^# rows by column lot\na,b,hint\nlot-/);
  writeFileSync(join(folder, "named.csv"), "# rows by column batch\na,b,hint\nlot-0,lot-2,same\n");
  expect(await kindred(["cluster", "lots.csv", "--hints", "named.csv"], { cwd: folder })).toEqual(
    oneLine(1, /named\.csv calls rows by column "batch", which lots\.csv does not have/),
  );
});
