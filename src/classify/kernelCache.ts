/** Rows of a kernel matrix, computed when asked for; those used last are kept, as many as `memory` has room for. */
export interface KernelCache {
  readonly diagonal: Float64Array;
  /** Row i; valid until two other rows have been asked for. */
  row(i: number): Float64Array;
}

/**
 * @param compute writes row i to `target`
 * @param memory room for at least three rows; one cache after the other may use it
 */
export function kernelCache(
  diagonal: Float64Array,
  compute: (i: number, target: Float64Array) => void,
  memory: Float64Array,
): KernelCache {
  const n = diagonal.length;
  const capacity = Math.min(n, Math.floor(memory.length / n));
  const places: Float64Array[] = [];
  const placeOf = new Int32Array(n).fill(-1);
  const rowOf = new Int32Array(capacity).fill(-1);
  // Places in the order of their last use: a ring of doubly linked places, `capacity` is its head.
  const next = new Int32Array(capacity + 1);
  const previous = new Int32Array(capacity + 1);
  next[capacity] = capacity;
  previous[capacity] = capacity;

  const unlink = (p: number): void => {
    next[previous[p]] = next[p];
    previous[next[p]] = previous[p];
  };
  const linkLast = (p: number): void => {
    const last = previous[capacity];
    next[last] = p;
    previous[p] = last;
    next[p] = capacity;
    previous[capacity] = p;
  };
  return {
    diagonal,
    row(i) {
      let p = placeOf[i];
      if (p >= 0) {
        unlink(p);
      } else {
        if (places.length < capacity) {
          p = places.length;
          places.push(memory.subarray(p * n, (p + 1) * n));
        } else {
          p = next[capacity];
          unlink(p);
          placeOf[rowOf[p]] = -1;
        }
        placeOf[i] = p;
        rowOf[p] = i;
        compute(i, places[p]);
      }
      linkLast(p);
      return places[p];
    },
  };
}
