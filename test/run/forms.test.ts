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

test.each(Object.entries(formsOf(rows)))("%s", async (_, form) => {
  expect((await cluster(form as Rows, asked)).labels).toEqual(model.labels);
  expect(kmeans(form, asked).labels).toEqual(labels);
  expect(askQuestions(form, asked).next().value).toEqual(question);
  // A model finds its columns by their names, and knows those of the rows that have some.
  const names = placedBy(form as Rows);
  expect(names).toEqual(model.labels);
});

function placedBy(form: Rows): Int32Array {
  try {
    return model.assign(form).labels;
  } catch (error) {
    expect(error).toMatchObject({
      name: "KindredError",
      message: expect.stringContaining("lacks the columns"),
    });
    return named.assign(form).labels;
  }
}
