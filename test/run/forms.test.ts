import { expect, test } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { askQuestions } from "../../src/hints/index.ts";
import { cluster, type Rows } from "../../src/run/index.ts";
import { formsOf } from "../matrix/forms.ts";

/* Every form that rows have in memory is the same table to every function, whichever reads it. Floats of 32 bits hold them. */
const rows = Array.from({ length: 36 }, (_, i) => [
  Math.fround(8 * (i % 3) + Math.sin(i)),
  Math.fround(Math.cos(5 * i)),
  Math.fround(Math.sin(3 * i) - (i % 3)),
]);
const asked = { clusters: 3, seed: 1 };
const model = await cluster(rows, asked);
const named = await cluster(formsOf(rows).objects as Rows, asked);
const labels = kmeans(rows, asked).labels;
const question = askQuestions(rows, asked).next().value;

test.each(Object.entries(formsOf(rows)))("%s", async (name, form) => {
  expect((await cluster(form as Rows, asked)).labels).toEqual(model.labels);
  expect(kmeans(form, asked).labels).toEqual(labels);
  expect(askQuestions(form, asked).next().value).toEqual(question);
  // A model finds its columns by their names: it takes its own form, and refuses the other by name.
  const hasNames = NAMED.has(name);
  expect((hasNames ? named : model).assign(form as Rows).labels).toEqual(model.labels);
  expect(() => (hasNames ? model : named).assign(form as Rows)).toThrow(/lacks the columns|not read/);
});

/** The forms that have names of columns. */
const NAMED = new Set([
  "objects",
  "an Arrow table",
  "a flechette table",
  "an Arquero table",
  "columns by name",
]);
