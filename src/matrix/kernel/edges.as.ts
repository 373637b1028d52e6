// Gathered updates over an edge list: rows of d values, edge e joins nodes from[e] and to[e] (i32).

/** z_e = u_from - u_to */
export function differences(edges: i32, d: i32, from: usize, to: usize, U: usize, Z: usize): void {
  const bytes = <usize>d << 3, pairs = bytes & ~15;
  for (let e: usize = 0; e < <usize>edges; e++) {
    const u = U + <usize>load<i32>(from + (e << 2)) * bytes, v = U + <usize>load<i32>(to + (e << 2)) * bytes;
    const z = Z + e * bytes;
    for (let o: usize = 0; o < pairs; o += 16) v128.store(z + o, f64x2.sub(v128.load(u + o), v128.load(v + o)));
    if (pairs < bytes) store<f64>(z + pairs, load<f64>(u + pairs) - load<f64>(v + pairs));
  }
}

/** v_from += z_e, v_to -= z_e: the transpose of `differences`. */
export function scatter(edges: i32, d: i32, from: usize, to: usize, Z: usize, V: usize): void {
  const bytes = <usize>d << 3, pairs = bytes & ~15;
  for (let e: usize = 0; e < <usize>edges; e++) {
    const u = V + <usize>load<i32>(from + (e << 2)) * bytes, v = V + <usize>load<i32>(to + (e << 2)) * bytes;
    const z = Z + e * bytes;
    for (let o: usize = 0; o < pairs; o += 16) {
      const value = v128.load(z + o);
      v128.store(u + o, f64x2.add(v128.load(u + o), value));
      v128.store(v + o, f64x2.sub(v128.load(v + o), value));
    }
    if (pairs < bytes) {
      const value = load<f64>(z + pairs);
      store<f64>(u + pairs, load<f64>(u + pairs) + value);
      store<f64>(v + pairs, load<f64>(v + pairs) - value);
    }
  }
}
