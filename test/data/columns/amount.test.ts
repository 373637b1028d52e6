import { expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { amountParts, amountValue } from "../../../src/data/columns/amount.ts";

/** The digits with a mark between thousands, and the decimal mark. */
function written(digits: string, places: number, thousands: string, decimal: string): string {
  const whole = digits.slice(0, digits.length - places) || "0";
  const groups = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, thousands);
  return places === 0 ? groups : groups + decimal + digits.slice(digits.length - places);
}

test("amounts in any way of writing are the nearest double, as `Number` reads the digits", () => {
  const draw = random(4);
  const pick = <T>(all: readonly T[]): T => all[draw.integer(all.length)];
  for (let k = 0; k < 20_000; k++) {
    const length = 1 + draw.integer(20);
    const digits = `${1 + draw.integer(9)}${Array.from({ length: length - 1 }, () => draw.integer(10)).join("")}`;
    const places = draw.integer(Math.min(length, 7));
    const decimal = pick([".", ","] as const);
    const thousands = pick(["", decimal === "." ? "," : ".", "'", " ", "\u00a0"]);
    const [before, after] = pick([
      ["", ""],
      ["$", ""],
      ["€", ""],
      ["", " %"],
      ["", "kg"],
      ["", " EUR"],
      ["-", ""],
      ["CHF ", ""],
    ]);
    const text = before + written(digits, places, thousands, decimal) + after;
    const parts = amountParts(text);
    const value = Number(written(digits, places, "", ".")) * (before === "-" ? -1 : 1);
    if (parts === undefined || !Object.is(amountValue(parts, decimal), value)) {
      throw new Error(`${text}: ${parts && amountValue(parts, decimal)} is not ${value}`);
    }
    expect(parts.unit).toBe((before === "-" ? "" : before.trim()) + after.trim());
  }
});

test.each(["1,23.4", "1,2345", "12,34,5", "1.2.3", "192.168.1.1", "1,,234"])("%s is no amount", (text) => {
  const parts = amountParts(text);
  expect(parts === undefined ? undefined : amountValue(parts, ".")).toBeUndefined();
});
