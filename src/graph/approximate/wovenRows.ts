import { placed } from "../../matrix/internal.ts";
import { useDepth, type RowSpace } from "./rowSpace.ts";

export function reserveWoven({ kernel }: RowSpace, count: number, depth: number) {
  const eights = (count + 7) & ~7;
  const [woven, units] = [kernel.reserve(2 * depth * eights), kernel.reserve(4 * eights)];
  return { count, depth, woven, units, lengths: kernel.reserve(4 * eights) };
}

/** Addresses of rows as woven integers, of their units and of their squared lengths. */
export type WovenRows = ReturnType<typeof reserveWoven>;

/** Weaves the first rows of the space that is in use. */
export function weaveRows(
  { kernel, numbers, zeros }: RowSpace,
  { count, depth, woven, units, lengths }: WovenRows,
): void {
  kernel.scope(() => {
    const integers = kernel.reserve(2 * depth * count);
    kernel.exports.shrink(numbers, count, zeros, integers, units, lengths, 0);
    kernel.exports.weave(count, integers, woven);
  });
}

/** The `wanted` nearest of the woven rows for the listed rows, nearest first. */
export function nearestWoven(
  space: RowSpace,
  { count, depth, woven, units, lengths }: WovenRows,
  list: Int32Array,
  wanted: number,
): Int32Array {
  const { kernel, zeros } = space;
  return kernel.scope(() => {
    const [at, found] = [placed(kernel, list), kernel.reserve(4 * list.length * wanted)];
    const work = kernel.reserve(16 * (count + 8) + 4 * wanted + 32 + 8 * depth);
    useDepth(space, depth);
    kernel.exports.nearestWoven(at, list.length, count, woven, units, lengths, zeros, wanted, found, work);
    return kernel.i32(found, list.length * wanted).slice();
  });
}
