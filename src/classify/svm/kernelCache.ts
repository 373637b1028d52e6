/**
 * The rows of a kernel matrix: they are computed on request, and the most recently used ones stay in memory.
 *
 * @param capacity places, at least three
 * @param compute writes row i to a place
 * @returns the place of row i; it holds until two other rows have been asked for
 */
export function kernelCache(
  n: number,
  capacity: number,
  compute: (i: number, place: number) => void,
): (i: number) => number {
  let used = 0;
  const placeOf = new Int32Array(n).fill(-1);
  const rowOf = new Int32Array(capacity).fill(-1);
  // Slots in the order of their last use: a doubly linked ring with `capacity` as its head.
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
  return (i) => {
    let p = placeOf[i];
    if (p >= 0) {
      unlink(p);
    } else {
      if (used < capacity) {
        p = used++;
      } else {
        p = next[capacity];
        unlink(p);
        placeOf[rowOf[p]] = -1;
      }
      placeOf[i] = p;
      rowOf[p] = i;
      compute(i, p);
    }
    linkLast(p);
    return p;
  };
}
