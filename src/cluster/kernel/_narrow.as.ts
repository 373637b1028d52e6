// Products of 16-bit integers (_short.as.ts) as a filter, for long rows: `Q` and `facts` hold the rows of a block, minus a
// common centre and times a factor; `QC` and `factsC` the centres, in fours, padded with ones that are far away. Products
// never decide alone: what they leave open is measured in double precision.
import { shortProduct, shortProducts, shortRow } from "../../matrix/kernel/_short.as";
import { above, below, distance, taken } from "./_distance.as";

/** Bytes of the facts of a row, and of four centres. */
const FACTS: usize = 16;
const FACTS4: usize = 48;
/** More than the relative rounding of an estimate in single precision. */
const ROUNDING: f32 = 2e-6;

export function narrowRows(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, X: usize, center: usize, factor: f64, Q: usize,
  facts: usize,
): void {
  const end = min(rows, (task + 1) * span);
  for (let i = <usize>(task * span); i < <usize>end; i++) {
    shortRow(d, w, X + i * (<usize>s << 3), center, factor, Q + i * (<usize>w << 1), facts + i * FACTS, 4);
  }
}

export function narrowCenters(
  d: i32, s: i32, w: i32, K: i32, C: usize, center: usize, factor: f64, QC: usize, factsC: usize,
): void {
  const bytes = <usize>w << 1;
  for (let k = 0; k < ((K + 3) & ~3); k++, C += <usize>s << 3) {
    const facts = factsC + <usize>(k >> 2) * FACTS4 + (<usize>(k & 3) << 2);
    const to = QC + <usize>k * bytes;
    if (k < K) {
      shortRow(d, w, C, center, factor, to, facts, 16);
      continue;
    }
    memory.fill(to, 0, bytes);
    store<f32>(facts, 0);
    store<f32>(facts, 1e17, 16);
    store<f32>(facts, 0, 32);
  }
}

/** The facts of a row for `estimate`: twice the unit, the squared length, twice the rest, twice the length and the rest. */
let units: v128 = f32x4.splat(0);
let square: v128 = f32x4.splat(0);
let rests: v128 = f32x4.splat(0);
let lengths: v128 = f32x4.splat(0);

function takeFacts(fact: usize): void {
  const unit = v128.load_splat<f32>(fact), length = v128.load_splat<f32>(fact, 4), rest = v128.load_splat<f32>(fact, 8);
  const sum = f32x4.add(length, rest);
  units = f32x4.add(unit, unit);
  square = f32x4.mul(length, length);
  rests = f32x4.add(rest, rest);
  lengths = f32x4.add(sum, sum);
}

/** The sum of the squared lengths of the row and four centres. */
// @ts-ignore: decorator
@inline
function squares(factsC: usize): v128 {
  const length = v128.load(factsC, 16);
  return f32x4.add(square, f32x4.mul(length, length));
}

/** Squared distances to four centres, of which `lost` says how far off they may be. */
// @ts-ignore: decorator
@inline
function estimate(factsC: usize, sum: v128, products: v128): v128 {
  return f32x4.sub(sum, f32x4.mul(f32x4.mul(units, v128.load(factsC)), f32x4.convert_i32x4_s(products)));
}

// @ts-ignore: decorator
@inline
function lost(factsC: usize, sum: v128): v128 {
  const off = f32x4.add(f32x4.mul(rests, v128.load(factsC, 16)), f32x4.mul(lengths, v128.load(factsC, 32)));
  return f32x4.add(off, f32x4.mul(f32x4.splat(ROUNDING), sum));
}

let touched: i32 = 0;

/** Brings a row into the cache while another is computed: those of a list are too far apart to be fetched ahead. */
function touch(x: usize, bytes: usize): void {
  for (const end = x + bytes; x < end; x += 64) touched |= load<i32>(x);
}

/** An estimate is taken for a distance if its error is below this share of it. */
const ACCURATE: f64 = 1 / 64;

