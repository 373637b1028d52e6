import { parallelKernel } from "../matrix/index.ts";
import type { Discrete } from "./discrete.ts";
import * as binary from "./kernel/pairInformation.wasm.ts";
import type { LevelLayout } from "./levelCounts.ts";
import { layOut } from "./pairKernel.ts";

/** Adds the counts of all pairs of variables, for some of the rows, to those of others; laid out as `LevelCounts`. */
export function addPairCounts(variables: Discrete, layout: LevelLayout, into: Float64Array): void {
  if (variables.rows === 0 || variables.cols < 2) return;
  const { rows, cols } = variables;
  const { before, starts } = layout;
  const steps = (rows / 16) * cols * (cols / 2);
  const kernel = parallelKernel<binary.Exports>("select/pairInformation", binary, steps > PARALLEL_STEPS);
  kernel.scope(() => {
    const { records, words, mostLevels } = layOut(kernel, variables);
    const beforeAt = kernel.reserve(4 * (cols + 1));
    kernel.i32(beforeAt, cols + 1).set(before);
    const block = kernel.threads === 1 ? cols : Math.ceil(cols / (4 * kernel.threads));
    for (let u = 0, end = 0; u < cols - 1; u = end) {
      end = u + 1;
      while (end < cols - 1 && starts[end + 1] - starts[u] <= CELLS) end++;
      const cells = starts[end] - starts[u];
      kernel.scope(() => {
        const outAt = kernel.reserve(4 * cells);
        const args = [records, beforeAt, cols, rows, words, u, end, block, outAt] as const;
        kernel.run("countBlock", Math.ceil(cols / block), 4 * (mostLevels + 2), args);
        const counts = kernel.i32(outAt, cells);
        for (let p = 0, at = starts[u]; p < cells; p++, at++) into[at] += counts[p];
      });
    }
  });
}

const PARALLEL_STEPS = 4e6;
/** Counted before they are added: a megabyte of them. */
const CELLS = 2 ** 18;
