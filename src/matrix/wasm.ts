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
 * undefined contents. `kernelBuild()` is undefined under the plain engine; a room with a TypeScript version
 * of its kernel uses it then. For independent tasks on several threads see `parallelKernel` in parallel.ts.
 */
import { nodeModule, optionError } from "../core/internal.ts";
import { createArena, type Arena } from "./arena.ts";
import { engine } from "./engine.ts";

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

export interface KernelOptions {
  /** Defaults to the build of the engine in use. */
  readonly build?: KernelBuild;
}

/** What belongs to an object, under names. */
export type Belongings<T> = WeakMap<object, Map<string, T>>;

/** What belongs to an object under a name, made when it is asked for first. */
export function madeOnce<T>(
  all: Belongings<T>,
  owner: object,
  name: string,
  make: (forget: () => void) => T,
): T {
  const known = all.get(owner) ?? new Map<string, T>();
  all.set(owner, known);
  let found = known.get(name);
  if (found === undefined) known.set(name, (found = make(() => known.delete(name))));
  return found;
}

const kernels: Belongings<Kernel<object>> = new WeakMap();

/** The default build of kernels, or undefined under the plain engine. */
export function kernelBuild(): KernelBuild | undefined {
  const { name } = engine();
  if (name === "plain") return undefined;
  return name === "relaxed" ? "relaxed" : "simd";
}

/** The kernel with a memory of its own. */
export function loadKernel<E extends object>(
  name: string,
  binary: KernelBinary,
  { build = kernelBuild() ?? "simd" }: KernelOptions = {},
): Kernel<E> {
  return madeOnce(kernels, binary, build, (forget) => {
    const arena = createArena(name, false, forget);
    const module = new WebAssembly.Module(kernelBytes(name, binary, build));
    return { ...arena, name, build, exports: instantiate<E>(module, arena.memory) };
  }) as Kernel<E>;
}

export function instantiate<E extends object>(module: WebAssembly.Module, memory: WebAssembly.Memory): E {
  const abort = (): never => {
    throw new Error("the kernel stopped");
  };
  return new WebAssembly.Instance(module, { env: { memory, abort } }).exports as E;
}

/** The bytes of a build that this machine can run; an error otherwise. */
export function kernelBytes(name: string, binary: KernelBinary, build: KernelBuild): Uint8Array<ArrayBuffer> {
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