/**
 * As `closest`, with distances that are estimated where that is accurate. scratch: 8 bytes and 8 count, rounded up to
 * fours.
 */
export function closestNarrow(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, count: i32, X: usize, C: usize,
  Q: usize, facts: usize, QC: usize, factsC: usize, factor: f64, list: usize, limits: usize, labels: usize, weights: usize,
  first: i32, D: usize,
): void {
  const row = <usize>s << 3, bytes = <usize>w << 1, end = min(rows, (task + 1) * span);
  let sum: f64 = 0;
  for (let e = task * span; e < end; e++) {
    const i = <usize>(list == 0 ? e : load<i32>(list + (<usize>e << 2))), limit = load<f64>(limits + (i << 3));
    if (list != 0 && e + 1 < end) touch(Q + <usize>load<i32>(list + (<usize>e << 2), 4) * bytes, bytes);
    takeFacts(facts + i * FACTS);
    for (let t = 0; t < count; t += 4) {
      const c = QC + <usize>t * bytes, x = Q + i * bytes, factC = factsC + <usize>(t >> 2) * FACTS4, both = squares(factC);
      const products = t + 1 == count ? i32x4.splat(shortProduct(w, x, c)) : shortProducts(w, x, c);
      const about = estimate(factC, both, products), off = lost(factC, both), to = scratch + (<usize>t << 3);
      let open = known(about, off, factor, limit, to);
      open |= known(v128.shuffle<i64>(about, about, 1, 0), v128.shuffle<i64>(off, off, 1, 0), factor, limit, to + 16) << 2;
      for (; open != 0; open &= open - 1) {
        const k = <usize>ctz(open) + t;
        if (k < <usize>count) store<f64>(scratch + (k << 3), distance(s, X + i * row, C + k * row));
      }
    }
    store<f64>(scratch + (<usize>count << 3), Infinity);
    sum += taken(e, i, scratch, count, list, limits, labels, weights, first, D);
  }
  if (list == 0) store<f64>(D + (<usize>task << 3), sum);
}

/** Stores two estimates, or the limit for those beyond it; returns a bit for each that is neither accurate nor beyond. */
function known(about: v128, off: v128, factor: f64, limit: f64, to: usize): i32 {
  const unit = f64x2.splat(1 / (factor * factor)), most = f64x2.splat(limit);
  const value = f64x2.mul(f64x2.promote_low_f32x4(about), unit), open = f64x2.mul(f64x2.promote_low_f32x4(off), unit);
  const beyond = f64x2.ge(f64x2.sub(value, open), most);
  v128.store(to, v128.bitselect(most, value, beyond));
  return ~i64x2.bitmask(v128.or(beyond, f64x2.le(open, f64x2.mul(f64x2.splat(ACCURATE), value)))) & 3;
}

/** Bounds are kept in single precision, rounded down by this share; no loss by underflow is as large as TINY. */
const LOSS: f64 = 9.5367431640625e-7;
const TINY: f64 = 1e-30;

/**
 * Adds the largest drift of the centres g, g + 4 V, ..., times the factor, to the total g of 4 V; `totals` keeps these, and
 * `rounded` what `elkan` takes.
 */
export function addDrifts(K: i32, V: i32, factor: f64, drift: usize, totals: usize, rounded: usize): void {
  for (let g = 0; g < V << 2; g++) {
    const at = totals + (<usize>g << 3), to = rounded + (<usize>(2 * g - (g & 3)) << 2);
    let most: f64 = 0;
    for (let k = g; k < K; k += V << 2) most = max(most, load<f64>(drift + (<usize>k << 3)));
    const total = (load<f64>(at) + most * factor) * (1 + 1e-15);
    store<f64>(at, total);
    store<f32>(to, <f32>(total * (1 + LOSS)));
    store<f32>(to, <f32>(total * (1 - LOSS)), 16);
  }
}

