// The k nearest so far: a max-heap of (distance, row), distances as doubles at D and rows as integers at I.

/** Marks a missing row. */
export const NO_ROW: i32 = i32.MAX_VALUE;

/** Replaces the root, the worst of the k, if (distance, row) comes before it. */
export function offer(k: i32, D: usize, I: usize, distance: f64, row: i32): void {
  const worst = load<f64>(D);
  if (distance < worst || (distance == worst && row < load<i32>(I))) sink(k, D, I, distance, row);
}

/** Replaces the root of a max-heap of `size` by (distance, row). */
function sink(size: i32, D: usize, I: usize, distance: f64, row: i32): void {
  let hole = 0;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= size) break;
    if (child + 1 < size && after(D, I, child + 1, load<f64>(D + (<usize>child << 3)), load<i32>(I + (<usize>child << 2)))) {
      child++;
    }
    if (!after(D, I, child, distance, row)) break;
    store<f64>(D + (<usize>hole << 3), load<f64>(D + (<usize>child << 3)));
    store<i32>(I + (<usize>hole << 2), load<i32>(I + (<usize>child << 2)));
    hole = child;
  }
  store<f64>(D + (<usize>hole << 3), distance);
  store<i32>(I + (<usize>hole << 2), row);
}

/** Whether entry p of the heap comes after (distance, row). */
// @ts-ignore: decorator
@inline
function after(D: usize, I: usize, p: i32, distance: f64, row: i32): bool {
  const other = load<f64>(D + (<usize>p << 3));
  return other > distance || (other == distance && load<i32>(I + (<usize>p << 2)) > row);
}

/** Turns the heap into a list, nearest first. */
export function sortHeap(k: i32, D: usize, I: usize): void {
  for (let last = k - 1; last > 0; last--) {
    const distance = load<f64>(D + (<usize>last << 3)), row = load<i32>(I + (<usize>last << 2));
    store<f64>(D + (<usize>last << 3), load<f64>(D));
    store<i32>(I + (<usize>last << 2), load<i32>(I));
    sink(last, D, I, distance, row);
  }
}
