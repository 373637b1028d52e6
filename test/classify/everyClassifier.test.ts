import { describe, expect, test } from "vitest";
import { loadClassifier, type AnyClassifierData } from "../../src/classify/index.ts";
import { matrix, takeColumns } from "../../src/matrix/matrix.ts";
import { clouds, fits, rounded } from "./samples.ts";

describe.each(Object.keys(fits))("%s", (name) => {
  const fit = fits[name];
  const { X: measured, y } = clouds(60, 4, 3, { apart: 3 });
  const X = rounded(measured);

  test("separates clouds, and is the same after a way through JSON", () => {
    const model = fit(X, y);
    const predicted = model.predict(X);
    expect(predicted.filter((label, i) => label === y[i]).length).toBeGreaterThan(50);
    const loaded = loadClassifier(JSON.parse(JSON.stringify(model)) as AnyClassifierData);
    expect(loaded.predict(X)).toEqual(predicted);
    expect(loaded.probabilities?.(X)).toEqual(model.probabilities?.(X));
    expect(loaded.classes).toEqual(["a", "b", "c"]);
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(model));
  });

  test("does not change what it is given", () => {
    const copy = X.data.slice();
    fit(X, y).predict(X);
    expect(X.data).toEqual(copy);
  });

  test("numbers stay numbers, and -1 with 1 is a class", () => {
    const two = y.map((label) => (label === "a" ? -1 : 1));
    expect(new Set(fit(X, two).predict(X))).toEqual(new Set([-1, 1]));
  });

  test("no rows to predict give no predictions", () => {
    expect(fit(X, y).predict(matrix(0, 4))).toEqual([]);
  });

  test("rows without a class are left out, and counted", () => {
    const partly = y.map((label, i) => (i < 10 ? null : label));
    const model = fit(X, partly);
    expect(model.warnings).toContain("10 of 60 rows have no class and were left out");
    expect(model.classes).toEqual(["a", "b", "c"]);
  });

  test("a class with one row is learned, with a warning", () => {
    const rare = y.map((label, i) => (i === 0 ? "rare" : label));
    const model = fit(X, rare);
    expect(model.classes).toEqual(["a", "b", "c", "rare"]);
    expect(model.warnings).toContain('class with one row only: "rare"');
    for (const value of model.probabilities?.(X).data ?? []) expect(value).toBeGreaterThanOrEqual(0);
  });

  test("constant columns do no harm, in training or after", () => {
    const wide = matrix(60, 5);
    for (let i = 0; i < 60; i++) {
      for (let f = 0; f < 4; f++) wide.data[5 * i + f] = X.data[4 * i + f];
      wide.data[5 * i + 4] = 7;
    }
    const model = fit(wide, y);
    const correct = model.predict(wide).filter((label, i) => label === y[i]).length;
    expect(correct).toBeGreaterThan(50);
  });

  test("any finite numbers give classes, or are refused by name", () => {
    for (const size of [1e-310, 1e-160, 1e160, 1e308]) {
      const far = matrix(
        60,
        4,
        X.data.map((value) => (value / 20) * size),
      );
      const attempt = (): string => {
        try {
          const model = fit(far, y);
          const P = model.probabilities?.(far).data ?? new Float64Array();
          if (P.some((value) => !(value >= 0 && value <= 1))) return "no probabilities";
          return model.predict(far).every((label) => model.classes.includes(label))
            ? "classes"
            : "no classes";
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(attempt()).toMatch(
        size < 1 ? /^classes$/ : /^classes$|too large to be squared; scale the data first/,
      );
    }
  });

  test("refuses one class, no class, labels of another length, NaN, other columns, no columns", () => {
    expect(() =>
      fit(
        X,
        y.map(() => "a"),
      ),
    ).toThrow(`${name} needs at least two classes, got only "a"`);
    expect(() =>
      fit(
        X,
        y.map(() => null),
      ),
    ).toThrow(`${name} needs at least two classes, got none`);
    expect(() => fit(X, y.slice(1))).toThrow(`${name}: there are 59 labels for 60 rows`);
    const broken = matrix(60, 4, X.data.slice());
    broken.data[9] = Number.NaN;
    expect(() => fit(broken, y)).toThrow("the training data has NaN in row 2, column 1");
    const model = fit(X, y);
    expect(() => model.predict(takeColumns(X, [0, 1]))).toThrow(
      `${name} was trained on 4 columns, the new rows have 2`,
    );
    expect(() => model.predict(broken)).toThrow("the new data has NaN in row 2, column 1");
    expect(() => fit(matrix(3, 0), ["a", "b", "b"])).toThrow("have no columns");
  });
});

test("loadClassifier refuses what is not a classifier", () => {
  expect(() => loadClassifier({} as AnyClassifierData)).toThrow("this is not a stored classifier");
  expect(() => loadClassifier(null as unknown as AnyClassifierData)).toThrow(
    "this is not a stored classifier",
  );
  const unknown = { method: "oracle", classes: ["a", "b"], features: 1, warnings: [] };
  expect(() => loadClassifier(unknown as unknown as AnyClassifierData)).toThrow('no classifier "oracle"');
});
