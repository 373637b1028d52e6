import { expect, test } from "vitest";
import { note, type Note, toldNotes } from "../../src/core/messages.ts";

const told = (notes: readonly Note[]): string[] =>
  toldNotes(notes, ({ message }) => message).map(({ text }) => text);

const marked = (column: string, cells: number, values: readonly string[] = ["refused"]): Note =>
  note("missing-marks", `column "${column}": ${values.join(", ")}`, { column, cells, values });

test("a few notes of one kind stay word for word, whatever else is told", () => {
  const notes = [marked("a", 1), note("x", "else"), marked("b", 2), marked("c", 3)];
  expect(told(notes)).toEqual(notes.map(({ message }) => message));
});

test("many notes of one kind are one, at the place of the first, with columns and cells", () => {
  const many = Array.from({ length: 1500 }, (_, j) => marked(`q${j}`, 2));
  const notes = [note("x", "before"), ...many, note("x", "after", { column: "q7" })];
  expect(told(notes)).toEqual([
    "before",
    'column "q0": refused (likewise q1, q2, q3 and 1,496 more; 3,000 cells in all)',
    "after",
  ]);
});

test("notes that quote other cells are told apart while there are few of them", () => {
  const two = ["a", "b", "c"].flatMap((name) => [
    marked(name, 1, ["refused"]),
    marked(`${name}2`, 5, ["none"]),
  ]);
  expect(told(two)).toEqual([
    'column "a": refused (likewise b, c; 3 cells in all)',
    'column "a2": none (likewise b2, c2; 15 cells in all)',
  ]);
  const all = ["a", "b", "c", "d", "e"].map((name) => marked(name, 1, [name]));
  expect(told(all)).toEqual(['column "a": a (similarly b, c, d and 1 more; 5 cells in all)']);
});

test("the number of cells is told only if every note has one", () => {
  const notes = ["a", "b", "c", "d"].map((column) => note("dates", `column "${column}"`, { column }));
  expect(told(notes)).toEqual(['column "a" (likewise b, c, d)']);
});

test("notes without a column are never joined: their code does not say that they are alike", () => {
  const notes = Array.from({ length: 6 }, (_, i) => note("method", `warning ${i}`, { row: i }));
  expect(told(notes)).toEqual(notes.map(({ message }) => message));
});
