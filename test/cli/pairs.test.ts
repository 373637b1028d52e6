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
  test("takes constrained k-means, and keeps every pair", async () => {
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
      method: "cop-kmeans",
      certificate: { violated: 0 },
      details: { mustLinks: 1, mustLinksKept: 1, cannotLinks: 2, cannotLinksKept: 2 },
    });
    writeFileSync(join(cwd, "ids.csv"), "a,c\n");
    const ids = JSON.parse((await kindred(["cluster", ...args, "--must-link", "ids.csv"], { cwd })).stdout);
    expect(ids.labels[0]).toBe(ids.labels[2]);
  });

  test.each([
    "pck-means",
    "mpck-means",
    "lcvqe",
    "cop-kmeans --distances learned",
    "cop-kmeans --distances plain",
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
    ["ml.csv", "1,1\n", "", /joins a row with itself/, 1],
    ["ml.csv", "1,7\n", "", /ml\.csv line 1: "7" is not a row of t\.csv; rows are numbered 0 to 5/, 1],
    ["ml.csv", "0,1\n1,2\n", "0,2\n", /must-links join them \(0 = 1 = 2\)/, 1],
    ["ml.csv", "2,3\n", "0,1\n1,2\n0,2\n", /no 2 clusters can satisfy the pairs: rows 0, 1, 2/, 1],
    ["ml.csv", "", "", /ml\.csv and cl\.csv hold no pairs/, 1],
    ["absent.csv", "", "", /absent\.csv/, 1],
  ])("%s: %j and %j", async (file, must, cannot, message, code) => {
    const cwd = folderWith({ "ml.csv": must, "cl.csv": cannot });
    const line = `cluster t.csv --ignore name -k 2 --must-link ${file} --cannot-link cl.csv`;
    expect(await kindred(line.split(" "), { cwd })).toEqual(oneLine(code, message));
  });

  test("the convex methods say the same of pairs that cannot be kept, and need a number of clusters", async () => {
    const cwd = folderWith({ "cl.csv": "0,1\n1,2\n0,2\n" });
    const line = "cluster t.csv --ignore name -m ccml --cannot-link cl.csv".split(" ");
    expect(await kindred([...line, "-k", "2"], { cwd })).toEqual(
      oneLine(1, /no 2 clusters can satisfy the pairs/),
    );
    expect(await kindred(line, { cwd })).toEqual(oneLine(2, /cannot-links need "clusters"/));
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
    const line = "cluster t.csv --ignore name -k 3 --labels partial.csv --json";
    const result = JSON.parse((await kindred(line.split(" "), { cwd })).stdout);
    expect(result).toMatchObject({
      method: "seeded-kmeans",
      labels: [0, 0, 2, 2, 1, 1],
      details: { classes: ["left", "right"], known: 2, moved: 0 },
    });
  });

  test.each([
    ["a\nb\n", /partial\.csv has 2 lines, but t\.csv has 6 rows/],
    ["row,label\n9,a\n", /line 2: "9" is not a row/],
    ["0,a\n0,b\n", /row 0 is "b" here and "a" before/],
    ["", /partial\.csv is empty/],
    ["0,a\n1,b\n2,c\n", /3 classes \(a, b, c\), but 2 clusters/],
  ])("%j is refused", async (text, message) => {
    const cwd = folderWith({ "partial.csv": text });
    const outcome = await kindred("cluster t.csv --ignore name -k 2 --labels partial.csv".split(" "), {
      cwd,
    });
    expect(outcome).toMatchObject({ stdout: "", stderr: expect.stringMatching(message) });
    expect(outcome.code).toBeGreaterThan(0);
  });
});

describe("kindred ask", () => {
  test("answers from a file of labels go to two files that cluster reads", async () => {
    const cwd = folderWith({ "truth.csv": "1\n1\n2\n2\n3\n3\n" });
    const line = "ask t.csv --id name --clusters 3 --budget 6 --answers truth.csv";
    const { code, stdout } = await kindred(line.split(" "), { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(readFileSync(join(cwd, "must-link.csv"), "utf8")).toMatch(/^first,second\n([a-f],[a-f]\n)*$/);
    const next =
      "cluster t.csv --id name -k 3 --must-link must-link.csv --cannot-link cannot-link.csv --json".split(
        " ",
      );
    const result = JSON.parse((await kindred(next, { cwd })).stdout);
    expect(result.certificate.violated).toBe(0);
    const first = ["must-link.csv", "cannot-link.csv"].map((name) => readFileSync(join(cwd, name), "utf8"));
    const again = await kindred(line.split(" "), { cwd });
    expect(again.stderr).toMatch(/after the \d pairs that were there/);
    const second = ["must-link.csv", "cannot-link.csv"].map((name) => readFileSync(join(cwd, name), "utf8"));
    second.forEach((text, f) => expect(text.startsWith(first[f])).toBe(true));
    for (const text of second) {
      const lines = text.trim().split("\n");
      expect(new Set(lines).size).toBe(lines.length);
    }
  });

  test("one file for both kinds of pairs is refused", async () => {
    const cwd = folderWith({ "truth.csv": "1\n1\n2\n2\n3\n3\n" });
    const line =
      "ask t.csv --ignore name --clusters 3 --answers truth.csv --must-link p.csv --cannot-link ./p.csv";
    expect(await kindred(line.split(" "), { cwd })).toEqual(oneLine(2, /are both p\.csv: give two files/));
    expect(listing(cwd)).not.toContain("p.csv");
  });

  test("answers from a person: y, n, ?, nonsense, and the end of the input", async () => {
    const cwd = folderWith({});
    const line = "ask t.csv --ignore name --clusters 3 --budget 9".split(" ");
    const { code, stderr } = await kindred(line, { cwd, input: "n\nwhat\n?\ny\n" });
    expect(code).toBe(0);
    expect(stderr).toMatch(/question 1 of 9\ncolumn +row \d +row \d +apart\n/);
    expect(stderr).toMatch(/wrote 1 must-links to must-link\.csv and 1 cannot-links/);
    expect(listing(cwd)).toEqual(["cannot-link.csv", "must-link.csv", "t.csv"]);
  });
});
