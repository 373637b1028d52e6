import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readNumbers } from "../../src/data/index.ts";
import { parseNumber } from "../../src/data/text/cellScanner.ts";

const encoder = new TextEncoder();

/** Numbers as the CSV reader reads them, one per line. */
async function numbersOf(spelled: readonly string[]): Promise<Float64Array> {
  const table = await readNumbers(encoder.encode(`x\n${spelled.join("\n")}\n`), { format: "csv" });
  return (table.X as { data: Float64Array }).data;
}

/** The spellings that were not read as the nearest double. */
async function misread(spelled: readonly string[]): Promise<string[]> {
  const read = await numbersOf(spelled);
  return spelled.filter((text, i) => !Object.is(read[i], Number(text)));
}

test("every finite double reads back from its shortest spelling", async () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  await fc.assert(
    fc.asyncProperty(fc.array(double, { minLength: 1, maxLength: 200 }), async (values) => {
      const spelled = values.map((value) => (Object.is(value, -0) ? "-0" : String(value)));
      expect(await misread(spelled)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("decimal text of any length is rounded to the nearest double", async () => {
  const digits = (max: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 0, maxLength: max });
  const decimal = fc
    .tuple(
      fc.constantFrom("", "-", "+"),
      digits(14),
      digits(22),
      fc.option(fc.integer({ min: -330, max: 290 }), { nil: undefined }),
    )
    .filter(([, whole, fraction]) => whole.length + fraction.length > 0)
    .map(([sign, whole, fraction, exponent]) => {
      const point = fraction === "" ? "" : ".";
      return `${sign}${whole}${point}${fraction}${exponent === undefined ? "" : `e${exponent}`}`;
    });
  await fc.assert(
    fc.asyncProperty(fc.array(decimal, { minLength: 1, maxLength: 100 }), async (spelled) => {
      expect(await misread(spelled)).toEqual([]);
    }),
    {
      numRuns: 300,
    },
  );
});

test("ties and near-ties between two doubles are rounded as Number rounds them", async () => {
  const spelled: string[] = [];
  for (let k = 0; k < 400; k++) {
    // 2^53 + odd is halfway between two doubles; digits far behind decide.
    const halfway = 2n ** 53n + 2n * BigInt(k * k * 7919) + 1n;
    spelled.push(String(halfway), `${halfway}.0000`, `${halfway}.00001`, `${halfway - 1n}.99999`);
    spelled.push(`${halfway}e-22`, `${halfway}e-30`, `${halfway}e5`, `0.${halfway}`, `${halfway}1e-40`);
  }
  expect(await misread(spelled)).toEqual([]);
});

test("the grammar is that of decimal numbers", () => {
  for (const text of ["1", "-1", "+1", "1.", ".5", "1e5", "1E-5", "007", "-0.0e+0"]) {
    expect(parseNumber(text)).toBe(Number(text));
  }
  for (const text of [
    "",
    ".",
    "e5",
    "1e",
    "1e+",
    "0x10",
    "1_000",
    "1,5",
    "--1",
    "1 2",
    "Infinity",
    "NaN",
    "1f",
  ]) {
    expect(parseNumber(text)).toBeUndefined();
  }
});
