import { execFileSync } from "node:child_process";
import { sample, string } from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "../../src/core/text.ts";

const NASTY = [
  "a b",
  "$(touch x)",
  "`touch x`",
  "'; touch x; '",
  "x'$(id)'y",
  "=ls",
  "~",
  "*",
  "!!",
  "\u001b[201~\ntouch x\n",
  "\u009b31m",
  "\\'\u0007",
  "\u202Egnp.exe",
  "-n",
  "\n",
];

/** What bash makes of a line of words. */
function words(line: string): string[] {
  const printed = execFileSync("bash", ["-c", `printf '%s\\0' ${line}`], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  return printed.split("\0").slice(0, -1);
}

test("a shell reads the word as it was, and a terminal sees no control", () => {
  const random = sample(string({ minLength: 1, unit: "binary" }), { numRuns: 300, seed: 5 });
  const given = [
    ...NASTY,
    ...random.filter((text) => Buffer.from(text).toString() === text && !text.includes("\0")),
  ];
  const line = given.map(shellWord).join(" ");
  expect(words(line)).toEqual(given);
  expect(line).not.toMatch(/[\p{Cc}\u202E]/u);
});

test("plain words stay as they are", () => {
  for (const word of ["iris.csv", "--label", "a=b,c", "data/x-1.csv"]) expect(shellWord(word)).toBe(word);
  expect(shellWord("")).toBe("''");
});
