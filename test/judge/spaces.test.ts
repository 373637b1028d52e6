import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { factors, type FeatureRange } from "../../src/judge/factors.ts";
import { likeliestPower, power } from "../../src/judge/powerTransform.ts";
import { spacesOf, type Spaces } from "../../src/judge/spaces.ts";
import { asTable } from "../../src/data/columns/asTable.ts";
import { tableFeatures } from "../../src/features/index.ts";
import { matrix, multiplyTransposeB, squaredDistances, type Matrix } from "../../src/matrix/index.ts";

describe("the power transform", () => {
  test.each([-2, 0, 0.5, 1, 2, 3.7])("at %s rises, and is smooth at 0", (a) => {
    let before = -Infinity;
    for (let t = -4; t <= 4; t += 0.25) {
      const y = power(t, a);
      expect(y).toBeGreaterThan(before);
      before = y;
    }
    expect((power(1e-6, a) - power(-1e-6, a)) / 2e-6).toBeCloseTo(1, 5);
  });

  test("is the definition", () => {
    expect(power(3, 0.5)).toBeCloseTo(2, 12);
    expect(power(3, 0)).toBeCloseTo(Math.log(4), 12);
    expect(power(-3, 2)).toBeCloseTo(-Math.log(4), 12);
    expect(power(-3, 1.5)).toBeCloseTo(-2, 12);
  });

  test("the likeliest power undoes a power", () => {
    const g = random(1);
    const inverse = (y: number, a: number): number => {
      let [low, high] = [-1e6, 1e6];
      for (let step = 0; step < 100; step++) {
        const middle = (low + high) / 2;
        if (power(middle, a) < y) low = middle;
        else high = middle;
      }
      return low;
    };
    for (const a of [-0.5, 0, 1, 2.5]) {
      const t = Float64Array.from({ length: 4000 }, () => inverse(0.3 * g.normal(), a)).sort();
      expect(Math.abs(likeliestPower(t) - a)).toBeLessThan(0.35);
    }
  });
});

describe("factors", () => {
  const g = random(4);
  const n = 300;
  const make = (common: number, d: number): ReturnType<typeof matrix> => {
    const X = matrix(n, d);
    for (let i = 0; i < n; i++) {
      const z = Array.from({ length: common }, () => g.normal());
      for (let f = 0; f < d; f++) X.data[i * d + f] = (common > 0 ? z[f % common] : 0) + 0.7 * g.normal();
    }
    return X;
  };
  const groups = (d: number): FeatureRange[] => Array.from({ length: d }, (_, f) => ({ first: f, count: 1 }));

  test("are as many as the table has, and two without any", () => {
    expect(factors(make(4, 16), groups(16), 0)!.rows).toBe(4);
    expect(factors(make(0, 16), groups(16), 0)!.rows).toBe(2);
    expect(factors(make(2, 2), groups(2), 0)).toBeUndefined();
  });

  test("the features of one column are permuted together: their own relations are no factor", () => {
    const X = make(3, 12);
    expect(factors(X, [{ first: 0, count: 12 }], 0)!.rows).toBe(2);
    const V = factors(X, groups(12), 0)!;
    const products = multiplyTransposeB(V, V);
    products.data.forEach((value, p) => expect(value).toBeCloseTo(p % (V.rows + 1) === 0 ? 1 : 0, 8));
  });
});

describe("the spaces of a table", () => {
  const g = random(6);
  const rows = Array.from({ length: 200 }, (_, i) => {
    const [u, v] = [g.normal() + 3 * (i % 2), g.normal()];
    return {
      height: u,
      inches: 40 - u / 2.54,
      width: u + v,
      amount: Math.exp(2 * g.normal()),
      steps: g.integer(4),
      colour: ["red", "green", "blue"][g.integer(3)],
    };
  });
  const of = (given: readonly object[], options = {}): Spaces => {
    const { X, record } = tableFeatures(asTable(given), options);
    return spacesOf(X, record, 0);
  };
  const named = ({ all }: Spaces, name: string): Matrix => all.find((space) => space.name === name)!.X;
  const variance = ({ rows: n, cols: d, data }: Matrix, first: number, count = 1): number => {
    let sum = 0;
    for (let f = first; f < first + count; f++) {
      const column = Array.from({ length: n }, (_, i) => data[i * d + f]);
      const mean = column.reduce((a, b) => a + b) / n;
      for (const x of column) sum += (x - mean) ** 2 / n;
    }
    return sum;
  };
  const spaces = of(rows);

  test("are those that the columns allow", () => {
    expect(spaces.all.map(({ name }) => name)).toEqual(["z", "power", "numbers", "related", "factors"]);
    expect(spaces.kinds!.codes.map(({ column }) => column)).toContain("colour");
    const numbers = of(rows.map(({ height, width }) => ({ height, width })));
    expect(numbers.all.map(({ name }) => name)).toEqual(["z", "power"]);
    expect(numbers.kinds).toBeUndefined();
  });

  test("give every column a variance of 1, related ones more than the others where they count more", () => {
    for (const name of ["z", "power"]) {
      const X = named(spaces, name);
      for (const { first, count } of spaces.groups) expect(variance(X, first, count)).toBeCloseTo(1, 1);
    }
    const related = spaces.groups.map(({ first, count }) => variance(named(spaces, "related"), first, count));
    expect(Math.max(...related)).toBeCloseTo(1, 1);
    expect(Math.min(...related)).toBeCloseTo(0.5, 1);
    expect(related[0]).toBeCloseTo(1, 1);
  });

  test("make skewed numbers nearly normal, and leave steps as they are", () => {
    const [z, power] = [named(spaces, "z"), named(spaces, "power")];
    const far = (X: Matrix, f: number): number =>
      Math.max(...Array.from({ length: X.rows }, (_, i) => Math.abs(X.data[i * X.cols + f])));
    const amounts = of(
      rows.map(({ amount, steps }) => ({ amount, steps })),
      { scale: "auto" },
    );
    expect(far(named(amounts, "power"), 0)).toBeLessThanOrEqual(3.5 + 1e-9);
    const steps = ({ data, cols }: Matrix): number[] =>
      Array.from({ length: 200 }, (_, i) => data[i * cols + 1]);
    expect(steps(named(amounts, "power"))).toEqual(steps(named(amounts, "z")));
    expect(power.cols).toBe(z.cols);
  });

  test("do not count a number again in the same or other units", () => {
    const plain = rows.map(({ height, amount }) => [height, amount, height * amount]);
    const once = of(plain);
    const copied = of(plain.map(([a, b, c]) => [a, b, a, c, 40 - a / 2.54, 7 * a]));
    expect(copied.groups).toHaveLength(3);
    expect(copied.all.map(({ name }) => name)).toEqual(once.all.map(({ name }) => name));
    const distances = squaredDistances(copied.plain).data;
    squaredDistances(once.plain).data.forEach((value, p) => expect(distances[p]).toBeCloseTo(value, 9));
    const near = of(plain.map(([a, b, c], i) => [a, b, c, a + 0.001 * (i % 2)]));
    expect(near.groups).toHaveLength(4);
  });

  test("keep distances when many columns become few", () => {
    const wide = Array.from({ length: 60 }, () => Array.from({ length: 150 }, () => g.normal()));
    const { all, columns } = of(wide);
    const [far, near] = [squaredDistances(columns), squaredDistances(all[1].X)];
    expect(all[1].X.cols).toBe(59);
    near.data.forEach((value, p) => expect(value).toBeCloseTo(far.data[p], 6));
  });
});
