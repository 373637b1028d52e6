import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agglomerative, cpdUml, divisive, type Matrix, namedData, normalizedCut, scale } from "../all.ts";
import { kindred, oneLine, scratch } from "./command.ts";

const labels = (csv: string): number[] => csv.trim().split("\n").slice(1).map(Number);

test.each(["kmeans", "cc", "ccml", "gmm", "spectral", "kernel-kmeans"])(
  "a clustering by %s places the rows that it was made of where they were, and new ones",
  async (method) => {
    const cwd = scratch();
    const iris = (await kindred(["data", "iris"])).stdout;
    writeFileSync(join(cwd, "iris.csv"), iris);
    const args = [
      "cluster",
      "iris.csv",
      "-l",
      "class",
      "-k",
      "3",
      "-m",
      method,
      "--model",
      "m.json",
      "--out",
      "l.csv",
    ];
    expect((await kindred(args, { cwd })).code).toBe(0);
    const found = labels(readFileSync(join(cwd, "l.csv"), "utf8"));
    const { stdout, stderr, code } = await kindred(["apply", "m.json", "iris.csv", "-l", "class"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const again = labels(stdout);
    const moved = again.filter((label, i) => label !== found[i]).length;
    // Convex clusters are made of fused rows, of which a few are nearer to the mean of another cluster.
    expect(moved).toBeLessThanOrEqual(method === "cc" || method === "ccml" ? 8 : 1);
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
  ["ward", (X: Matrix) => agglomerative(X, { clusters: 3 })],
  ["average", (X: Matrix) => agglomerative(X, { clusters: 3, linkage: "average" })],
  ["complete", (X: Matrix) => agglomerative(X, { clusters: 3, linkage: "complete" })],
  ["single", (X: Matrix) => agglomerative(X, { clusters: 3, linkage: "single" })],
  ["divisive", (X: Matrix) => divisive(X, { clusters: 3 })],
  ["divisive --split diana", (X: Matrix) => divisive(X, { clusters: 3, split: "diana" })],
  ["ncut", (X: Matrix) => normalizedCut(X, { clusters: 3 })],
] as const)("a clustering by %s places rows as its own predict does", async (method, fit) => {
  const cwd = scratch();
  const args = ["cluster", "iris", "-k", "3", "-m", ...method.split(" "), "--model", "m.json"];
  expect((await kindred(args, { cwd })).code).toBe(0);
  const X = scale((await namedData("iris")).X, "zscore").X as Matrix;
  expect(labels((await kindred(["apply", "m.json", "iris"], { cwd })).stdout)).toEqual(
    Array.from(fit(X).predict(X)),
  );
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
  const old = { ...written, model: { ...written.model, rows: undefined } };
  writeFileSync(join(cwd, "old.json"), JSON.stringify(old));
  expect(await kindred(["apply", "old.json", "iris"], { cwd })).toMatchObject(
    oneLine(1, /old\.json: the list of rows is missing/),
  );
  await kindred(["cluster", "iris", "-k", "3", "-m", "fme", "--model", "m.json"], { cwd });
  expect(await kindred(["apply", "m.json", "iris"], { cwd })).toMatchObject(
    oneLine(1, /a clustering by fme, which cannot place new rows/),
  );
  await kindred(["cluster", "iris", "-k", "3", "-m", "kmeans", "--model", "k.json"], { cwd });
  writeFileSync(join(cwd, "p.csv"), "a,b\n0,1\n");
  expect(await kindred(["apply", "k.json", "iris", "--distances", "p.csv"], { cwd })).toMatchObject(
    oneLine(2, /--distances: a clustering gives the cluster of each row/),
  );
  expect(await kindred(["apply", "k.json", "wine"], { cwd })).toMatchObject(
    oneLine(1, /wine does not have the columns of k\.json: it lacks/),
  );
});
