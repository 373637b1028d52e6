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
export class Descent {
  x: Float64Array;
  gradient: Float64Array;
  value: number;
  trial: Float64Array;
  trialGradient: Float64Array;
  trialValue = 0;
  evaluations = 0;
  private readonly history: number[] = [];
  private readonly warnings: string[] = [];
  private readonly objective: Objective;
  private readonly box: Box | undefined;
  private readonly stop: StopOptions;
  private readonly report: ProgressGate;

  constructor(
    objective: Objective,
    start: Float64Array,
    box: Box | undefined,
    stop: StopOptions,
    report: ProgressGate,
  ) {
    const n = start.length;
    this.objective = objective;
    this.box = box;
    this.stop = stop;
    this.report = report;
    this.x = start;
    this.gradient = new Float64Array(n);
    this.trial = new Float64Array(n);
    this.trialGradient = new Float64Array(n);
    this.value = this.call(this.x, this.gradient);
    if (!Number.isFinite(this.value) || !this.gradient.every(Number.isFinite)) {
      throw inputError(`the objective is ${this.value} at the start, or its gradient there is not finite`);
    }
    this.history.push(this.value);
  }

  get iterations(): number {
    return this.history.length - 1;
  }

  get relativeGradient(): number {
    return relativeGradient(this.x, this.gradient, this.value, this.box);
  }

  /** Whether to continue: not converged, not out of iterations, not asked to stop. */
  goesOn(): boolean {
    if (this.relativeGradient <= this.stop.tolerance) return false;
    if (this.iterations >= this.stop.maxIterations) {
      this.warnings.push(`did not converge in ${this.stop.maxIterations} iterations`);
      return false;
    }
    const fraction = this.iterations / this.stop.maxIterations;
    if (!this.report({ fraction, label: `iteration ${this.iterations + 1}`, objective: this.value })) {
      this.warnings.push(`stopped by onProgress after ${this.iterations} iterations`);
      return false;
    }
    return true;
  }

  /** f at `trial`, with its gradient; +Infinity if f is not defined, so searches step back. */
  evaluate(): number {
    const value = this.call(this.trial, this.trialGradient);
    if (value === -Infinity) throw numericError("the objective falls to -Infinity: it has no minimum");
    const defined = Number.isFinite(value) && this.trialGradient.every(Number.isFinite);
    this.trialValue = defined ? value : Infinity;
    return this.trialValue;
  }

  /** Makes the trial point the current one. */
  accept(): void {
    [this.x, this.trial] = [this.trial, this.x];
    [this.gradient, this.trialGradient] = [this.trialGradient, this.gradient];
    this.value = this.trialValue;
    this.history.push(this.value);
  }

  /**
   * No step along the direction lowers f: the gradient is wrong, or the point is as good as rounding allows.
   */
  stuck(): void {
    this.warnings.push(
      `no step lowers the objective any more at relative gradient ${this.relativeGradient.toExponential(1)}`,
    );
  }

  result(): Minimum {
    return {
      x: this.x,
      value: this.value,
      gradient: this.gradient,
      converged: this.relativeGradient <= this.stop.tolerance,
      relativeGradient: this.relativeGradient,
      iterations: this.iterations,
      evaluations: this.evaluations,
      history: this.history,
      warnings: this.warnings,
    };
  }

  private call(x: Float64Array, gradient: Float64Array): number {
    this.evaluations++;
    return this.objective(x, gradient);
  }
}
