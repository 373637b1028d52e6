// Stochastic gradient steps of a neighbour layout (embed/neighborLayout.ts), in single precision.

let state: u32 = 1;

/** xorshift32 */
// @ts-ignore: decorator
@inline
function draw(): u32 {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/** x^p for x > 0, with a relative error of about 1e-5: 2^(p log2 x), both by polynomials on one octave. */
// @ts-ignore: decorator
@inline
function power(x: f32, p: f32): f32 {
  const bits = reinterpret<i32>(x);
  const m = reinterpret<f32>((bits & 0x007fffff) | 0x3f800000);
  const whole = <f32>((bits >> 23) - 127);
  const log: f32 = whole + (<f32>-3.034602850 + m * (<f32>6.089895763 + m * (<f32>-5.301709109 + m * (<f32>3.249466561 + m * (<f32>-1.247962495 + m * (<f32>0.270037457 + m * <f32>-0.025123203))))));
  const y = min<f32>(max<f32>(p * log, -120), 120);
  const below: f32 = floor<f32>(y);
  const part: f32 = y - below;
  const exp: f32 = (<f32>0.999999896 + part * (<f32>0.693154620 + part * (<f32>0.240140770 + part * (<f32>0.055863283 + part * (<f32>0.008946215 + part * <f32>0.001895107)))));
  return exp * reinterpret<f32>((<i32>below + 127) << 23);
}

// @ts-ignore: decorator
@inline
function clip(value: f32): f32 {
  return min<f32>(max<f32>(value, -4), 4);
}

/**
 * Epochs `first` .. `last` - 1 of `epochs`. Edge e is due every `period[e]` epochs and `due[e]` is its next
 * epoch; it pulls its two rows together, and pushes the first one away from `negatives` random rows.
 */
export function descend(
  first: i32, last: i32, epochs: i32, seed: i32, n: i32, dims: i32, edges: i32, from: usize, to: usize, period: usize,
  due: usize, negatives: i32, a: f64, b: f64, Y: usize,
): void {
  const A = <f32>a, B = <f32>b;
  const one: f32 = 1, two: f32 = 2, soft: f32 = 0.001, most: f32 = 4;
  const bytes = <usize>dims << 2;
  state = <u32>seed;
  for (let epoch = first; epoch < last; epoch++) {
    const alpha: f32 = one - <f32>epoch / <f32>epochs;
    for (let e = 0; e < edges; e++) {
      const at = <usize>e << 2;
      const next = load<f32>(due + at);
      if (next > <f32>epoch) continue;
      store<f32>(due + at, next + load<f32>(period + at));
      const i = load<i32>(from + at);
      const yi = Y + <usize>i * bytes, yj = Y + <usize>load<i32>(to + at) * bytes;
      let square: f32 = 0;
      for (let f: usize = 0; f < bytes; f += 4) {
        const difference = load<f32>(yi + f) - load<f32>(yj + f);
        square += difference * difference;
      }
      if (square > 0) {
        const raised: f32 = power(square, B);
        const pull: f32 = (-two * A * B * raised) / (square * (one + A * raised));
        for (let f: usize = 0; f < bytes; f += 4) {
          const step: f32 = alpha * clip(pull * (load<f32>(yi + f) - load<f32>(yj + f)));
          store<f32>(yi + f, load<f32>(yi + f) + step);
          store<f32>(yj + f, load<f32>(yj + f) - step);
        }
      }
      if (dims == 2) {
        // In the plane all pushes start from the current position of the row, so they do not wait for each
        // other.
        const x0 = load<f32>(yi), x1 = load<f32>(yi, 4);
        let s0: f32 = 0, s1: f32 = 0;
        for (let q = 0; q < negatives; q++) {
          const j = <i32>((<u64>draw() * <u64>n) >> 32);
          if (j == i) continue;
          const yk = Y + (<usize>j << 3);
          const d0: f32 = x0 - load<f32>(yk), d1: f32 = x1 - load<f32>(yk, 4);
          const apart: f32 = d0 * d0 + d1 * d1;
          if (apart > 0) {
            const push: f32 = (two * B) / ((soft + apart) * (one + A * power(apart, B)));
            s0 += clip(push * d0);
            s1 += clip(push * d1);
          } else {
            s0 += most;
            s1 += most;
          }
        }
        store<f32>(yi, x0 + alpha * s0);
        store<f32>(yi, x1 + alpha * s1, 4);
        continue;
      }
      for (let q = 0; q < negatives; q++) {
        const j = <i32>((<u64>draw() * <u64>n) >> 32);
        if (j == i) continue;
        const yk = Y + <usize>j * bytes;
        square = 0;
        for (let f: usize = 0; f < bytes; f += 4) {
          const difference = load<f32>(yi + f) - load<f32>(yk + f);
          square += difference * difference;
        }
        const push: f32 = square > 0 ? (two * B) / ((soft + square) * (one + A * power(square, B))) : 0;
        for (let f: usize = 0; f < bytes; f += 4) {
          const step: f32 = push > 0 ? clip(push * (load<f32>(yi + f) - load<f32>(yk + f))) : most;
          store<f32>(yi + f, load<f32>(yi + f) + alpha * step);
        }
      }
    }
  }
}
