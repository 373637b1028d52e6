/**
 * WebAssembly kernels: compiled once, laid out by the caller. Any room can use its own kernel in the same few lines:
 *
 *     import * as binary from "./kernel/tree.wasm.ts";           // made from tree.as.ts by scripts/build-kernels.mjs
 *
 *     const kernel = loadKernel<binary.Exports>("graph/tree", binary);   // cached: call it wherever it is needed
 *     kernel.scope(() => {
 *       const x = kernel.reserve(8 * n), y = kernel.reserve(8 * n);   // byte addresses, 64-byte aligned
 *       kernel.f64(x, n).set(data);                                   // take views after the last `reserve`
 *       kernel.exports.nearest(n, x, y);
 *       out.set(kernel.f64(y, n));
 *     });
 *
 * Reserve everything first: a `reserve` that grows the memory detaches earlier views. Reserved memory has
 * undefined contents. For independent tasks on several threads see `parallelKernel` below.
 */
import { KindredError } from "../core/index.ts";
import { nodeModule, optionError } from "../core/internal.ts";
import { engine } from "./engine.ts";
import { pool } from "./threads.ts";

/** The two builds of one kernel, base64. */
export interface KernelBinary {
  readonly simd: string;
  /** The changes for the build with fused multiply-add, whose last bits depend on the machine. */
  readonly relaxed: string;
}

export type KernelBuild = "simd" | "relaxed";

export interface Kernel<E extends object> extends Arena {
  readonly name: string;
  readonly build: KernelBuild;
  readonly exports: E;
}

interface KernelOptions {
  /** Defaults to the build of the engine in use. */
  readonly build?: KernelBuild;
}

/** What belongs to an object, under names. */
type Belongings<T> = WeakMap<object, Map<string, T>>;

/** What belongs to an object under a name, made when it is asked for first. */
function madeOnce<T>(all: Belongings<T>, owner: object, name: string, make: (forget: () => void) => T): T {
  const known = all.get(owner) ?? new Map<string, T>();
  all.set(owner, known);
  let found = known.get(name);
  if (found === undefined) known.set(name, (found = make(() => known.delete(name))));
  return found;
}

const kernels: Belongings<Kernel<object>> = new WeakMap();

/** The kernel with a memory of its own. */
export function loadKernel<E extends object>(
  name: string,
  binary: KernelBinary,
  { build = engine().name }: KernelOptions = {},
): Kernel<E> {
  return madeOnce(kernels, binary, build, (forget) => {
    const arena = createArena(name, false, forget);
    const module = new WebAssembly.Module(kernelBytes(name, binary, build));
    return { ...arena, name, build, exports: instantiate<E>(module, arena.memory) };
  }) as Kernel<E>;
}

function instantiate<E extends object>(module: WebAssembly.Module, memory: WebAssembly.Memory): E {
  const abort = (): never => {
    throw new Error("the kernel stopped");
  };
  return new WebAssembly.Instance(module, { env: { memory, abort } }).exports as E;
}

/** The bytes of a build that this machine can run; an error otherwise. */
function kernelBytes(name: string, binary: KernelBinary, build: KernelBuild): Uint8Array<ArrayBuffer> {
  const problem = buildProblem(binary, build);
  if (problem !== undefined) throw optionError(`the ${build} build of ${name} cannot be used: ${problem}`);
  return checkedBytes(binary, build).bytes.slice();
}

/** Why this machine cannot run the given build of a kernel, or undefined if it can. */
export function buildProblem(binary: KernelBinary, build: KernelBuild): string | undefined {
  if (typeof WebAssembly === "undefined") return "there is no WebAssembly here";
  if (build === "relaxed") allowRelaxed();
  if (checkedBytes(binary, build).valid) return undefined;
  return `this JavaScript engine does not know ${build === "relaxed" ? "relaxed " : ""}SIMD instructions`;
}

/**
 * Node 20 has relaxed SIMD behind a V8 flag, which applies only to modules compiled after it is set; later
 * versions always have it and no longer know the flag.
 */
