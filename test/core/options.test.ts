import { describe, expect, expectTypeOf, test } from "vitest";
import {
  flag,
  given,
  integer,
  oneOf,
  real,
  required,
  resolveOptions,
  without,
  type OptionsOf,
  type Rule,
} from "../../src/core/options.ts";

const rules = {
  clusters: required(integer({ min: 1, max: 10 })),
  tolerance: real({ above: 0, below: 1, default: 1e-4 }),
  norm: oneOf([1, 2, "inf"] as const, 2),
  verbose: flag(false),
  start: given<Float64Array>("a Float64Array", (value) => value instanceof Float64Array),
};

const resolve = (options?: Record<string, unknown>) =>
  resolveOptions("demo", options as OptionsOf<typeof rules>, rules);

describe("resolveOptions", () => {
  test("fills in the defaults", () => {
    expect(resolve({ clusters: 3 })).toEqual({
      clusters: 3,
      tolerance: 1e-4,
      norm: 2,
      verbose: false,
      start: undefined,
    });
  });

  test("keeps what is given, and counts undefined as absent", () => {
    const start = new Float64Array(2);
    const resolved = resolve({ clusters: 10, tolerance: undefined, norm: "inf", verbose: true, start });
    expect(resolved).toEqual({ clusters: 10, tolerance: 1e-4, norm: "inf", verbose: true, start });
    expect(resolved.start).toBe(start);
  });

  test("does not change its argument", () => {
    const options = Object.freeze({ clusters: 2 });
    resolve(options);
    expect(options).toEqual({ clusters: 2 });
  });

  test("refuses an option that does not exist, and lists those that do", () => {
    expect(() => resolve({ clusters: 3, cluster: 3 })).toThrow(
      'demo: there is no option "cluster"; the options are clusters, tolerance, norm, verbose, start',
    );
  });

  test("refuses a missing required option, also when no options are given at all", () => {
    const message = 'demo: option "clusters" is required (an integer at least 1 and at most 10)';
    expect(() => resolve({})).toThrow(message);
    expect(() => resolve(undefined)).toThrow(message);
    expect(() => resolve({ clusters: undefined })).toThrow(message);
  });

  test.each([
    [{ clusters: 0 }, 'option "clusters" must be an integer at least 1 and at most 10, got 0'],
    [{ clusters: 11 }, 'option "clusters" must be an integer at least 1 and at most 10, got 11'],
    [{ clusters: 2.5 }, 'option "clusters" must be an integer at least 1 and at most 10, got 2.5'],
    [{ clusters: "3" }, 'option "clusters" must be an integer at least 1 and at most 10, got "3"'],
    [{ clusters: null }, 'option "clusters" must be an integer at least 1 and at most 10, got null'],
    [{ clusters: Number.NaN }, 'option "clusters" must be an integer at least 1 and at most 10, got NaN'],
    [{ clusters: 3, tolerance: 0 }, 'option "tolerance" must be a finite number above 0 and below 1, got 0'],
    [{ clusters: 3, tolerance: 1 }, 'option "tolerance" must be a finite number above 0 and below 1, got 1'],
    [{ clusters: 3, tolerance: Infinity }, 'option "tolerance" must be a finite number'],
    [{ clusters: 3, norm: 3 }, 'option "norm" must be one of 1, 2, "inf", got 3'],
    [{ clusters: 3, verbose: 1 }, 'option "verbose" must be true or false, got 1'],
    [{ clusters: 3, start: [1, 2] }, 'option "start" must be a Float64Array, got an array'],
    [{ clusters: 3, start: {} }, 'option "start" must be a Float64Array, got an object'],
  ])("%j is refused by name", (options, message) => {
    expect(() => resolve(options)).toThrow(
      expect.objectContaining({ kind: "option", message: expect.stringContaining(message) }),
    );
  });
});

describe("ranges", () => {
  const accepts = (rule: Rule<number>, values: unknown[]): boolean[] =>
    values.map((value) => rule.accepts(value));

  test("closed bounds include their ends, open ones do not", () => {
    expect(accepts(real({ min: 0, max: 1 }), [-1e-300, 0, 0.5, 1, 1.0000001])).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(accepts(real({ above: 0, below: 1 }), [0, 5e-324, 1])).toEqual([false, true, false]);
  });

  test("without a range any number of the kind is accepted", () => {
    expect(accepts(real({}), [-1e300, 0, 1e300, Infinity, Number.NaN])).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(accepts(integer({}), [-5, 0, 5, 0.5])).toEqual([true, true, true, false]);
    expect(real({}).expects).toBe("a finite number");
  });
});

describe("without", () => {
  test("leaves out the rules that are named, and refuses their options", () => {
    const fewer = without(rules, "norm", "verbose");
    expect(Object.keys(fewer)).toEqual(["clusters", "tolerance", "start"]);
    expect(Object.keys(rules)).toHaveLength(5);
    expect(() => resolveOptions("demo", { clusters: 2, norm: 1 }, fewer as typeof rules)).toThrow(
      'there is no option "norm"; the options are clusters, tolerance, start',
    );
  });
});

describe("types follow from the rules", () => {
  test("what callers may leave out, and what a method may count on", () => {
    expectTypeOf<OptionsOf<typeof rules>>().toEqualTypeOf<{
      clusters: number;
      tolerance?: number;
      norm?: 1 | 2 | "inf";
      verbose?: boolean;
      start?: Float64Array;
    }>();
    const resolved = resolveOptions("demo", { clusters: 3 }, rules);
    expectTypeOf(resolved).toEqualTypeOf<{
      readonly clusters: number;
      readonly tolerance: number;
      readonly norm: 1 | 2 | "inf";
      readonly verbose: boolean;
      readonly start: Float64Array | undefined;
    }>();
  });
});
