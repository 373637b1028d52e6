/**
 * Average and complete linkage in rounds. A round knows for each cluster its nearest ones, as far as a list of sixteen
 * goes, and follows the nearest-neighbour chain (linkageChain.ts) while these lists prove who is nearest. Distances between
 * the groups that it joins are computed from those of the clusters that it began with, few at a time. Then the distances between
 * all groups are computed in one pass, with lists for the next round. So there are few passes over all distances, and
 * they read memory in its order, which a chain that updates two rows and columns in every merge does not.
 *
 * Both linkages are reducible, so mutual nearest neighbours may be merged in any order (M. Bruynooghe, 1978; F. Murtagh,
 * 1983): the merges are those of the chain, up to ties.
 *
 * The first round computes distances from the rows, once for the lists and once for the groups: the triangle is only that of
 * its groups. Wide rows would make this slow: their distances are computed once and held.
 */
import { loadKernel, takeRows, type Kernel, type Matrix } from "../../matrix/index.ts";
import { placedRows, storeRows } from "../../matrix/internal.ts";
import * as binary from "../kernel/groups.wasm.ts";
import { chain, distanceRows, KERNEL_BYTES, KINDS, type Merges } from "./linkageChain.ts";

/** Limits; tests set them low. */
export interface RoundLimits {
  /** Fewer clusters are left to the chain: their distances are in the cache. */
  readonly clusters: number;
  /** Rows with more columns are wide. */
  readonly columns: number;
}
const LIMITS: RoundLimits = { clusters: 1000, columns: 48 };
/** A round that joins fewer than one in this many of its clusters is the last one. */
const FEW = 16;
/** Clusters that a call of the kernel handles. */
const BLOCK = 64;

/** undefined for few rows, or without room in the kernel */
export function linkageRounds(
  X: Matrix,
  linkage: "average" | "complete",
  kernelBytes: number = KERNEL_BYTES,
  limits: RoundLimits = LIMITS,
): Merges | undefined {
  if (X.rows < limits.clusters) return undefined;
  const kind = KINDS.indexOf(linkage);
  const kernel = loadKernel<binary.Exports>("cluster/groups", binary);
  return kernel.scope(() => {
    const left = allRounds(X, kind, kernel, kernelBytes, limits);
    if (left === undefined) return undefined;
    const { merges, names, D } = left;
    // The triangle of the chain has the last number first.
    const rest = chain(kernel, kind, D, left.sizes.toReversed());
    const name = (i: number): number => names[names.length - 1 - i];
    return {
      from: Int32Array.from([...merges.from, ...rest.from.map(name)]),
      to: Int32Array.from([...merges.to, ...rest.to.map(name)]),
      heights: Float64Array.from([...merges.heights, ...rest.heights]),
    };
  });
}

/**
 * What the rounds leave.
 *
 * @param kind 1 average, 2 complete
 * @param kernelBytes a larger triangle is not made: undefined
 */
