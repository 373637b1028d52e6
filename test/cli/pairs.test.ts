import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kindred, listing, oneLine, scratch } from "./command.ts";

const TABLE = "name,x,y\na,0,0\nb,0,1\nc,5,5\nd,5,6\ne,9,0\nf,9,1\n";

function folderWith(files: Record<string, string>): string {
  const cwd = scratch();
  for (const [name, text] of Object.entries({ "t.csv": TABLE, ...files }))
    writeFileSync(join(cwd, name), text);
  return cwd;
}

describe("kindred cluster with pairs", () => {
  test("learns from them, and keeps every pair", async () => {
    const cwd = folderWith({ "ml.csv": "first,second\n0,2\n", "cl.csv": "0,1\n4,5\n" });
    const args = ["t.csv", "--id", "name", "--clusters", "3", "--json"];
    const numbers = await kindred(
      [
        "cluster",
        "t.csv",
        "--ignore",
        "name",
        "-k",
        "3",
        "--json",
        "--must-link",
        "ml.csv",
        "--cannot-link=cl.csv",
      ],
      { cwd },
    );
    const result = JSON.parse(numbers.stdout);
    expect(result).toMatchObject({
      method: "hints",
      clusters: 3,
      details: { explained: { answers: 3 }, contradictions: [] },
    });
    expect(result.labels[0]).toBe(result.labels[2]);
    expect(result.labels[0]).not.toBe(result.labels[1]);
    expect(result.labels[4]).not.toBe(result.labels[5]);
    writeFileSync(join(cwd, "ids.csv"), "a,c\n");
    const ids = JSON.parse((await kindred(["cluster", ...args, "--must-link", "ids.csv"], { cwd })).stdout);
    expect(ids.labels[0]).toBe(ids.labels[2]);
  });

  test.each([
    "pck-means",
    "mpck-means",
    "lcvqe",
    "cop-kmeans",
    "cop-kmeans --space learned",
    "cop-kmeans --space plain",
    "cc",
    "rcc",
    "scc",
    "ccml",
    "ccscml",
  ])("%s takes them too", async (method) => {
    const cwd = folderWith({ "ml.csv": "0,1\n", "cl.csv": "0,2\n" });
    const line = `cluster t.csv --ignore name -k 3 -m ${method} --must-link ml.csv --cannot-link cl.csv`;
    const { code, stdout } = await kindred(line.split(" "), { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 of 1 must-links and 1 of 1 cannot-links kept/);
  });

  test.each([
    ["ml.csv", "1,1\n", "", /ml\.csv line 1: the pair joins a row with itself/, 1],
    ["ml.csv", "1,7\n", "", /ml\.csv line 1: "7" is not a row of t\.csv; rows are numbered 0 to 5/, 1],
    ["ml.csv", "0,1\n1,2\n", "0,2\n", /must-links join them \(0 = 1 = 2\)/, 1],
    ["ml.csv", "2,3\n", "0,1\n1,2\n0,2\n", /no 2 clusters can satisfy the pairs: rows 0, 1, 2/, 1],
    ["ml.csv", "", "", /ml\.csv and cl\.csv hold no pairs/, 1],
    ["absent.csv", "", "", /absent\.csv/, 1],
  ])("%s: %j and %j", async (file, must, cannot, message, code) => {
    const cwd = folderWith({ "ml.csv": must, "cl.csv": cannot });
    const line = `cluster t.csv --ignore name -k 2 -m cop-kmeans --must-link ${file} --cannot-link cl.csv`;
    expect(await kindred(line.split(" "), { cwd })).toEqual(oneLine(code, message));
  });

  test.each([
    ["0,1\n1,2\n", "0,2\n", /rows 0 and 2 are said to be different, but other hints join them \(0 = 1 = 2\)/],
    ["2,3\n", "0,1\n1,2\n0,2\n", /2 clusters cannot keep rows 0, 1, 2 apart/],
  ])("the default names pairs that contradict each other: %j and %j", async (must, cannot, message) => {
    const cwd = folderWith({ "ml.csv": must, "cl.csv": cannot });
    const line = "cluster t.csv --ignore name -k 2 --must-link ml.csv --cannot-link cl.csv";
    const { code, stdout } = await kindred(line.split(" "), { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^warning +.*${message.source}`, "m"));
    const { details } = JSON.parse((await kindred([...line.split(" "), "--json"], { cwd })).stdout);
    expect(details.contradictions).toHaveLength(1);
  });

  test("the convex methods say the same of pairs that cannot be kept, and need a number of clusters", async () => {
    const cwd = folderWith({ "cl.csv": "0,1\n1,2\n0,2\n" });
    const line = "cluster t.csv --ignore name -m ccml --cannot-link cl.csv".split(" ");
    expect(await kindred([...line, "-k", "2"], { cwd })).toEqual(
      oneLine(1, /no 2 clusters can satisfy the pairs/),
    );
    expect(await kindred(line, { cwd })).toEqual(oneLine(2, /cannot-links need --clusters/));
  });

  test("a method that takes no pairs or labels says so", async () => {
    const cwd = folderWith({ "ml.csv": "0,1\n" });
    const pairs = "cluster t.csv --ignore name -k 2 -m kmeans --must-link ml.csv".split(" ");
    expect(await kindred(pairs, { cwd })).toEqual(oneLine(2, /--must-link: kmeans takes no pairs/));
    const labels = "cluster t.csv --ignore name -k 2 -m cop-kmeans --labels ml.csv".split(" ");
    expect(await kindred(labels, { cwd })).toEqual(oneLine(2, /--labels: cop-kmeans takes no known labels/));
  });
});

describe("kindred cluster --labels", () => {
  test.each([
    ["one per row", "left\n\n\n\n-1\nright\n"],
    ["one per row under a header", "class\nleft\n\n\n\n\nright\n"],
    ["row,label", "row,label\n0,left\n5,right\n"],
  ])("%s", async (_, text) => {
    const cwd = folderWith({ "partial.csv": text });
    const line = "cluster t.csv --ignore name -k 3 --labels partial.csv --json".split(" ");
    const result = JSON.parse((await kindred([...line, "-m", "seeded-kmeans"], { cwd })).stdout);
    expect(result).toMatchObject({
      method: "seeded-kmeans",
      labels: [0, 0, 2, 2, 1, 1],
      details: { classes: ["left", "right"], known: 2, moved: 0 },
    });
    const usual = JSON.parse((await kindred(line, { cwd })).stdout);
    expect(usual.method).toBe("hints");
    expect(usual.names[usual.labels[0]]).toBe("left");
    expect(usual.names[usual.labels[5]]).toBe("right");
  });

  test.each([
    ["a\nb\n", /partial\.csv has 2 lines, but t\.csv has 6 rows/],
    ["row,label\n9,a\n", /line 2: "9" is not a row/],
    ["0,a\n0,b\n", /row 0 is "b" here and "a" before/],
    ["", /partial\.csv is empty/],
    ["0,a\n1,b\n2,c\n", /3 classes \(a, b, c\), but 2 clusters/],
  ])("%j is refused", async (text, message) => {
    const cwd = folderWith({ "partial.csv": text });
    const outcome = await kindred(
      "cluster t.csv --ignore name -k 2 -m seeded-kmeans --labels partial.csv".split(" "),
      {
        cwd,
      },
    );
    expect(outcome).toMatchObject({ stdout: "", stderr: expect.stringMatching(message) });
    expect(outcome.code).toBeGreaterThan(0);
  });
});

describe("kindred ask", () => {
  test("answers from a file of labels go to a file that cluster reads, and a later round adds to it", async () => {
    // Ids that the header of the file is also made of.
    const cwd = folderWith({ "truth.csv": "1\n1\n2\n2\n3\n3\n" });
    const line = "ask t.csv --id name --clusters 3 --budget 6 --answers truth.csv".split(" ");
    const { code, stdout, stderr } = await kindred(line, { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    const first = readFileSync(join(cwd, "hints.csv"), "utf8");
    expect(first).toMatch(/^# rows by column name\na,b,hint\n([a-f],[a-f],(same|different)\n)+$/);
    const answers = first.trim().split("\n").slice(2);
    const same = answers.filter((answer) => answer.endsWith(",same"));
    expect(stderr).toContain(`added ${answers.length} answers (${same.length} same) to hints.csv\n`);

    const next = "cluster t.csv --id name -k 3 --hints hints.csv --json".split(" ");
    const result = JSON.parse((await kindred(next, { cwd })).stdout);
    const place = (id: string): number => result.labels["abcdef".indexOf(id)];
    for (const [a, b, kind] of answers.map((answer) => answer.split(","))) {
      expect(place(a) === place(b)).toBe(kind === "same");
    }

    const again = await kindred(line, { cwd });
    // Nothing is left to ask, or answers are added.
    expect(again.stderr).toMatch(
      new RegExp(`hints.csv is as it was|to hints.csv, after the ${answers.length} that were there`),
    );
    const second = readFileSync(join(cwd, "hints.csv"), "utf8");
    expect(second.startsWith(first)).toBe(true);
    const pairs = second
      .trim()
      .split("\n")
      .slice(2)
      .map((answer) => answer.split(",").slice(0, 2).toSorted().join());
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  test("answers by a column that is known of some rows, never a feature", async () => {
    const cwd = folderWith({ "t.csv": "x,y,kind\n0,0,a\n0,1,a\n5,5,b\n5,6,b\n9,0,\n9,1,\n" });
    const line = "ask t.csv --clusters 3 --budget 8 --known kind --hints told.csv";
    expect((await kindred(line.split(" "), { cwd })).code).toBe(0);
    const told = readFileSync(join(cwd, "told.csv"), "utf8").trim().split("\n").slice(2);
    for (const [a, b, kind] of told.map((answer) => answer.split(","))) {
      const known = Number(a) < 4 && Number(b) < 4;
      const same = Number(a) >> 1 === Number(b) >> 1;
      expect(kind).toBe(known ? (same ? "same" : "different") : "skip");
    }
  });

  test("a file that is read cannot be the file of the answers, and one source of answers is enough", async () => {
    const cwd = folderWith({ "truth.csv": "1\n1\n2\n2\n3\n3\n" });
    const line = "ask t.csv --clusters 3 --answers truth.csv --hints".split(" ");
    expect(await kindred([...line, "./t.csv"], { cwd })).toEqual(
      oneLine(2, /--hints \.\/t\.csv is the data that are read/),
    );
    expect(readFileSync(join(cwd, "t.csv"), "utf8")).toBe(TABLE);
    expect(await kindred([...line, "h.csv", "--known", "name"], { cwd })).toEqual(
      oneLine(2, /--answers and --known: give one of them/),
    );
    expect(listing(cwd)).toEqual(["t.csv", "truth.csv"]);
  });

  test("answers from a person: n, nonsense, ?, y, and the end of the input", async () => {
    const cwd = folderWith({});
    const line = "ask t.csv --ignore name --clusters 3 --budget 9".split(" ");
    const { code, stderr } = await kindred(line, { cwd, input: "n\nwhat\n?\ny\n" });
    expect(code).toBe(0);
    expect(stderr).toMatch(/question 1 of at most 9; .*\n.*\n +[a-f] +[a-f]\n/);
    expect(stderr).toMatch(/added 2 answers \(1 same\) to hints\.csv/);
    const [first, ...lines] = readFileSync(join(cwd, "hints.csv"), "utf8").trim().split("\n");
    expect(first).toMatch(/^# rows by /);
    expect(lines.map((answer) => answer.split(",")[2]).toSorted()).toEqual([
      "different",
      "hint",
      "same",
      "skip",
    ]);
    expect(listing(cwd)).toEqual(["hints.csv", "t.csv"]);
  });

  test("rows are written by the ids that are read, also where these are numbers", async () => {
    const kinds = Array.from({ length: 12 }, (_, i) => i % 2);
    const rows = kinds.map((kind, i) => `${i + 1},${9 * kind + (i % 5) / 10},${i % 3},${"ab"[kind]}`);
    const cwd = folderWith({ "t.csv": `id,x,y,kind\n${rows.join("\n")}\n` });
    const line = "ask t.csv -k 2 --budget 5 --known kind --hints h.csv";
    expect((await kindred(line.split(" "), { cwd })).code).toBe(0);
    const told = readFileSync(join(cwd, "h.csv"), "utf8").trim().split("\n").slice(2);
    expect(told.length).toBeGreaterThan(0);
    for (const [a, b, kind] of told.map((answer) => answer.split(","))) {
      expect(kind).toBe(kinds[Number(a) - 1] === kinds[Number(b) - 1] ? "same" : "different");
    }
  });

  test("answers are kept where the input ends between them", async () => {
    const cwd = folderWith({});
    const line = "ask t.csv --ignore name --clusters 3 --budget 9 --hints h.csv".split(" ");
    const { code, stderr } = await kindred(line, { cwd, input: "n\n" });
    expect({ code, wrote: /added 1 answer \(0 same\) to h\.csv/.test(stderr) }).toEqual({
      code: 0,
      wrote: true,
    });
  });
});

describe("hints that say nothing", () => {
  test.each([
    ["", /h\.csv holds no hints; lines are/],
    ["a,b,hint\n", /h\.csv holds no hints; lines are/],
    ["a,b,perhaps\n", /h\.csv line 1: "perhaps" is neither "same" nor "different"/],
  ])("%j", async (text, message) => {
    const cwd = folderWith({ "h.csv": text });
    expect(await kindred("cluster t.csv --hints h.csv".split(" "), { cwd })).toEqual(oneLine(1, message));
  });

  test("a column that is empty in every row", async () => {
    const cwd = folderWith({ "t.csv": "x,y,kind\n0,0,\n0,1,-1\n5,5,\n5,6,\n" });
    expect(await kindred("cluster t.csv --known kind".split(" "), { cwd })).toEqual(
      oneLine(1, /--known: the column "kind" of t\.csv names no group in any row/),
    );
  });
});
