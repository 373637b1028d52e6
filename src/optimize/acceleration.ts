/**
 * The momentum of accelerated projected gradients (A. Beck and M. Teboulle, 2009), with the gradient restart of B.
 * O'Donoghue and E. Candes (2015):
 *
 *     x+ = P(y - s grad f(y)),   t+ = (1 + sqrt(1 + 4 t^2)) / 2,   y+ = x+ + (t - 1) / t+ (x+ - x)
 *
 * Where <y - x+, x+ - x> > 0 the momentum points uphill: it is dropped, with t = 1 and y = x+. The caller
 * makes x+ and decides when to stop:
 *
 *     const run = acceleration(start);
 *     while (!done(run.x)) run.advance(projected(run.ahead));
 */
export interface Acceleration {
  /** x. */
  readonly x: Float64Array;
  /** y, where the next gradient is taken; the same array as `x` where there is no momentum. */
  readonly ahead: Float64Array;
  /**
   * Moves to x+, which is kept and not copied. The x before is returned, for the next x+.
   *
   * @param steps s of each variable, if they differ: the restart uses the inner product of these steps
   */
  advance(next: Float64Array, steps?: Float64Array): Float64Array;
}

export function acceleration(start: Float64Array): Acceleration {
  const carried = new Float64Array(start.length);
  let t = 1;
  const run = {
    x: start,
    ahead: start,
    advance(next: Float64Array, steps?: Float64Array): Float64Array {
      const { x, ahead } = run;
      let uphill = 0;
      for (let k = 0; k < next.length; k++) {
        const product = (ahead[k] - next[k]) * (next[k] - x[k]);
        uphill += steps === undefined ? product : product / steps[k];
      }
      const grown = uphill > 0 ? 1 : (1 + Math.sqrt(1 + 4 * t * t)) / 2;
      const momentum = uphill > 0 ? 0 : (t - 1) / grown;
      for (let k = 0; k < next.length; k++) carried[k] = next[k] + momentum * (next[k] - x[k]);
      t = grown;
      run.x = next;
      run.ahead = momentum === 0 ? next : carried;
      return x;
    },
  };
  return run;
}
