import { expect, test } from "vitest";
import { padded, textWidth } from "../../src/core/text.ts";

test("wide letters take two columns, marks none", () => {
  expect(["abc", "Größe", "城市", "カナ", "김치", "e\u0301", "👍", "a城"].map(textWidth)).toEqual([
    3, 5, 4, 4, 4, 1, 2, 3,
  ]);
  expect(padded("城市", 6)).toBe("城市  ");
  expect(padded("7", 3, "left")).toBe("  7");
  expect(padded("long", 2)).toBe("long");
});
