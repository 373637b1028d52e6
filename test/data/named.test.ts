import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listData, namedData, readNumbers } from "../../src/data/index.ts";
import { isSparse, row, type Matrix } from "../../src/matrix/index.ts";
import { shared } from "../../bench/shared.mjs";

test("wine and iris are embedded", async () => {
  const wine = await namedData("wine");
  expect([wine.X.rows, wine.X.cols]).toEqual([178, 13]);
  expect(wine.names[11]).toBe("od280/od315_of_diluted_wines");
  expect(Array.from(row(wine.X as Matrix, 0))).toEqual([
    14.23, 1.71, 2.43, 15.6, 127, 2.8, 3.06, 0.28, 2.29, 5.64, 1.04, 3.92, 1065,
  ]);
  expect(wine.label!.name).toBe("class");
  expect(wine.label!.values.filter((value) => value === "2").length).toBe(71);
  const iris = await namedData("iris");
  expect([iris.X.rows, iris.X.cols]).toEqual([150, 4]);
  expect(Array.from(row(iris.X as Matrix, 34))).toEqual([4.9, 3.1, 1.5, 0.2]); // not the 0.1 of the UCI file
  expect(iris.label!.values[149]).toBe("virginica");
});

test("generators take their options and give classes from 1", async () => {
  const data = await namedData("gmm-outliers", { generator: { outliers: 2, perClass: 5, seed: 1 } });
  expect([data.X.rows, data.X.cols]).toEqual([15, 5]);
  expect([...new Set(data.label!.values)]).toEqual(["1", "2", "3"]);
  await expect(namedData("gmm-outliers", { generator: { outlierz: 2 } })).rejects.toThrow(
    'no option "outlierz"',
  );
  await expect(namedData("wine", { generator: { seed: 1 } })).rejects.toThrow(
    '"generator" does not apply to "wine"',
  );
});

describe("a data folder", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kindred-data-"));
    writeFileSync(join(folder, "tiny.csv"), "a,b,class\n1,2,x\n3,,y\n");
    writeFileSync(join(folder, "thin.libsvm"), "1 1:2\n-1 2:3\n");
    const datasets = [
      {
        name: "tiny",
        file: "tiny.csv",
        format: "csv",
        rows: 2,
        features: 2,
        n_classes: 2,
        original: "made up",
      },
      { name: "thin", file: "thin.libsvm", format: "libsvm", rows: 2, features: 5, n_classes: 2 },
      { name: "wine", file: "tiny.csv", rows: 2, features: 2, n_classes: 2 },
    ];
    writeFileSync(join(folder, "index.json"), JSON.stringify({ datasets }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("adds its names", async () => {
    const tiny = await namedData("tiny", { folder, missing: "drop" });
    expect(tiny.label).toEqual({ name: "class", values: ["x"] });
    await expect(namedData("tiny", { folder })).rejects.toThrow('1 missing value: line 3, column "b"');
    const thin = await namedData("thin", { folder });
    expect(isSparse(thin.X) && thin.X.cols).toBe(5);
    expect((await namedData("wine", { folder })).X.rows).toBe(178);
  });

  test("is listed after what is always there", async () => {
    const entries = await listData({ folder });
    expect(entries.map(({ name, from }) => `${name} ${from}`)).toEqual([
      "wine embedded",
      "iris embedded",
      "gmm-outliers generated",
      "moons generated",
      "law generated",
      "blobs generated",
      "rings generated",
      "customers generated",
      "sensors generated",
      "tasting generated",
      "articles generated",
      "tiny folder",
      "thin folder",
    ]);
    expect(entries.find(({ name }) => name === "gmm-outliers")).toMatchObject({
      rows: 300,
      features: 10,
      classes: 3,
    });
  });

  test("errors name the folder's index or the known names", async () => {
    await expect(namedData("nothing", { folder })).rejects.toThrow(
      /no data set "nothing"; the data sets are wine.*tiny, thin/,
    );
    const empty = join(folder, "missing");
    await expect(listData({ folder: empty })).rejects.toThrow(
      `cannot read ${empty}/index.json: there is no such file`,
    );
    const other = mkdtempSync(join(tmpdir(), "kindred-data-"));
    writeFileSync(join(other, "index.json"), "[1]");
    await expect(namedData("x", { folder: other })).rejects.toThrow("is not an index of data sets");
    rmSync(other, { recursive: true });
  });
});

const datasets = shared("datasets");
describe.skipIf(!existsSync(join(datasets, "index.json")))("the benchmark folder (KINDRED_DATA)", () => {
  test("every set has the rows, features and classes of its index", async () => {
    const entries = (await listData({ folder: datasets })).filter(({ from }) => from === "folder");
    expect(entries.length).toBeGreaterThan(20);
    for (const entry of entries) {
      const table = await namedData(entry.name, {
        folder: datasets,
        missing: sparse(entry.name) ? undefined : "mean",
      });
      expect([entry.name, table.X.rows, table.X.cols]).toEqual([entry.name, entry.rows, entry.features]);
      expect(new Set(table.label!.values).size).toBe(entry.classes);
    }
  });

  test("the embedded sets are those of the folder", async () => {
    for (const name of ["wine", "iris"]) {
      const { X, names, label } = await readNumbers(join(datasets, `${name}.csv`), { label: "class" });
      expect(await namedData(name)).toMatchObject({ X, names, label });
    }
  });
});

const sparse = (name: string): boolean => /^(a1a|w\da|basehock|20news|webkb|reuters)/.test(name);
