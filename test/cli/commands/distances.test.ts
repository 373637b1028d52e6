import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { asTable } from "../../../src/data/internal.ts";
import { rowDistances } from "../../../src/features/index.ts";
import { kindred, scratch, type Outcome } from "../command.ts";

let folder = "";
beforeEach(() => {
  folder = scratch();
});
const put = (name: string, content: string): void => writeFileSync(join(folder, name), content);
const cluster = (...args: string[]): Promise<Outcome> => kindred(["cluster", ...args], { cwd: folder });

const points = [
  [0, 0],
  [0, 1],
  [1, 0],
  [9, 9],
  [9, 8],
  [8, 9],
  [30, 0],
];
const names = ["ann", "bob", "cat", "dan", "eve", "fay", "gus"];
const D = points.map(([a, b]) => points.map(([c, d]) => Math.hypot(a - c, b - d)));

describe("distances", () => {
  test("as a square, condensed and as edges give the same clusters", async () => {
    put("square.csv", D.map((row) => row.join(",")).join("\n"));
    put("named.csv", [["", ...names].join(), ...D.map((row, i) => [names[i], ...row].join())].join("\n"));
    const pairs = names.flatMap((_, i) => names.slice(i + 1).map((__, j) => [i, i + 1 + j]));
    put("condensed.csv", pairs.map(([i, j]) => D[i][j]).join("\n"));
    put(
      "edges.csv",
      ["from,to,distance", ...pairs.map(([i, j]) => `${names[i]},${names[j]},${D[i][j]}`)].join("\n"),
    );
    for (const file of ["square.csv", "named.csv", "condensed.csv", "edges.csv"]) {
      const { code, stdout, stderr } = await cluster("--distances", file, "-k", "3", "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ method: "average", labels: [0, 0, 0, 1, 1, 1, 2] });
    }
    const { stdout } = await cluster(
      "--distances",
      "named.csv",
      "--method",
      "dbscan",
      "--epsilon",
      "2",
      "--min-samples",
      "3",
      "--out",
      "l.csv",
    );
    expect(stdout).toContain("1 rows in none");
    expect(readFileSync(join(folder, "l.csv"), "utf8")).toContain("gus,-1");
  });

  test("are refused where they are none, and with methods that need rows", async () => {
    put("words.csv", "a\nb c\nd\n");
    put("some.csv", "a,b,1\nb,c,2\n");
    put("square.csv", D.map((row) => row.join(",")).join("\n"));
    expect((await cluster("--distances", "words.csv")).stderr).toContain("neither a square");
    expect((await cluster("--distances", "some.csv")).stderr).toContain("no distance of a and c");
    expect((await cluster("--distances", "square.csv", "--method", "kmeans", "-k", "2")).stderr).toContain(
      "kmeans takes no distances",
    );
    expect((await cluster("--distances", "square.csv", "--model", "m.json")).stderr).toContain(
      "--model needs columns",
    );
    expect((await cluster("square.csv", "--method", "kmeans", "-k", "2")).stdout).toContain(
      "--distances takes them as such",
    );
  });

  test("a graph has communities", async () => {
    put("graph.csv", "source,target\na,b\nb,c\na,c\nd,e\ne,f\nd,f\nc,d\n");
    const { stdout } = await cluster("--edges", "graph.csv", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ method: "leiden", labels: [0, 0, 0, 1, 1, 1] });
  });

  test("by name: texts by edits, places on the globe", async () => {
    put("words.csv", "name\nkitten\nmitten\nsitten\nbanana\nbandana\nbananas\n");
    const edits = await cluster("words.csv", "--measure", "edit", "-k", "2", "--json");
    expect(JSON.parse(edits.stdout)).toMatchObject({ labels: [0, 0, 0, 1, 1, 1] });
    put(
      "places.csv",
      "city,latitude,longitude\nParis,48.85,2.35\nLyon,45.76,4.84\nTokyo,35.68,139.69\nOsaka,34.69,135.5\n",
    );
    const places = await cluster("places.csv", "--measure", "globe", "-k", "2", "--json");
    expect(JSON.parse(places.stdout)).toMatchObject({ labels: [0, 0, 1, 1] });
  });
});

describe("measures", () => {
  const at = (rows: object[], measure: "gower", ...use: string[]): number =>
    rowDistances(asTable(rows as never), { measure, ...(use.length > 0 && { use }) }).data[1];

  test("are those of the definitions", () => {
    const rows = [
      { x: 1, y: 0, c: "p" },
      { x: 4, y: 4, c: "q" },
      { x: 1, y: 0, c: "p" },
      { x: 9, y: 8, c: "q" },
      { x: 3, y: 2, c: "p" },
    ];
    expect(at(rows, "gower")).toBeCloseTo((3 / 8 + 4 / 8 + 1) / 3, 12);
    expect(at(rows, "euclidean" as never, "x", "y")).toBeCloseTo(5, 12);
    expect(at(rows, "manhattan" as never, "x", "y")).toBeCloseTo(7, 12);
    expect(at(rows, "cosine" as never, "x", "y")).toBeCloseTo(1 - 4 / Math.hypot(4, 4), 12);
    expect(at(rows, "jaccard" as never, "x", "y")).toBeCloseTo(0.5, 12);
    expect(at(rows, "hamming" as never)).toBeCloseTo(1, 12);
    // A step that comes later: warping costs nothing, the squares do.
    const series = [
      [0, 0, 1, 1, 1],
      [0, 1, 1, 1, 1],
      [3, 3, 3, 3, 2],
      [5, 4, 3, 2, 1],
    ].map(([a, b, c, d, e]) => ({ a, b, c, d, e }));
    expect(at(series, "dtw" as never, "a", "b", "c", "d", "e")).toBe(0);
    const quarter = [
      { latitude: 0, longitude: 0 },
      { latitude: 0, longitude: 90 },
      { latitude: 45, longitude: 10 },
      { latitude: 80, longitude: 20 },
    ];
    expect(at(quarter, "globe" as never)).toBeCloseTo((6371.0088 * Math.PI) / 2, 6);
  });
});

describe("weights of rows", () => {
  test("count as often as the row would occur, and are no feature", async () => {
    const rows = [
      [0, 1],
      [1, 3],
      [9, 1],
      [12, 1],
      [30, 1],
      [31, 2],
    ];
    put("w.csv", `x,w\n${rows.map((row) => row.join()).join("\n")}\n`);
    put("t.csv", `x\n${rows.flatMap(([x, w]) => Array<number>(w).fill(x)).join("\n")}\n`);
    const how = ["--method", "kmeans", "-k", "3", "--scale", "none", "--json"];
    const weighed = JSON.parse((await cluster("w.csv", "--weight", "w", ...how)).stdout) as {
      objective: number;
    };
    const twice = JSON.parse((await cluster("t.csv", ...how)).stdout) as { objective: number };
    expect(weighed.objective).toBeCloseTo(twice.objective, 9);
  });

  test("are refused by methods that take none, and where they are no weights", async () => {
    put("w.csv", "x,w\n1,1\n2,-1\n9,2\n8,1\n");
    expect((await cluster("w.csv", "--weight", "w", "--method", "ward", "-k", "2")).stderr).toMatch(
      /ward takes no weights|no weight in "w"/,
    );
    expect((await cluster("w.csv", "--weight", "w", "--method", "kmeans", "-k", "2")).stderr).toContain(
      'row 1 (counted from 0) has no weight in "w"',
    );
  });
});
