import { inputError, rule } from "../core/internal.ts";
import { requireList } from "../matrix/internal.ts";
import { incompleteBeta } from "./incompleteBeta.ts";

/**
 * Student's t-test of "equal means", two-sided ("Student", 1908; B. L. Welch, 1947).
 *
 * `paired` compares a[i] with b[i] (the same split, the same seed), `student` pools the variances of two independent
 * samples, `welch` does not assume that they are equal.
 */
export interface TTest {
  readonly kind: "paired" | "student" | "welch";
  /** Positive when `a` has the larger mean; infinite when the means differ and nothing varies. */
  readonly t: number;
  readonly degreesOfFreedom: number;
  /** Two-sided p-value. 1 when nothing varies and the means are equal, 0 when nothing varies and they differ. */
  readonly p: number;
  /** mean(a) - mean(b) */
  readonly difference: number;
}

export function tTest(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  options?: { kind?: "paired" | "student" | "welch" },
): TTest {
  const { kind } = rule.resolveOptions("tTest", options, {
    kind: rule.oneOf(["paired", "student", "welch"], "paired"),
  });
  requireSample(a, "the first sample");
  requireSample(b, "the second sample");
  if (kind === "paired") return paired(a, b);
  const [m1, v1] = meanAndVariance(a);
  const [m2, v2] = meanAndVariance(b);
  const n1 = a.length;
  const n2 = b.length;
  if (kind === "student") {
    const df = n1 + n2 - 2;
    const pooled = ((n1 - 1) * v1 + (n2 - 1) * v2) / df;
    return verdict(kind, m1 - m2, pooled * (1 / n1 + 1 / n2), df);
  }
  const e1 = v1 / n1;
  const e2 = v2 / n2;
  const sum = e1 + e2;
  // Welch and Satterthwaite in shares of the variance, which neither overflow nor underflow.
  const df = sum === 0 ? n1 + n2 - 2 : 1 / ((e1 / sum) ** 2 / (n1 - 1) + (e2 / sum) ** 2 / (n2 - 1));
  return verdict(kind, m1 - m2, sum, df);
}

function paired(a: ArrayLike<number>, b: ArrayLike<number>): TTest {
  if (a.length !== b.length) {
    throw inputError(`tTest: paired samples must have the same length, got ${a.length} and ${b.length}`);
  }
  const differences = Float64Array.from(a, (value, i) => value - b[i]);
  const [mean, variance] = meanAndVariance(differences);
  return verdict("paired", mean, variance / a.length, a.length - 1);
}

function verdict(kind: TTest["kind"], difference: number, squaredError: number, df: number): TTest {
  const result = { kind, degreesOfFreedom: df, difference };
  if (difference === 0) return { ...result, t: 0, p: 1 };
  if (squaredError === 0) return { ...result, t: Math.sign(difference) * Infinity, p: 0 };
  const t = difference / Math.sqrt(squaredError);
  return { ...result, t, p: studentTail(t, df) };
}

/** P(|T| >= |t|) = I_{df / (df + t^2)}(df / 2, 1 / 2) for Student's distribution. */
export function studentTail(t: number, df: number): number {
  const ratio = (t * t) / df;
  if (ratio === Infinity) return 0;
  return incompleteBeta(df / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio));
}

function meanAndVariance(values: ArrayLike<number>): [number, number] {
  const n = values.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += (values[i] - mean) / (i + 1);
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[i] - mean) ** 2;
  // Equal values have no variance, even if their running mean has a rounding error.
  for (let i = 1; i < n; i++) if (values[i] !== values[0]) return [mean, squares / (n - 1)];
  return [values[0], 0];
}

function requireSample(values: ArrayLike<number>, name: string): void {
  requireList(values, `tTest: ${name}`);
  if (values.length < 2)
    throw inputError(`tTest: ${name} has ${values.length} values; a t-test needs at least 2`);
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) throw inputError(`tTest: ${name} has ${values[i]} at position ${i}`);
  }
}
