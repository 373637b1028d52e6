import { random } from "../../core/index.ts";
import { loadKernel, takeRows, type Matrix, type NearestRows } from "../../matrix/index.ts";
import { buildProblem, columnMeans, valueOrder } from "../../matrix/internal.ts";
import { cellPlan, exactCost, type CellPlan, type Screen } from "./cellPlan.ts";
import { cellOrder, moveCenters } from "./cells.ts";
import * as binary from "../kernel/cells.wasm.ts";
import { mainDirections } from "./mainDirections.ts";
import { measuredCandidates, nearestOthers } from "./measuredCandidates.ts";

export interface ApproximateNeighbors extends NearestRows {
  /** Estimated share of the true neighbours that were found. */
  readonly recall: number;
}

export interface ApproximateSearch {
  readonly seed: number;
  /** The share of the true neighbours to find. */
  readonly enough: number;
  /** The largest absolute value of the rows. */
  readonly largest: number;
}

/** Directions of largest variance that rows are compared in first, and those that cells are made in. */
const DIRECTIONS = 96;
const CELL_DIRECTIONS = 64;
/** Numbers of directions to compare in; 0: all columns. */
const DEPTHS = [16, 24, 32, 48, 64, 96];
/** Rows that give the directions, and those per cell that give its centre. */
const DIRECTION_ROWS = 1000;
const ROWS_PER_CENTER = 24;
const CENTER_ROUNDS = 3;
/** Rows that the plan is made from, and others that check the result. */
const SAMPLE = 128;
/** A plan finds this much more than is wanted in its sample, because others may be harder. */
const MARGIN = 0.012;
const MOST_PLANS = 3;
/** A plan must be this much cheaper than an exact search, which has no sample to compare with. */
const WORTHWHILE = 0.6;
/** With fewer rows the samples alone take as long as comparing all. */
const LEAST_ROWS = 2000;
/** Rows that are packed at a time when all are passed, and those of other cells that are compared with a cell's. */
const PART = 64;
const VISITORS = 512;
/** All rows stay in double precision beside the others if they take no more memory than this. */
const MOST_BYTES = 2 ** 29;

/**
 * Nearest neighbours, most of them; undefined where an exact search takes no longer. Rows are divided into cells
 * (k-means with about 2 sqrt(n) centres, in the directions of largest variance). Every row is compared with those of
 * its own cell and of the next cells, by blocks of products; a pair counts for both rows. The comparison uses as many
 * directions as needed: the best candidates are then measured in all columns. How many directions, candidates and cells
 * is decided by the true neighbours of a sample of rows, the share found by another sample; if it is less than `enough`,
 * the search is repeated with a larger plan.
 *
 * Distances are those of `nearestRows`, in single precision while searching. The same seed gives the same answer, for
 * every order of the rows. If `goOn` returns false, the search ends with the own cell and the next.
 */
