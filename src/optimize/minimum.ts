import { inputError, numericError, type ProgressGate } from "../core/internal.ts";
import { relativeGradient, type Box } from "./box.ts";

/** Returns f(x) and writes its gradient. Non-finite values mark points where f is not defined. */
export type Objective = (x: Float64Array, gradient: Float64Array) => number;

/** The result of every minimiser of this room. */
export interface Minimum {
  readonly x: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
  /**
   * Whether `relativeGradient` reached the tolerance. This is the only meaning of the word in this room: a
   * run that ends for another reason has not converged, and its warning gives the reason.
   */
  readonly converged: boolean;
  /** The projected gradient in relative terms, max_i |pg_i| max(|x_i|, 1) / max(|f|, 1) (see box.ts). */
  readonly relativeGradient: number;
  readonly iterations: number;
  /** Calls of the objective. */
  readonly evaluations: number;
  /** f at the start and after each iteration; never increases beyond rounding. */
  readonly history: readonly number[];
  readonly warnings: readonly string[];
}

export interface StopOptions {
  readonly tolerance: number;
  readonly maxIterations: number;
}

/** The common state of the minimisers: the current point, the trial point, and the record of the run. */
export function descentFrom(
  objective: Objective,
  start: Float64Array,
  box: Box | undefined,
  stop: StopOptions,
  report: ProgressGate,
) {
  const zeros = (): Float64Array => new Float64Array(start.length);
  const history: number[] = [];
  const warnings: string[] = [];
  let evaluations = 0;
  const call = (x: Float64Array, gradient: Float64Array): number => {
    evaluations++;
    return objective(x, gradient);
  };
  const slope = (): number => relativeGradient(descent.x, descent.gradient, descent.value, box);
  const descent = {
    x: start,
    gradient: zeros(),
    value: 0,
    trial: zeros(),
    trialGradient: zeros(),
    trialValue: 0,
    /** Whether to continue: not converged, not out of iterations, not asked to stop. */
    goesOn(): boolean {
      if (slope() <= stop.tolerance) return false;
      const iterations = history.length - 1;
      if (iterations >= stop.maxIterations) {
        warnings.push(`did not converge in ${stop.maxIterations} iterations`);
        return false;
      }
      const fraction = iterations / stop.maxIterations;
      if (!report({ fraction, label: `iteration ${iterations + 1}`, objective: descent.value })) {
        warnings.push(`stopped by onProgress after ${iterations} iterations`);
        return false;
      }
      return true;
    },
    /** f at `trial`, with its gradient; +Infinity if f is not defined, so searches step back. */
    evaluate(): number {
      const value = call(descent.trial, descent.trialGradient);
      if (value === -Infinity) throw numericError("the objective falls to -Infinity: it has no minimum");
      const defined = Number.isFinite(value) && descent.trialGradient.every(Number.isFinite);
      descent.trialValue = defined ? value : Infinity;
      return descent.trialValue;
    },
    /** Makes the trial point the current one. */
    accept(): void {
      [descent.x, descent.trial] = [descent.trial, descent.x];
      [descent.gradient, descent.trialGradient] = [descent.trialGradient, descent.gradient];
      descent.value = descent.trialValue;
      history.push(descent.value);
    },
    /**
     * No step along the direction lowers f: the gradient is wrong, or the point is as good as rounding allows.
     */
    stuck(): void {
      const size = slope().toExponential(1);
      warnings.push(`no step lowers the objective any more at relative gradient ${size}`);
    },
    result(): Minimum {
      const { x, value, gradient } = descent;
      const relativeGradient = slope();
      const converged = relativeGradient <= stop.tolerance;
      const record = { iterations: history.length - 1, evaluations, history, warnings };
      return { x, value, gradient, converged, relativeGradient, ...record };
    },
  };
  descent.value = call(descent.x, descent.gradient);
  if (!Number.isFinite(descent.value) || !descent.gradient.every(Number.isFinite)) {
    throw inputError(`the objective is ${descent.value} at the start, or its gradient there is not finite`);
  }
  history.push(descent.value);
  return descent;
}

export type Descent = ReturnType<typeof descentFrom>;
