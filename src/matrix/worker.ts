/**
 * The source of a pool worker, as text, so that it starts in the same way from sources, from the package,
 * from a bundle and in a browser. The words of the control block are those of threads.ts.
 *
 * A task is claimed by decrementing REMAINING (1), and everything about it is read after that: while a
 * claimed task is unfinished the caller cannot begin another round, so the data belong to the round of the
 * claim, however late this thread woke. The function and its arguments are kept for the other tasks of a round, whose
 * number (10) the caller sets before the tasks. The wait re-checks the generation in a loop: a wake-up may belong to
 * a finished round.
 */
export const workerSource: string = `
"use strict";
function serve({ memory, control, thread }) {
  const words = new Int32Array(control);
  const doubles = new Float64Array(control);
  const kernels = new Map();
  const kernel = () => {
    const id = words[5];
    let found = kernels.get(id);
    if (found === undefined) {
      const module = new WebAssembly.Module(new Uint8Array(control).slice(words[8], words[8] + words[9]));
      const abort = () => { throw new Error("the kernel stopped"); };
      const exports = new WebAssembly.Instance(module, { env: { memory, abort } }).exports;
      found = WebAssembly.Module.exports(module).map(({ name }) => exports[name]);
      kernels.set(id, found);
    }
    return found;
  };
  let round = 0, call, scratch, args;
  for (;;) {
    const generation = Atomics.load(words, 0);
    for (;;) {
      const remaining = Atomics.sub(words, 1, 1);
      if (remaining <= 0) break;
      const count = words[3];
      try {
        if (words[10] !== round) {
          call = kernel()[words[6]];
          scratch = doubles[8] + thread * doubles[9];
          args = Array.from(doubles.subarray(10, 10 + words[7]));
          round = words[10];
        }
        call(count - remaining, scratch, ...args);
      } catch {
        Atomics.store(words, 4, 1);
      }
      if (Atomics.add(words, 2, 1) === count - 1) Atomics.notify(words, 2);
    }
    while (Atomics.load(words, 0) === generation) Atomics.wait(words, 0, generation);
  }
}
if (typeof require === "function") serve(require("node:worker_threads").workerData);
else onmessage = ({ data }) => { postMessage("ready"); serve(data); };
`;