let relaxedAllowed = false;
function allowRelaxed(): void {
  if (relaxedAllowed) return;
  relaxedAllowed = true;
  const { process } = globalThis as { process?: { readonly versions?: { readonly node?: string } } };
  if (!(Number.parseInt(process?.versions?.node ?? "", 10) < 22)) return;
  nodeModule<{ setFlagsFromString(flag: string): void }>("v8")?.setFlagsFromString(
    "--experimental-wasm-relaxed-simd",
  );
}

interface CheckedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly valid: boolean;
}

/** Cached, because the first use of a kernel needs it twice, and a first call should be short. */
const checked: Belongings<CheckedBytes> = new WeakMap();

function checkedBytes(binary: KernelBinary, build: KernelBuild): CheckedBytes {
  return madeOnce(checked, binary, build, () => {
    const usual = decode(binary.simd);
    const bytes = build === "simd" ? usual : changed(usual, decode(binary.relaxed));
    return { bytes, valid: WebAssembly.validate(bytes) };
  });
}

/**
 * Bytes after changes, in the form of `changes` in scripts/build-kernels.mjs: again and again how many bytes to put in,
 * these, how far to jump (odd: backwards), and how many bytes to copy from there.
 */
function changed(from: Uint8Array, changes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  let [at, place] = [0, 0];
  const count = (): number => {
    let value = 0;
    for (let bits = 0; ; bits += 7) {
      const byte = changes[at++];
      value |= (byte & 127) << bits;
      if (byte < 128) return value;
    }
  };
  while (at < changes.length) {
    for (let added = count(); added > 0; added--) out.push(changes[at++]);
    const jump = count();
    place += jump & 1 ? -(jump + 1) / 2 : jump / 2;
    for (let copied = count(); copied > 0; copied--) out.push(from[place++]);
  }
  return Uint8Array.from(out);
}

/**
 * Base64; or a letter for each byte, its code the byte or 256 more, which compresses better (wasm begins with
 * 0, so its first letter identifies the form).
 */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  if (base64.charCodeAt(0) >= 256) return Uint8Array.from(base64, (letter) => letter.charCodeAt(0) & 255);
  const host = globalThis as { Buffer?: { from(text: string, encoding: "base64"): Uint8Array } };
  if (host.Buffer !== undefined) return new Uint8Array(host.Buffer.from(base64, "base64"));
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** A memory allocated from the bottom up, and freed in reverse by scopes. */
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
/** A memory above this size is dropped by `releaseMemory`. */
const SMALL_BYTES = 8 * 2 ** 20;
const large = new Set<() => void>();

/** Drops the memory of kernels that is large and idle, at the end of a task after which others follow. */
export function releaseMemory(): void {
  for (const forget of large) forget();
  large.clear();
}

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
        if (before === FIRST_ADDRESS && !shared && memory.buffer.byteLength > SMALL_BYTES)
          large.add(onLargeAndIdle);
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

const NO_MEMORY =
  "there is not enough memory for this; WebAssembly reserves 10 GB of addresses, so raise the limit (ulimit -v)";

