import { expect, test } from "vitest";
import { kindred, oneLine } from "../cli/command.ts";

test("help is about this reproduction only", async () => {
  const { code, stdout } = await kindred(["reproduce", "mlca", "--help"]);
  expect(code).toBe(0);
  for (const option of ["--quick", "--seeds", "--data", "--json"]) expect(stdout).toContain(option);
  expect(stdout).not.toContain("--repetitions");
});

test.each([
  [["reproduce", "mlca", "--seeds", "0"], /--seeds/],
  [["reproduce", "mlca", "--sets", "wine"], /--sets/],
])("%j is not understood", async (args, message) => {
  expect(await kindred(args)).toEqual(oneLine(2, message));
});
