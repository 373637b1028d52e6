import { describe, expect, test } from "vitest";
import { readNumbers } from "../../src/data/index.ts";
import { rowBatches } from "../../src/scale/index.ts";
import fixture from "../fixtures/parquet-numbers.json" with { type: "json" };

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));
const columns = Object.entries(fixture.columns as Record<string, (number | null)[]>);

describe.each(Object.entries(fixture.files))("columns of numbers in Parquet, %s", (_, base64) => {
  test.each(columns)("%s", async (name, values) => {
    const ignore = columns.map(([other]) => other).filter((other) => other !== name && other !== "required");
    const kept = await rows(base64, ignore);
    const expected = values.flatMap((value, i) => (value === null ? [] : [[columns[0][1][i], value]]));
    expect(kept).toEqual(name === "required" ? expected.map(([x]) => [x]) : expected);
  });
});

test("a missing number is named by its place in the file, in any row group", async () => {
  const ignore = columns.map(([name]) => name).filter((name) => name !== "late");
  await expect(readNumbers(bytes(fixture.files.plain), { name: "t", ignore })).rejects.toThrow(
    't: 29 missing values: row 92, column "late"; row 93, column "late"',
  );
});

test("a damaged page is an error that names the file", async () => {
  const file = bytes(fixture.files.plain);
  const ignore = columns.map(([name]) => name).filter((name) => name !== "whole");
  for (let at = 4; at < file.length / 2; at += 997) {
    const damaged = file.slice();
    damaged.fill(255, at, at + 16);
    const outcome = await readNumbers(damaged, { name: "t", ignore }).then(
      ({ X }) => X.rows,
      (error: Error) => error.message,
    );
    // Damage may hit what is not read, or be a number.
    expect(String(outcome)).toMatch(/^(?:120$|t:|t row|t cannot be read as Parquet)/);
  }
});

/** The rows that lack nothing. */
async function rows(base64: string, ignore: readonly string[]): Promise<number[][]> {
  const all: number[][] = [];
  const batches = rowBatches(bytes(base64), { ignore, missing: "drop" });
  for (;;) {
    const { value } = await batches.next().catch((error: Error) => {
      if (!error.message.includes("has no rows of data without missing values")) throw error;
      return { value: undefined };
    });
    if (value === undefined) return all;
    const { X } = value;
    for (let i = 0; i < X.rows; i++) all.push([...X.data.subarray(i * X.cols, (i + 1) * X.cols)]);
  }
}
