import { expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { amountParts, amountValue } from "../../../src/data/kinds/amount.ts";
import { readColumns } from "../../../src/data/columns/readColumns.ts";

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

test("money with marks in the large amounts alone: the mark groups thousands, and a note says so", async () => {
  const read = async (cells: readonly string[]): Promise<{ values: number[]; notes: string[] }> => {
    const table = await readColumns(new TextEncoder().encode(`price\n${cells.join("\n")}\n`), {});
    return {
      values: Array.from(table.columns[0].values!),
      notes: table.notes.filter(({ code }) => code === "ambiguous-decimal").map(({ message }) => message),
    };
  };
  const german = await read(["€ 1.025", "€ 319", "€ 87", "€ 2.499", "€ 640"]);
  expect(german.values).toEqual([1025, 319, 87, 2499, 640]);
  expect(german.notes).toHaveLength(1);
  expect((await read(["1.250 kg", "750 kg", "900 kg", "3.415 kg"])).values).toEqual([1250, 750, 900, 3415]);
  // Every cell has three decimals, as prices of fuel do.
  expect((await read(["€ 1.459", "€ 1.519", "€ 1.399", "€ 1.611"])).values).toEqual([
    1.459, 1.519, 1.399, 1.611,
  ]);
  // Decimals without closing zeros.
  expect((await read(["1.253 kg", "2 kg", "1.117 kg", "3 kg"])).values).toEqual([1.253, 2, 1.117, 3]);
});
