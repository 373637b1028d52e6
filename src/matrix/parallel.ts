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
import {
  instantiate,
  kernelBuild,
  kernelBytes,
  loadKernel,
  madeOnce,
  type Belongings,
  type Kernel,
  type KernelBinary,
  type KernelBuild,
  type KernelOptions,
} from "./wasm.ts";
import { pool } from "./threads.ts";

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
  { build = kernelBuild() ?? "simd" }: KernelOptions = {},
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