export function approximateNeighbors(
  X: Matrix,
  k: number,
  { seed, enough, largest }: ApproximateSearch,
  goOn: (fraction: number) => boolean = () => true,
): ApproximateNeighbors | undefined {
  const { rows: n, cols: d } = X;
  if (n < LEAST_ROWS || k > n / 8) return undefined;
  const stream = random(seed);
  const build = buildProblem(binary, "relaxed") === undefined ? "relaxed" : "simd";
  const kernel = loadKernel<binary.Exports>("graph/cells", binary, { build });
  const run = kernel.exports;
  const { f32 } = kernel;
  const sampled = Math.min(2 * SAMPLE, n);
  const scale = unitScale(largest);
  // Rows are drawn in the order of their values, so the order of the input does not matter.
  const byValue = valueOrder(X);
  const someRows = takeRows(
    X,
    stream.sample(Math.min(n, DIRECTION_ROWS), n).map((p) => byValue[p]),
  );
  const means = columnMeans(someRows);
  return kernel.scope(() => {
    const bytes = 4 * ((d + 3) & ~3);
    const V = directions();
    const q = (V.rows + 7) & ~7;
    const depths = DEPTHS.filter((depth) => depth <= q && depth < d);
    const cellDepth = Math.min(q, CELL_DIRECTIONS);
    const total = n + sampled;
    const padded = (total + 7) & ~7;
    // Addresses: numbers of all rows, rows in all columns and in the main directions, norms, bounds.
    const numbers = kernel.reserve(4 * padded);
    const [full, short] = [kernel.reserve(bytes * total), kernel.reserve(4 * q * total)];
    const [norms, bounds] = [kernel.reserve(4 * padded), kernel.reserve(4 * padded)];
    const packed = kernel.reserve(bytes * Math.max(PART, q));
    const zeros = kernel.reserve(bytes + 4 * q);
    f32(zeros, bytes / 4 + q).fill(0);
    kernel.i32(numbers, padded).forEach((_, i, all) => (all[i] = i));

    project();
    const { count, starts, cellOf, rowAt, centers } = divide();
    const values = 8 * n * d <= MOST_BYTES ? kernel.reserve(8 * n * d) : undefined;
    fillRows(rowAt, values, (first, part, source, center) => {
      run.useSpace(full, bytes, bytes, norms);
      run.fill(part, d, source, center, scale, first);
    });
    const sample = stream.sample(sampled, n);
    appendSample();
    let going = goOn(0.2);
    const truth = trueNeighbors();
    going &&= goOn(0.4);
    const half = Math.floor(sampled / 2);
    const evidence = { rows: n, columns: d, ...cellsNeeded(), screens: screens() };
    let wanted = enough + Math.min(MARGIN, (1 - enough) / 2);
    for (let attempt = 0; attempt < MOST_PLANS; attempt++) {
      going &&= goOn(0.5 + 0.15 * attempt);
      const plan = going ? cellPlan(evidence, wanted) : leastPlan();
      if (plan === undefined || plan.cost > WORTHWHILE * exactCost(n, d)) return undefined;
      const found = search(plan);
      if (found === undefined) return undefined;
      const recall = share(found);
      if (recall >= enough || !going) return { ...found, recall };
      wanted = Math.min(1, wanted + MARGIN + enough - recall);
    }
    return undefined;

    function leastPlan(): CellPlan {
      return { directions: depths[0] ?? 0, kept: fours(2 * k), cells: 1, cost: 0 };
    }

    /** The main directions of a sample of rows. */
    function directions(): Matrix {
      const S = someRows;
      for (let p = 0, f = 0; p < S.data.length; p++, f = f + 1 === d ? 0 : f + 1)
        S.data[p] = (S.data[p] - means[f]) * scale;
      return mainDirections(S, Math.min(d, DIRECTIONS), stream);
    }

    /** Calls `use` with parts of the rows, in an order or as they are, copied to the kernel's memory: all of them to `all`. */
    function fillRows(
      order: Int32Array | undefined,
      all: number | undefined,
      use: (first: number, part: number, source: number, center: number) => void,
    ): void {
      kernel.scope(() => {
        const center = kernel.reserve(8 * d);
        const most = Math.max(1, Math.min(n, Math.floor(2 ** 16 / d)));
        const one = kernel.reserve(8 * most * d);
        kernel.f64(center, d).set(means);
        for (let first = 0; first < n; first += most) {
          const part = Math.min(most, n - first);
          const source = all === undefined ? one : all + 8 * first * d;
          const copy = kernel.f64(source, part * d);
          if (order === undefined) copy.set(X.data.subarray(first * d, (first + part) * d));
          else {
            for (let p = 0; p < part; p++) {
              const i = order[first + p];
              copy.set(X.data.subarray(i * d, (i + 1) * d), p * d);
            }
          }
          use(first, part, source, center);
        }
      });
    }

    /** Rows in the main directions, in the order of X. */
    function project(): void {
      const most = Math.max(1, Math.min(n, Math.floor(2 ** 16 / d)));
      kernel.scope(() => {
        const rows = kernel.reserve(bytes * Math.max(most, q));
        const along = f32(rows, (bytes / 4) * q).fill(0);
        for (let v = 0; v < V.rows; v++) {
          for (let f = 0; f < d; f++) along[(v * bytes) / 4 + f] = V.data[v * d + f];
        }
        run.useSpace(rows, bytes, bytes, norms);
        run.pack(numbers, q, packed);
        fillRows(undefined, undefined, (first, part, source, center) => {
          run.useSpace(rows, bytes, bytes, norms);
          run.fill(part, d, source, center, scale, 0);
          run.products(part, q, packed, short + 4 * q * first, 4 * q);
        });
      });
    }

    /** Cells by k-means; positions are then in the order of the cells. */
    function divide(): Cells {
      const groups = Math.max(
        1,
        Math.min(Math.round(2.3 * Math.sqrt(n)), Math.floor(n / Math.max(24, 2 * k))),
      );
      const found = kernel.reserve(4 * n);
      const drawn = stream.sample(Math.min(n, ROWS_PER_CENTER * groups), n).map((p) => byValue[p]);
      const list = kernel.reserve(4 * drawn.length);
      kernel.i32(list, drawn.length).set(drawn);
      const rows = kernel.reserve(4 * cellDepth * groups);
      const points = f32(short, n * q);
      const center = f32(rows, groups * cellDepth);
      for (let c = 0; c < groups; c++) {
        for (let f = 0; f < cellDepth; f++) center[c * cellDepth + f] = points[drawn[c] * q + f];
      }
      const centers = reserveCenters(groups);
      const assign = (rowList: number, length: number): Int32Array => {
        nearestOf(shrunk(rows, centers), rowList, length, 1, found);
        return kernel.i32(found, length);
      };
      for (let round = 0; round < CENTER_ROUNDS; round++) {
        const nearest = assign(list, drawn.length);
        moveCenters(nearest, drawn, points, q, center, cellDepth, groups);
      }
      const most = Math.ceil((4 * n) / groups);
      const { order, starts, cellOf } = cellOrder(assign(numbers, n), byValue, groups, most);
      kernel.scope(() => {
        const [list, moved] = [kernel.reserve(4 * n), kernel.reserve(4 * q * n)];
        kernel.i32(list, n).set(order);
        run.inOrder(list, n, 4 * q, short, moved);
        f32(short, n * q).set(f32(moved, n * q));
      });
      const count = starts.length - 1;
      const means = kernel.reserve(4 * cellDepth * count);
      const inOrder = f32(short, n * q);
      const places = Int32Array.from({ length: n }, (_, p) => p);
      moveCenters(cellOf, places, inOrder, q, f32(means, count * cellDepth), cellDepth, count);
      const final = shrunk(means, reserveCenters(count));
      return { count, starts, cellOf, rowAt: order, centers: final };
    }

    /** Addresses for centres of cells as integers. */
    function reserveCenters(count: number): Centers {
      const eights = (count + 7) & ~7;
      const [woven, units] = [kernel.reserve(2 * cellDepth * eights), kernel.reserve(4 * eights)];
      return { count, woven, units, lengths: kernel.reserve(4 * eights) };
    }

    /** Centres, `cellDepth` floats each, as integers. */
    function shrunk(rows: number, to: Centers): Centers {
      kernel.scope(() => {
        const integers = kernel.reserve(2 * cellDepth * to.count);
        run.useSpace(rows, 4 * cellDepth, 4 * cellDepth, norms);
        run.shrink(numbers, to.count, zeros, integers, to.units, to.lengths, 0);
        run.weave(to.count, integers, to.woven);
      });
      return to;
    }

    /** The `most` nearest centres of the listed rows, at `found`. */
    function nearestOf(
      { count, woven, units, lengths }: Centers,
      list: number,
      length: number,
      most: number,
      found: number,
    ): void {
      kernel.scope(() => {
        const work = kernel.reserve(16 * (count + 8) + 4 * most + 32 + 8 * cellDepth);
        run.useSpace(short, 4 * q, 4 * cellDepth, norms);
        run.nearestCenters(list, length, count, woven, units, lengths, zeros, most, found, work);
      });
    }

    /** The sampled rows again, after all others, so that they have heaps of their own. */
    function appendSample(): void {
      const [wide, narrow] = [f32(full, (bytes / 4) * total), f32(short, q * total)];
      sample.forEach((i, p) => {
        wide.copyWithin(((n + p) * bytes) / 4, (i * bytes) / 4, ((i + 1) * bytes) / 4);
        narrow.copyWithin((n + p) * q, i * q, (i + 1) * q);
      });
    }

    function useDepth(depth: number): void {
      if (depth === 0) run.useSpace(full, bytes, bytes, norms);
      else run.useSpace(short, 4 * q, 4 * depth, norms);
    }

    /**
     * The `most` nearest rows of the first `length` rows of the sample among all, nearest first, in some directions (0:
     * all columns); `farthest` bounds the distances of others. A row itself is in its list.
     */
    function scan(depth: number, length: number, most: number): { near: Int32Array; farthest: Float32Array } {
      return kernel.scope(() => {
        const [D, I] = [kernel.reserve(4 * length * most), kernel.reserve(4 * length * most)];
        useDepth(depth);
        run.measureNorms(total);
        run.useHeaps(most, n, n + length, D, I, bounds);
        for (let first = 0; first < n; first += PART) {
          const part = Math.min(PART, n - first);
          const list = numbers + 4 * first;
          run.pack(list, part, packed);
          run.scan(numbers + 4 * n, length, list, part, packed, norms + 4 * first);
        }
        const farthest = Float32Array.from({ length }, (_, p) => f32(D, length * most)[p * most]);
        run.sortHeaps(n, n + length);
        return { near: kernel.i32(I, length * most).slice(), farthest };
      });
    }

    /** The true neighbours of the sampled rows, as positions, and the squared distances of the last ones. */
    function trueNeighbors(): Truth {
      const most = fours(2 * k + 9);
      const { near, farthest } = scan(0, sampled, most);
      const squares = f32(norms, n);
      let longest = 0;
      for (let i = 0; i < n; i++) if (squares[i] > longest) longest = squares[i];
      const nearest = new Int32Array(sampled * k);
      const limits = new Float64Array(sampled);
      const doubtful: number[] = [];
      for (let p = 0; p < sampled; p++) {
        const others = near.subarray(p * most, (p + 1) * most).filter((j) => j >= 0 && j !== sample[p]);
        const measured = Array.from(others, (j) => ({
          j,
          distance: distance(X, rowAt[sample[p]], rowAt[j]),
        }));
        measured.sort((a, b) => a.distance - b.distance || a.j - b.j);
        measured.slice(0, k).forEach(({ j }, t) => (nearest[p * k + t] = j));
        limits[p] = measured[k - 1]?.distance ?? Infinity;
        // The error of distances in single precision (matrix/kernel/nearest.as.ts).
        const error = ((d + 32) / 2 ** 22) * (squares[sample[p]] + longest);
        if (most < n && !(limits[p] * scale * scale + error < farthest[p])) doubtful.push(p);
      }
      if (doubtful.length > 0) {
        const places = new Int32Array(n);
        rowAt.forEach((row, place) => (places[row] = place));
        const rows = doubtful.map((p) => rowAt[sample[p]]);
        const exact = nearestOthers(X, k, rows);
        doubtful.forEach((p, at) => {
          for (let t = 0; t < k; t++) nearest[p * k + t] = places[exact.indices[at * k + t]];
          limits[p] = exact.distances[at * k + k - 1];
        });
      }
      return { nearest, limits };
    }

    /** How many cells the rows of the plan's sample and their true neighbours have to look at to meet. */
    function cellsNeeded(): { needed: Float64Array; reached: Float64Array } {
      const most = Math.min(count, Math.max(2, Math.ceil(count / 3)));
      const pairs = half * k;
      const asking = new Int32Array(half + pairs);
      asking.set(sample.subarray(0, half));
      asking.set(truth.nearest.subarray(0, pairs), half);
      const lists = cellsOf(asking, most);
      const rank = (at: number, cell: number): number => {
        const own = cellOf[asking[at]];
        if (own === cell) return 0;
        let seen = 0;
        for (let p = at * most; p < (at + 1) * most; p++) {
          if (lists[p] === own) continue;
          seen++;
          if (lists[p] === cell) return seen;
        }
        return Infinity;
      };
      const needed = new Float64Array(pairs);
      const reached = new Float64Array(most);
      for (let p = 0; p < half; p++) {
        const own = cellOf[sample[p]];
        for (let t = p * k; t < (p + 1) * k; t++) {
          needed[t] = Math.min(rank(p, cellOf[truth.nearest[t]]), rank(half + t, own));
        }
        let sum = starts[own + 1] - starts[own];
        reached[0] += sum;
        for (let at = p * most, seen = 1; seen < most && at < (p + 1) * most; at++) {
          if (lists[at] === own) continue;
          sum += starts[lists[at] + 1] - starts[lists[at]];
          reached[seen++] += sum;
        }
      }
      return { needed, reached: reached.map((sum) => sum / half) };
    }

    /** The first `most` cells of the rows at some positions. */
    function cellsOf(positions: Int32Array, most: number): Int32Array {
      return kernel.scope(() => {
        const list = kernel.reserve(4 * positions.length);
        const found = kernel.reserve(4 * positions.length * most);
        kernel.i32(list, positions.length).set(positions);
        nearestOf(centers, list, positions.length, most, found);
        return kernel.i32(found, positions.length * most).slice();
      });
    }

    /** Which true neighbours of the plan's sample are among the first candidates in fewer directions. */
    function screens(): Screen[] {
      const sizes = [k + 6, 2 * k + 4, 4 * k + 4].map(fours);
      const most = sizes[2] + 4;
      const tried = (depth: number): Screen[] => {
        const { near } = scan(depth, half, most);
        return sizes.map((kept) => {
          const survives = new Uint8Array(half * k);
          for (let p = 0; p < half; p++) {
            const first = new Set(near.subarray(p * most, p * most + kept + 1));
            for (let t = p * k; t < (p + 1) * k; t++) survives[t] = first.has(truth.nearest[t]) ? 1 : 0;
          }
          return { directions: depth, kept, survives };
        });
      };
      const all: Screen[] = [{ directions: 0, kept: fours(k + 2) }];
      const deepest = depths.at(-1);
      if (deepest === undefined) return all;
      const last = tried(deepest);
      // Where the most directions are too few, fewer are, too.
      const share = (screen: Screen): number =>
        screen.survives!.reduce((sum, one) => sum + one, 0) / (half * k);
      if (share(last[2]) < enough) return all;
      for (const depth of depths.slice(0, -1)) {
        const some = tried(depth);
        all.push(...some);
        if (share(some[0]) === 1) return all;
      }
      return [...all, ...last];
    }

    function search({ directions: depth, kept, cells: beside }: CellPlan): NearestRows | undefined {
      return kernel.scope(() => {
        const [D, I] = [kernel.reserve(4 * n * kept), kernel.reserve(4 * n * kept)];
        const { offsets, visitors } = visits(beside);
        let widest = VISITORS;
        for (let c = 0; c < count; c++) widest = Math.max(widest, starts[c + 1] - starts[c]);
        const room = (widest + 7) & ~7;
        const width = depth === 0 ? bytes / 4 : depth;
        const center = kernel.reserve(4 * width);
        const panels = kernel.reserve(2 * width * room);
        const [integers, units] = [kernel.reserve(2 * width * n), kernel.reserve(4 * padded)];
        const own = kernel.reserve(2 * width * room);
        const [squaresL, limitsL] = [kernel.reserve(4 * room), kernel.reserve(4 * room)];
        const [unitsR, squaresR, limitsR] = [
          kernel.reserve(4 * room),
          kernel.reserve(4 * room),
          kernel.reserve(4 * room),
        ];
        const left = kernel.reserve(4 * visitors.length + 4);
        const some = kernel.reserve(4 * room);
        useDepth(depth);
        run.useHeaps(kept, 0, n, D, I, bounds);
        run.shrink(numbers, n, zeros, integers, units, bounds, 0);
        /** The rows of a list, in panels. */
        const weave = (list: number, size: number): void => {
          run.shrink(list, size, center, own, unitsR, squaresR, limitsR);
          run.weave(size, own, panels);
        };
        /** Compares rows with those in panels. */
        const meet = (list: number, length: number, R: number, size: number): void => {
          for (let first = 0; first < length; first += room) {
            const L = list + 4 * first;
            const part = Math.min(room, length - first);
            run.measureFrom(L, part, center, squaresL, limitsL);
            run.compare(
              ...([L, part, integers, units, squaresL, limitsL] as const),
              ...([R, size, panels, unitsR, squaresR, limitsR] as const),
              L === R ? 1 : 0,
            );
          }
        };
        for (let c = 0; c < count; c++) {
          const list = numbers + 4 * starts[c];
          const size = starts[c + 1] - starts[c];
          run.centerOf(list, size, center);
          weave(list, size);
          meet(list, size, list, size);
        }
        const lists = kernel.i32(left, visitors.length);
        const rest = kernel.i32(some, room);
        for (let c = 0; c < count; c++) {
          if (offsets[c] === offsets[c + 1]) continue;
          const [start, end] = [starts[c], starts[c + 1]];
          const [list, size] = [numbers + 4 * start, end - start];
          run.centerOf(list, size, center);
          let together = 0;
          for (let at = offsets[c]; at < offsets[c + 1];) {
            const other = cellOf[visitors[at]];
            let next = at + 1;
            while (next < offsets[c + 1] && visitors[next] < starts[other + 1]) next++;
            // Rows of this cell that look at the other one have met its rows there.
            const known =
              other < c ? [0, 0] : between(visitors, offsets[other], offsets[other + 1], start, end);
            const unknown = size - (known[1] - known[0]);
            if (unknown * (next - at + 6) < size * (next - at)) {
              let length = 0;
              for (let i = start, v = known[0]; i < end; i++) {
                if (v < known[1] && visitors[v] === i) v++;
                else rest[length++] = i;
              }
              if (length > 0) {
                const first = together;
                for (let v = at; v < next; v++) lists[first + v - at] = visitors[v];
                weave(some, length);
                meet(left + 4 * first, next - at, some, length);
              }
            } else for (let v = at; v < next; v++) lists[together++] = visitors[v];
            at = next;
          }
          weave(list, size);
          meet(left, together, list, size);
        }
        return measuredCandidates(kernel, X, k, kept, I, { rowAt, starts, values });
      });
    }

    /** For each cell the rows of others that look at it, in the order of positions. */
    function visits(beside: number): { offsets: Int32Array; visitors: Int32Array } {
      const most = Math.min(count, beside + 1);
      const places = Int32Array.from({ length: n }, (_, p) => p);
      const lists = cellsOf(places, most);
      const offsets = new Int32Array(count + 1);
      for (let i = 0; i < n; i++) {
        for (let p = i * most, left = beside; p < (i + 1) * most && left > 0; p++) {
          if (lists[p] === cellOf[i]) continue;
          left--;
          offsets[lists[p] + 1]++;
        }
      }
      for (let c = 0; c < count; c++) offsets[c + 1] += offsets[c];
      const visitors = new Int32Array(offsets[count]);
      const filled = offsets.slice();
      for (let i = 0; i < n; i++) {
        for (let p = i * most, left = beside; p < (i + 1) * most && left > 0; p++) {
          if (lists[p] === cellOf[i]) continue;
          left--;
          visitors[filled[lists[p]]++] = i;
        }
      }
      return { offsets, visitors };
    }

    /** The share of rows within the distance of the true k-th neighbour that were found, for the other sample. */
    function share({ distances }: NearestRows): number {
      let right = 0;
      for (let p = half; p < sampled; p++) {
        const i = rowAt[sample[p]];
        for (let t = i * k; t < (i + 1) * k; t++) if (distances[t] <= truth.limits[p]) right++;
      }
      return right / ((sampled - half) * k);
    }
  });
}

