import { optionError } from "../../core/internal.ts";
import { multiplyTransposeA, type Matrix } from "../../matrix/index.ts";
import type { Alternation, AlternationOptions } from "./cpdUmlAlternation.ts";
import type { FieldBasis } from "./cpdUmlField.ts";

/** A field so wide that it shifts all rows equally, or so narrow that each row has its own, is useless. */
export function checkWidth(
  { G, counts, sigma }: FieldBasis,
  X: Matrix,
  radius: number,
  warnings: string[],
): void {
  const said = `sigma = ${sigma} (the rows lie about ${radius.toPrecision(3)} from their mean)`;
  let least = Infinity;
  let near = 0;
  for (let p = 0; p < G.data.length; p++) {
    const value = counts === undefined ? G.data[p] : G.data[p] / Math.sqrt(counts[p % G.cols]);
    least = Math.min(least, value);
    if (value > 1e-8) near++;
  }
  if (least > 1 - 1e-12) {
    throw optionError(
      `cpdUml: ${said} is so large that the field shifts all rows equally; use a smaller one`,
    );
  }
  if (near <= X.rows) {
    warnings.push(`${said} is so small that each row moves on its own, and new rows do not move`);
  }
}

export function explain(
  run: Alternation,
  {
    clusters: K,
    indicator,
    maxIterations,
  }: Pick<AlternationOptions, "clusters" | "indicator" | "maxIterations">,
  rank: number,
  warnings: string[],
): void {
  if (rank < K) {
    warnings.push(`the rows have rank ${rank}, so ${rank} singular vectors represent ${K} clusters`);
  }
  if (indicator === "relaxed" && rank <= K) {
    warnings.push(
      `${rank} relaxed indicators span all rows of rank ${rank}, so nothing moves; use the discrete form`,
    );
  }
  if (run.outcome === "cycle") {
    warnings.push(
      `the partitions repeat every ${run.period} iterations; the one with the smallest J is returned`,
    );
  }
  if (run.outcome === "limit") warnings.push(`not converged after ${maxIterations} iterations`);
  if (run.outcome === "stopped") warnings.push("stopped by onProgress; the best so far is returned");
}

/** |G'(I - YY')X1 + lambda Phi| / |G'X|: (15) at the field. */
export function gradientShare(
  X: Matrix,
  { G }: FieldBasis,
  { Y, moved, weights }: Alternation,
  lambda: number,
): number {
  const residual = Y.times(Y.timesTranspose(moved));
  for (let p = 0; p < residual.data.length; p++) residual.data[p] = moved.data[p] - residual.data[p];
  const gradient = multiplyTransposeA(G, residual);
  const whole = multiplyTransposeA(G, X);
  let size = 0;
  let scale = 0;
  for (let p = 0; p < gradient.data.length; p++) {
    size += (gradient.data[p] + lambda * weights.data[p]) ** 2;
    scale += whole.data[p] ** 2;
  }
  return scale === 0 ? 0 : Math.sqrt(size / scale);
}
