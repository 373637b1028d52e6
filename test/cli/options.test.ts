import { expect, test } from "vitest";
import { commandCase } from "../fuzz/commands.ts";

/* The short version of `npm run fuzz -- --kind commands`: wrong options of every command, the same in every run. */
test("wrong values of options are refused in one sentence", { timeout: 300_000 }, async () => {
  for (let seed = 1_000_000; seed < 1_000_040; seed++) {
    const { tried, wrong } = await commandCase(seed);
    expect(wrong, `npm run fuzz -- --case commands:${seed}\n${tried}`).toBeUndefined();
  }
});
