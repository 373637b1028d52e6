import { expect, test } from "vitest";
import { dateText } from "../../../src/data/columns/column.ts";
import { dayNumber, findDate } from "../../../src/data/kinds/dates.ts";

const read = (text: string): string | undefined => {
  const found = findDate(text);
  const day = found === undefined ? undefined : dayNumber(found, "mdy");
  return day === undefined ? undefined : dateText(day);
};

test.each([
  // Google Forms, and the same with other zones.
  ["2024/02/17 2:07:27 AM GMT+1", "2024-02-17 01:07:27"],
  ["2024/02/17 2:07:27 AM GMT+5:30", "2024-02-16 20:37:27"],
  ["2024/02/17 2:07:27 PM MDT", "2024-02-17 14:07:27"],
  ["2024-02-17 02:07:27 UTC-3", "2024-02-17 05:07:27"],
  ["2024-02-17 02:07:27.5 +0100", "2024-02-17 01:07:27"],
  // JavaScript, C, git, Twitter, the command date.
  ["Sat Feb 17 2024 02:07:27 GMT+0100 (Central European Standard Time)", "2024-02-17 01:07:27"],
  ["Sat Feb 17 2024", "2024-02-17"],
  ["Sat Feb 17 02:07:27 2024", "2024-02-17 02:07:27"],
  ["Sat Feb  7 02:07:27 UTC 2024", "2024-02-07 02:07:27"],
  ["Sat Feb 17 02:07:27 +0200 2024", "2024-02-17 00:07:27"],
  ["20240217T020727Z", "2024-02-17 02:07:27"],
  ["February 17, 2024 at 2:07 PM", "2024-02-17 14:07:00"],
  ["17. Februar 2024 um 14:07 Uhr", "2024-02-17 14:07:00"],
  ["2024年2月17日", "2024-02-17"],
  ["2024年2月17日 14:05", "2024-02-17 14:05:00"],
  ["2024년 2월 17일", "2024-02-17"],
  ["2024年2月", "2024-02-01"],
  ["1701-01-11", "1701-01-11"],
])("%s", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  "Sat 17 of nothing",
  "Sat Feb 17 02:07:27",
  "2024-02-17 02:07 OPEN",
  "2024/02/17 13:07:27 AM GMT+1",
  "20240217T990000Z",
  "a remark that is long enough, and ends in brackets (as remarks do)",
])("%s is no date", (text) => {
  expect(read(text)).toBeUndefined();
});
