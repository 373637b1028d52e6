import { expect, it } from "vitest";
import { distinctOrder } from "../../src/judge/rowOrder.ts";
import { fromRows, toRows } from "../../src/matrix/index.ts";
import { cloud } from "./sets.ts";

it("the order depends on the values alone", () => {
  const X = cloud(50, 2, 3, "gaussian");
  const rows = toRows(X);
  const turned = fromRows(rows.toReversed());
  const values = (order: Int32Array, of: readonly (readonly number[])[]): number[][] =>
    Array.from(order, (i) => [...of[i]]);
  expect(values(distinctOrder(turned).order, rows.toReversed())).toEqual(
    values(distinctOrder(X).order, rows),
  );
});

it("a table that was written twice has the order of the table", () => {
  const rows = toRows(cloud(40, 2, 4, "uniform"));
  const once = distinctOrder(fromRows(rows));
  const twice = distinctOrder(fromRows([...rows, ...rows]));
  expect(twice.order).toHaveLength(40);
  expect(Array.from(twice.order, (i) => i % 40)).toEqual(Array.from(once.order));
  twice.places.forEach((place, i) => expect(twice.order[place] % 40).toBe(i % 40));
  // One more copy of one row is a fact about the table.
  expect(distinctOrder(fromRows([...rows, ...rows, rows[0]])).order).toHaveLength(81);
});
