/** What V8, the engine of Node, does only when it is asked. */
import { nodeModule } from "../core/internal.ts";

/**
 * The module of these bytes. V8 13.6, of Node 24, can join neighbouring operations of 128 bits to one of 256 on x64. It calls
 * this an experiment; versions 14 stop the process. So the flag is set only while this module is compiled, at once and
 * whole. V8 keeps the code of a module by its bytes, also for other threads: a section of its own tells this one apart.
 */
export function compiled(bytes: Uint8Array<ArrayBuffer>, wide: number) {
  if (wide === 0) return { bytes, module: new WebAssembly.Module(bytes) };
  const marked = Uint8Array.from([...bytes, 0, 5, 4, 0x77, 0x69, 0x64, 0x65]);
  setFlags("--experimental-wasm-revectorize", "--no-liftoff", "--no-wasm-lazy-compilation");
  try {
    return { bytes: marked, module: new WebAssembly.Module(marked) };
  } finally {
    setFlags("--no-experimental-wasm-revectorize", "--liftoff", "--wasm-lazy-compilation");
  }
}

export function canWiden(): boolean {
  const { arch, versions = {} } = host();
  const other = versions.deno ?? versions.bun ?? versions.electron;
  return arch === "x64" && other === undefined && versions.v8?.startsWith("13.6.") === true;
}

/**
 * Node 20 has relaxed SIMD behind a V8 flag, which applies only to modules compiled after it is set; later
 * versions always have it and no longer know the flag.
 */
let relaxedAllowed = false;
export function allowRelaxed(): void {
  if (relaxedAllowed) return;
  relaxedAllowed = true;
  if (Number.parseInt(host().versions?.node ?? "", 10) < 22) setFlags("--experimental-wasm-relaxed-simd");
}

function setFlags(...flags: string[]): void {
  const v8 = nodeModule<{ setFlagsFromString(flag: string): void }>("v8");
  for (const flag of flags) v8?.setFlagsFromString(flag);
}

interface Host {
  readonly arch?: string;
  readonly versions?: Readonly<Record<string, string | undefined>>;
}

function host(): Host {
  return (globalThis as { process?: Host }).process ?? {};
}
