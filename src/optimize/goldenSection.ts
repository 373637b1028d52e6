/** Where a convex f of one number is least between the bounds, to a bracket of `width`: the middle of the bracket. */
export function goldenSection(f: (x: number) => number, low: number, high: number, width: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let a = high - golden * (high - low);
  let b = low + golden * (high - low);
  let fa = f(a);
  let fb = f(b);
  while (high - low > width) {
    if (fa <= fb) {
      [high, b, fb] = [b, a, fa];
      a = high - golden * (high - low);
      fa = f(a);
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + golden * (high - low);
      fb = f(b);
    }
  }
  return (low + high) / 2;
}
