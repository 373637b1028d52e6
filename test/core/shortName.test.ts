import { expect, test } from "vitest";
import { shortName } from "../../src/core/text.ts";

test("a long name keeps its start and its end", () => {
  expect(shortName("price")).toBe("price");
  expect(shortName("price per\n unit ")).toBe("price per unit");
  const long = shortName("How satisfied are you with these parts of our service? [Price]");
  expect(long).toBe("How satisfied are you … [Price]");

  expect(shortName("Chinstrap penguin (Pygoscelis antarctica)")).toBe("Chinstrap penguin");
  expect(shortName("mean length of the upper bill of both parents (mm)", 24)).toMatch(/… .*\(mm\)$/);
  expect([...shortName("😀".repeat(99), 16)]).toHaveLength(16);
});
