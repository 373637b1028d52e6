/**
 * WebAssembly kernels: compiled once, laid out by the caller. Any room can use its own kernel in the same few lines:
 *
 *     import * as binary from "./kernel/edges.wasm.ts";          // made from edges.as.ts by scripts/build-kernels.mjs
 *     interface EdgeKernel { differences(n: number, x: number, y: number): void }
 *
 *     const kernel = loadKernel<EdgeKernel>("graph/edges", binary);   // cached: call it wherever it is needed
 *     kernel.scope(() => {
 *       const x = kernel.reserve(8 * n), y = kernel.reserve(8 * n);   // byte addresses, 64-byte aligned
 *       kernel.f64(x, n).set(data);                                   // take views after the last `reserve`
 *       kernel.exports.differences(n, x, y);
 *       out.set(kernel.f64(y, n));
 *     });
 *
 * Reserve everything first: a `reserve` that grows the memory detaches earlier views. Reserved memory holds whatever
 * was there before. `kernelBuild()` is undefined under the plain engine; a room with a TypeScript twin of its kernel
 * takes that path then. For several threads see threads.ts.
 */
import { KindredError, optionError } from "../core/errors.ts";
import { nodeModule } from "../core/node.ts";

/** The two builds of one kernel, base64: `relaxed` fuses multiply and add, so its last bits depend on the machine. */
export interface KernelBinary {
  readonly simd: string;
  readonly relaxed: string;
}

export type KernelBuild = "simd" | "relaxed";

export interface Kernel<E extends object> {
  readonly name: string;
  readonly build: KernelBuild;
  readonly exports: E;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of `bytes` fresh bytes, aligned to 64; the memory grows as needed. */
  reserve(bytes: number): number;
  /** Frees, when `work` ends, what it reserved. */
  scope<T>(work: () => T): T;
  f64(address: number, length: number): Float64Array;
  i32(address: number, length: number): Int32Array;
}

export interface KernelOptions {
  /** Defaults to the build of the engine in use. */
  readonly build?: KernelBuild;
  /** A memory that other threads can share. */
  readonly shared?: boolean;
}

/** Addresses below are left to the kernel's constants. */
const FIRST_ADDRESS = 65536;
const PAGE = 65536;
const MAX_PAGES = 65536;
/** Memory never shrinks, so an instance that has grown beyond this is dropped when its scope ends. */
const RETAINED_BYTES = 512 * 2 ** 20;

let currentBuild: KernelBuild | undefined = "simd";
const modules = new WeakMap<KernelBinary, Map<string, WebAssembly.Module>>();
const kernels = new WeakMap<KernelBinary, Map<string, Kernel<object>>>();

/** The build that kernels use by default, or undefined if the engine in use is the plain one. */
export function kernelBuild(): KernelBuild | undefined {
  return currentBuild;
}

/** Called by `useEngine` only. */
export function setKernelBuild(build: KernelBuild | undefined): void {
  currentBuild = build;
}

export function loadKernel<E extends object>(
  name: string,
  binary: KernelBinary,
  options: KernelOptions = {},
): Kernel<E> {
  const build = options.build ?? currentBuild ?? "simd";
  const shared = options.shared ?? false;
  const key = `${build}${shared ? " shared" : ""}`;
  const cached = kernels.get(binary)?.get(key);
  if (cached !== undefined) return cached as Kernel<E>;

  const module = compile(name, binary, build, shared);
  const memory = createMemory(shared);
  const instance = new WebAssembly.Instance(module, { env: { memory, abort: () => abort(name) } });
  let top = FIRST_ADDRESS;

  const kernel: Kernel<E> = {
    name,
    build,
    exports: instance.exports as E,
    module,
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
        if (before === FIRST_ADDRESS && memory.buffer.byteLength > RETAINED_BYTES) {
          kernels.get(binary)?.delete(key);
        }
      }
    },
    f64: (address, length) => new Float64Array(memory.buffer, address, length),
    i32: (address, length) => new Int32Array(memory.buffer, address, length),
  };
  remember(kernels, binary, key, kernel);
  return kernel;
}

/** Why this machine cannot run the given build of a kernel, or undefined if it can. */
export function buildProblem(binary: KernelBinary, build: KernelBuild): string | undefined {
  if (typeof WebAssembly === "undefined") return "there is no WebAssembly here";
  if (build === "relaxed") allowRelaxed();
  if (WebAssembly.validate(decode(binary[build]))) return undefined;
  return build === "relaxed"
    ? "this JavaScript engine does not know relaxed SIMD instructions"
    : "this JavaScript engine does not know SIMD instructions";
}

function compile(
  name: string,
  binary: KernelBinary,
  build: KernelBuild,
  shared: boolean,
): WebAssembly.Module {
  const key = `${build}${shared ? " shared" : ""}`;
  const cached = modules.get(binary)?.get(key);
  if (cached !== undefined) return cached;
  const problem = buildProblem(binary, build);
  if (problem !== undefined) throw optionError(`the ${build} build of ${name} cannot be used: ${problem}`);
  const bytes = decode(binary[build]);
  if (shared) declareShared(bytes);
  const module = new WebAssembly.Module(bytes);
  remember(modules, binary, key, module);
  return module;
}

/**
 * Node 20 has relaxed SIMD behind a V8 flag, which counts only for modules compiled after it is set; later versions
 * have it always and no longer know the flag.
 */
let relaxedAllowed = false;
function allowRelaxed(): void {
  if (relaxedAllowed) return;
  relaxedAllowed = true;
  const host = globalThis as { process?: { versions?: { node?: string } } };
  const major = Number.parseInt(host.process?.versions?.node ?? "", 10);
  if (!(major < 22)) return;
  nodeModule<{ setFlagsFromString(flag: string): void }>("v8")?.setFlagsFromString(
    "--experimental-wasm-relaxed-simd",
  );
}

/**
 * Marks the imported memory as shared. In the import section the entry reads "env" "memory" 0x02 limits, and the
 * limits' flag is 1 (has a maximum) or 3 (has a maximum and is shared): one byte is all that the two kinds of module
 * differ by.
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
  const have = memory.buffer.byteLength;
  const pages = Math.min(MAX_PAGES, Math.ceil(bytes / (16 * PAGE)) * 16);
  try {
    if (bytes > MAX_PAGES * PAGE) throw new RangeError("a WebAssembly memory ends at 4 GiB");
    memory.grow(pages - have / PAGE);
  } catch (cause) {
    throw new KindredError("numeric", `${name} needs ${Math.ceil(bytes / 2 ** 20)} MiB of memory at once`, {
      cause,
    });
  }
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function remember<T>(
  cache: WeakMap<KernelBinary, Map<string, T>>,
  binary: KernelBinary,
  key: string,
  value: T,
): void {
  const known = cache.get(binary) ?? new Map<string, T>();
  cache.set(binary, known.set(key, value));
}

function abort(name: string): never {
  throw new Error(`${name} stopped`);
}