interface Cells {
  readonly count: number;
  /** Cell c has positions starts[c] .. starts[c + 1] - 1. */
  readonly starts: Int32Array;
  readonly cellOf: Int32Array;
  /** The row of each position. */
  readonly rowAt: Int32Array;
  readonly centers: Centers;
}

/** Addresses of centres as woven integers, of their units and of their squared lengths. */
interface Centers {
  readonly count: number;
  readonly woven: number;
  readonly units: number;
  readonly lengths: number;
}

interface Truth {
  readonly nearest: Int32Array;
  readonly limits: Float64Array;
}

/** The next multiple of four: the length of a heap. */
function fours(length: number): number {
  return (length + 3) & ~3;
}

/** A power of two that brings the largest entry, less any mean, below 1. */
function unitScale(largest: number): number {
  return largest > 0 ? 2 ** -Math.max(-1021, Math.min(1021, Math.floor(Math.log2(largest)) + 2)) : 1;
}

/** The part of a rising list, from `first` to `last`, with values from `low` to `high` - 1. */
function between(list: Int32Array, first: number, last: number, low: number, high: number): [number, number] {
  const place = (value: number): number => {
    let [a, b] = [first, last];
    while (a < b) {
      const middle = (a + b) >> 1;
      if (list[middle] < value) a = middle + 1;
      else b = middle;
    }
    return a;
  };
  return [place(low), place(high)];
}

function distance({ cols: d, data }: Matrix, i: number, j: number): number {
  let sum = 0;
  for (let p = i * d, q = j * d; p < (i + 1) * d; p++, q++) sum += (data[p] - data[q]) ** 2;
  return sum;
}
