import { expect, test } from "vitest";
import { option, note, noteText } from "../../src/core/messages.ts";
import { flagOf } from "../../src/core/options.ts";

test("a note names options as data, and each surface spells them its own way", () => {
  const found = note("vector", `${option("noHeader")} or ${option("vector")} none keeps them apart`, {
    column: "x",
  });
  expect(found).toEqual({
    code: "vector",
    message: 'option "noHeader" or option "vector" none keeps them apart',
    parts: [{ option: "noHeader" }, " or ", { option: "vector" }, " none keeps them apart"],
    option: "noHeader",
    column: "x",
  });
  expect(noteText(structuredClone(found), flagOf)).toBe("--no-header or --vector none keeps them apart");
});

test("a note without options is its message", () => {
  const found = note("stopped", "stopped early");
  expect(found).toEqual({ code: "stopped", message: "stopped early" });
  expect(noteText(found, flagOf)).toBe("stopped early");
});