function allRounds(
  X: Matrix,
  kind: number,
  kernel: Kernel<binary.Exports>,
  kernelBytes: number,
  limits: RoundLimits,
) {
  const { rows: n, cols: d } = X;
  const run = kernel.exports;
  const stride = d + (d & 1);
  const most = (run.MEMBERS.value as number) * n;
  const wide = d > limits.columns;
  const fits = (count: number): boolean => 4 * count * (count - 1) <= kernelBytes;
  if (wide && !fits(n)) return undefined;
  const [near, state] = [kernel.reserve(run.listBytes(n)), kernel.reserve(run.stateBytes(n))];
  const [lasts, heights, work] = [kernel.reserve(8 * n), kernel.reserve(8 * n), kernel.reserve(8 * most)];
  const [from, to, order, starts, groups, later, sizes, newSizes] = Array.from({ length: 8 }, () =>
    kernel.reserve(4 * (n + 1)),
  );
  const rows = wide ? 0 : placedRows(kernel, X, stride);
  let D = wide ? kernel.reserve(4 * n * (n - 1)) : 0;

  kernel.i32(sizes, n).fill(1);
  if (wide) distanceRows(X, kernel, D, true, (first, last) => run.listTriangle(first, last, D, near, lasts));
  else run.listRows(n, stride, rows, near, lasts, work);
  const merges = { from: new Int32Array(n - 1), to: new Int32Array(n - 1), heights: new Float64Array(n - 1) };
  let merged = 0;
  let names = Int32Array.from({ length: n }, (_, i) => i);
  for (let last = false; !last;) {
    const m = names.length;
    const joins = run.formGroups(kind, m, D, stride, rows, sizes, near, state, from, to, heights);
    const [gone, kept] = [kernel.i32(from, joins), kernel.i32(to, joins)];
    merges.heights.set(kernel.f64(heights, joins), merged);
    for (let p = 0; p < joins; p++, merged++) {
      merges.from[merged] = names[gone[p]];
      merges.to[merged] = names[kept[p]];
    }
    const count = m - joins;
    const group = kernel.i32(groups, m);
    names = numbered(kernel.i32(state, m), group, names, count);
    sorted(group, kernel.i32(starts, count + 1), kernel.i32(order, m));
    if (D === 0) {
      if (!fits(count)) return undefined;
      const inOrder = takeRows(X, kernel.i32(order, n));
      storeRows(inOrder.data, d, kernel.f64(rows, n * stride), stride);
      D = kernel.reserve(4 * count * (count - 1));
      const [ends, size] = [kernel.i32(starts, count + 1), kernel.i32(sizes, count)];
      for (let x = 0; x < count; x++) size[x] = ends[x + 1] - ends[x];
      inBlocks(count, (first, end) =>
        run.joinRows(first, end, kind, stride, rows, starts, D, near, lasts, work),
      );
    } else {
      const rest = kernel.i32(later, m);
      const [own, total] = [kernel.i32(sizes, m), kernel.i32(newSizes, count).fill(0)];
      let others = 0;
      for (let i = 0, begun = 0; i < m; i++) {
        total[group[i]] += own[i];
        if (group[i] === begun) begun++;
        else rest[others++] = i;
      }
      const places = [sizes, order, starts, groups, later] as const;
      inBlocks(count, (first, end) =>
        run.joinTriangle(first, end, count, kind, D, ...places, others, newSizes, near, lasts, work),
      );
      kernel.i32(sizes, count).set(total);
    }
    last = count < Math.max(2, limits.clusters) || joins * FEW < m;
  }
  return {
    merges: {
      from: merges.from.subarray(0, merged),
      to: merges.to.subarray(0, merged),
      heights: merges.heights.subarray(0, merged),
    },
    /** A row of each cluster that is left. */
    names,
    sizes: kernel.i32(sizes, names.length).slice(),
    /** The address of their distances, a triangle: D(i, j), j < i, is at i (i - 1) / 2 + j. */
    D,
  };
}

/** Short calls: the first ones of a process run slower code until better is compiled. */
function inBlocks(count: number, work: (first: number, end: number) => void): void {
  for (let first = 0; first < count; first += BLOCK) work(first, Math.min(count, first + BLOCK));
}

/**
 * The number of the group of each element: groups in the order of their lowest elements. Each element is joined to a
 * lower one, or to itself. Returns the names of the groups.
 */
function numbered(
  into: Int32Array,
  group: Int32Array,
  names: Int32Array,
  count: number,
): Int32Array<ArrayBuffer> {
  const kept = new Int32Array(count);
  let begun = 0;
  for (let i = 0; i < group.length; i++) {
    if (into[i] === i) kept[begun] = names[i];
    group[i] = into[i] === i ? begun++ : group[into[i]];
  }
  return kept;
}

/** The elements by group, and where the groups start. */
function sorted(group: Int32Array, starts: Int32Array, order: Int32Array): void {
  starts.fill(0);
  for (const x of group) starts[x + 1]++;
  for (let x = 1; x < starts.length; x++) starts[x] += starts[x - 1];
  const place = starts.slice();
  group.forEach((x, i) => (order[place[x]++] = i));
}
