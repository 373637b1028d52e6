import { expect, test } from "vitest";
import { toolsOf } from "../../scripts/hints/cases.mjs";
import { smallFit } from "../../scripts/hints/smallFit.mjs";
import fitted from "../../src/hints/fitted.json.ts";

test(
  "a small fit to generated tables gives the numbers that stand in the file",
  { timeout: 240_000 },
  async () => {
    expect(await smallFit(await toolsOf())).toEqual(fitted.small);
  },
);
