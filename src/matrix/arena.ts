/** A WebAssembly memory allocated from the bottom up, and freed in reverse by scopes. */
import { KindredError } from "../core/index.ts";

export interface Arena {
  readonly memory: WebAssembly.Memory;
  /** Address of `bytes` bytes, aligned to 64, with undefined contents. The memory grows as needed. */
  reserve(bytes: number): number;
  /** Frees the memory reserved by `work` when it ends. */
  scope<T>(work: () => T): T;
  /** The whole memory as doubles, value p being at address 8 p. A `reserve` that grows the memory replaces it. */
  heap(): Float64Array;
  f64(address: number, length: number): Float64Array;
  f32(address: number, length: number): Float32Array;
  i32(address: number, length: number): Int32Array;
}

/** Addresses below are left to the constants of the kernels. */
const FIRST_ADDRESS = 65536;
const PAGE = 65536;
const MAX_PAGES = 65536;
/**
 * Memory never shrinks: a memory above this size is reported when it becomes idle, so that it can be
 * dropped.
 */
const RETAINED_BYTES = 512 * 2 ** 20;

export function createArena(name: string, shared: boolean, onLargeAndIdle: () => void): Arena {
  const memory = createMemory(shared);
  let top = FIRST_ADDRESS;
  let heap = new Float64Array(memory.buffer);
  return {
    memory,
    reserve(bytes) {
      const address = top;
      const end = Math.ceil((address + bytes) / 64) * 64;
      if (end > memory.buffer.byteLength) grow(name, memory, end);
      top = end;
      return address;
    },
    scope(work) {
      const before = top;
      try {
        return work();
      } finally {
        top = before;
        if (before === FIRST_ADDRESS && memory.buffer.byteLength > RETAINED_BYTES) onLargeAndIdle();
      }
    },
    heap() {
      if (heap.buffer !== memory.buffer) heap = new Float64Array(memory.buffer);
      return heap;
    },
    f64: (address, length) => new Float64Array(memory.buffer, address, length),
    f32: (address, length) => new Float32Array(memory.buffer, address, length),
    i32: (address, length) => new Int32Array(memory.buffer, address, length),
  };
}

let problem: string | undefined | null = null;

/** Why there is no memory for kernels, or undefined if there is: each reserves far more addresses than it uses. */
export function memoryProblem(): string | undefined {
  if (problem === null) {
    try {
      createMemory(false);
      problem = undefined;
    } catch {
      problem = "WebAssembly gets no memory here; the address space may be limited (ulimit -v)";
    }
  }
  return problem;
}

function createMemory(shared: boolean): WebAssembly.Memory {
  if (!shared) return new WebAssembly.Memory({ initial: 2, maximum: MAX_PAGES });
  try {
    return new WebAssembly.Memory({ initial: 2, maximum: MAX_PAGES, shared });
  } catch {
    // A shared memory reserves its maximum at once, and a small machine may not have the addresses.
    return new WebAssembly.Memory({ initial: 2, maximum: MAX_PAGES / 4, shared });
  }
}

function grow(name: string, memory: WebAssembly.Memory, bytes: number): void {
  const have = memory.buffer.byteLength / PAGE;
  // Whole mebibytes, so a series of small reservations does not grow it every time.
  const pages = Math.min(MAX_PAGES, Math.ceil(bytes / (16 * PAGE)) * 16);
  try {
    if (bytes > MAX_PAGES * PAGE) throw new RangeError("a WebAssembly memory ends at 4 GiB");
    memory.grow(pages - have);
  } catch (cause) {
    const mebibytes = Math.ceil(bytes / 2 ** 20);
    throw new KindredError(
      "numeric",
      `${name} cannot get the ${mebibytes} MiB of memory it needs`,
      {},
      { cause },
    );
  }
}
