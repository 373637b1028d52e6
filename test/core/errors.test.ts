import { expect, test } from "vitest";
import {
  fileError,
  inputError,
  KindredError,
  numericError,
  option,
  optionError,
} from "../../src/core/messages.ts";

test("each maker gives a KindredError of its kind", () => {
  const made = [inputError("a"), optionError("b"), fileError("c"), numericError("d")];
  expect(made.map((error) => error.kind)).toEqual(["input", "option", "file", "numeric"]);
  expect(made.map((error) => error.message)).toEqual(["a", "b", "c", "d"]);
  for (const error of made) {
    expect(error).toBeInstanceOf(KindredError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("KindredError");
  }
});

test("a file error keeps its cause", () => {
  const cause = new Error("ENOENT");
  expect(fileError("cannot read x.csv", cause).cause).toBe(cause);
  expect("cause" in fileError("cannot read x.csv")).toBe(false);
});

test("a name with line breaks stays in one line", () => {
  const error = inputError('t.csv line 14, column "i\n  ;c\r\n0;": there is text').within("a: ");
  expect(error.message).toBe('a: t.csv line 14, column "i ;c 0;": there is text');
  expect(error.told((name) => name)).toBe(error.message);
});

test("a message that quotes a name of millions of letters says what is wrong and what to do", () => {
  const { message } = inputError(
    `t.csv line 2, column "${"x".repeat(3e6)}": "a" is not a number; ${option("as")} helps`,
  );
  expect(message).toBe('t.csv line 2, column ... "a" is not a number; option "as" helps');
  const many = Array.from({ length: 5000 }, (_, j) => `column_${j}`).join(", ");
  expect(inputError(`the columns are ${many}`).message).toMatch(
    /^the columns are column_0, .* \.\.\. .*, column_4999$/,
  );
  expect(inputError(`the columns are ${many}`).message.length).toBeLessThan(4100);
});
