import { describe, expect, test } from "vitest";
import { MULTIPLES, unitConversion } from "../../../src/data/kinds/amount.ts";
import { dayNumber, findDate } from "../../../src/data/kinds/dates.ts";
import {
  isMissingWord,
  isSoftMissingWord,
  orderOf,
  yesNo,
  yesNoMeaning,
} from "../../../src/data/kinds/scales.ts";
import missing from "../../../src/data/words/missing.json.ts";
import dates from "../../../src/data/words/months.json.ts";
import scales from "../../../src/data/words/scales.json.ts";
import units from "../../../src/data/words/units.json.ts";

describe("every scale orders its words", () => {
  test.each(scales.scales)("%s", (scale) => {
    const levels = scale.split("|");
    expect(orderOf([...levels].sort())?.levels).toEqual(levels);
  });
});

describe("every pair of no and yes", () => {
  test.each([...scales.yesNo, ...scales.alike])("%s and %s", (no, yes) => {
    expect(yesNo([yes.toUpperCase(), no])).toEqual([no, yes.toUpperCase()]);
  });

  test.each(scales.yesNo)("%s means no and %s means yes", (no, yes) => {
    expect([no, yes].map(yesNoMeaning)).toEqual([0, 1]);
  });
});

test.each(missing.words)("%s is a missing value", (word) => {
  expect(isMissingWord(word.toUpperCase())).toBe(true);
});

test.each(missing.levels)("%s may be one", (word) => {
  expect([isMissingWord(word), isSoftMissingWord(word)]).toEqual([false, true]);
});

describe.each(Object.entries(units.quantities))("units of %s", (_, family) => {
  const [first] = Object.keys(family);
  test.each(Object.entries(family))(`1 %s is %f ${first}`, (unit, factor) => {
    expect(unitConversion(unit, first)).toEqual({ factor, offset: 0 });
    expect(unitConversion(first, unit)!.factor).toBeCloseTo(1 / factor, 12);
  });
});

test.each(Object.entries(units.temperatures))("a t + b of %s is in degrees Celsius", (unit, [a, b]) => {
  const { factor, offset } = unitConversion(`°${unit}`, "°C")!;
  expect([factor, offset]).toEqual([a, b]);
});

test.each(Object.entries(units.multiples))("%s stands for %d", (word, value) => {
  expect(MULTIPLES.get(word)).toBe(value);
});

describe.each(dates.months.map((names, k) => ({ month: k + 1, names })))(
  "month $month",
  ({ month, names }) => {
    test.each(names)("%s", (name) => {
      const found = findDate(`3 ${name} 2024`)!;
      expect(dayNumber(found, "dmy")).toBe(Date.UTC(2024, month - 1, 3) / 86_400_000);
    });
  },
);
