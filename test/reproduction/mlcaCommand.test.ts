import { expect, test } from "vitest";
import { oneLine, reproduce } from "./reproduce.ts";

test("help is about this reproduction only", async () => {
  const { code, stdout } = await reproduce(["mlca", "--help"]);
  expect(code).toBe(0);
  for (const option of ["--quick", "--seeds", "--data", "--json"]) expect(stdout).toContain(option);
  expect(stdout).not.toContain("--repetitions");
});

test.each([
  [["mlca", "--seeds", "0"], /--seeds/],
  [["mlca", "--sets", "wine"], /--sets/],
])("%j is not understood", async (args, message) => {
  expect(await reproduce(args)).toEqual(oneLine(2, message));
});
