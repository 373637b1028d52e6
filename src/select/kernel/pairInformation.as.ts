/**
 * Counts of pairs of discrete variables, and mutual information from counts that live only as long as their pair.
 *
 * A variable is a record of five i32: levels L, bit sets S, and the addresses of its bit sets, codes (u16, one per row)
 * and margins. Its bit sets are those of levels 0 .. L - 2, padded to an even number S by an empty one;
 * margins are the counts of these S and then of level L - 1, whose cells follow from the margins. S is
 * NO_SETS if there are none.
 *
 * `table` is T(k), a multiple of k log k rounded to integers small enough for exact sums in doubles in any
 * order (pairInformation.ts), so that I is symmetric, invariant to renamed levels, and 0 for constants:
 *
 *     M(u, v) = T(n) + sum_ab T(n_ab) - sum_a T(n_a) - sum_b T(n_b)
 */
const RECORD: usize = 20;
const TILE: i32 = 16;
/** S of a variable without bit sets. */
const NO_SETS: i32 = 32768;
/** Number of passes above which counting rows is cheaper. */
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

/**
 * The tables of u in firstU .. endU - 1 with all v > u of block `task`, L_u x L_v each, u by u and v by v.
 * `before`: the sum of the levels of the variables before v, for v = 0 .. count.
 */
export function countBlock(
  task: i32, scratch: usize, records: usize, before: usize, count: i32, rows: i32, words: i32, firstU: i32, endU: i32,
  block: i32, out: usize,
): void {
  const end = min((task + 1) * block, count);
  const all = load<i32>(before + ((<usize>count) << 2));
  for (let u = firstU; u < endU; u++) {
    const a = records + <usize>u * RECORD;
    const L = load<i32>(a);
    const own = load<i32>(before + ((<usize>(u + 1)) << 2));
    for (let v = max(task * block, u + 1); v < end; v++) {
      const b = records + <usize>v * RECORD;
      const at = out + ((<usize>L * (load<i32>(before + ((<usize>v) << 2)) - own)) << 2);
      if (bySets(a, b)) counted<i32>(a, b, scratch, words, at);
      else histogram(a, b, at, rows);
    }
    out += (<usize>L * (all - own)) << 2;
  }
}

/** Popcounts cost S_u S_v passes of n / 64 steps, a histogram one of n steps, each about twice as long. */
@inline
function bySets(a: usize, b: usize): bool {
  return max(load<i32>(a, 4), load<i32>(b, 4)) < NO_SETS && load<i32>(a, 4) * load<i32>(b, 4) <= MOST_SETS;
}

@inline
function information(
  u: i32, v: i32, scratch: usize, records: usize, sums: usize, rows: i32, words: i32, table: usize,
): f64 {
  const a = records + <usize>u * RECORD;
  const b = records + <usize>v * RECORD;
  let joint: f64 = 0;
  if (bySets(a, b)) {
    joint = counted<f64>(a, b, scratch, words, table);
  } else {
    const cells = histogram(a, b, scratch, rows);
    for (let c: usize = 0; c < cells; c++) joint += T(table, load<i32>(scratch + (c << 2)));
  }
  const M =
    load<f64>(table + ((<usize>rows) << 3)) + joint -
    load<f64>(sums + ((<usize>u) << 3)) - load<f64>(sums + ((<usize>v) << 3));
  return M > <f64>(load<i32>(a) + 1) * <f64>(load<i32>(b) + 1) ? M : 0; // `settled` of pairInformation.ts
}

@inline
function T(table: usize, k: i32): f64 {
  return load<f64>(table + ((<usize>k) << 3));
}

/** The cell of levels p and q: T of its count if M is f64; otherwise the count itself is stored. */
@inline
function cell<M>(at: usize, width: i32, p: i32, q: i32, count: i32): f64 {
  if (isFloat<M>()) return T(at, count);
  store<i32>(at + ((<usize>(p * width + q)) << 2), count);
  return 0;
}

/**
 * Popcounts, two levels of each variable at a time. If M is f64, `at` is the table of T, and sum_ab T(n_ab)
 * is returned; if it is i32, `at` is the target of the L_a x L_b counts. (The padding set is written as level
 * L - 1, whose counts come later and stay.)
 */
function counted<M>(a: usize, b: usize, left: usize, words: i32, at: usize): f64 {
  const lastA = load<i32>(a) - 1;
  const L = load<i32>(b);
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
      sum +=
        cell<M>(at, L, p, q, c00) + cell<M>(at, L, p, q + 1, c01) +
        cell<M>(at, L, p + 1, q, c10) + cell<M>(at, L, p + 1, q + 1, c11);
      rest0 -= c00 + c01;
      rest1 -= c10 + c11;
      const rests = left + ((<usize>q) << 2);
      store<i32>(rests, load<i32>(rests) - c00 - c10);
      store<i32>(rests, load<i32>(rests, 4) - c01 - c11, 4);
    }
    sum += cell<M>(at, L, p, L - 1, rest0) + cell<M>(at, L, p + 1, L - 1, rest1);
  }
  let last = load<i32>(marginsA + ((<usize>S) << 2));
  for (let q = 0; q < R; q++) {
    const rest = load<i32>(left + ((<usize>q) << 2));
    last -= rest;
    sum += cell<M>(at, L, lastA, q, rest);
  }
  return sum + cell<M>(at, L, lastA, L - 1, last);
}

/** The counts row by row; returns the number of cells. */
function histogram(a: usize, b: usize, counts: usize, rows: i32): usize {
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
  return cells;
}
