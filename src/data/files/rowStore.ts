/**
 * Rows of doubles that grow without ever being copied as a whole.
 *
 * Rows are written into one ordinary block; full blocks are put away, and `drain` returns them one at a time
 * and releases each block's pages after its use. Together with a result that the system backs only as it is
 * written, this limits the peak to the size of the result plus one block, where doubling an array would need
 * three times the result.
 */
export interface RowStore {
  readonly width: number;
  /** The position of the next row: `block[used .. used + width)`. */
  block: Float64Array;
  used: number;
  /** Puts the block away; call when fewer than `width` positions are free. */
  turn(): void;
  readonly rows: number;
  /** Allocates one block for this many rows, if there is memory; a store with rows is left unchanged. */
  expect(rows: number): void;
  /** All rows, if they fill their block exactly: it then belongs to the caller, and the store is empty. */
  whole(): Float64Array | undefined;
  /** Every stored row again, block by block; nothing is released. */
  blocks(): Generator<Float64Array>;
  /**
   * As `blocks`, but each block is released when the next one is requested. The store is empty afterwards.
   */
  drain(): Generator<Float64Array>;
}

const LARGEST = 1 << 20; // values, 8 MB
/** Number of values allocated at once, 4 GB; the system backs them as they are written. */
const MOST_EXPECTED = 2 ** 29;

interface Resizable extends ArrayBuffer {
  resize?(bytes: number): void;
}

const ResizableBuffer = ArrayBuffer as new (bytes: number, options: { maxByteLength: number }) => Resizable;

export function rowStore(width: number, largest: number = LARGEST): RowStore {
  const full: Resizable[] = [];
  let stored = 0;
  const capacity = (values: number): number =>
    Math.max(1, Math.floor(Math.min(values, largest) / width)) * width;
  const store: RowStore = {
    width,
    block: new Float64Array(capacity(1 << 13)),
    used: 0,
    turn() {
      if (store.used > 0) {
        // A resizable buffer can be emptied at once; an ordinary one waits for the garbage collector.
        const bytes = store.used * 8;
        const kept = new ResizableBuffer(bytes, { maxByteLength: bytes });
        new Float64Array(kept).set(store.block.subarray(0, store.used));
        full.push(kept);
        stored += store.used;
        store.used = 0;
      }
      const next = capacity(store.block.length * 2);
      if (next > store.block.length) store.block = new Float64Array(next);
    },
    expect(rows) {
      const values = rows * width;
      if (stored + store.used > 0 || values <= store.block.length || values > MOST_EXPECTED) return;
      try {
        store.block = new Float64Array(values);
      } catch {
        // Missing rows are no reason to fail: the blocks grow with the data.
      }
    },
    whole() {
      if (stored > 0 || store.used === 0 || store.used < store.block.length) return undefined;
      const { block } = store;
      store.block = new Float64Array(capacity(1 << 13));
      store.used = 0;
      return block;
    },
    get rows() {
      return (stored + store.used) / width;
    },
    *blocks() {
      for (const kept of full) yield new Float64Array(kept);
      if (store.used > 0) yield store.block.subarray(0, store.used);
    },
    *drain() {
      for (let k = 0; k < full.length; k++) {
        yield new Float64Array(full[k]);
        full[k].resize?.(0);
      }
      if (store.used > 0) yield store.block.subarray(0, store.used);
      full.length = 0;
      stored = 0;
      store.used = 0;
    },
  };
  return store;
}
