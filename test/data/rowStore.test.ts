import { expect, test } from "vitest";
import { rowStore } from "../../src/data/files/rowStore.ts";

function write(store: ReturnType<typeof rowStore>, rows: number): void {
  for (let i = 0; i < rows; i++) {
    if (store.used + store.width > store.block.length) store.turn();
    for (let f = 0; f < store.width; f++) store.block[store.used + f] = 10 * i + f;
    store.used += store.width;
  }
}

test("rows that were expected are in one block, which is given away", () => {
  const store = rowStore(3, 30);
  store.expect(5000);
  write(store, 5000);
  const whole = store.whole()!;
  expect([whole.length, whole[0], whole[14_999], store.rows]).toEqual([15_000, 0, 49_992, 0]);
  write(store, 4);
  expect([...store.drain()].flatMap((block) => [...block])).toEqual([...whole.subarray(0, 12)]);
});

test.each([
  ["fewer", 4999],
  ["more", 5001],
])("%s rows than expected are all there", (_, rows) => {
  const store = rowStore(3, 30);
  store.expect(5000);
  write(store, rows);
  expect([store.whole(), store.rows]).toEqual([undefined, rows]);
  const values: number[] = [];
  for (const block of store.drain()) values.push(...block); // each is released when the next is asked for
  expect(values).toEqual(Array.from({ length: 3 * rows }, (_unused, p) => 10 * Math.floor(p / 3) + (p % 3)));
});

test("more rows than memory can hold are not made room for", () => {
  const store = rowStore(3, 30);
  store.expect(1e15);
  write(store, 20);
  expect(store.rows).toBe(20);
});
