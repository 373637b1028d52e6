import { inputError } from "../core/internal.ts";

/**
 * Columns whose values are already levels. A continuous column would have nearly as many levels as rows,
 * which makes it look informative about everything; so columns with too many values are refused: more than
 * ten that are not all integers, or integers that repeat fewer than four times on average.
 */
export function checkGiven(values: readonly number[], rows: number, name: string): void {
  const whole = values.every(Number.isInteger);
  const limit = whole ? Math.min(MOST_GIVEN, Math.max(FEW, Math.floor(rows / 4))) : FEW;
  if (values.length <= limit) return;
  throw inputError(
    `column "${name}" has ${values.length > MOST_GIVEN ? `more than ${MOST_GIVEN}` : values.length} different values ` +
      `in ${rows} rows: it looks continuous, not discrete; ` +
      `discretize it ("sigma", "width" or "frequency" instead of "given")`,
  );
}

const FEW = 10;
/** Maximum number of levels. */
export const MOST_GIVEN = 256;

/** Of ascending values. */
export function distinctValues(sorted: ArrayLike<number>): number[] {
  const values: number[] = [];
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) values.push(sorted[i]);
  return values;
}

/** The position of the ascending value nearest to x; the lower one in a tie. */
export function levelOfValue(values: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  if (low === values.length) return low - 1;
  return low > 0 && x - values[low - 1] <= values[low] - x ? low - 1 : low;
}
