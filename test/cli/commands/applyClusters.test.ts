import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cpdUml, type Matrix, namedData, scale } from "../../all.ts";
import { kindred, oneLine, scratch } from "../command.ts";

/** The column `cluster` of what was written. */
function labels(csv: string): number[] {
  const [head, ...lines] = csv.trim().split("\n");
  const at = head.split(",").indexOf("cluster");
  return lines.map((line) => Number(line.split(",")[at]));
}

test.each(["kmeans", "cc", "ccml", "gmm", "spectral", "kernel-kmeans"])(
  "a clustering by %s places the rows that it was made of where they were, and new ones",
  async (method) => {
    const cwd = scratch();
    const iris = (await kindred(["data", "iris"])).stdout;
    writeFileSync(join(cwd, "iris.csv"), iris);
    const args = `cluster iris.csv -l class -k 3 -m ${method} --model m.json --out l.csv`;
    expect((await kindred(args.split(" "), { cwd })).code).toBe(0);
    const found = labels(readFileSync(join(cwd, "l.csv"), "utf8"));
    const { stdout, stderr, code } = await kindred(["apply", "m.json", "iris.csv", "-l", "class"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const again = labels(stdout);
    const moved = again.filter((label, i) => label !== found[i]).length;
    // Kernel k-means has its own rule; the others give every row back but one that equals a row of another cluster.
    expect(moved).toBeLessThanOrEqual(1);
    // The columns are found by name, whatever their order.
    writeFileSync(
      join(cwd, "one.csv"),
      "petal_width,petal_length,sepal_width,sepal_length\n0.2,1.4,3.5,5.1\n",
    );
    const one = await kindred(["apply", "m.json", "one.csv", "--out", "one.out"], { cwd });
    expect(one).toMatchObject({ code: 0, stderr: "wrote one.out\n" });
    expect(labels(readFileSync(join(cwd, "one.out"), "utf8"))).toEqual([again[0]]);
  },
);

test("a clustering by cpd-uml places rows as its own predict does", async () => {
  const cwd = scratch();
  const args = ["cluster", "iris", "-k", "3", "-m", "cpd-uml", "--model", "m.json"];
  expect((await kindred(args, { cwd })).code).toBe(0);
  const X = scale((await namedData("iris")).X, "zscore").X as Matrix;
  const expected = Array.from(cpdUml(X, { clusters: 3, seed: 0 }).predict(X));
  expect(labels((await kindred(["apply", "m.json", "iris"], { cwd })).stdout)).toEqual(expected);
});

test.each([
  "ward",
  "average",
  "complete",
  "single",
  "divisive",
  "divisive --split diana",
  "ncut",
  "fme",
  "aml",
])("a clustering by %s places its rows where they are", async (method) => {
  const cwd = scratch();
  const args = `cluster iris -k 3 -m ${method} --model m.json --out l.csv`;
  expect((await kindred(args.split(" "), { cwd })).code).toBe(0);
  const found = labels(readFileSync(join(cwd, "l.csv"), "utf8"));
  const again = labels((await kindred(["apply", "m.json", "iris"], { cwd })).stdout);
  expect(again.filter((label, i) => label !== found[i]).length).toBeLessThanOrEqual(1);
});

test("rows keep their cells, levels may be new or absent, columns extra, cells missing", async () => {
  const cwd = scratch();
  const lines = Array.from({ length: 90 }, (_, i) => {
    const k = i % 3;
    return `r${i},${10 * k + (i % 7) / 10},${["free", "basic", "pro"][k]}`;
  });
  writeFileSync(join(cwd, "train.csv"), `id,x,plan\n${lines.join("\n")}\n`);
  await kindred(["cluster", "train.csv", "-k", "3", "-m", "kmeans", "--model", "m.json"], { cwd });
  writeFileSync(join(cwd, "hour.csv"), "plan,extra,x,id\nfree,1,0.2,a\ntrial,2,10.1,b\nfree,3,,c\n");
  const { code, stdout, stderr } = await kindred(["apply", "m.json", "hour.csv"], { cwd });
  expect(code).toBe(0);
  const [head, ...rows] = stdout.trim().split("\n");
  expect(head).toBe("plan,extra,x,id,cluster,distance,second");
  expect(rows.map((row) => row.split(",").slice(0, 4).join())).toEqual([
    "free,1,0.2,a",
    "trial,2,10.1,b",
    "free,3,,c",
  ]);
  expect(stderr).toMatch(/"trial"/);
  expect(stderr).toMatch(/1 missing cell was filled from other rows \(x\)/);

  // The model takes the columns that it needs; --use and --ignore say which are written.
  const written = async (...named: string[]): Promise<string[]> =>
    (await kindred(["apply", "m.json", "hour.csv", ...named], { cwd })).stdout.trim().split("\n");
  const beside = rows.map((row) => row.split(",").slice(4).join());
  const [without, ...kept] = await written("--ignore", "extra,x");
  expect(without).toBe("plan,id,cluster,distance,second");
  expect(kept).toEqual([`free,a,${beside[0]}`, `trial,b,${beside[1]}`, `free,c,${beside[2]}`]);
  const [only, ...ids] = await written("--use", "id");
  expect(only).toBe("id,cluster,distance,second");
  expect(ids).toEqual([`a,${beside[0]}`, `b,${beside[1]}`, `c,${beside[2]}`]);
  for (const said of [["--as", "x=category"], ["--categorical", "x"], ["--strict"], ["--missing", "drop"]]) {
    const refused = await kindred(["apply", "m.json", "hour.csv", ...said], { cwd });
    expect(refused).toEqual(oneLine(2, new RegExp(`${said[0]}: m.json holds how columns are read`)));
  }
});

test("a clustering under a learned metric puts new rows under it first", async () => {
  const cwd = scratch();
  await kindred(["metric", "wine", "--method", "mlca", "--label", "class", "--model", "m.json"], { cwd });
  const args = ["cluster", "wine", "-k", "3", "-m", "kmeans", "--metric", "m.json"];
  await kindred([...args, "--model", "c.json", "--out", "l.csv"], { cwd });
  const { stdout } = await kindred(["apply", "c.json", "wine"], { cwd });
  expect(labels(stdout)).toEqual(labels(readFileSync(join(cwd, "l.csv"), "utf8")));
});

test("what cannot be applied is said", async () => {
  const cwd = scratch();
  await kindred(["cluster", "iris", "-k", "3", "-m", "ward", "--model", "w.json"], { cwd });
  const written = JSON.parse(readFileSync(join(cwd, "w.json"), "utf8"));
  writeFileSync(join(cwd, "old.json"), JSON.stringify({ ...written, kindred: "0.1.0" }));
  expect(await kindred(["apply", "old.json", "iris"], { cwd })).toMatchObject(
    oneLine(1, /old\.json: the model is of format "0\.1\.0"/),
  );
  const { means: _, ...placing } = written.placing;
  writeFileSync(join(cwd, "damaged.json"), JSON.stringify({ ...written, placing }));
  expect(await kindred(["apply", "damaged.json", "iris"], { cwd })).toMatchObject(
    oneLine(1, /damaged\.json: the model is damaged, or of an older version: "placing\.means"/),
  );
  writeFileSync(join(cwd, "p.csv"), "a,b\n0,1\n");
  expect(await kindred(["apply", "w.json", "iris", "--distances", "p.csv"], { cwd })).toMatchObject(
    oneLine(2, /--distances: a clustering gives the cluster of each row/),
  );
  expect(await kindred(["apply", "w.json", "wine"], { cwd })).toMatchObject(
    oneLine(1, /wine lacks the columns "sepal_length"/),
  );
});