/** Why there is no memory for kernels, or undefined if there is. */
export function memoryProblem(): string | undefined {
  try {
    createMemory(false);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function createMemory(shared: boolean): WebAssembly.Memory {
  // A shared memory reserves its maximum at once, and a small machine may not have the addresses.
  for (const maximum of shared ? [MAX_PAGES, MAX_PAGES / 4] : [MAX_PAGES]) {
    try {
      return new WebAssembly.Memory({ initial: 2, maximum, shared });
    } catch {
      continue;
    }
  }
  throw new KindredError("numeric", NO_MEMORY, { code: "memory" });
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

/**
 * Kernels whose exports run independent tasks, on several threads if that pays:
 *
 *     const kernel = parallelKernel<binary.Exports>("convex/features", binary, flops > 1e7);
 *     kernel.scope(() => {
 *       const x = kernel.reserve(8 * n);
 *       ...
 *       kernel.run("solveFeature", features, scratchBytes, [n, x]);   // solveFeature(task, scratch, n, x)
 *     });
 *
 * An export for `run` takes the number of its task, the address of `scratchBytes` bytes of its own, and the
 * given arguments. `run` reserves that scratch, so take views after it. Tasks run in any order and on any
 * thread, so a task must write only to its own memory; then the results are the same bits for every number of
 * threads.
 */
export interface ParallelKernel<E extends object> extends Kernel<E> {
  /** Number of threads that `run` may use. */
  readonly threads: number;
  run<N extends keyof E & string>(
    name: N,
    tasks: number,
    scratchBytes: number,
    args: TaskArguments<E[N]>,
  ): void;
}

/** The arguments of an export for `run` after the number of its task and the address of its scratch. */
export type TaskArguments<F> = F extends (task: number, scratch: number, ...args: infer A) => void
  ? Readonly<A>
  : never;

/** The form for threads: they only know that an export takes numbers. */
type Task = (...args: number[]) => void;

/**
 * Modules for shared memories. They outlive a pool: an engine keeps the machine code of a living module, and the workers of
 * the next pool get that for the same bytes.
 */
const modules = new Map<string, { readonly bytes: Uint8Array; readonly module: WebAssembly.Module }>();
const single: Belongings<ParallelKernel<object>> = new WeakMap();
const shared: Belongings<ParallelKernel<object>> = new WeakMap();

/** @param worthwhile whether the work is large enough for several threads */
export function parallelKernel<E extends object>(
  name: string,
  binary: KernelBinary,
  worthwhile: boolean,
  { build = engine().name }: KernelOptions = {},
): ParallelKernel<E> {
  const group = worthwhile ? pool() : undefined;
  if (group === undefined) return alone(loadKernel<E>(name, binary, { build }));

  const key = `${name} ${build}`;
  return madeOnce(shared, group, key, () => {
    const { bytes, module } = modules.get(key) ?? sharedModule(name, binary, build);
    modules.set(key, { bytes, module });
    const exports = instantiate<E>(module, group.arena.memory);
    const names = WebAssembly.Module.exports(module).map((entry) => entry.name);
    const id = group.addModule(bytes);
    const kernel: ParallelKernel<E> = {
      ...group.arena,
      name,
      build,
      exports,
      threads: group.size,
      run(name, tasks, scratchBytes, args) {
        group.run({
          kernel: id,
          exportIndex: names.indexOf(name),
          call: exports[name] as Task,
          tasks,
          scratchBytes,
          args: args as readonly number[],
        });
      },
    };
    return kernel;
  }) as ParallelKernel<E>;
}

function sharedModule(name: string, binary: KernelBinary, build: KernelBuild) {
  const bytes = kernelBytes(name, binary, build);
  declareShared(bytes);
  return { bytes, module: new WebAssembly.Module(bytes) };
}

function alone<E extends object>(kernel: Kernel<E>): ParallelKernel<E> {
  const make = (): ParallelKernel<E> => ({
    ...kernel,
    threads: 1,
    run(name, tasks, scratchBytes, args) {
      const call = kernel.exports[name] as Task;
      kernel.scope(() => {
        const scratch = kernel.reserve(scratchBytes);
        for (let task = 0; task < tasks; task++) call(task, scratch, ...(args as readonly number[]));
      });
    },
  });
  return madeOnce(single, kernel, "", make) as ParallelKernel<E>;
}

/**
 * Marks the imported memory as shared. In the import section the entry reads "env" "memory" 0x02 limits, and
 * the limits begin with 1 (has a maximum) or 3 (has a maximum and is shared): the two kinds of module differ
 * in one byte.
 */
function declareShared(bytes: Uint8Array): void {
  const entry = [3, 0x65, 0x6e, 0x76, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 1];
  for (let at = 8; at + entry.length <= bytes.length; at++) {
    if (entry.every((byte, i) => bytes[at + i] === byte)) {
      bytes[at + entry.length - 1] = 3;
      return;
    }
  }
  throw new Error("the kernel does not import a memory with a maximum");
}
