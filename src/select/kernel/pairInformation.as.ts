/**
 * Mutual information of pairs of discrete variables from their counts, which live only as long as their pair.
 *
 * A variable is a record of five i32: levels L, bit sets S, and the addresses of its bit sets, codes (u16, one per row)
 * and margins. Its bit sets are those of levels 0 .. L - 2, made up to an even number S by an empty one; margins are
 * the counts of these S and then of level L - 1, whose cells follow from the margins. S is NO_SETS if there are none.
 *
 * `table` is T(k), a multiple of k log k rounded to integers so small that sums are exact in doubles whatever their
 * order (informationTable.ts), so that I is symmetric, the same for renamed levels, and 0 for constants:
 *
 *     M(u, v) = T(n) + sum_ab T(n_ab) - sum_a T(n_a) - sum_b T(n_b)
 */
const RECORD: usize = 20;
const TILE: i32 = 16;
/** S of a variable without bit sets. */
const NO_SETS: i32 = 32768;
/** Passes at which counting rows becomes cheaper. */
const MOST_SETS: i32 = 128;

/** Variables u, v < count of one tile of the upper triangle; `out` is count x count. Task t is tile t of `tiles`. */
export function informationTile(
  task: i32, scratch: usize, records: usize, sums: usize, count: i32, rows: i32, words: i32, table: usize,
  scale: f64, tiles: usize, out: usize,
): void {
  const firstU = load<i32>(tiles + ((<usize>task) << 3)) * TILE;
  const firstV = load<i32>(tiles + ((<usize>task) << 3), 4) * TILE;
  const endU = min(firstU + TILE, count);
  const endV = min(firstV + TILE, count);
  for (let u = firstU; u < endU; u++) {
    for (let v = max(firstV, u); v < endV; v++) {
      const value = information(u, v, scratch, records, sums, rows, words, table) * scale;
      store<f64>(out + ((<usize>u * count + v) << 3), value);
      store<f64>(out + ((<usize>v * count + u) << 3), value);
    }
  }
}

/** Variable u with those of block `task`; out[v] for v < count. */
export function informationRow(
  task: i32, scratch: usize, records: usize, sums: usize, count: i32, rows: i32, words: i32, table: usize,
  scale: f64, u: i32, block: i32, out: usize,
): void {
  const end = min((task + 1) * block, count);
  for (let v = task * block; v < end; v++) {
    store<f64>(
      out + ((<usize>v) << 3),
      information(u, v, scratch, records, sums, rows, words, table) * scale,
    );
  }
}

/** Popcounts cost S_u S_v passes of n / 64 steps, a histogram one of n steps, each about twice as long. */
@inline
function information(
  u: i32, v: i32, scratch: usize, records: usize, sums: usize, rows: i32, words: i32, table: usize,
): f64 {
  const a = records + <usize>u * RECORD;
  const b = records + <usize>v * RECORD;
  const joint =
    max(load<i32>(a, 4), load<i32>(b, 4)) < NO_SETS && load<i32>(a, 4) * load<i32>(b, 4) <= MOST_SETS
      ? counted(a, b, scratch, words, table)
      : histogram(a, b, scratch, rows, table);
  const M =
    load<f64>(table + ((<usize>rows) << 3)) + joint -
    load<f64>(sums + ((<usize>u) << 3)) - load<f64>(sums + ((<usize>v) << 3));
  return M > <f64>(load<i32>(a) + 1) * <f64>(load<i32>(b) + 1) ? M : 0; // `settled` of informationTable.ts
}

@inline
function T(table: usize, k: i32): f64 {
  return load<f64>(table + ((<usize>k) << 3));
}

/** sum_ab T(n_ab) by popcounts, two levels of either variable at a time. */
function counted(a: usize, b: usize, left: usize, words: i32, table: usize): f64 {
  const S = load<i32>(a, 4);
  const R = load<i32>(b, 4);
  const bytes = (<usize>words) << 3;
  const marginsA: usize = load<i32>(a, 16);
  const marginsB: usize = load<i32>(b, 16);
  let sum: f64 = 0;
  memory.copy(left, marginsB, (<usize>R) << 2);
  let x: usize = load<i32>(a, 8);
  for (let p = 0; p < S; p += 2, x += bytes << 1) {
    let rest0 = load<i32>(marginsA + ((<usize>p) << 2));
    let rest1 = load<i32>(marginsA + ((<usize>p) << 2), 4);
    let y: usize = load<i32>(b, 8);
    for (let q = 0; q < R; q += 2, y += bytes << 1) {
      let n00: i64 = 0;
      let n01: i64 = 0;
      let n10: i64 = 0;
      let n11: i64 = 0;
      for (let w: usize = 0; w < bytes; w += 8) {
        const x0 = load<i64>(x + w);
        const x1 = load<i64>(x + bytes + w);
        const y0 = load<i64>(y + w);
        const y1 = load<i64>(y + bytes + w);
        n00 += popcnt<i64>(x0 & y0);
        n01 += popcnt<i64>(x0 & y1);
        n10 += popcnt<i64>(x1 & y0);
        n11 += popcnt<i64>(x1 & y1);
      }
      const c00 = <i32>n00;
      const c01 = <i32>n01;
      const c10 = <i32>n10;
      const c11 = <i32>n11;
      sum += T(table, c00) + T(table, c01) + T(table, c10) + T(table, c11);
      rest0 -= c00 + c01;
      rest1 -= c10 + c11;
      const at = left + ((<usize>q) << 2);
      store<i32>(at, load<i32>(at) - c00 - c10);
      store<i32>(at, load<i32>(at, 4) - c01 - c11, 4);
    }
    sum += T(table, rest0) + T(table, rest1);
  }
  let last = load<i32>(marginsA + ((<usize>S) << 2));
  for (let q = 0; q < R; q++) {
    const rest = load<i32>(left + ((<usize>q) << 2));
    last -= rest;
    sum += T(table, rest);
  }
  return sum + T(table, last);
}

/** The same by counting rows. */
function histogram(a: usize, b: usize, counts: usize, rows: i32, table: usize): f64 {
  const L = load<i32>(b);
  const cells = <usize>(load<i32>(a) * L);
  memory.fill(counts, 0, cells << 2);
  const x: usize = load<i32>(a, 12);
  const y: usize = load<i32>(b, 12);
  const end = (<usize>rows) << 1;
  for (let i: usize = 0; i < end; i += 2) {
    const at = counts + ((<usize>(<i32>load<u16>(x + i) * L + <i32>load<u16>(y + i))) << 2);
    store<i32>(at, load<i32>(at) + 1);
  }
  let sum: f64 = 0;
  for (let c: usize = 0; c < cells; c++) sum += T(table, load<i32>(counts + (c << 2)));
  return sum;
}