/** The least of four bounds, rounded down. */
function lowest(least: v128): f64 {
  least = f32x4.pmin(least, v128.shuffle<i32>(least, least, 2, 3, 0, 1));
  return <f64>min(f32x4.extract_lane(least, 0), f32x4.extract_lane(least, 1)) - TINY;
}

/**
 * As `hamerly`, with additional lower bounds for rows that the common one does not settle, 4 V for each row (C. Elkan, 2003,
 * "Using the triangle inequality to accelerate k-means"): bound g is for the centres g, g + 4 V, ..., which are one where
 * there is room (Y. Ding et al., 2015, "Yinyang k-means"), except the row's own. At `each` is its value plus the sum of
 * the drifts of the group so far, times the factor, so no pass has to lower it; `totals` has these sums, V times four
 * rounded up and four rounded down. Centres that the bounds do not exclude are compared as integers, and those that these
 * leave open are measured. scratch: 8 K + 64 bytes.
 */
export function elkan(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, K: i32, X: usize, C: usize,
  Q: usize, facts: usize, QC: usize, factsC: usize, factor: f64, labels: usize, upper: usize, lower: usize, drift: usize,
  shrink: usize, near: usize, moved: usize, gains: usize, counts: usize, V: i32, each: usize, totals: usize,
): void {
  const row = <usize>s << 3, bytes = <usize>w << 1, begin = task * span, end = min(rows, begin + span);
  const listed = scratch + (<usize>((K + 3) & ~3) << 2), none = f32x4.splat(Infinity), lanes = i32x4(0, 1, 2, 3);
  const unit = 1 / factor, less = f32x4.splat(<f32>(1 - LOSS));
  moved += <usize>begin << 2;
  gains += <usize>begin << 3;
  let count = 0;
  for (let i = begin; i < end; i++) {
    const at = <usize>i, own = load<i32>(labels + (at << 2)), x = Q + at * bytes, fact = facts + at * FACTS;
    let u = Infinity, highs = none;
    if (own < 0) takeFacts(fact);
    else {
      const to = <usize>own << 3;
      u = load<f64>(upper + (at << 3)) + load<f64>(drift + to);
      const common = load<f64>(lower + (at << 3)) - load<f64>(shrink + to), safe = max(common, load<f64>(near + to));
      store<f64>(lower + (at << 3), common);
      if (u > safe) {
        const limit = f32x4.splat(<f32>(u * factor * (1 + LOSS) + TINY));
        let least = none, v = 0;
        for (; v < V; v++) {
          const bound = f32x4.sub(v128.load(each + ((at * <usize>V + v) << 4)), v128.load(totals + (<usize>v << 5)));
          if (!i32x4.all_true(f32x4.gt(bound, limit))) break;
          least = f32x4.pmin(least, bound);
        }
        if (v == V) {
          store<f64>(upper + (at << 3), u);
          store<f64>(lower + (at << 3), lowest(least) * unit);
          continue;
        }
        takeFacts(fact);
        const product = i32x4.splat(shortProduct(w, x, QC + <usize>own * bytes));
        const factC = factsC + <usize>(own >> 2) * FACTS4, both = squares(factC);
        v128.store(scratch, f32x4.add(estimate(factC, both, product), lost(factC, both)));
        const high = load<f32>(scratch + (<usize>(own & 3) << 2));
        highs = f32x4.splat(high);
        const root = above(<f64>max<f32>(high, 0)) * unit;
        if (root < u) u = root;
      }
      store<f64>(upper + (at << 3), u);
      if (u <= safe) continue;
    }
    // Centres that the bounds do not exclude get new bounds; what they may be at most is the limit of what is open.
    const limit = f32x4.splat(<f32>(u * factor * (1 + LOSS) + TINY)), owns = i32x4.splat(own);
    let least = none, blocks = 0;
    for (let v = 0; v < V; v++) {
      const bounds = each + ((at * <usize>V + v) << 4), total = totals + (<usize>v << 5);
      const stored = v128.load(bounds), bound = f32x4.sub(stored, v128.load(total));
      let kept = f32x4.gt(bound, limit);
      const open = ~i32x4.bitmask(kept) & 15, alone = popcnt(open) < 2;
      if (!alone) kept = i32x4.splat(0);
      // A centre that is alone open among four is compared alone; the others keep their bounds.
      least = f32x4.pmin(least, v128.bitselect(bound, none, kept));
      if (open == 0) continue;
      let lows = none;
      for (let k = v << 2; k < K; k += V << 2) {
        const factC = factsC + <usize>(k >> 2) * FACTS4, both = squares(factC), off = lost(factC, both);
        const c = QC + <usize>k * bytes;
        const products = alone ? i32x4.splat(shortProduct(w, x, c + <usize>ctz(open) * bytes)) : shortProducts(w, x, c);
        const about = estimate(factC, both, products);
        highs = f32x4.pmin(highs, v128.bitselect(none, f32x4.add(about, off), kept));
        const isOwn = i32x4.eq(i32x4.add(i32x4.splat(k), lanes), owns);
        const low = v128.bitselect(none, f32x4.sub(about, off), v128.or(isOwn, kept));
        v128.store(scratch + (<usize>k << 2), low);
        store<i32>(listed + (<usize>blocks << 2), k);
        blocks++;
        lows = f32x4.pmin(lows, low);
      }
      const roots = f32x4.sqrt(f32x4.pmax(lows, f32x4.splat(0)));
      v128.store(bounds, v128.bitselect(stored, f32x4.add(f32x4.mul(roots, less), v128.load(total, 16)), kept));
    }
    highs = f32x4.pmin(highs, v128.shuffle<i32>(highs, highs, 2, 3, 0, 1));
    highs = f32x4.pmin(highs, v128.shuffle<i32>(highs, highs, 1, 0, 3, 2));
    let nearest = own, before = NaN, squared = Infinity, next = Infinity, nexts = none;
    for (let p = 0; p < blocks; p++) {
      const block = load<i32>(listed + (<usize>p << 2)), low = v128.load(scratch + (<usize>block << 2));
      const far = f32x4.gt(low, highs);
      nexts = f32x4.pmin(nexts, v128.bitselect(low, none, far));
      for (let open = ~i32x4.bitmask(far) & 15; open != 0; open &= open - 1) {
        const k = block + <i32>ctz(open);
        if (k >= K || k == own) continue;
        if (own >= 0 && before != before) before = squared = distance(s, X + at * row, C + <usize>own * row);
        const other = distance(s, X + at * row, C + <usize>k * row);
        next = min(next, max(other, squared));
        if (other < squared || (other == squared && nearest != own && k < nearest)) {
          squared = other;
          nearest = k;
        }
      }
    }
    if (squared < Infinity) store<f64>(upper + (at << 3), above(squared));
    least = f32x4.pmin(least, f32x4.mul(f32x4.sqrt(f32x4.pmax(nexts, f32x4.splat(0))), less));
    store<f64>(lower + (at << 3), min(lowest(least) * unit, below(next)));
    if (nearest == own) continue;
    if (own >= 0) {
      const lane = own % (V << 2), to = each + ((at * <usize>V) << 4) + (<usize>lane << 2);
      const total = load<f32>(totals + (<usize>(lane >> 2) << 5) + (<usize>(lane & 3) << 2), 16);
      store<f32>(to, min(load<f32>(to), <f32>(sqrt(before) * factor * (1 - LOSS)) + total));
    }
    store<i32>(labels + (at << 2), nearest);
    store<i32>(moved + (<usize>count << 2), i - begin);
    store<f64>(gains + (<usize>count << 3), own < 0 ? -squared : before - squared);
    count++;
  }
  store<i32>(counts + (<usize>task << 2), count);
}
