/** The digits of integers and decimals that a double does not hold. */

/** Whether the double next to an integer is written with the same digits. */
export function isWrittenAlike(value: bigint): boolean {
  const near = Number(value);
  return Number.isSafeInteger(near) || String(near) === String(value);
}

/** Whether the doubles next to integers may stand for others, too. */
export function someBeyondDoubles(values: ArrayLike<number | bigint>): boolean {
  for (let i = 0; i < values.length; i++) {
    if (values[i] > Number.MAX_SAFE_INTEGER || values[i] < -Number.MAX_SAFE_INTEGER) return true;
  }
  return false;
}

/**
 * The decimal number `unscaled` / 10^scale as the nearest double. An integer with more digits stays what it
 * is, because it is likely to be a code.
 */
export function decimalNumber(unscaled: number | bigint, scale: number): number | bigint {
  const near = Number(unscaled);
  // The quotient of two doubles without error is rounded once (Clinger 1990).
  if (Number.isSafeInteger(near) && scale >= 0 && scale <= 22) return near / TENS[scale];
  if (scale === 0) return isWrittenAlike(BigInt(unscaled)) ? near : BigInt(unscaled);
  return Number(`${unscaled}e${-scale}`);
}

const TENS: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
