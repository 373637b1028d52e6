import type { NearestRows } from "../../matrix/index.ts";
import type { CellPlan } from "./cellPlan.ts";
import type { Cells } from "./divideRows.ts";
import { measuredCandidates } from "./measuredCandidates.ts";
import { useDepth, type RowSpace } from "./rowSpace.ts";

/** Rows of other cells that are compared with a cell's at a time. */
const VISITORS = 512;

/**
 * The search of a plan: every row meets the rows of its own cell and of the next cells, at the plan's depth, and the best
 * candidates are measured in all columns. A pair that meets counts for both rows.
 *
 * @param values address of the rows in double precision, if they are in the kernel's memory
 */
export function searchCells(
  space: RowSpace,
  cells: Cells,
  k: number,
  { directions: depth, kept, cells: beside }: CellPlan,
  values: number | undefined,
): NearestRows | undefined {
  const { kernel, X, numbers, zeros } = space;
  const { count, starts, rowAt } = cells;
  const n = X.rows;
  return kernel.scope(() => {
    const [D, I] = [kernel.reserve(4 * n * kept), kernel.reserve(4 * n * kept)];
    const visits = visitorsOf(cells, beside);
    const panels = reservePanels(space, cells, depth);
    useDepth(space, depth);
    // Their squared lengths, which nothing asks for, stand where the heaps will be.
    kernel.exports.shrink(numbers, n, zeros, panels.integers, panels.units, D, 0);
    kernel.exports.useHeaps(kept, n, D, I);
    for (let c = 0; c < count; c++) {
      const list = numbers + 4 * starts[c];
      const size = starts[c + 1] - starts[c];
      kernel.exports.centerOf(list, size, panels.center);
      panels.weave(list, size);
      panels.meet(list, size, list, size);
    }
    visitCells(space, cells, visits, panels);
    return measuredCandidates(kernel, X, k, kept, I, { rowAt, starts, values });
  });
}

function reservePanels(space: RowSpace, { count, starts }: Cells, depth: number) {
  const { kernel, X } = space;
  const { exports: run } = kernel;
  let widest = VISITORS;
  for (let c = 0; c < count; c++) widest = Math.max(widest, starts[c + 1] - starts[c]);
  const room = (widest + 7) & ~7;
  const width = depth === 0 ? space.width : depth;
  const center = kernel.reserve(4 * width);
  const woven = kernel.reserve(2 * width * room);
  const [integers, units] = [kernel.reserve(2 * width * X.rows), kernel.reserve(4 * X.rows)];
  const own = kernel.reserve(2 * width * room);
  const [squaresL, limitsL] = [kernel.reserve(4 * room), kernel.reserve(4 * room)];
  const unitsR = kernel.reserve(4 * room);
  const [squaresR, limitsR] = [kernel.reserve(4 * room), kernel.reserve(4 * room)];
  return {
    /** Rows that fit. */
    room,
    /** Addresses: all rows as integers and their units, and the centre of the cell. */
    integers,
    units,
    center,
    /** The rows of a list, less the centre, in panels. */
    weave(list: number, size: number) {
      run.shrink(list, size, center, own, unitsR, squaresR, limitsR);
      run.weave(size, own, woven);
    },
    /** Compares the rows of a list with those in panels, of list R. */
    meet(list: number, length: number, R: number, size: number) {
      for (let first = 0; first < length; first += room) {
        const L = list + 4 * first;
        const part = Math.min(room, length - first);
        run.measureFrom(L, part, center, squaresL, limitsL);
        run.compare(
          ...([L, part, integers, units, squaresL, limitsL] as const),
          ...([R, size, woven, unitsR, squaresR, limitsR] as const),
          L === R ? 1 : 0,
        );
      }
    },
  };
}

/** Rows as integers, and those of one cell in panels. */
type Panels = ReturnType<typeof reservePanels>;

/** Compares the rows of every cell with its visitors; two cells whose rows visit each other meet once. */
function visitCells(
  { kernel, numbers }: RowSpace,
  { count, starts, cellOf }: Cells,
  { offsets, visitors }: Visits,
  { room, center, weave, meet }: Panels,
): void {
  const left = kernel.reserve(4 * visitors.length + 4);
  const some = kernel.reserve(4 * room);
  const lists = kernel.i32(left, visitors.length);
  const rest = kernel.i32(some, room);
  for (let c = 0; c < count; c++) {
    if (offsets[c] === offsets[c + 1]) continue;
    const [start, end] = [starts[c], starts[c + 1]];
    const [list, size] = [numbers + 4 * start, end - start];
    kernel.exports.centerOf(list, size, center);
    let together = 0;
    for (let at = offsets[c]; at < offsets[c + 1];) {
      const other = cellOf[visitors[at]];
      let next = at + 1;
      while (next < offsets[c + 1] && visitors[next] < starts[other + 1]) next++;
      // Rows of this cell that look at the other one have met its rows there.
      const known = other < c ? [0, 0] : between(visitors, offsets[other], offsets[other + 1], start, end);
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
}

/** For each cell the rows of others that look at it, in the order of positions. */
function visitorsOf({ count, cellOf, nearest }: Cells, beside: number) {
  const n = cellOf.length;
  const most = Math.min(count, beside + 1);
  const lists = nearest(
    Int32Array.from({ length: n }, (_, p) => p),
    most,
  );
  const eachVisit = (use: (cell: number, visitor: number) => void): void => {
    for (let i = 0; i < n; i++) {
      for (let p = i * most, left = beside; p < (i + 1) * most && left > 0; p++) {
        if (lists[p] === cellOf[i]) continue;
        left--;
        use(lists[p], i);
      }
    }
  };
  const offsets = new Int32Array(count + 1);
  eachVisit((cell) => offsets[cell + 1]++);
  for (let c = 0; c < count; c++) offsets[c + 1] += offsets[c];
  const visitors = new Int32Array(offsets[count]);
  const filled = offsets.slice();
  eachVisit((cell, visitor) => (visitors[filled[cell]++] = visitor));
  return { offsets, visitors };
}

/** The visitors of cell c are entries offsets[c] .. offsets[c + 1] - 1. */
type Visits = ReturnType<typeof visitorsOf>;

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
